/**
 * Cumulative link: every worker reads the hidden level off an own scale.
 *
 *   P(label ≤ k | level c, worker w) = logistic(t[w, k] − a[w]·m[c]),   m[c] = c − (K − 1)/2
 *
 * a is how finely the worker discriminates, the thresholds t how generous the worker is: K numbers per worker instead of
 * K² − K. x = (log a, t₁, log gaps) of each worker ~ N(x̄, ¼); the crowd's mean x̄ is learnt, held by twenty
 * pseudo-workers at its start, since a shift of all thresholds and of all levels cannot be told apart. EM;
 * the M step of a worker needs only the K × K expected counts and is done by Fisher scoring.
 *
 * McCullagh (1980), JRSS B 42(2), 109–142. https://doi.org/10.1111/j.2517-6161.1980.tb01109.x
 */
import { skillOf } from "../../belief/confusion-table.ts";
import { type Known, startingPosterior } from "../../belief/known.ts";
import { sumOverTasks, taskPriors } from "../../belief/task-priors.ts";
import { voteShares } from "../../belief/votes.ts";
import { byTask, type CategoricalData } from "../../data/categorical.ts";
import { createClassPrior, priorOption } from "../../em/class-prior.ts";
import { normalizeLog } from "../../math/log-sum-exp.ts";
import type { Steps } from "../../method.ts";
import type { Fit } from "../categorical/aggregator.ts";
import { leveller, quantileLevel } from "./levels.ts";
import {
  fitScale,
  PRECISION,
  type Scale,
  scaleTable,
  startOfScale,
  thresholdsOf,
} from "./link-scale.ts";
import { mirroredWorkers } from "./mirrored.ts";
import { oneLevel } from "./one-level.ts";

/** What the cumulative-link model finds beyond the answers. */
export interface CumulativeLink extends Fit {
  /** P(level given | true level, worker). */
  readonly confusion: Float64Array;
  /** How finely each worker tells levels apart; larger is finer. */
  readonly discrimination: Float64Array;
  /** The thresholds of each worker, as thresholds[worker * (K − 1) + k]. */
  readonly thresholds: Float64Array;
}

/** Pseudo-workers that hold the crowd's mean at its start. */
const ANCHOR = 20;
/** The crowd's mean is learnt after every so many iterations. */
const EVERY = 5;
/** The first iteration that may be the last. */
const EARLIEST = 16;

/** Cumulative link: each worker has a discrimination and thresholds of an own on one hidden scale. */
export const cumulativeLink = leveller(
  {
    id: "cumulative-link",
    title: "Cumulative link",
    summary: "Each worker has a discrimination and own thresholds on one hidden scale.",
    paper: {
      authors: "P. McCullagh",
      year: 1980,
      title: "Regression models for ordinal data",
      url: "https://doi.org/10.1111/j.2517-6161.1980.tb01109.x",
    },
    family: "scales",
    probabilistic: true,
    cost: "O(N·K + W·K³) per iteration, W·K² memory",
    options: {
      ...priorOption,
      maxIterations: { default: 100, min: 1, integer: true, help: "Maximum number of iterations." },
      tolerance: {
        default: 1e-6,
        min: 0,
        help: "Relative change of the objective, or largest change of a probability, at which to stop.",
      },
    },
  },
  function* (data, options, { known, K }): Steps<CumulativeLink> {
    const only = oneLevel(data, known);
    if (only) return { ...only, ...unknownScales(data.workers.length, K) };
    const mirrored = mirroredWorkers(data);
    const seen = mirrored.size > 0 ? turned(data, mirrored, K) : data;
    const fit = yield* climbScales(seen, options, known, K);
    const unlike = contradicted(data, fit.posterior, K);
    return {
      ...fit,
      confusion: turnedTables(fit.confusion, mirrored, K),
      notes: [
        ...(mirrored.size > 0
          ? [
              `${mirrored.size === 1 ? "1 worker uses" : `${mirrored.size} workers use`} the scale upside down; it was turned round.`,
            ]
          : []),
        ...(unlike > 0.05
          ? [
              `On ${Math.round(100 * unlike)} % of the tasks with three or more labels, all the same, the answer is another level: ` +
                "too few levels are in use for scales of workers. threshold-ibcc is the better choice here.",
            ]
          : []),
      ],
    };
  },
);

/** Discrimination and thresholds where no label tells of them. */
function unknownScales(W: number, K: number) {
  return {
    discrimination: new Float64Array(W).fill(Number.NaN),
    thresholds: new Float64Array(W * (K - 1)).fill(Number.NaN),
  };
}

interface Settings {
  readonly prior: "learn" | "uniform";
  readonly maxIterations: number;
  readonly tolerance: number;
}

