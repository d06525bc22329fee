/**
 * HodgeRank: scores whose differences come closest to how clearly each pair was decided, and what is left over.
 *
 *   Y[a,b] = log((won + tied/2 + ½) / (lost + tied/2 + ½))       flow from b to a; or 2 · (share of wins) - 1
 *   score  = argmin sum n[a,b] (Y[a,b] - (score[a] - score[b]))²      n comparisons of the pair
 *
 * The minimum solves L · score = div Y, L the graph's weighted Laplacian: one linear system, no iterations. The rest
 * Y - (score[a] - score[b]) is inconsistent: a part of it runs round triangles (curl: a beats b beats c beats a),
 * the remainder round longer cycles only (harmonic). The shares of sum n Y² say how far a ranking can be trusted.
 *
 * Jiang, Lim, Yao & Ye (2011), Mathematical Programming 127, 203–244. https://doi.org/10.1007/s10107-010-0419-x
 */
import { CrowdError } from "../../error.ts";
import { cholesky, solveCholesky } from "../../math/matrix.ts";
import type { Steps } from "../../method.ts";
import { collapse, type Pairs, type Part, partsOf } from "./pairs.ts";
import { type PairwiseResult, type RankingOf, ranker } from "./ranker.ts";

/** What HodgeRank returns. */
export interface HodgeRank extends PairwiseResult {
  /** Share of the (weighted, squared) flow that no scores explain: curl + harmonic. */
  readonly inconsistency: number;
  /** Share that runs round triangles; NaN where there are too many of them. */
  readonly curl: number;
  /** Share that runs round longer cycles only; NaN where there are too many triangles. */
  readonly harmonic: number;
}

/** Items of a component up to which its matrix is held whole. */
const MOST_ITEMS = 5000;

/** Triangles up to which the inconsistent flow is taken apart. */
const MOST_TRIANGLES = 1_000_000;

/** HodgeRank: scores by least squares on how clearly each pair was decided, with the share of cycles. */
export const hodgeRank = ranker(
  {
    id: "hodge-rank",
    title: "HodgeRank",
    summary:
      "Scores by least squares on how clearly each pair was decided, with the share of cycles.",
    paper: {
      authors: "X. Jiang, L.-H. Lim, Y. Yao, Y. Ye",
      year: 2011,
      title: "Statistical ranking and combinatorial Hodge theory",
      url: "https://doi.org/10.1007/s10107-010-0419-x",
    },
    family: "scores",
    cost: "O(N) once, O(K³) once for K items of a component, K² memory",
    memory: ({ classes }) => 16 * classes ** 2,
    options: {
      flow: {
        default: "log-odds",
        choices: ["log-odds", "mean"],
        help: "How clearly a pair was decided: log-odds of a win, or share of wins minus share of losses.",
      },
    },
  },
  function* (data, { flow }): Steps<RankingOf<HodgeRank>> {
    const n = data.items.length;
    const pairs = collapse(data);
    const edges = edgesOf(pairs, flow);
    const score = new Float64Array(n);
    const parts = partsOf(data);
    for (const part of parts) checkItems(part.length);
    for (const part of parts) solvePart(part, edges, score);
    const rest = edges.flow.map((y, p) => y - (score[edges.first[p]] - score[edges.second[p]]));
    const all = squaresOf(edges, edges.flow);
    const share = (sum: number) => (all > 0 ? sum / all : 0);
    const inconsistency = share(squaresOf(edges, rest));
    const triangles = trianglesOf(edges, n);
    const curl = triangles ? share(squaresOf(edges, curlOf(edges, triangles, rest))) : Number.NaN;
    return {
      score,
      sd: new Float64Array(n).fill(Number.NaN),
      inconsistency,
      curl,
      harmonic: Math.max(0, inconsistency - curl),
      trace: [],
      converged: true,
    };
  },
);

/** Refuses more items than fit into memory as a matrix. */
function checkItems(n: number): void {
  if (n <= MOST_ITEMS) return;
  throw new CrowdError(
    "too-large",
    `hodge-rank: ${n} items are connected by comparisons; at most ${MOST_ITEMS} fit into memory ` +
      `as a matrix. Split them into parts that are ranked apart.`,
  );
}

/** Pairs with their flow from the second item to the first. */
interface Edges {
  readonly first: readonly number[];
  readonly second: readonly number[];
  readonly flow: Float64Array;
  /** Comparisons of each pair. */
  readonly count: Float64Array;
}

