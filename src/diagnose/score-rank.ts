/**
 * Whether labels of this design can determine the parameters of a Dawid–Skene model near a fit: the
 * rank of its information, the mean over tasks of score · scoreᵀ.
 *
 * A direction in which the parameters can move with no effect on any label has score 0 on every task, so
 * the information loses one rank for each. So that the rank is that of the design and not of the
 * number of tasks, labels are drawn anew from the fit: the same workers on each task, tasks as often
 * as needed. Scores are in logits: belief[k] (1[label = l] − rate[k][l]) for each row k of a worker's
 * confusion and each label l but the most probable one, and belief[k] − prior[k]. Rates at 0 are at a
 * boundary, where they are determined by never occurring; those that hardly occur are not counted.
 *
 * Louis (1982), Journal of the Royal Statistical Society B 44(2), 226–233.
 * https://doi.org/10.1111/j.2517-6161.1982.tb01203.x
 */
import { byTask, byWorker, type CategoricalData } from "../data/categorical.ts";
import { categorical } from "../math/distributions.ts";
import { maxOf } from "../math/lists.ts";
import { normalizeLog } from "../math/log-sum-exp.ts";
import { createRandom, type Random } from "../math/random.ts";

export interface ScoreRank {
  /** Free parameters away from a boundary. */
  readonly parameters: number;
  readonly rank: number;
  /** Share of the least determined parameter's information that the others do not explain; 0 if none. */
  readonly least: number;
}

export interface Model {
  /** confusion[(worker * K + class) * L + label] */
  readonly confusion: Float64Array;
  readonly prior: Float64Array;
  readonly given: number;
}

/** What is left of a pivot after losing 8 digits is rounding. */
const ROUNDING = 1e-8;
/** Tasks drawn for each worker, fewer where more than so many products of scores would have to be added. */
const EACH_WORKER = 2000;
const MOST_PRODUCTS = 1e8;
/** A label expected less often among the drawn tasks is as good as at zero. */
const HARDLY = 10;

/** Undefined where there are more than `most` parameters. */
export function scoreRank(
  data: CategoricalData,
  model: Model,
  { most = 500, seed = 0 } = {},
): ScoreRank | undefined {
  const { start, other } = byTask(data);
  const places = parameterPlaces(data, model, most);
  if (!places) return undefined;
  const { count: P, place } = places;
  const K = data.classes.length;
  const L = model.given;
  const random = createRandom(seed).split("score rank");
  const matrix = new Float64Array(P * P);
  const hits = new Float64Array(P);
  const belief = new Float64Array(K);
  let products = 0;
  for (const t of tasksToDraw(data)) {
    const workers = other.subarray(start[t], start[t + 1]);
    const label = drawTask(workers, model, K, L, random, belief);
    const at: number[] = [];
    const score: number[] = [];
    const add = (parameter: number, share: number, hit: boolean, rate: number) => {
      if (parameter < 0) return;
      if (hit) hits[parameter] += share;
      at.push(parameter);
      score.push(share * ((hit ? 1 : 0) - rate));
    };
    for (let k = 0; k < K; k++) {
      const parameter = place[place.length - K + k];
      if (parameter < 0) continue;
      hits[parameter] += belief[k];
      at.push(parameter);
      score.push(belief[k] - model.prior[k]);
    }
    workers.forEach((w, i) => {
      for (let k = 0; k < K; k++) {
        const row = (w * K + k) * L;
        for (let l = 0; l < L; l++) {
          add(place[row + l], belief[k], label[i] === l, model.confusion[row + l]);
        }
      }
    });
    for (let a = 0; a < at.length; a++) {
      for (let b = 0; b < at.length; b++) matrix[at[a] * P + at[b]] += score[a] * score[b];
    }
    products += at.length ** 2;
    if (products > MOST_PRODUCTS) break;
  }
  const kept = Int32Array.from(hits.keys()).filter((parameter) => hits[parameter] >= HARDLY);
  const part = new Float64Array(kept.length ** 2);
  kept.forEach((i, a) => {
    kept.forEach((j, b) => {
      part[a * kept.length + b] = matrix[i * P + j];
    });
  });
  return { parameters: kept.length, ...pivotedRank(part, kept.length) };
}

