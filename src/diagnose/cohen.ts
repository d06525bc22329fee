/**
 * Cohen's kappa of two workers on the tasks both labelled, and its mean over pairs of workers.
 *
 *   κ = (po − pe) / (1 − pe)     po = Σ v[k][l] P[k][l],  pe = Σ v[k][l] r[k] c[l]
 *
 * P is the joint distribution of their labels, r and c its margins, v how far two classes agree:
 * identity for the plain kappa, linear or quadratic for the weighted ones; quadratic is QWK.
 * A kappa of few shared tasks is mostly noise, so pairs below `minOverlap` stay out of the mean.
 *
 * Cohen (1960), Educational and Psychological Measurement 20(1), 37–46. https://doi.org/10.1177/001316446002000104
 * Cohen (1968), Psychological Bulletin 70(4), 213–220. https://doi.org/10.1037/h0026256
 * Variance: Fleiss, Cohen & Everitt (1969), Psychological Bulletin 72(5), 323–327. https://doi.org/10.1037/h0028106
 */
import { byWorker, type CategoricalData } from "../data/categorical.ts";
import { CrowdError } from "../error.ts";
import {
  type AgreementFunction,
  type AgreementWeights,
  agreementWeights,
} from "./agreement-weights.ts";
import { type CoLabelling, coLabelling, visitPairs } from "./co-labelling.ts";
import {
  ALL,
  type Coefficient,
  type CoefficientOptions,
  checkLevel,
  estimate,
  logInterval,
  type Measured,
  unanimousLow,
} from "./coefficient.ts";

/** How Cohen's kappa is computed. */
export interface CohenOptions extends CoefficientOptions {
  /** Default: identity. */
  readonly weights?: AgreementWeights | undefined;
}

/** Returns the kappa of two workers, by name. */
export function cohenKappa(
  data: CategoricalData,
  first: string,
  second: string,
  options: CohenOptions = {},
): Coefficient {
  const K = data.classes.length;
  const { start, other, label } = byWorker(data);
  const [a, b] = [placeOf(data, first), placeOf(data, second)];
  const said = new Map<number, number[]>();
  for (let i = start[a]; i < start[a + 1]; i++) {
    if (label[i] < K) said.set(other[i], [...(said.get(other[i]) ?? []), label[i]]);
  }
  const table = new Float64Array(K * K);
  for (let i = start[b]; i < start[b + 1]; i++) {
    if (label[i] < K) for (const k of said.get(other[i]) ?? []) table[k * K + label[i]]++;
  }
  return kappaOfTable(table, K, options);
}

/** Returns the kappa of a K × K table of counts: table[k * K + l] tasks called k by one and l by the other. */
export function kappaOfTable(
  table: Float64Array,
  K: number,
  { weights = "identity", ...options }: CohenOptions = {},
): Coefficient {
  const agree = agreementWeights(weights, K);
  const patterns = {
    labels: new Int32Array(K * K).fill(2),
    tasks: Int32Array.from(table),
  };
  const measure = (weight: ArrayLike<number>, influence?: Float64Array): Measured => {
    const [rows, columns] = [new Float64Array(K), new Float64Array(K)];
    let [n, agreed] = [0, 0];
    for (let cell = 0; cell < K * K; cell++) {
      const [k, l] = [Math.floor(cell / K), cell % K];
      n += weight[cell];
      agreed += weight[cell] * agree(k, l);
      rows[k] += weight[cell];
      columns[l] += weight[cell];
    }
    if (n === 0) return { value: 0, chance: 0, problem: "The two workers share no task." };
    const found = kappaOf({ n, agreed, rows, columns }, agree);
    if (found.problem === undefined && influence) {
      for (let cell = 0; cell < K * K; cell++) {
        influence[cell] = found.influence(Math.floor(cell / K), cell % K);
      }
    }
    return found;
  };
  return estimate(patterns, { fewest: 2, lowest: -1, plain: true, measure }, options);
}

export interface MeanCohenOptions extends Omit<CohenOptions, "interval" | "draws"> {
  /** Fewest shared tasks of a pair that counts. Default: 10. */
  readonly minOverlap?: number | undefined;
  /** Most pairs of labels that are compared; more are judged on a sample of tasks. Default: 5 million. */
  readonly mostPairs?: number | undefined;
}

export interface MeanCohen extends Coefficient {
  /** Pairs of workers with enough shared tasks. */
  readonly pairs: number;
}

/** Returns the mean over pairs of workers, each pair counting once. O(Σ d²) for tasks with d labels. */
export function meanCohenKappa(data: CategoricalData, options: MeanCohenOptions = {}): MeanCohen {
  const { weights = "identity", minOverlap = 10, mostPairs, seed } = options;
  const level = checkLevel(options.level);
  const W = data.workers.length;
  const agree = agreementWeights(weights, data.classes.length);
  const pairs = coLabelling(data, { mostPairs, seed });
  const sums: PairSums = {
    K: data.classes.length,
    overlap: new Int32Array(W),
    slot: new Int32Array(W).fill(-1),
    influence: new Float64Array(data.tasks.length),
    counted: new Uint8Array(data.tasks.length),
    value: 0,
    chance: 0,
    defined: 0,
    undefined: 0,
  };
  for (let a = 0; a < W; a++) addPairsOf(sums, a, pairs, agree, minOverlap);
  const notes = pairs.sampled ? ["Judged on a sample of the tasks."] : [];
  if (sums.undefined > 0) {
    notes.push(`${sums.undefined} pairs of workers used one class only and were left out.`);
  }
  if (sums.defined === 0) {
    notes.push(`No two workers share ${minOverlap} tasks.`);
    const nothing = { value: 0, se: 0, low: -1, high: 1, tasks: 0, defined: false } as const;
    return { ...nothing, interval: "none", notes, pairs: 0 };
  }
  return meanOf(sums, level, notes);
}

