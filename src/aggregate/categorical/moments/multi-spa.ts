/**
 * MultiSPA: workers who are never wrong about a class show how the others treat it.
 *
 *   joint[u, v] = confusion[u]ᵀ · diag(prior) · confusion[v]
 *
 * The column of joint[u, v] for label m of v, divided by its sum, is what u says where v says m: a mean
 * of the rows of confusion[u], weighted by P(class | v says m). Where v says m of one class only, it is
 * that row itself. So the rows of confusion[u] are the corners of all those columns, and the successive
 * projection algorithm finds corners: K times, take the longest column and project it out of all.
 *
 * Algebra, no start and no iterations; but without class experts the corners are inside of what they
 * should be, and more tasks do not help. It is a starting point, which EM (option `em`) finishes.
 *
 * Ibrahim, Fu, Kargas & Huang (2019), NeurIPS. https://arxiv.org/abs/1909.12325
 */
import type { Steps } from "../../../method.ts";
import { agreeOnClasses, sortByDiagonal } from "./class-order.ts";
import { type Estimate, momentMethod } from "./moment-fit.ts";
import { type PairMoments, pairMoments, pairOptions } from "./moments.ts";

/** MultiSPA: finds confusion matrices as the corners of second moments of workers; then EM. */
export const multiSpa = momentMethod(
  {
    id: "multi-spa",
    title: "MultiSPA",
    summary: "Finds the confusion matrices as the corners of second moments of workers; then EM.",
    paper: {
      authors: "S. Ibrahim, X. Fu, N. Kargas, K. Huang",
      year: 2019,
      title: "Crowdsourcing via pairwise co-occurrences: identifiability and algorithms",
      url: "https://arxiv.org/abs/1909.12325",
    },
    cost: "O(sum of squared labels per task + pairs·K³) once, 16 K² bytes per pair; EM O(N·K) per iteration",
    options: {
      ...pairOptions,
      minColumn: {
        default: 10,
        min: 0,
        unit: "tasks",
        help: "Minimum number of common tasks on which the partner gave a label, for the label to be used.",
      },
      align: {
        default: "reference",
        choices: ["reference", "diagonal"],
        help: "Order of each worker's classes: that of the best worker through their moments, or the one with most right labels.",
      },
    },
  },
  function* (data, L, options): Steps<Estimate> {
    return findCorners(yield* pairMoments("multi-spa", data, L, options), options);
  },
);

export interface SpaSettings {
  readonly minCommon: number;
  readonly partners: number;
  readonly memory: number;
  readonly minColumn: number;
  readonly align: "reference" | "diagonal";
}

/** The confusions of all workers, the classes of each in the same order. */
export function findCorners(
  moments: PairMoments,
  { minColumn, align }: Pick<SpaSettings, "minColumn" | "align">,
): Estimate {
  const { workers: W, classes: K, given: L, start } = moments;
  const confusion = new Float64Array(W * K * L).fill(1 / L);
  const found = new Uint8Array(W);
  for (let u = 0; u < W; u++) {
    if (start[u] === start[u + 1]) continue;
    // Few tasks leave few columns; then even short ones are better than none.
    const sure = successiveProjection(columnsOf(moments, u, minColumn), L, K);
    const corners = sure.length === K ? sure : successiveProjection(columnsOf(moments, u, 0), L, K);
    corners.forEach((corner, k) => {
      confusion.set(corner, (u * K + k) * L);
    });
    found[u] = 1;
  }
  sortByDiagonal(confusion, moments);
  if (align === "reference") agreeOnClasses(confusion, found, moments);
  return { confusion, found };
}

/** What worker u says where each partner says each label: rows of L numbers that sum to 1. */
function columnsOf(
  { given: L, start, common, joint }: PairMoments,
  u: number,
  minColumn: number,
): Float64Array[] {
  const columns: Float64Array[] = [];
  for (let p = start[u]; p < start[u + 1]; p++) {
    for (let theirs = 0; theirs < L; theirs++) {
      const column = new Float64Array(L);
      let sum = 0;
      for (let own = 0; own < L; own++) {
        column[own] = joint[(p * L + own) * L + theirs];
        sum += column[own];
      }
      if (sum < 1e-6 || sum * common[p] < minColumn) continue;
      columns.push(column.map((share) => share / sum));
    }
  }
  return columns;
}

/** Up to `count` columns that are as far from each other as can be; fewer if the rest follow from them. */
export function successiveProjection(
  columns: readonly Float64Array[],
  L: number,
  count: number,
): Float64Array[] {
  const rest = columns.map((column) => column.slice());
  const corners: Float64Array[] = [];
  while (corners.length < count) {
    let longest = 1e-12;
    let best = -1;
    rest.forEach((column, c) => {
      const length = dot(column, column);
      // Rounding must not choose between columns of the same length.
      if (length > longest * (1 + 1e-12)) [longest, best] = [length, c];
    });
    if (best < 0) break;
    corners.push(columns[best]);
    const direction = rest[best].map((x) => x / Math.sqrt(longest));
    for (const column of rest) {
      const along = dot(column, direction);
      for (let l = 0; l < L; l++) column[l] -= along * direction[l];
    }
  }
  return corners;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}
