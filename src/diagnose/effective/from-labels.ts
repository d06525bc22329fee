/**
 * Correlation of errors without known truth. A posterior of all labels is pulled by the copies that it
 * should reveal, so each group is held against what the others say:
 *
 *   0. workers who agree on 99 % of 30 common tasks or more, but on less than 90 % with others, become one
 *   1. groups: given, or components of pairs with z > 4 over the robust one-coin prediction
 *   2. each group gives its majority answer; Dawid–Skene over groups; q = its posterior without the group
 *   3. within a group Σ q[c'] 1[labels k, l] = Σ_c Q[c', c] J[c][k, l], Q = Σ q qᵀ, is solved for the joint
 *      distribution J[c] of two workers' labels given the class, and
 *      ρ = Σ_c π[c] (tr J − a·b) / √(Σ π (1 − |a|²) Σ π (1 − |b|²)) with a and b its margins
 *
 * Pairs of different groups have ρ = 0. So the number that follows is an upper estimate.
 */
import { dawidSkene } from "../../aggregate/categorical/em/dawid-skene.ts";
import { byTask, byWorker, type CategoricalData } from "../../data/categorical.ts";
import { joinedBy } from "../../math/forest.ts";
import { cholesky, solveCholesky } from "../../math/matrix.ts";
import type { Steps } from "../../method.ts";
import { fuseGroups, groupNumbers } from "../collusion/fused-groups.ts";
import { expectedAgreement, type RobustCoin, robustCoin } from "../collusion/robust-coin.ts";
import { FEWEST_COMMON } from "./known-truth.ts";
import type { ErrorCorrelations } from "./panel-size.ts";

/** Groups of workers who err together, and the correlation of their errors. */
export interface LabelCorrelations {
  /** Groups of two workers or more. */
  readonly groups: readonly Int32Array[];
  readonly all: ErrorCorrelations;
  /** The same without each group of tasks. */
  readonly leftOut: readonly ErrorCorrelations[];
}

/** Finds groups, unless they are given, and the correlations within them. */
export function* labelCorrelations(
  data: CategoricalData,
  given: readonly Int32Array[] | undefined,
  taskGroup: Int32Array,
  taskGroups: number,
): Steps<LabelCorrelations> {
  const W = data.workers.length;
  const coin = given ? undefined : robustCoin(data);
  const copies = coin ? nearDuplicates(coin) : [];
  const one = fuseGroups(data, groupNumbers(copies, W));
  yield { iteration: 1, objective: 0, stage: "comparing pairs of workers" };
  const same = copies.length === 0 && !data.weight;
  const groups = given ?? joinedBy(agreeingPairs(same && coin ? coin : robustCoin(one)), W);
  const fused = fuseGroups(one, groupNumbers(groups, W));
  const voices = yield* dawidSkene.steps(fused, { smoothing: 0.1, maxIterations: 100 });
  const partners = Array.from({ length: taskGroups + 1 }, () =>
    Array.from({ length: W }, () => new Map<number, number>()),
  );
  for (const [g, group] of groups.entries()) {
    const belief = posteriorWithout(fused, voices, group[0]);
    const rhos = withinGroup(one, group, belief, taskGroup, taskGroups);
    for (const [at, pairs] of rhos.entries()) spreadPairs(partners[at], group, pairs);
    yield { iteration: 2 + g, objective: 0, stage: "measuring shared errors" };
  }
  for (const each of partners) for (const cluster of copies) joinCopies(each, cluster);
  const [all, ...leftOut] = partners.map((each) => ({ background: 0, partners: each }));
  return { groups: withCopies(groups, copies, W), all, leftOut };
}

const SAME = 0.99;
const SAME_TASKS = 30;
const APART = 0.9;

/** Returns clusters of workers who answer nearly always the same, unlike the others. */
function nearDuplicates({ pairs, agreement }: RobustCoin): Int32Array[] {
  const W = pairs.start.length - 1;
  const isSame = (at: number) => agreement[at] >= SAME && pairs.common[at] >= SAME_TASKS;
  const unlike = (w: number) => {
    let [sum, total] = [0, 0];
    for (let at = pairs.start[w]; at < pairs.start[w + 1]; at++) {
      if (isSame(at)) continue;
      sum += pairs.common[at] * agreement[at];
      total += pairs.common[at];
    }
    return total > 0 && sum / total < APART;
  };
  const found: [number, number][] = [];
  for (let u = 0; u < W; u++) {
    for (let at = pairs.start[u]; at < pairs.start[u + 1]; at++) {
      const v = pairs.other[at];
      if (u < v && isSame(at) && unlike(u) && unlike(v)) found.push([u, v]);
    }
  }
  return joinedBy(found, W);
}