/** EM from the vote shares. */
function* climbScales(
  data: CategoricalData,
  { prior, maxIterations, tolerance }: Settings,
  known: Known,
  K: number,
): Steps<CumulativeLink> {
  const W = data.workers.length;
  const counted = {
    ...known,
    priorCounts: (known.priorCounts ?? new Float64Array(K)).map((n) => n + 1),
  };
  const classes = createClassPrior(data, counted, prior);
  const start = startOfScale(K);
  let centre: Scale = start;
  const scales = Array.from({ length: W }, (): Scale => start.slice());
  const tables = new Float64Array(W * K * K);
  let posterior = startingPosterior(data, known, voteShares(data));
  const trace: number[] = [];
  let converged = false;
  for (let iteration = 1; iteration <= maxIterations && !converged; iteration++) {
    const moved = iteration > 1 && (iteration - 1) % EVERY === 0;
    if (moved) centre = meanScale(scales, start);
    classes.update(sumOverTasks(posterior, K));
    const counts = expectedCounts(data, posterior, K);
    scales.forEach((scale, w) => {
      const own = counts.subarray(w * K * K, (w + 1) * K * K);
      fitScale(scale, own, centre, K);
      scaleTable(scale, K, tables.subarray(w * K * K, (w + 1) * K * K));
    });
    const next = taskPriors(data, known, classes.factor).map(Math.log);
    addLabels(data, tables, next, K);
    let objective = classes.logDensity() - penalty(scales, centre, start);
    for (let t = 0; t < data.tasks.length; t++) objective += normalizeLog(next, t * K, (t + 1) * K);
    const still = next.every((p, at) => Math.abs(p - posterior[at]) <= tolerance);
    const rise = Math.abs(objective - (trace.at(-1) ?? -Infinity));
    posterior = next;
    trace.push(objective);
    yield { iteration, objective };
    converged =
      iteration >= EARLIEST && !moved && (still || rise <= tolerance * Math.abs(objective));
  }
  const shape = { workers: W, classes: K, given: K };
  return {
    posterior,
    prior: classes.shares,
    confusion: tables,
    skill: skillOf(tables, classes.shares, shape),
    discrimination: Float64Array.from(scales, (x) => Math.exp(x[0])),
    thresholds: Float64Array.from(scales.flatMap((x) => thresholdsOf(x))),
    trace,
    converged,
  };
}

/** The crowd's mean scale, held by the anchor. */
function meanScale(scales: readonly Scale[], start: Scale): Scale {
  return start.map(
    (at, j) => (scales.reduce((sum, x) => sum + x[j], 0) + ANCHOR * at) / (scales.length + ANCHOR),
  );
}

function penalty(scales: readonly Scale[], centre: Scale, start: Scale): number {
  const distance = (x: Scale, y: Scale) => x.reduce((sum, each, j) => sum + (each - y[j]) ** 2, 0);
  const own = scales.reduce((sum, x) => sum + distance(x, centre), 0);
  return (PRECISION / 2) * (own + ANCHOR * distance(centre, start));
}

/** Expected labels of each worker, as counts[(worker * K + level) * K + label]. */
function expectedCounts(
  { workers, task, worker, label, weight }: CategoricalData,
  q: Float64Array,
  K: number,
): Float64Array {
  const counts = new Float64Array(workers.length * K * K);
  for (let i = 0; i < label.length; i++) {
    const count = weight ? weight[i] : 1;
    for (let c = 0; c < K; c++)
      counts[(worker[i] * K + c) * K + label[i]] += count * q[task[i] * K + c];
  }
  return counts;
}

/** Adds the log-probability of each task's labels at each level. */
function addLabels(
  { task, worker, label, weight }: CategoricalData,
  tables: Float64Array,
  logs: Float64Array,
  K: number,
): void {
  const log = tables.map(Math.log);
  for (let i = 0; i < label.length; i++) {
    const count = weight ? weight[i] : 1;
    for (let c = 0; c < K; c++)
      logs[task[i] * K + c] += count * log[(worker[i] * K + c) * K + label[i]];
  }
}

/** The labels with those of mirrored workers turned round. */
function turned(data: CategoricalData, mirrored: ReadonlySet<number>, K: number): CategoricalData {
  return {
    ...data,
    label: data.label.map((k, i) => (mirrored.has(data.worker[i]) ? K - 1 - k : k)),
  };
}

/** The tables of workers, those of mirrored ones in terms of the labels they gave. */
function turnedTables(
  tables: Float64Array,
  mirrored: ReadonlySet<number>,
  K: number,
): Float64Array {
  return tables.map((p, at) => {
    const k = at % K;
    return mirrored.has(Math.floor(at / (K * K))) ? tables[at - k + (K - 1 - k)] : p;
  });
}

/** Share of the tasks with three or more labels, all the same, that got another level. */
function contradicted(data: CategoricalData, posterior: Float64Array, K: number): number {
  const { start, label } = byTask(data);
  let [unanimous, unlike] = [0, 0];
  for (let t = 0; t < data.tasks.length; t++) {
    const own = label.subarray(start[t], start[t + 1]);
    if (own.length < 3 || own.some((k) => k !== own[0])) continue;
    unanimous++;
    if (quantileLevel(posterior.subarray(t * K, (t + 1) * K), 0.5) !== own[0]) unlike++;
  }
  return unanimous > 0 ? unlike / unanimous : 0;
}