/** What the pairs of workers so far add up to. */
interface PairSums {
  readonly K: number;
  /** Shared tasks of the worker at hand with each other, and the place of that pair's table, or -1. */
  readonly overlap: Int32Array;
  readonly slot: Int32Array;
  /** What each task changes in the sum of the kappas, and whether it is shared by any pair. */
  readonly influence: Float64Array;
  readonly counted: Uint8Array;
  /** Sums over the pairs that have a kappa, their number, and that of those that have none. */
  value: number;
  chance: number;
  defined: number;
  undefined: number;
}

/** Adds the kappas of worker a with each other who shares enough tasks. */
function addPairsOf(
  sums: PairSums,
  a: number,
  pairs: CoLabelling,
  agree: AgreementFunction,
  minOverlap: number,
): void {
  const { overlap, slot, influence, counted } = sums;
  const met: number[] = [];
  visitPairs(pairs, a, (_t, _k, v) => {
    if (overlap[v]++ === 0) met.push(v);
  });
  const chosen = met.filter((v) => overlap[v] >= minOverlap);
  chosen.forEach((v, s) => {
    slot[v] = s;
  });
  if (chosen.length > 0) {
    const kappas = tablesOf(sums, a, pairs, agree, chosen.length).map((table) =>
      kappaOf(table, agree),
    );
    for (const kappa of kappas) {
      if (kappa.problem !== undefined) {
        sums.undefined++;
        continue;
      }
      sums.value += kappa.value;
      sums.chance += kappa.chance;
      sums.defined++;
    }
    visitPairs(pairs, a, (t, k, v, l) => {
      const kappa = kappas[slot[v]];
      if (!kappa || kappa.problem !== undefined) return;
      influence[t] += kappa.influence(k, l);
      counted[t] = 1;
    });
  }
  for (const v of met) {
    overlap[v] = 0;
    slot[v] = -1;
  }
}

/** Counts what worker a and each of the chosen others called their shared tasks. */
function tablesOf(
  { K, slot }: PairSums,
  a: number,
  pairs: CoLabelling,
  agree: AgreementFunction,
  count: number,
): PairTable[] {
  const tables = Array.from({ length: count }, () => {
    return { n: 0, agreed: 0, rows: new Float64Array(K), columns: new Float64Array(K) };
  });
  visitPairs(pairs, a, (_t, k, v, l) => {
    const table = tables[slot[v]];
    if (!table) return;
    table.n++;
    table.agreed += agree(k, l);
    table.rows[k]++;
    table.columns[l]++;
  });
  return tables;
}

/** Returns the mean of the kappas, with an interval by what each task changes. */
function meanOf(sums: PairSums, level: number, notes: readonly string[]): MeanCohen {
  const { influence, counted, chance, defined } = sums;
  const value = sums.value / defined;
  const n = counted.reduce((all, x) => all + x, 0);
  const squares = influence.reduce((all, x) => all + (x / defined) ** 2, 0);
  const base = { value, tasks: n, defined: true, notes, pairs: defined };
  if (n < 2) return { ...base, se: 0, low: -1, high: 1, interval: "none" };
  const se = Math.sqrt((squares * n) / (n - 1));
  const { low, high } =
    value < ALL
      ? logInterval(value, se, level, n - 1)
      : { low: unanimousLow(n, chance / defined, level), high: 1 };
  return { ...base, se, low: Math.max(-1, low), high, interval: "linearised" };
}

interface PairTable {
  readonly n: number;
  /** Σ v over the shared tasks. */
  readonly agreed: number;
  readonly rows: Float64Array;
  readonly columns: Float64Array;
}

/** Returns kappa, and what one more task called k and l would change. */
function kappaOf(
  { n, agreed, rows, columns }: PairTable,
  agree: AgreementFunction,
): Measured & { influence(k: number, l: number): number } {
  const K = rows.length;
  // Σ_l v[k][l] c[l] and Σ_k v[k][l] r[k], as shares; v is symmetric, and O(K²) unless the identity.
  const mixed = (margin: Float64Array) =>
    agree.diagonal
      ? margin.map((x) => x / n)
      : margin.map(
          (_, k) => margin.reduce((sum, x, l) => (x > 0 ? sum + x * agree(k, l) : sum), 0) / n,
        );
  const byRow = mixed(columns);
  const byColumn = mixed(rows);
  let chance = 0;
  for (let k = 0; k < K; k++) chance += (rows[k] / n) * byRow[k];
  if (chance >= 1 - 1e-12) {
    const problem = "Both workers used one class only.";
    return { value: 1, chance, problem, influence: () => 0 };
  }
  const value = (agreed / n - chance) / (1 - chance);
  const centre = value - chance * (1 - value);
  return {
    value,
    chance,
    influence: (k, l) =>
      (agree(k, l) - (byRow[k] + byColumn[l]) * (1 - value) - centre) / (n * (1 - chance)),
  };
}

function placeOf(data: CategoricalData, name: string): number {
  const place = data.workers.indexOf(name);
  if (place >= 0) return place;
  throw new CrowdError("bad-option", `There is no worker "${name}" in these labels.`);
}
