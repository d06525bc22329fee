/** How the tags of each worker compare with a path: token by token, and span by span. */
import { type SequenceData, spansOf, type TagScheme } from "../../data/sequence.ts";
import { matchSpans, stretchesOf } from "../../data/span-match.ts";

/** The shares of each worker's tags, and F1 of the spans, that are those of the path. */
export function workerTagging(
  data: SequenceData,
  scheme: TagScheme | undefined,
  path: Int32Array,
): { accuracy: Float64Array; spanF1: Float64Array } {
  const W = data.workers.length;
  const [right, count, matches, total] = Array.from({ length: 4 }, () => new Float64Array(W));
  for (let i = 0; i < data.label.length; i++) {
    const weight = data.weight ? data.weight[i] : 1;
    count[data.worker[i]] += weight;
    if (data.label[i] === path[data.token[i]]) right[data.worker[i]] += weight;
  }
  const tags = new Int32Array(data.tokens.length);
  for (const { worker, from, to } of scheme ? stretchesOf(data, tags) : []) {
    if (!scheme) break;
    const found = matchSpans(
      [...spansOf(scheme, tags, from, to)],
      [...spansOf(scheme, path, from, to)],
    );
    matches[worker] += found.matches;
    total[worker] += found.given + found.wanted;
  }
  return {
    accuracy: right.map((sum, w) => sum / count[w]),
    spanF1: matches.map((sum, w) => (2 * sum) / total[w]),
  };
}
