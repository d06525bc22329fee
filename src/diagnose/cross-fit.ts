/**
 * What the others say of each worker's tasks, by a model that never saw that worker's labels.
 *
 * Workers fall into groups; a Dawid–Skene model is fitted to the labels of all other groups, and its beliefs
 * about the tasks are what the members of a group are held against. A guesser's labels are then independent of
 * these beliefs, whatever the model took for a pattern, and the beliefs are about as often right as they say,
 * which the one-step beliefs of leave-one-out.ts are not: they are too timid in a crowd with many spammers.
 *
 * EM starts from centred votes, Σ over labels of 1[label = k] − the worker's share of label k, so that a worker
 * who always says the same has no part in them.
 */
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { byWorker, type CategoricalData, selectLabels } from "../data/categorical.ts";
import { createEngine } from "../kernels/engine.ts";
import { normalizeLog } from "../math/log-sum-exp.ts";
import { createRandom } from "../math/random.ts";
import { drain } from "../method.ts";
import type { OthersBelief } from "./leave-one-out.ts";

export interface CrossFitOptions {
  readonly seed: number;
  /** Labels of one worker, evenly taken, that are looked at. */
  readonly most: number;
  /** The class that each class of the votes stands for. */
  readonly meaning: Int32Array;
  /** The group of each worker who errs together with others; a group counts for one worker, and judges no member. */
  readonly dependent?: Int32Array | undefined;
}

/** More labels than this are fitted with fewer groups and iterations. */
const MANY = 50_000;

/**
 * Calls `visit` once for each worker, group by group, with the labels on tasks that workers of other groups
 * labelled too, and with the places of these labels in `byWorker`. The arrays are reused by the next call.
 */
export function crossFit(
  data: CategoricalData,
  L: number,
  { seed, most, meaning, dependent }: CrossFitOptions,
  visit: (w: number, others: OthersBelief, places: readonly number[]) => void,
): void {
  const K = data.classes.length;
  const large = data.label.length > MANY;
  const group = groupsOf(data, large ? 8 : 20, seed, dependent);
  const { start, other, label } = byWorker(data);
  const engine = createEngine();
  const options = {
    shrinkage: 2,
    maxIterations: large ? 10 : 20,
    abstentions: L > K ? ("model" as const) : ("drop" as const),
  };
  let scratch = new Float64Array(0);
  for (let g = 0; g < group.count; g++) {
    const rest = selectLabels(data, (i) => group.of[data.worker[i]] !== g && data.label[i] < L);
    const { posterior, support } = drain(
      dawidSkene.steps(rest, options, { start: centredVotes(rest) }, engine),
    );
    for (let w = 0; w < group.of.length; w++) {
      if (group.of[w] !== g) continue;
      const step = Math.max(1, Math.ceil((start[w + 1] - start[w]) / most));
      const wanted = Math.ceil((start[w + 1] - start[w]) / step) * K;
      if (scratch.length < wanted) scratch = new Float64Array(wanted);
      const said: number[] = [];
      const places: number[] = [];
      for (let i = start[w]; i < start[w + 1]; i += step) {
        const t = other[i];
        if (label[i] >= L || support[t] === 0) continue;
        const at = said.length * K;
        for (let k = 0; k < K; k++) scratch[at + meaning[k]] = posterior[t * K + k];
        said.push(label[i]);
        places.push(i);
      }
      const belief = scratch.subarray(0, said.length * K);
      visit(w, { label: Int32Array.from(said), belief }, places);
    }
  }
}

/** Groups of nearly the same size, drawn by the workers' names; one each for a small crowd. Dependent workers stay together. */
function groupsOf(
  { workers }: CategoricalData,
  most: number,
  seed: number,
  dependent: Int32Array | undefined,
): { readonly of: Int32Array; readonly count: number } {
  const random = createRandom(seed).split("cross-fit");
  const draw = Float64Array.from(workers, (name) => random.split(name).next());
  const count = Math.min(most, draw.length);
  const of = new Int32Array(draw.length);
  Int32Array.from(draw.keys())
    .sort((a, b) => draw[a] - draw[b])
    .forEach((w, rank) => {
      of[w] = rank % count;
    });
  if (dependent) {
    const first = new Map<number, number>();
    dependent.forEach((g, w) => {
      of[w] = of[first.get(g) ?? w];
      if (!first.has(g)) first.set(g, w);
    });
  }
  return { of, count };
}

/** Beliefs from votes, each taken relative to how often its worker gives that label at all. */
function centredVotes({ tasks, workers, classes, task, worker, label, weight }: CategoricalData) {
  const K = classes.length;
  const share = new Float64Array(workers.length * K);
  const given = new Float64Array(workers.length);
  const count = (i: number) => (weight ? weight[i] : 1);
  for (let i = 0; i < label.length; i++) {
    if (label[i] >= K) continue;
    share[worker[i] * K + label[i]] += count(i);
    given[worker[i]] += count(i);
  }
  for (let at = 0; at < share.length; at++) share[at] /= given[Math.floor(at / K)] || 1;
  const belief = new Float64Array(tasks.length * K);
  for (let i = 0; i < label.length; i++) {
    if (label[i] >= K) continue;
    for (let k = 0; k < K; k++) {
      belief[task[i] * K + k] += count(i) * ((label[i] === k ? 1 : 0) - share[worker[i] * K + k]);
    }
  }
  for (let t = 0; t < tasks.length; t++) normalizeLog(belief, t * K, (t + 1) * K);
  return belief;
}