const LEAST_Z = 4;
const LEAST_EXCESS = 0.05;

/** Returns the pairs with more agreement than one-coin skills predict. */
function agreeingPairs({ data, pairs, agreement, reliability }: RobustCoin): [number, number][] {
  const K = data.classes.length;
  const found: [number, number][] = [];
  for (let u = 0; K > 1 && u < reliability.length; u++) {
    for (let at = pairs.start[u]; at < pairs.start[u + 1]; at++) {
      const v = pairs.other[at];
      if (v < u || pairs.common[at] < FEWEST_COMMON) continue;
      const P = expectedAgreement(reliability, u, v, K);
      const excess = agreement[at] - P;
      const error = Math.sqrt(Math.max(1e-4, P * (1 - P)) / pairs.common[at]);
      if (excess > LEAST_EXCESS && excess / error > LEAST_Z) found.push([u, v]);
    }
  }
  return found;
}

/** P(class | all voices but one), by taking the voice's label out of the posterior. */
function posteriorWithout(
  fused: CategoricalData,
  {
    posterior,
    confusion,
    prior,
  }: {
    readonly posterior: Float64Array;
    readonly confusion: Float64Array;
    readonly prior: Float64Array;
  },
  voice: number,
): Float64Array {
  const K = fused.classes.length;
  const belief = posterior.slice();
  const { start, other, label } = byWorker(fused);
  for (let i = start[voice]; i < start[voice + 1]; i++) {
    const row = belief.subarray(other[i] * K, (other[i] + 1) * K);
    let total = 0;
    for (let c = 0; c < K; c++) {
      row[c] /= Math.max(1e-12, confusion[(voice * K + c) * K + label[i]]);
      total += row[c];
    }
    for (let c = 0; c < K; c++) row[c] = total > 0 ? row[c] / total : prior[c];
  }
  return belief;
}

/** Correlation of each pair of members, by u * size + v, from all tasks and without each group of tasks. */
function withinGroup(
  data: CategoricalData,
  group: Int32Array,
  belief: Float64Array,
  taskGroup: Int32Array,
  taskGroups: number,
): Map<number, number>[] {
  const K = data.classes.length;
  const place = new Map(Array.from(group, (w, at) => [w, at] as const));
  const found = Array.from({ length: taskGroups + 1 }, () => new Map<number, number>());
  for (const [u, w] of group.entries()) {
    const tables = jointTables(data, w, place, belief, taskGroup, Math.max(1, taskGroups));
    for (const [v, parts] of tables) {
      for (let g = -1; g < taskGroups; g++) {
        const rho = jointCorrelation(parts, g, K);
        if (rho !== undefined) found[g + 1].set(u * group.length + v, rho);
      }
    }
  }
  return found;
}

/** Sums of a pair over tasks: their number, Q[c' , c], and J[k, l, c']. */
function jointTables(
  data: CategoricalData,
  w: number,
  place: ReadonlyMap<number, number>,
  belief: Float64Array,
  taskGroup: Int32Array,
  taskGroups: number,
): Map<number, Float64Array[]> {
  const K = data.classes.length;
  const tasks = byTask(data);
  const workers = byWorker(data);
  const tables = new Map<number, Float64Array[]>();
  for (let i = workers.start[w]; i < workers.start[w + 1]; i++) {
    const t = workers.other[i];
    for (let j = tasks.start[t]; j < tasks.start[t + 1]; j++) {
      const v = place.get(tasks.other[j]);
      if (v === undefined || tasks.other[j] <= w) continue;
      let parts = tables.get(v);
      if (!parts) {
        parts = Array.from({ length: taskGroups }, () => new Float64Array(1 + K * K + K * K * K));
        tables.set(v, parts);
      }
      const table = parts[taskGroup[t]];
      table[0]++;
      const from = 1 + K * K + (workers.label[i] * K + tasks.label[j]) * K;
      for (let c = 0; c < K; c++) {
        const q = belief[t * K + c];
        table[from + c] += q;
        for (let d = 0; d < K; d++) table[1 + c * K + d] += q * belief[t * K + d];
      }
    }
  }
  return tables;
}

