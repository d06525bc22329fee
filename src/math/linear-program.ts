/**
 * Linear programs by the simplex method, dense, with bounds on variables kept out of the rows.
 *
 *   maximise  Σ objective[j] x[j]   subject to   Σ_j row[j] x[j] (≤, ≥, =) limit,   0 ≤ x[j] ≤ upper[j]
 *
 * Two phases: the first drives artificial variables to 0, the second maximises. A variable at its upper bound is
 * counted from there (x' = upper − x), so every nonbasic variable is at 0. Bland's rule (lowest index enters, lowest
 * index leaves among equals) rules out cycles. Cost: rows × columns per pivot; few rows and thousands of columns are fast.
 *
 * Bland (1977), Mathematics of Operations Research 2(2), 103–107. https://doi.org/10.1287/moor.2.2.103
 * Dantzig (1963), Linear Programming and Extensions, Princeton University Press, chapter 18 (upper bounds).
 */
import { CrowdError } from "../error.ts";

/** A constraint on a weighted sum of the variables. */
export interface Constraint {
  /** One number per variable. */
  readonly row: ArrayLike<number>;
  readonly sign: "<=" | ">=" | "=";
  readonly limit: number;
}

/** What to maximise, and within what. */
export interface LinearProgram {
  /** One number per variable. */
  readonly objective: ArrayLike<number>;
  readonly constraints: readonly Constraint[];
  /** Upper bound of each variable; none if omitted or Infinity. */
  readonly upper?: ArrayLike<number> | undefined;
}

/** The best point, or the reason why there is none. */
export type LinearSolution =
  | { readonly status: "optimal"; readonly x: Float64Array; readonly value: number }
  | { readonly status: "infeasible" | "unbounded" };

/** What is below this is rounding, once rows are scaled to a largest entry of 1. */
const TINY = 1e-10;

interface Tableau {
  /** rows[i][j], the last column the value of the basic variable of row i. */
  readonly rows: Float64Array[];
  readonly basis: Int32Array;
  readonly upper: Float64Array;
  /** 1 for variables that are counted from their upper bound. */
  readonly flipped: Uint8Array;
  readonly columns: number;
}

/** Solves a linear program; ties between optima go to the lowest indices. */
export function maximise(program: LinearProgram): LinearSolution {
  check(program);
  const n = program.objective.length;
  const { tableau, artificial } = setUp(program);
  const { columns } = tableau;
  const missing = new Float64Array(columns).fill(-1, artificial);
  climb(tableau, missing, columns);
  const left = tableau.rows.reduce(
    (sum, row, i) => sum + (tableau.basis[i] >= artificial ? row[columns] : 0),
    0,
  );
  if (left > 1e-8) return { status: "infeasible" };
  // Artificial variables that stay in the basis at 0 must not grow again.
  tableau.upper.fill(0, artificial);
  const objective = new Float64Array(columns);
  for (let j = 0; j < n; j++) objective[j] = program.objective[j];
  if (!climb(tableau, objective, artificial)) return { status: "unbounded" };
  const x = pointOf(tableau).slice(0, n);
  let value = 0;
  for (let j = 0; j < n; j++) value += program.objective[j] * x[j];
  return { status: "optimal", x, value };
}

/** Writes all constraints as equations with slack and artificial variables, limits at least 0. */
function setUp({ objective, constraints, upper }: LinearProgram) {
  const n = objective.length;
  const slacks = constraints.filter(({ sign }) => sign !== "=").length;
  const artificial = n + slacks;
  const columns = artificial + constraints.length;
  let slack = n;
  const rows = constraints.map(({ row, sign, limit }, i) => {
    const filled = new Float64Array(columns + 1);
    let scale = 0;
    for (let j = 0; j < n; j++) scale = Math.max(scale, Math.abs(row[j]));
    if (scale === 0) scale = 1;
    const turn = limit < 0 ? -1 : 1;
    for (let j = 0; j < n; j++) filled[j] = (turn * row[j]) / scale;
    if (sign !== "=") filled[slack++] = sign === "<=" ? turn : -turn;
    filled[artificial + i] = 1;
    filled[columns] = (turn * limit) / scale;
    return filled;
  });
  const bounds = new Float64Array(columns).fill(Infinity);
  for (let j = 0; upper && j < n; j++) bounds[j] = upper[j];
  const tableau: Tableau = {
    rows,
    basis: Int32Array.from(rows, (_, i) => artificial + i),
    upper: bounds,
    flipped: new Uint8Array(columns),
    columns,
  };
  return { tableau, artificial };
}

