/**
 * Auto for numbers. Candidates are read out alike: how far a worker's answers lie from the values, and how widely they
 * scatter, is learnt from other hidden answers of that worker, so that a candidate is judged by its values alone.
 *
 *   r[i] = answer[i] − value[t] of the fit without it
 *   log P(answer[i]) = log N(r[i]; offset[w], s²[w]),   offset and s² from the r of w in other parts, and from all workers
 *
 * Answers of precise workers count more, as they should: values near the truth are near those.
 *
 *   weight[m] ∝ exp(answers of five tasks · mean gain of m on the mean, per hidden answer)
 *   value[t]  = Σ weight[m] · value[m][t]
 *
 * Workers who copy from one another answer as one (merge-copies.ts): hidden answers of copies would be predicted by the others.
 * All hidden answers together would pick a single winner. On real crowds that is often a model of the habits of workers,
 * whose values are no nearer to the truth; the mean of several methods is.
 *
 * Stacking: Wolpert (1992), Neural Networks 5(2), 241–259. https://doi.org/10.1016/S0893-6080(05)80023-1
 */
import {
  clampGold,
  type NumericKnown,
  type NumericResult,
  workerErrors,
} from "../aggregate/numeric/estimator.ts";
import { gaussian } from "../aggregate/numeric/gaussian.ts";
import { looWeight } from "../aggregate/numeric/loo-weight.ts";
import { mean } from "../aggregate/numeric/mean.ts";
import { studentT } from "../aggregate/numeric/student-t.ts";
import { trimmedMean } from "../aggregate/numeric/trimmed-mean.ts";
import { crowdMethod, type Fitted, type Method } from "../aggregate/result.ts";
import { hashNumber } from "../data/content-hash.ts";
import { labelsPerTask } from "../data/crowd-data.ts";
import { type NumericData, selectValues, withinTasks } from "../data/numeric.ts";
import { plural } from "../error.ts";
import { type MethodCard, type OptionTable, type Steps, staged, type Values } from "../method.ts";
import { type HiddenParts, hiddenParts, hideInTurn, taskUnits } from "./hidden-answers.ts";
import { mergeCopies } from "./merge-copies.ts";
import {
  blendNote,
  type Choice,
  type Contest,
  type Judged,
  type Picked,
  pickCard,
  pickOptions,
  type Tried,
  tryAll,
} from "./pick.ts";

/** Log-probability of each answer while it is hidden. */
export function* hiddenValues(
  method: Choice<NumericData, NumericResult>["method"],
  options: object,
  data: NumericData,
  known: object,
  { folds, seed }: { readonly folds: number; readonly seed: number },
): Steps<Float64Array> {
  const { outputs } = data;
  // Misses of several outputs are put together in units of each.
  const unit = outputs ? withinTasks(data) : [1];
  const parts = hiddenParts(taskUnits(data, saidOf(data.value)), folds, seed);
  const misses = yield* hideInTurn(parts, function* (shown, hidden) {
    const { value } = yield* method.steps(selectValues(data, shown), options, known);
    return Float64Array.from(
      hidden,
      (i) => (data.value[i] - value[data.task[i]]) / unit[outputs ? outputs.of[data.task[i]] : 0],
    );
  });
  return scatterLogs(data, misses, parts);
}

/** A hash of what each answer says: how far it is from the middle of all answers, in ranks, so that units do not matter. */
function saidOf(value: Float64Array): Uint32Array {
  const sorted = [...new Set(value)].sort((a, b) => a - b);
  const rank = new Map(sorted.map((x, at) => [x, Math.min(at, sorted.length - 1 - at)]));
  return Uint32Array.from(value, (x) => hashNumber(rank.get(x) ?? 0));
}

/** What all workers have in common counts for so many answers of one worker. */
const SHARED = 4;

/** Log-density of misses under the offset and the scatter that the same worker has in other parts. */
function scatterLogs(
  { worker, workers, weight }: NumericData,
  misses: Float64Array,
  { part, parts }: HiddenParts,
): Float64Array {
  // A single part is halved by the numbers of its answers, so that there is another to learn from.
  const cut = Math.max(2, parts);
  const partOf = (i: number) => (parts > 1 ? part[i] : i % 2);
  const cells = workers.length * cut;
  const [n, sum, squares] = Array.from({ length: 3 }, () => new Float64Array(cells));
  misses.forEach((miss, i) => {
    if (Number.isNaN(miss)) return;
    const at = worker[i] * cut + partOf(i);
    const times = weight ? weight[i] : 1;
    n[at] += times;
    sum[at] += times * miss;
    squares[at] += times * miss * miss;
  });
  const total = (list: Float64Array) => list.reduce((all, x) => all + x, 0);
  const pooled = total(squares) / total(n);
  if (!(pooled > 0)) return misses.map((miss) => (Number.isNaN(miss) ? miss : 0));
  const others = (list: Float64Array, w: number, p: number) =>
    total(list.subarray(w * cut, (w + 1) * cut)) - list[w * cut + p];
  return misses.map((miss, i) => {
    const [w, p] = [worker[i], partOf(i)];
    const count = others(n, w, p) + SHARED;
    const offset = others(sum, w, p) / count;
    const scatter = others(squares, w, p) + SHARED * pooled;
    const variance = Math.max(1e-6 * pooled, scatter / count - offset * offset);
    return -0.5 * (Math.log(2 * Math.PI * variance) + (miss - offset) ** 2 / variance);
  });
}

