/**
 * How each worker's tags stand against guessing: Cohen's kappa with the tag that most others gave, tested against
 * what tags given at random with the same frequencies would reach; one who knows half would have a kappa of .5.
 */
import type { SequenceResult } from "../aggregate/sequence/tagger.ts";
import type { SequenceData } from "../data/sequence.ts";
import { wilsonInterval } from "../math/incomplete.ts";
import { type Standing, standingFrom } from "./standing.ts";

/** What is known of one worker who gave tags. */
export interface SequenceWorker {
  readonly labels: number;
  /** Share of the worker's tags that are those of the result; NaN without any. */
  readonly skill: number;
  readonly low: number;
  readonly high: number;
  readonly spanF1: number;
  readonly standing: Standing;
}

/** Judges each worker, in the order of the workers. */
export function sequenceWorkers(
  data: SequenceData,
  { accuracy, spanF1, workload }: Pick<SequenceResult, "accuracy" | "spanF1" | "workload">,
): SequenceWorker[] {
  const standings = besideOthers(data);
  return Array.from(accuracy, (skill, w) => {
    const n = workload[w];
    const known = Number.isNaN(skill) ? 0 : Math.min(1, skill);
    return {
      labels: n,
      skill,
      ...wilsonInterval(known * n, n),
      spanF1: spanF1[w],
      standing: standings[w],
    };
  });
}

/** The standing of each worker, from tokens that others answered too. */
function besideOthers({
  workers,
  classes,
  tokens,
  token,
  worker,
  label,
}: SequenceData): Standing[] {
  const [K, W] = [classes.length, workers.length];
  const counts = new Int32Array(tokens.length * K);
  for (let i = 0; i < label.length; i++) counts[token[i] * K + label[i]]++;
  const [same, shared] = [new Float64Array(W), new Float64Array(W)];
  const [own, others] = [new Float64Array(W * K), new Float64Array(W * K)];
  for (let i = 0; i < label.length; i++) {
    const votes = counts.subarray(token[i] * K, (token[i] + 1) * K);
    votes[label[i]]--;
    let most = 0;
    for (let c = 1; c < K; c++) if (votes[c] > votes[most]) most = c;
    if (votes[most] > 0) {
      shared[worker[i]]++;
      own[worker[i] * K + label[i]]++;
      others[worker[i] * K + most]++;
      if (most === label[i]) same[worker[i]]++;
    }
    votes[label[i]]++;
  }
  return Array.from(shared, (n, w) => {
    let chance = 0;
    for (let c = 0; c < K; c++) chance += (own[w * K + c] * others[w * K + c]) / (n * n);
    if (n < 5 || !(chance < 1)) return "unknown";
    const error = Math.sqrt((chance * (1 - chance)) / n);
    const above = (same[w] / n - chance) / error;
    return standingFrom(Number.isFinite(above) ? above : 0, (0.5 * (1 - chance)) / error);
  });
}