function edgesOf({ first, second, won, lost, tied }: Pairs, kind: "log-odds" | "mean"): Edges {
  const all = won.map((w, p) => w + lost[p] + tied[p]);
  const kept = Array.from(all.keys()).filter((p) => all[p] > 0);
  const flow = Float64Array.from(kept, (p) =>
    kind === "mean"
      ? (won[p] - lost[p]) / all[p]
      : Math.log((won[p] + tied[p] / 2 + 0.5) / (lost[p] + tied[p] / 2 + 0.5)),
  );
  return {
    first: kept.map((p) => first[p]),
    second: kept.map((p) => second[p]),
    flow,
    count: Float64Array.from(kept, (p) => all[p]),
  };
}

const squaresOf = ({ count }: Edges, flow: Float64Array) =>
  flow.reduce((sum, y, p) => sum + count[p] * y * y, 0);

/** Solves L · score = div Y within one part; 1/n everywhere fixes the mean of the scores. Writes them. */
function solvePart(part: Part, { first, second, flow, count }: Edges, score: Float64Array): void {
  const n = part.length;
  const place = new Map(part.map((item, i) => [item, i]));
  const laplacian = new Float64Array(n * n).fill(1 / n);
  const divergence = new Float64Array(n);
  for (let p = 0; p < first.length; p++) {
    const [a, b] = [place.get(first[p]), place.get(second[p])];
    if (a === undefined || b === undefined) continue;
    laplacian[a * n + a] += count[p];
    laplacian[b * n + b] += count[p];
    laplacian[a * n + b] -= count[p];
    laplacian[b * n + a] -= count[p];
    divergence[a] += count[p] * flow[p];
    divergence[b] -= count[p] * flow[p];
  }
  const lower = cholesky(laplacian, n);
  if (!lower) {
    throw new CrowdError(
      "not-supported",
      "hodge-rank: the scores cannot be told apart, since some comparisons count for almost nothing.",
    );
  }
  solveCholesky(lower, divergence, n);
  part.forEach((item, i) => {
    score[item] = divergence[i];
  });
}

/** The edges ab, bc and ac of every triangle a < b < c, three after three; undefined where they are too many. */
function trianglesOf({ first, second }: Edges, n: number): Int32Array | undefined {
  const after = Array.from({ length: n }, () => new Map<number, number>());
  for (let p = 0; p < first.length; p++) after[first[p]].set(second[p], p);
  const found: number[] = [];
  for (let p = 0; p < first.length; p++) {
    for (const [c, bc] of after[second[p]]) {
      const ac = after[first[p]].get(c);
      if (ac === undefined) continue;
      found.push(p, bc, ac);
      if (found.length > 3 * MOST_TRIANGLES) return undefined;
    }
  }
  return Int32Array.from(found);
}

/**
 * The part of a flow that runs round triangles: W⁻¹ B' x with B W⁻¹ B' x = B rest, B the sum round each triangle and
 * W the counts, by conjugate gradients.
 */
function curlOf({ count }: Edges, triangles: Int32Array, rest: Float64Array): Float64Array {
  const round = (flow: Float64Array) =>
    Float64Array.from({ length: triangles.length / 3 }, (_, t) => {
      const [ab, bc, ac] = [triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2]];
      return flow[ab] + flow[bc] - flow[ac];
    });
  const spread = (x: Float64Array) => {
    const flow = new Float64Array(count.length);
    for (let t = 0; t < x.length; t++) {
      flow[triangles[3 * t]] += x[t];
      flow[triangles[3 * t + 1]] += x[t];
      flow[triangles[3 * t + 2]] -= x[t];
    }
    return flow.map((y, p) => y / count[p]);
  };
  const dot = (x: Float64Array, y: Float64Array) =>
    x.reduce((sum, each, i) => sum + each * y[i], 0);
  let residual = round(rest);
  let direction = residual;
  let size = dot(residual, residual);
  const curl = new Float64Array(count.length);
  const enough = 1e-24 * size;
  for (let i = 0; i < 1000 && size > enough; i++) {
    const flow = spread(direction);
    const back = round(flow);
    const step = size / dot(direction, back);
    for (let p = 0; p < curl.length; p++) curl[p] += step * flow[p];
    residual = residual.map((r, t) => r - step * back[t]);
    const next = dot(residual, residual);
    direction = residual.map((r, t) => r + (next / size) * direction[t]);
    size = next;
  }
  return curl;
}