/** Pivots until no variable before `last` improves the objective; false if it has no maximum. */
function climb(tableau: Tableau, objective: Float64Array, last: number): boolean {
  for (;;) {
    const j = entering(tableau, objective, last);
    if (j < 0) return true;
    if (!enter(tableau, j)) return false;
  }
}

/** Returns the first variable whose increase improves the objective, or -1. */
function entering({ rows, basis, flipped }: Tableau, objective: Float64Array, last: number) {
  const basic = new Set(basis);
  const worth = (j: number) => (flipped[j] ? -objective[j] : objective[j]);
  const price = Float64Array.from(basis, worth);
  for (let j = 0; j < last; j++) {
    if (basic.has(j)) continue;
    let gain = worth(j);
    for (let i = 0; i < rows.length; i++) gain -= price[i] * rows[i][j];
    if (gain > TINY) return j;
  }
  return -1;
}

/** Raises variable j as far as bounds allow; false if nothing stops it. */
function enter(tableau: Tableau, j: number): boolean {
  const { rows, basis, upper, columns } = tableau;
  let [step, leaving, atUpper] = [upper[j], -1, false];
  for (let i = 0; i < rows.length; i++) {
    const slope = rows[i][j];
    if (Math.abs(slope) <= TINY) continue;
    const room = slope > 0 ? rows[i][columns] : upper[basis[i]] - rows[i][columns];
    const reach = Math.max(0, room) / Math.abs(slope);
    const tie = leaving >= 0 && Math.abs(reach - step) <= TINY && basis[i] < basis[leaving];
    if (reach < step - TINY || tie) [step, leaving, atUpper] = [reach, i, slope < 0];
  }
  if (step === Infinity) return false;
  if (leaving < 0) flip(tableau, j);
  else {
    if (atUpper) flipBasic(tableau, leaving);
    pivot(tableau, leaving, j);
  }
  return true;
}

/** Counts a nonbasic variable from its other bound. */
function flip({ rows, upper, flipped, columns }: Tableau, j: number): void {
  for (const row of rows) {
    row[columns] -= row[j] * upper[j];
    row[j] = -row[j];
  }
  flipped[j] ^= 1;
}

/** Counts the basic variable of row i from its other bound. */
function flipBasic({ rows, basis, upper, flipped, columns }: Tableau, i: number): void {
  const row = rows[i];
  const j = basis[i];
  for (let at = 0; at < columns; at++) if (at !== j) row[at] = -row[at];
  row[columns] = upper[j] - row[columns];
  flipped[j] ^= 1;
}

/** Makes variable j the basic one of row i. */
function pivot({ rows, basis, columns }: Tableau, i: number, j: number): void {
  const row = rows[i];
  const scale = row[j];
  for (let at = 0; at <= columns; at++) row[at] /= scale;
  row[j] = 1;
  for (let other = 0; other < rows.length; other++) {
    const factor = rows[other][j];
    if (other === i || factor === 0) continue;
    for (let at = 0; at <= columns; at++) rows[other][at] -= factor * row[at];
    rows[other][j] = 0;
  }
  basis[i] = j;
}

/** Returns the value of every variable, within its bounds. */
function pointOf({ rows, basis, upper, flipped, columns }: Tableau): Float64Array {
  const x = new Float64Array(columns);
  for (let i = 0; i < rows.length; i++) x[basis[i]] = rows[i][columns];
  return x.map((value, j) =>
    Math.max(0, Math.min(upper[j], flipped[j] ? upper[j] - value : value)),
  );
}

function check({ objective, constraints, upper }: LinearProgram): void {
  const n = objective.length;
  const finite = (list: ArrayLike<number>) =>
    list.length === n && Array.from(list).every(Number.isFinite);
  const wrong = constraints.findIndex(({ row, limit }) => !finite(row) || !Number.isFinite(limit));
  if (!finite(objective) || wrong >= 0) {
    throw new CrowdError(
      "bad-option",
      `maximise: ${wrong >= 0 ? `constraint ${wrong}` : "the objective"} must hold ${n} finite numbers, one per variable, and a finite limit.`,
    );
  }
  if (upper && (upper.length !== n || !Array.from(upper).every((bound) => bound >= 0))) {
    throw new CrowdError("bad-option", `maximise: upper must hold ${n} bounds of at least 0.`);
  }
}
