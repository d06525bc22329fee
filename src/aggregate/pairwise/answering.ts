/**
 * How a judge's answer comes from two scores, as plain data that a result carries: with it hidden comparisons are
 * predicted by the model that was fitted, judge by judge.
 */
import { half, logistic, tieModels } from "./tie-models.ts";

/** Parameters of answers beside the scores; whatever is missing plays no part. */
export interface Answering {
  /** How ties come about: `davidson` or `rao-kupper`; anything else has none. */
  readonly ties?: string;
  /** The parameter of ties: nu or tau. */
  readonly tie?: number;
  /** What standing on the left adds to a score. */
  readonly left?: number;
  /** Probability that each judge swaps winner and loser. */
  readonly flip?: Float64Array;
  /** Probability that each judge answers by the scores at all. */
  readonly attention?: Float64Array;
  /** Probability that each judge chooses the left item otherwise. */
  readonly side?: Float64Array;
  /** Types of judges, who answer by scores of their own. */
  readonly types?: {
    /** The scores of each type. */
    readonly score: readonly Float64Array[];
    /** P(type | judge), as membership[judge * types + type]. */
    readonly membership: Float64Array;
  };
}

/** P(left wins), P(right wins) and P(tie) as the answer of a judge to two items. */
export function answerChances(
  {
    score,
    answering,
  }: { readonly score: Float64Array; readonly answering?: Answering | undefined },
  left: number,
  right: number,
  judge: number,
): [number, number, number] {
  const types = answering?.types;
  if (!types) return outcomeChances(answering, score[left] - score[right], judge);
  const sums: [number, number, number] = [0, 0, 0];
  types.score.forEach((own, j) => {
    const belongs = types.membership[judge * types.score.length + j];
    const chances = outcomeChances(answering, own[left] - own[right], judge);
    for (const outcome of [0, 1, 2] as const) sums[outcome] += belongs * chances[outcome];
  });
  return sums;
}

/** P(left wins), P(right wins) and P(tie) as the answer of a judge to a lead, in the order of LEFT, RIGHT and TIE. */
function outcomeChances(
  answering: Answering | undefined,
  lead: number,
  judge: number,
): [number, number, number] {
  const { ties = "", tie: parameter = 0, left = 0, flip, attention, side } = answering ?? {};
  const model = parameter > 0 ? (tieModels[ties] ?? half) : half;
  const { win, tie } = model.chances(lead + left, Math.log(parameter));
  const lost = model === half ? logistic(-lead - left) : Math.max(0, 1 - win - tie);
  const e = flip ? flip[judge] : 0;
  const k = attention ? attention[judge] : 1;
  const q = side ? side[judge] : 0.5;
  return [
    k * ((1 - e) * win + e * lost) + (1 - k) * q,
    k * ((1 - e) * lost + e * win) + (1 - k) * (1 - q),
    k * tie,
  ];
}
