/**
 * Whether a worker is better than guessing, cannot be told from guessing, or is worse, with the evidence in words.
 *
 * The statistic is the diagonal of dependence.ts: how much a worker's labels agree with what a model of the other
 * workers believes, beyond what the same labels in any other order would. Two questions are put to it:
 *
 *   could this be guessing?              no, better   excess ≥ 1.96 sd of guessing (2.5 %), or
 *                                                     excess > 0 and labels depend on beliefs (p ≤ .01)
 *                                        no, worse    excess ≤ −2.326 sd of guessing (1 %)
 *   is this a worker 15 points above it? no           probability below .2, by the labels and by the crowd
 *                                                     (crowd-knowledge.ts)
 *
 * `guessing` is said of a worker who could be guessing and is probably not 15 points above it; `unknown` of one who could be
 * either. Labels that depend on the beliefs (p ≤ .01) but agree with them no more than guesses would are `unknown` as well:
 * they tell something, if not by being right.
 *
 *   few-labels   fewer than 5 labels; nothing else is said of such a worker
 *   spammer      `guessing`, from at least 10 labels
 *   adversary    `worse`, from at least 10 labels
 *   one-class    at least 95 % of 10 labels or more are the same, the result says that the tasks are not (p ≤ .01),
 *                and the labels that differ tell nothing
 *   copy         never disagrees with some others, and is too often wrong for that to be by merit
 */
import { plural } from "../error.ts";
import { incompleteBeta, normalCdf } from "../math/incomplete.ts";
import { maxOf } from "../math/lists.ts";
import { type Dependence, MARGIN } from "./dependence.ts";
import type { Standing } from "./standing.ts";

/** A reason to look at a worker's labels. */
export type WorkerFlag = "few-labels" | "spammer" | "adversary" | "one-class" | "copy";

/** How a worker stands, with flags and the reasons for them. */
export interface Judgement {
  /** How the labels stand against guessing: worse, guessing, better or unknown. */
  readonly standing: Standing;
  readonly flags: readonly WorkerFlag[];
  /** One sentence for each flag, in the same order, with the numbers behind it. */
  readonly reasons: readonly string[];
}

/** What is known of a worker's labels besides the test. */
export interface Facts {
  readonly labels: number;
  /** How often each label was given. */
  readonly said: Int32Array;
  /** The share of each class on the worker's tasks, as the result sees it. */
  readonly shares: Float64Array;
  /** Number of workers who are copies of this one. */
  readonly copies: number;
  /** Probability that the worker is at least 15 points above guessing. */
  readonly knows: number;
}

/** What a judgement looks at in the test of a worker's labels. */
export type Tested = Omit<Dependence, "counts" | "statistic" | "nullMean" | "power">;

const FEW = 5;
const ENOUGH = 10;
/** The normal quantile of .975: guessers exceed it once in forty times. */
const BETTER = 1.96;
/** Probability of being 15 points above guessing below which a worker may be called a guesser. */
const UNLIKELY = 0.2;

/** Judges a worker by a test of the labels against the others. */
export function judge(test: Tested, { labels, said, shares, copies, knows }: Facts): Judgement {
  if (labels < FEW) {
    const reason = `Only ${plural(labels, "label")}: too few to judge.`;
    return { standing: "unknown", flags: ["few-labels"], reasons: [reason] };
  }
  const enough = test.n >= ENOUGH;
  const better = test.diagonal > 0 && (test.p <= 0.01 || test.diagonal >= BETTER);
  const worse = enough && normalCdf(test.diagonal) <= 0.01;
  const same = enough && test.p > 0.05 ? sameClass(said, shares) : undefined;
  const guessing = enough && !better && !worse && test.p > 0.01 && knows < UNLIKELY;
  const found: readonly (readonly [WorkerFlag, string])[] = [
    ...(guessing ? [["spammer", guessingReason(test)] as const] : []),
    ...(worse ? [["adversary", worseReason(test)] as const] : []),
    ...(same ? [["one-class", same] as const] : []),
    ...(copies > 0 ? [["copy", copyReason(copies)] as const] : []),
  ];
  return {
    standing: worse ? "worse" : guessing || same ? "guessing" : better ? "better" : "unknown",
    flags: found.map(([flag]) => flag),
    reasons: found.map(([, reason]) => reason),
  };
}

const percent = (share: number) => `${Math.round(100 * share)} %`;

/** Observed agreement with the others, that of guessing, and that of a worker 15 points above guessing. */
function agreements({ n, chance, excess, knowing }: Tested) {
  return [(chance + excess) / n, chance / n, (chance + knowing.excess) / n].map(percent);
}

function guessingReason(test: Tested): string {
  const [seen, guess, above] = agreements(test);
  return (
    `${test.n} labels agree with the other workers no more often than guessing would (${seen} against ${guess}; ` +
    `a worker ${Math.round(100 * MARGIN)} points above guessing would reach ${above}).`
  );
}

function worseReason(test: Tested): string {
  const [seen, guess] = agreements(test);
  return `${test.n} labels agree with the other workers less often than guessing would (${seen} against ${guess}).`;
}

const copyReason = (others: number) =>
  `Never disagrees with ${plural(others, "other worker", "other workers")}, and errs too often for that to be by merit: they are copies of one another.`;

/** The evidence if nearly all labels are of one class, and a right answer to each task would make that rare. */
function sameClass(said: Int32Array, shares: Float64Array): string | undefined {
  const labels = said.reduce((sum, count) => sum + count, 0);
  const l = said.indexOf(maxOf(said));
  if (said[l] < 0.95 * labels || l >= shares.length) return undefined;
  const share = shares[l];
  // P(at least so many) of as many tasks, each of that class with this probability.
  const tail =
    share > 0 && share < 1 ? incompleteBeta(share, said[l], labels - said[l] + 1) : share;
  if (tail > 0.01) return undefined;
  return `${said[l]} of ${labels} labels are the same class, which ${percent(share)} of these tasks have.`;
}
