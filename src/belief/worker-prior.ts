/**
 * What is believed of a worker's confusion before their labels are seen, and the finitely many
 * confusions ("nodes") by which means under that belief are taken.
 *
 *   one-coin   skill ~ Beta(right, wrong); errors fall on any other class alike
 *   mixture    a share of the workers each: of one known skill, or of such a Beta
 *   rows       confusion[k] ~ Dirichlet(counts[k]), rows independent; "two-coin" with two classes
 *   tables     a share of the workers each: of one known confusion
 *
 * Skills and rates are kept away from 0 and 1 by 1e-12, so that no label is impossible.
 */
import { beta, dirichlet } from "../math/distributions.ts";
import { logBeta } from "../math/gamma.ts";
import { gaussJacobi } from "../math/gauss-jacobi.ts";
import { normalizeLog } from "../math/log-sum-exp.ts";
import { createRandom, type Random } from "../math/random.ts";

export interface CoinPrior {
  readonly kind: "one-coin";
  readonly right: number;
  readonly wrong: number;
}

export interface MixturePrior {
  readonly kind: "mixture";
  readonly parts: readonly ({ readonly share: number } & (
    | { readonly skill: number }
    | { readonly right: number; readonly wrong: number }
  ))[];
}

export interface RowsPrior {
  readonly kind: "rows";
  /** Pseudo-labels, as counts[class * L + label]. */
  readonly counts: Float64Array;
}

export interface TablesPrior {
  readonly kind: "tables";
  /** Each P(label | class), as confusion[class * L + label]. */
  readonly parts: readonly { readonly share: number; readonly confusion: Float64Array }[];
}

export type WorkerPrior = CoinPrior | MixturePrior | RowsPrior | TablesPrior;

/** K classes, and L things that a label can say. */
export interface Sizes {
  readonly K: number;
  readonly L: number;
}

/** How means are taken: `size` nodes a coin by Gauss and Jacobi, or as many drawn at random. */
export interface Rule {
  readonly size: number;
  readonly random?: Random | undefined;
}

/** Skills with weights, smallest first. */
export interface CoinNodes {
  readonly skill: Float64Array;
  readonly logWeight: Float64Array;
}

/** Confusions with weights, as rate[(label * S + node) * K + class]. */
export interface TableNodes {
  readonly rate: Float64Array;
  readonly logWeight: Float64Array;
  /** Of a grid, how many nodes stand in a row; both rates of right labels grow along it. */
  readonly side?: number;
}

const LEAST = 1e-12;

/** A note for a prior at chance: from a uniform start the labels then change nothing. */
export const nothingToTell =
  "The prior takes workers to be right as often as chance, and nothing is known of the tasks, so that " +
  "labels tell nothing: all beliefs are uniform. Let right be larger than wrong.";

/** Rows with `right` pseudo-labels on the diagonal and `wrong` in every other place. */
export function evenRows({ K, L }: Sizes, right: number, wrong: number): RowsPrior {
  const counts = new Float64Array(K * L).map((_, at) =>
    at % L === Math.floor(at / L) ? right : wrong,
  );
  return { kind: "rows", counts };
}

/** The prior after a worker's past: pseudo-labels past[class * L + label]. */
export function withPast(prior: WorkerPrior, past: Float64Array, { K, L }: Sizes): WorkerPrior {
  if (!past.some((count) => count > 0)) return prior;
  if (prior.kind === "rows") {
    return { kind: "rows", counts: prior.counts.map((count, at) => count + past[at]) };
  }
  if (prior.kind === "tables") {
    return {
      kind: "tables",
      parts: reshared(prior.parts, ({ confusion }) =>
        past.reduce((sum, count, at) => sum + count * Math.log(inside(confusion[at])), 0),
      ),
    };
  }
  const { right, wrong } = coinPast(past, { K, L });
  if (prior.kind === "one-coin") {
    return { kind: "one-coin", right: prior.right + right, wrong: prior.wrong + wrong };
  }
  const parts = reshared(prior.parts, (part) =>
    "skill" in part
      ? right * Math.log(inside(part.skill)) + wrong * Math.log(1 - inside(part.skill))
      : logBeta(part.right + right, part.wrong + wrong) - logBeta(part.right, part.wrong),
  );
  const moved = parts.map((part) =>
    "skill" in part ? part : { ...part, right: part.right + right, wrong: part.wrong + wrong },
  );
  return { kind: "mixture", parts: moved };
}