type NumericChoice = Choice<NumericData, NumericResult>;

const choices: readonly NumericChoice[] = [
  { name: "mean", method: mean },
  { name: "trimmed mean", method: trimmedMean },
  { name: "leave-one-out weights", method: looWeight },
  { name: "Gaussian workers", method: gaussian },
  { name: "Gaussian workers with offsets", method: gaussian, options: { bias: true } },
  { name: "Student-t workers", method: studentT },
];

const contest: Contest<NumericData, NumericResult> = {
  choices,
  judge: hiddenValues,
  cluster: ({ task }) => task,
  weight: ({ weight }) => weight,
  size: ({ value, weight }) =>
    weight ? weight.reduce((sum, each) => sum + each, 0) : value.length,
};

/** Hidden answers that count as evidence are those of so many tasks. */
const TASKS = 5;

/** Candidates with less weight are not fitted. */
const NEGLIGIBLE = 0.003;

/** Auto for numbers: blends the mean with methods that predict hidden answers better. */
export const numericAuto = blender(
  {
    ...pickCard("numeric", "six fits of six methods; two beyond 100,000 answers"),
    options: { ...pickOptions },
    summary: "Fits several methods, scores them on hidden answers, and blends the good ones.",
    paper: {
      authors: "D. H. Wolpert",
      year: 1992,
      title: "Stacked generalization",
      url: "https://doi.org/10.1016/S0893-6080(05)80023-1",
    },
  },
  function* (given: NumericData, options, known: NumericKnown) {
    const { data, groups } = mergeCopies(given);
    const { tried } = yield* tryAll(contest, data, known, options);
    const portfolio = weighed(tried, contest.size(data) / Math.max(1, new Set(data.task).size));
    const fits: Weighed[] = [];
    for (const [m, { name, weight }] of portfolio.entries()) {
      if (weight === 0) continue;
      const { method, options: own } = choices[m];
      const result = yield* staged(method.steps(data, own, known), `fitting ${name}`);
      fits.push({ result, weight });
    }
    const blend = blendOf(fits);
    clampGold(known.gold, blend.value, [blend.sd, blend.low, blend.high]);
    return {
      tasks: data.tasks,
      ...blend,
      support: labelsPerTask(given),
      ...workerErrors(given, blend.value),
      portfolio,
      trace: [],
      converged: true,
      notes: [blendNote(portfolio), ...copyNotes(groups)],
    };
  },
);

/** Makes a method of a card and of steps that blend values. */
function blender<const Options extends OptionTable>(
  card: MethodCard<Options>,
  iterate: (data: NumericData, options: Values<Options>, known: NumericKnown) => Steps<Fitted>,
): Method<NumericData, Options, NumericKnown, Picked<NumericResult>> {
  return crowdMethod(card, iterate) as never;
}

function copyNotes(groups: readonly (readonly number[])[]): string[] {
  const members = groups.reduce((sum, { length }) => sum + length, 0);
  if (members === 0) return [];
  return [
    `${members} workers err together in ${plural(groups.length, "group", "groups")}, as copies do; each group counted for one worker.`,
  ];
}

interface Weighed {
  readonly result: NumericResult;
  readonly weight: number;
}

/** The weight of each candidate; negligible ones have none. */
function weighed(tried: readonly Judged[], answersPerTask: number): readonly Tried[] {
  const best = tried.reduce((most, { gain }) => Math.max(most, gain), 0);
  const normalised = (list: readonly number[]) => {
    const total = list.reduce((sum, x) => sum + x, 0);
    return list.map((x) => x / total);
  };
  const raw = normalised(tried.map(({ gain }) => Math.exp(TASKS * answersPerTask * (gain - best))));
  const kept = normalised(raw.map((x) => (x < NEGLIGIBLE ? 0 : x)));
  return tried.map((each, m) => ({ ...each, weight: kept[m] }));
}

/**
 * The weighted mean of several estimates. Its errors are those of the estimates and how far they are apart, as of a
 * mixture; estimates without an interval leave it to the others.
 */
function blendOf(fits: readonly Weighed[]) {
  const value = mixed(fits, ({ value: own }, t) => own[t]);
  const spread = (reach: (result: NumericResult, t: number) => number) =>
    mixed(fits, (result, t) => reach(result, t) ** 2 + (result.value[t] - value[t]) ** 2).map(
      Math.sqrt,
    );
  const half = spread(({ low, high }, t) => (high[t] - low[t]) / 2);
  return {
    value,
    sd: spread(({ sd }, t) => sd[t]),
    low: value.map((x, t) => x - half[t]),
    high: value.map((x, t) => x + half[t]),
  };
}

/** Weighted means over fits, task by task; NaN counts for nothing. */
function mixed(
  fits: readonly Weighed[],
  of: (result: NumericResult, task: number) => number,
): Float64Array {
  return fits[0].result.value.map((_, t) => {
    // Differences from the first keep equal numbers equal to the last digit.
    let [first, sum, total] = [Number.NaN, 0, 0];
    for (const { result, weight } of fits) {
      const x = of(result, t);
      if (Number.isNaN(x)) continue;
      if (total === 0) first = x;
      sum += weight * (x - first);
      total += weight;
    }
    return first + sum / total;
  });
}
