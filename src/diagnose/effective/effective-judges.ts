/**
 * How many independent judges those who compared are worth: copies of one model err together.
 *
 * The residual of an answer is (X - E X) / sqrt(Var X), X = 1, ½ or 0 for the first item of the pair, under Davidson's fit
 * to the answers of all but the two judges in question. Their correlation over the pairs that both compared for the
 * same task counts where it exceeds four standard errors (correlation · sqrt(pairs) > 4). Then the number is that of
 * panel-size.ts.
 *
 * Adversaries, and judges who look at one side, err together under a fit that takes all judges for alike, and so do
 * honest judges where such others flatten the scores. So the correlation must also exceed four standard errors once each judge has a
 * way of answering of their own: P(first item) = logistic(slope · difference + side), fitted to all that the judge said.
 */
import { answerChances } from "../../aggregate/pairwise/answering.ts";
import { bradleyTerry } from "../../aggregate/pairwise/bradley-terry.ts";
import type { PairwiseResult } from "../../aggregate/pairwise/ranker.ts";
import { labelsPerWorker } from "../../data/crowd-data.ts";
import { pairLabels } from "../../data/pair-labels.ts";
import { type PairwiseData, withoutWorkers } from "../../data/pairwise.ts";
import { chance, type Way, wayOf } from "../judge-way.ts";
import { crowdSize } from "./panel-size.ts";

/** Judges whose answers go together. */
export interface JudgeCorrelation {
  readonly judges: readonly [number, number];
  /** Correlation of their residuals. */
  readonly correlation: number;
  /** Pairs that both compared for the same task. */
  readonly common: number;
  /** True where it is too large for chance. */
  readonly dependent: boolean;
}

/** How many independent judges a crowd is worth. */
export interface EffectiveJudges {
  /** Independent judges of the same kind that would be as good. */
  readonly crowd: number;
  /** Judges who are counted: those with 20 comparisons or more. */
  readonly judges: number;
  /** Pairs of judges that were looked at closely, the most alike first. */
  readonly correlations: readonly JudgeCorrelation[];
}

const [FEWEST, THRESHOLD, MOST_REFITS] = [20, 4, 50];

/** Rows of two judges about the same pairs. */
type Meetings = readonly [number, number][];

/** Counts the independent judges of comparisons. */
export function effectiveJudges(data: PairwiseData): EffectiveJudges {
  const counted = Array.from(labelsPerWorker(data).entries())
    .filter(([, n]) => n >= FEWEST)
    .map(([u]) => u);
  const meetings = meetingsOf(data, new Set(counted));
  const all = bradleyTerry(data, { ties: "davidson", errors: "wald" });
  const z = (rows: Meetings, fit: PairwiseResult) =>
    correlationOf(rows, (i) => residual(data, fit, i)) * Math.sqrt(rows.length);
  // Fits without two judges take long: they are made for the pairs most alike under the fit to all answers, and for those
  // who met most often, since they make that fit their own.
  const met = [...meetings.values()].filter((rows) => rows.length >= FEWEST);
  const alike = new Map<Meetings, number>(met.map((rows) => [rows, z(rows, all)]));
  const most = (value: (rows: Meetings) => number) =>
    [...met].sort((a, b) => value(b) - value(a)).slice(0, MOST_REFITS);
  const close = new Set([...most((rows) => alike.get(rows) ?? 0), ...most((rows) => rows.length)]);
  const rowsOf = Array.from(data.workers, (): number[] => []);
  for (let i = 0; i < data.worker.length; i++) rowsOf[data.worker[i]].push(i);
  const partners = Array.from(data.workers, () => new Map<number, number>());
  const correlations = [...close].map((rows): JudgeCorrelation => {
    const [u, v] = [data.worker[rows[0][0]], data.worker[rows[0][1]]];
    const without = withoutWorkers(data, new Set([u, v]));
    const fit = bradleyTerry(without, { ties: "davidson", errors: "wald" });
    const correlation = correlationOf(rows, (i) => residual(data, fit, i));
    const ways = new Map([u, v].map((judge) => [judge, wayOf(data, fit, rowsOf[judge])]));
    const own = correlationOf(rows, (i) => ownResidual(data, fit, i, ways.get(data.worker[i])));
    const least = Math.min(correlation, own);
    const dependent = least * Math.sqrt(rows.length) > THRESHOLD;
    if (dependent) {
      partners[u].set(v, least);
      partners[v].set(u, least);
    }
    return { judges: [u, v], correlation, common: rows.length, dependent };
  });
  return {
    crowd: crowdSize({ background: 0, partners }, counted),
    judges: counted.length,
    correlations: correlations.sort((a, b) => b.correlation - a.correlation),
  };
}

/** For every two judges the rows in which they compared the same pair for the same task. */
function meetingsOf(
  data: PairwiseData,
  counted: ReadonlySet<number>,
): Map<number, [number, number][]> {
  const { labels, row, first } = pairLabels(data, "keep");
  const askedOf = Array.from(first, () => new Map<number, number>());
  for (let i = 0; i < row.length; i++) {
    const judge = data.worker[row[i]];
    const asked = askedOf[labels.task[i]];
    if (counted.has(judge) && !asked.has(judge)) asked.set(judge, row[i]);
  }
  const meetings = new Map<number, [number, number][]>();
  for (const asked of askedOf) {
    const judges = [...asked.keys()].sort((a, b) => a - b);
    for (const [at, v] of judges.entries()) {
      for (const u of judges.slice(0, at)) {
        const key = u * data.workers.length + v;
        const rows = meetings.get(key) ?? [];
        rows.push([asked.get(u) as number, asked.get(v) as number]);
        meetings.set(key, rows);
      }
    }
  }
  return meetings;
}

/** The correlation of two judges' residuals over rows of the same pairs. */
function correlationOf(rows: Meetings, residualOf: (row: number) => number): number {
  let [both, one, other] = [0, 0, 0];
  for (const [i, j] of rows) {
    const [a, b] = [residualOf(i), residualOf(j)];
    both += a * b;
    one += a * a;
    other += b * b;
  }
  return one > 0 && other > 0 ? Math.min(1, both / Math.sqrt(one * other)) : 0;
}

/** (X - E X) / sqrt(Var X) for the item of the smaller number. */
function residual(data: PairwiseData, fit: PairwiseResult, i: number): number {
  const [win, , tie] = answerChances(fit, data.left[i], data.right[i], data.worker[i]);
  const mean = win + tie / 2;
  const left = ([1, 0, 0.5][data.label[i]] - mean) / Math.sqrt(win + tie / 4 - mean * mean);
  return data.left[i] < data.right[i] ? left : -left;
}

/** The residual for the item of the smaller number, given the judge's own way. */
function ownResidual(
  data: PairwiseData,
  { score }: PairwiseResult,
  i: number,
  way: Way = { slope: 1, side: 0 },
): number {
  const p = chance(way, score[data.left[i]] - score[data.right[i]]);
  const left = ([1, 0, 0.5][data.label[i]] - p) / Math.sqrt(p * (1 - p));
  return data.left[i] < data.right[i] ? left : -left;
}