/** Right and wrong labels of a past; abstentions are neither. */
export function coinPast(past: Float64Array, { K, L }: Sizes): { right: number; wrong: number } {
  let [right, wrong] = [0, 0];
  for (let k = 0; k < K; k++) {
    for (let l = 0; l < K; l++) {
      if (l === k) right += past[k * L + l];
      else wrong += past[k * L + l];
    }
  }
  return { right, wrong };
}

/** The same parts, each share times exp(log likelihood). */
function reshared<Part extends { readonly share: number }>(
  parts: readonly Part[],
  logLikelihood: (part: Part) => number,
): Part[] {
  const shares = Float64Array.from(parts, (part) => Math.log(part.share) + logLikelihood(part));
  normalizeLog(shares, 0, shares.length);
  return parts.map((part, s) => ({ ...part, share: shares[s] }));
}

export function coinNodes(prior: CoinPrior | MixturePrior, rule: Rule): CoinNodes {
  const parts = prior.kind === "mixture" ? prior.parts : [{ share: 1, ...prior }];
  const nodes = parts
    .flatMap((part) =>
      "skill" in part
        ? [{ skill: part.skill, weight: part.share }]
        : betaNodes(part.right, part.wrong, rule).map(({ skill, weight }) => ({
            skill,
            weight: weight * part.share,
          })),
    )
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => a.skill - b.skill);
  return {
    skill: Float64Array.from(nodes, ({ skill }) => inside(skill)),
    logWeight: Float64Array.from(nodes, ({ weight }) => Math.log(weight)),
  };
}

export function tableNodes(prior: RowsPrior | TablesPrior, sizes: Sizes, rule: Rule): TableNodes {
  if (prior.kind === "rows" && !rule.random) return gridNodes(prior.counts, rule.size);
  const { K, L } = sizes;
  const nodes =
    prior.kind === "tables"
      ? prior.parts
      : Array.from({ length: rule.size }, () => ({
          share: 1 / rule.size,
          confusion: drawRows(prior.counts, L, rule.random),
        }));
  const S = nodes.length;
  const rate = new Float64Array(S * K * L);
  nodes.forEach(({ confusion }, s) => {
    for (let k = 0; k < K; k++) {
      for (let l = 0; l < L; l++) rate[(l * S + s) * K + k] = inside(confusion[k * L + l]);
    }
  });
  return { rate, logWeight: Float64Array.from(nodes, ({ share }) => Math.log(share)) };
}

function betaNodes(right: number, wrong: number, { size, random }: Rule) {
  if (random) {
    return Array.from({ length: size }, () => ({
      skill: beta(random, right, wrong),
      weight: 1 / size,
    }));
  }
  const { nodes, weights } = gaussJacobi(size, right, wrong);
  return Array.from(nodes, (skill, s) => ({ skill, weight: weights[s] }));
}

function drawRows(counts: Float64Array, L: number, random = createRandom(0)): Float64Array {
  const confusion = new Float64Array(counts.length);
  for (let from = 0; from < counts.length; from += L) {
    dirichlet(random, counts.subarray(from, from + L), confusion.subarray(from, from + L));
  }
  return confusion;
}

/** A grid over the two rows of two classes: node i * side + j has the i-th rate of the first. */
function gridNodes([a, b, c, d]: Float64Array, side: number): TableNodes {
  const first = gaussJacobi(side, a, b);
  const second = gaussJacobi(side, d, c);
  const S = side * side;
  const rate = new Float64Array(4 * S);
  const logWeight = new Float64Array(S);
  for (let s = 0; s < S; s++) {
    const [i, j] = [Math.floor(s / side), s % side];
    logWeight[s] = Math.log(first.weights[i]) + Math.log(second.weights[j]);
    rate[2 * s] = inside(first.nodes[i]);
    rate[2 * s + 1] = inside(1 - second.nodes[j]);
    rate[2 * (S + s)] = inside(1 - first.nodes[i]);
    rate[2 * (S + s) + 1] = inside(second.nodes[j]);
  }
  return { rate, logWeight, side };
}

function inside(rate: number): number {
  return Math.min(1 - LEAST, Math.max(LEAST, rate));
}
