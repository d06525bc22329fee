/** The model of `ebcc`: iBCC with K·G classes, whose shares come in two steps: class, then subtype. */

import { exposureOf, skillOf } from "../../../belief/confusion-table.ts";
import { startingPosterior, taskBase } from "../../../belief/known.ts";
import { sumOverTasks } from "../../../belief/task-priors.ts";
import { voteShares } from "../../../belief/votes.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { type ClassBelief, createClassBelief } from "../../../em/class-belief.ts";
import { expectLogs } from "../../../em/dirichlet.ts";
import { CrowdError } from "../../../error.ts";
import { createExpectation, type Expectation } from "../../../kernels/expectation.ts";
import { dirichlet } from "../../../math/distributions.ts";
import type { Random } from "../../../math/random.ts";
import type { Progress, Steps } from "../../../method.ts";
import type { Context } from "../aggregator.ts";
import type { CountSettings } from "./count-settings.ts";

/** Cells of the largest table; four of them, with 8 bytes per cell, make 2 GB. */
const MOST_CELLS = 2 ** 26;

export interface SubtypeSettings extends CountSettings {
  readonly subtypes: number;
  readonly maxIterations: number;
  readonly tolerance: number;
  readonly empirical: boolean;
  readonly subtypeCount: number;
}

/** Where one start ended. */
export interface Ascent {
  readonly posterior: Float64Array;
  readonly trace: readonly number[];
  readonly converged: boolean;
  readonly bound: number;
}

/** What starts work on. A part is a subtype of a class: part = class * G + subtype. */
export interface SubtypeModel {
  readonly data: CategoricalData;
  readonly options: SubtypeSettings;
  readonly W: number;
  readonly K: number;
  readonly L: number;
  readonly G: number;
  readonly model: Expectation;
  readonly classes: ClassBelief;
  readonly votes: Float64Array;
  readonly history: Float64Array | undefined;
  /** Prior count of tasks of each subtype. */
  readonly concentration: Float64Array;
  /** exp(E log) of the share of each part within its class, and of all of it. */
  readonly within: Float64Array;
  readonly factor: Float64Array;
  /** Prior counts of one row of a worker's confusion, and these with the labels. */
  readonly own: Float64Array;
  readonly row: Float64Array;
}

/** Sets up the model; refuses tables that are too large. */
export function createSubtypeModel(
  data: CategoricalData,
  options: SubtypeSettings,
  { known, engine, K, L }: Context,
): SubtypeModel {
  const [W, G] = [data.workers.length, options.subtypes];
  checkSize(W, K, L, G);
  const base = taskBase(data, known);
  const shape = { tasks: data.tasks.length, workers: W, classes: K * G, given: L };
  const votes = startingPosterior(data, known, voteShares(data));
  const tasks = sumOverTasks(votes, K).map((voted) =>
    options.empirical ? Math.max(voted, 1e-3) : options.classCount,
  );
  return {
    data,
    options,
    W,
    K,
    L,
    G,
    model: createExpectation({ ...data, ...shape, base: base && spread(base, G) }, engine),
    classes: createClassBelief(data, known, options.prior, tasks),
    votes,
    history: known.history,
    concentration: new Float64Array(G).fill(options.subtypeCount / G),
    within: new Float64Array(K * G),
    factor: new Float64Array(K * G),
    own: new Float64Array(L),
    row: new Float64Array(L),
  };
}

/** Climbs the bound from a random split of the votes until no probability of a class changes. */
export function* ascend(
  state: SubtypeModel,
  random: Random,
  say: (objective: number) => Progress,
): Steps<Ascent> {
  const { data, options, G, model, factor, votes } = state;
  model.startFrom(splitVotes(data, votes, G, random));
  let posterior: Float64Array = votes;
  const trace: number[] = [];
  let converged = false;
  while (trace.length < options.maxIterations && !converged) {
    const divergence = maximise(state);
    const bound = model.infer(factor) - divergence;
    const next = sumParts(model.posterior, G);
    let change = 0;
    for (let at = 0; at < next.length; at++) {
      change = Math.max(change, Math.abs(next[at] - posterior[at]));
    }
    posterior = next;
    trace.push(bound);
    yield say(bound);
    converged = trace.length > 1 && change <= options.tolerance;
  }
  return { posterior, trace, converged, bound: trace[trace.length - 1] };
}

/** Writes exp(E log) of everything under the current counts; returns the divergence from the prior. */
function maximise(state: SubtypeModel): number {
  const { W, K, L, G, model, own, row } = state;
  let divergence = maximiseShares(state);
  for (let w = 0; w < W; w++) {
    for (let k = 0; k < K; k++) {
      readPriorRow(state, w, k);
      for (let g = 0; g < G; g++) {
        const from = w * L * K * G + k * G + g;
        for (let l = 0; l < L; l++) row[l] = own[l] + model.counts[from + l * K * G];
        divergence += expectLogs(row, own, model.rates.subarray(from), K * G);
      }
    }
  }
  return divergence;
}