/** Tasks, again and again until every worker has had enough, round by round so that all have alike. */
function* tasksToDraw(data: CategoricalData): Generator<number> {
  const workers = byWorker(data);
  const tasks = byTask(data);
  const drawn = new Int32Array(data.workers.length);
  for (let round = 0; round < EACH_WORKER; round++) {
    for (let w = 0; w < drawn.length; w++) {
      const size = workers.start[w + 1] - workers.start[w];
      if (size === 0 || drawn[w] > round) continue;
      const t = workers.other[workers.start[w] + (round % size)];
      for (let i = tasks.start[t]; i < tasks.start[t + 1]; i++) drawn[tasks.other[i]]++;
      yield t;
    }
  }
}

/** A label of each of these workers for a task of a class drawn from the prior; writes the belief they give. */
function drawTask(
  workers: Int32Array,
  { confusion, prior }: Model,
  K: number,
  L: number,
  random: Random,
  belief: Float64Array,
): Int32Array {
  const truth = categorical(random, prior);
  for (let k = 0; k < K; k++) belief[k] = Math.log(Math.max(1e-300, prior[k]));
  const label = workers.map((w) => {
    const row = (w * K + truth) * L;
    const l = categorical(random, confusion.subarray(row, row + L));
    for (let k = 0; k < K; k++) {
      belief[k] += Math.log(Math.max(1e-10, confusion[(w * K + k) * L + l]));
    }
    return l;
  });
  normalizeLog(belief, 0, K);
  return label;
}

/** The number of each free parameter, or -1: those of the confusions, then of the prior. */
function parameterPlaces(
  data: CategoricalData,
  { confusion, prior, given: L }: Model,
  most: number,
): { count: number; place: Int32Array } | undefined {
  const K = prior.length;
  const labelled = new Uint8Array(data.workers.length);
  for (const w of data.worker) labelled[w] = 1;
  const place = new Int32Array(confusion.length + K).fill(-1);
  let count = 0;
  const number = (from: number, values: Float64Array) => {
    const largest = values.indexOf(maxOf(values));
    values.forEach((rate, l) => {
      if (l !== largest && rate > 0) place[from + l] = count++;
    });
  };
  for (let row = 0; row < confusion.length; row += L) {
    if (labelled[Math.floor(row / (K * L))]) number(row, confusion.subarray(row, row + L));
    if (count > most) return undefined;
  }
  number(confusion.length, prior);
  return count <= most ? { count, place } : undefined;
}

/** Cholesky with the largest pivot first, of the matrix scaled to a unit diagonal; changes it. */
function pivotedRank(matrix: Float64Array, n: number): { rank: number; least: number } {
  // A parameter that no task informs, such as a row of a class that never occurs, has no scale.
  const scale = Float64Array.from({ length: n }, (_, i) =>
    matrix[i * n + i] > 1e-12 ? Math.sqrt(matrix[i * n + i]) : Infinity,
  );
  for (let at = 0; at < matrix.length; at++) {
    matrix[at] /= scale[Math.floor(at / n)] * scale[at % n];
  }
  const order = Int32Array.from(scale, (_, i) => i);
  let least = 1;
  for (let rank = 0; rank < n; rank++) {
    let best = rank;
    for (let a = rank + 1; a < n; a++) {
      if (matrix[order[a] * (n + 1)] > matrix[order[best] * (n + 1)]) best = a;
    }
    [order[rank], order[best]] = [order[best], order[rank]];
    const pivot = order[rank];
    const top = matrix[pivot * (n + 1)];
    if (!(top > ROUNDING)) return { rank, least: 0 };
    least = Math.min(least, top);
    for (let a = rank + 1; a < n; a++) {
      const i = order[a];
      const factor = matrix[i * n + pivot] / top;
      if (factor === 0) continue;
      for (let b = rank + 1; b < n; b++) {
        matrix[i * n + order[b]] -= factor * matrix[pivot * n + order[b]];
      }
    }
  }
  return { rank: n, least };
}