const RIDGE = 1e-6;

/** ρ of a pair from its tables but one; undefined with too few tasks. */
function jointCorrelation(
  parts: readonly Float64Array[],
  without: number,
  K: number,
): number | undefined {
  const sum = new Float64Array(parts[0].length);
  parts.forEach((part, g) => {
    if (g !== without) for (let at = 0; at < sum.length; at++) sum[at] += part[at];
  });
  if (sum[0] < FEWEST_COMMON) return undefined;
  const moments = sum.slice(1, 1 + K * K);
  const shares = new Float64Array(K);
  for (let c = 0; c < K; c++) {
    // Beliefs sum to 1, so that a row of Q sums to Σ q[c].
    for (let d = 0; d < K; d++) shares[c] += moments[c * K + d] / sum[0];
    moments[c * K + c] += RIDGE;
  }
  const lower = cholesky(moments, K);
  if (!lower) return undefined;
  const joint = sum.subarray(1 + K * K);
  for (let cell = 0; cell < K * K; cell++) {
    solveCholesky(lower, joint.subarray(cell * K, (cell + 1) * K), K);
  }
  return correlationGiven(joint, shares, K);
}

/** ρ from J[k, l, c], clipped at 0 and normalised, and the shares of the classes. */
function correlationGiven(joint: Float64Array, shares: Float64Array, K: number): number {
  let [cross, left, right] = [0, 0, 0];
  for (let c = 0; c < K; c++) {
    const [a, b] = [new Float64Array(K), new Float64Array(K)];
    let [total, trace] = [0, 0];
    for (let k = 0; k < K; k++) {
      for (let l = 0; l < K; l++) {
        const p = Math.max(0, joint[(k * K + l) * K + c]);
        total += p;
        a[k] += p;
        b[l] += p;
        if (k === l) trace += p;
      }
    }
    if (!(total > 0)) continue;
    let [ab, aa, bb] = [0, 0, 0];
    for (let k = 0; k < K; k++) {
      ab += (a[k] * b[k]) / total ** 2;
      aa += (a[k] / total) ** 2;
      bb += (b[k] / total) ** 2;
    }
    cross += shares[c] * (trace / total - ab);
    left += shares[c] * (1 - aa);
    right += shares[c] * (1 - bb);
  }
  const scale = Math.sqrt(left * right);
  return scale > 1e-9 ? Math.min(1, Math.max(0, cross / scale)) : 0;
}

/** Writes the correlations of a group; pairs with too few common tasks get the mean of the others. */
function spreadPairs(
  partners: readonly Map<number, number>[],
  group: Int32Array,
  pairs: ReadonlyMap<number, number>,
): void {
  let mean = 0;
  for (const rho of pairs.values()) mean += rho / pairs.size;
  for (let u = 0; u < group.length; u++) {
    for (let v = u + 1; v < group.length; v++) {
      const rho = pairs.get(u * group.length + v) ?? pairs.get(v * group.length + u) ?? mean;
      partners[group[u]].set(group[v], rho);
      partners[group[v]].set(group[u], rho);
    }
  }
}

/** Gives all of a cluster the correlations of its first worker, and 1 among themselves. */
function joinCopies(partners: readonly Map<number, number>[], cluster: Int32Array): void {
  const [first, ...copies] = cluster;
  const outside = [...partners[first]];
  for (const w of copies) {
    for (const [v, rho] of outside) {
      partners[w].set(v, rho);
      partners[v].set(w, rho);
    }
  }
  for (const u of cluster) for (const v of cluster) if (u !== v) partners[u].set(v, 1);
}

/** Groups together with the clusters that were taken for one worker. */
function withCopies(
  groups: readonly Int32Array[],
  copies: readonly Int32Array[],
  W: number,
): Int32Array[] {
  const pairs: [number, number][] = [];
  for (const group of [...groups, ...copies]) for (const w of group) pairs.push([group[0], w]);
  return joinedBy(pairs, W);
}
