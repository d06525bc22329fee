/** Types of judges as results have them: the largest first, with members, and the scores of all of them together. */
import { type PairwiseData, TIE } from "../../data/pairwise.ts";
import type { Answering } from "./answering.ts";
import { followers, type WorkerType } from "./ranker.ts";

/** A type as it was fitted. */
type FittedType = Pick<WorkerType, "share" | "score" | "sd">;

/** What a result says of types. */
export interface DescribedTypes {
  /** The scores of all types together, each counted by its share, and their standard errors. */
  readonly score: Float64Array;
  readonly sd: Float64Array;
  readonly types: readonly WorkerType[];
  readonly type: Int32Array;
  readonly typeProbability: Float64Array;
  /** P(type | judge), as membership[judge * types + type]. */
  readonly membership: Float64Array;
  readonly answering: Answering;
}

/** Describes types from their shares, scores and members. */
export function describedTypes(
  data: PairwiseData,
  fitted: readonly FittedType[],
  belongs: Float64Array,
): DescribedTypes {
  const J = fitted.length;
  const order = Array.from(fitted.keys()).sort(
    (a, b) => fitted[b].share - fitted[a].share || a - b,
  );
  const membership = belongs.map((_, at) => belongs[Math.floor(at / J) * J + order[at % J]]);
  const type = Int32Array.from({ length: data.workers.length }, (_, u) => {
    const row = membership.subarray(u * J, (u + 1) * J);
    return row.indexOf(row.reduce((most, p) => Math.max(most, p), 0));
  });
  const found = order.map((j) => fitted[j]);
  const together = (part: (each: FittedType, i: number) => number) =>
    Float64Array.from(data.items, (_, i) => found.reduce((sum, each) => sum + part(each, i), 0));
  const score = together((each, i) => each.share * each.score[i]);
  const variance = together((each, i) => (each.share * each.sd[i]) ** 2);
  const content = satisfactionOf(data, score, membership, J);
  return {
    score,
    sd: variance.map(Math.sqrt),
    types: found.map((each, j) => ({
      ...each,
      members: Int32Array.from(type.keys()).filter((u) => type[u] === j),
      satisfaction: content[j],
    })),
    type,
    typeProbability: Float64Array.from(type, (j, u) => membership[u * J + j]),
    membership,
    answering: { types: { score: found.map((each) => each.score), membership } },
  };
}

/** Share of the decided comparisons of each type that follow the common scores. */
function satisfactionOf(
  data: PairwiseData,
  score: Float64Array,
  membership: Float64Array,
  J: number,
): number[] {
  const followed = followers(data, () => score);
  const decided = new Float64Array(data.workers.length);
  data.label.forEach((said, i) => {
    if (said !== TIE) decided[data.worker[i]] += data.weight ? data.weight[i] : 1;
  });
  return Array.from({ length: J }, (_, j) => {
    let [all, sum] = [0, 0];
    decided.forEach((n, u) => {
      if (n === 0) return;
      all += n * membership[u * J + j];
      sum += n * membership[u * J + j] * followed[u];
    });
    return sum / all;
  });
}