/** Does the same for the shares of classes and subtypes, to `factor`. */
function maximiseShares({
  K,
  G,
  model,
  classes,
  concentration,
  within,
  factor,
}: SubtypeModel): number {
  const ofClass = new Float64Array(K);
  const ofSubtype = new Float64Array(G);
  let divergence = 0;
  for (let k = 0; k < K; k++) {
    let total = 0;
    for (let g = 0; g < G; g++) {
      total += model.totals[k * G + g];
      ofSubtype[g] = concentration[g] + model.totals[k * G + g];
    }
    ofClass[k] = total;
    divergence += expectLogs(ofSubtype, concentration, within.subarray(k * G), 1);
  }
  divergence += classes.update(ofClass);
  for (let at = 0; at < K * G; at++) factor[at] = classes.factor[Math.floor(at / G)] * within[at];
  return divergence;
}

/** Writes the prior counts of a worker's labels on tasks of class k to `own`. */
function readPriorRow({ K, L, options, history, own }: SubtypeModel, w: number, k: number): void {
  for (let l = 0; l < L; l++) {
    const past = history ? history[(w * K + k) * L + l] : 0;
    own[l] = (l === k ? options.diagonal : options.offDiagonal) + past;
  }
}

/** Returns what the last start says of classes, subtypes and workers. */
export function readModel(state: SubtypeModel) {
  const { W, K, L, G, model, classes } = state;
  const subtypeShare = readShares(state);
  const { subtypeConfusion, confusion } = readConfusions(state, subtypeShare);
  const shape = { workers: W, classes: K, given: L };
  const exposure = sumParts(exposureOf(model.counts, { ...shape, classes: K * G }), G);
  const prior = classes.shares.slice();
  const skill = skillOf(confusion, prior, shape);
  return { prior, confusion, exposure, skill, subtypeShare, subtypeConfusion };
}

/** Returns the expected share of each subtype among the tasks of its class. */
function readShares({ K, G, model, options, concentration }: SubtypeModel): Float64Array {
  const shares = new Float64Array(K * G);
  for (let k = 0; k < K; k++) {
    const total = model.totals.subarray(k * G, (k + 1) * G).reduce((sum, n) => sum + n, 0);
    for (let g = 0; g < G; g++) {
      const count = concentration[g] + model.totals[k * G + g];
      shares[k * G + g] = count / (options.subtypeCount + total);
    }
  }
  return shares;
}

/** Returns the posterior mean of the confusions, by subtype and over the subtypes of each class. */
function readConfusions(state: SubtypeModel, subtypeShare: Float64Array) {
  const { W, K, L, G, model, own, row } = state;
  const subtypeConfusion = new Float64Array(W * K * G * L);
  const confusion = new Float64Array(W * K * L);
  for (let w = 0; w < W; w++) {
    for (let k = 0; k < K; k++) {
      readPriorRow(state, w, k);
      for (let g = 0; g < G; g++) {
        const from = w * L * K * G + k * G + g;
        const to = ((w * K + k) * G + g) * L;
        let total = 0;
        for (let l = 0; l < L; l++) total += row[l] = own[l] + model.counts[from + l * K * G];
        for (let l = 0; l < L; l++) {
          subtypeConfusion[to + l] = row[l] / total;
          confusion[(w * K + k) * L + l] += (subtypeShare[k * G + g] * row[l]) / total;
        }
      }
    }
  }
  return { subtypeConfusion, confusion };
}

/** Divides each vote share among its subtypes at random, drawn by the names of task and class. */
function splitVotes(
  { tasks, classes }: CategoricalData,
  votes: Float64Array,
  G: number,
  random: Random,
): Float64Array {
  const K = classes.length;
  const even = new Float64Array(G).fill(1);
  const start = new Float64Array(votes.length * G);
  [...tasks].forEach((task, t) => {
    const ofTask = random.split(task);
    for (let k = 0; k < K; k++) {
      const share = votes[t * K + k];
      if (share === 0) continue;
      const part = start.subarray((t * K + k) * G, (t * K + k + 1) * G);
      dirichlet(ofTask.split(classes.at(k)), even, part);
      for (let g = 0; g < G; g++) part[g] *= share;
    }
  });
  return start;
}

/** Repeats each number G times. */
function spread(values: Float64Array, G: number): Float64Array {
  return new Float64Array(values.length * G).map((_, at) => values[Math.floor(at / G)]);
}

/** Returns sums of G numbers each. */
function sumParts(values: Float64Array, G: number): Float64Array {
  const sums = new Float64Array(values.length / G);
  for (let at = 0; at < values.length; at++) sums[Math.floor(at / G)] += values[at];
  return sums;
}

function checkSize(W: number, K: number, L: number, G: number): void {
  const cells = W * K * L * G;
  if (cells <= MOST_CELLS) return;
  throw new CrowdError(
    "too-large",
    `ebcc: ${W} workers, ${K} classes and ${G} subtypes make tables of ${cells} numbers, and ` +
      `${MOST_CELLS} is the most. Ask for fewer subtypes, or use ibcc.`,
  );
}
