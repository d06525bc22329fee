/**
 * Whether a worker's skill changed once, and after which answer: exact, by one sum over all places.
 *
 *   Z[i..j)  = ∫ Π_{i ≤ a < j} (p · right[a] + (1 − p) · wrong[a]) dp        one skill p ~ Beta(1, 1) for these answers
 *   Bayes factor = mean over t of Z[0..t) Z[t..n) / Z[0..n)                  t = 1, …, n − 1
 *   P(change after t answers) ∝ Z[0..t) Z[t..n)
 *
 * If it is known which answers are right, Z = B(1 + right, 1 + wrong), and the Bayes factor is that of two binomials
 * against one. Under a constant skill the Bayes factor has mean 1, so it exceeds 1/α with probability α at most.
 *
 * The integrand is a polynomial of p: Gauss–Legendre quadrature is exact while there are fewer than 128 answers,
 * and has more nodes for more. O(n √n).
 *
 * Smith (1975), Biometrika 62(2), 407–416. https://doi.org/10.1093/biomet/62.2.407
 */
import { gaussJacobi, type Quadrature } from "../../math/gauss-jacobi.ts";
import { normalizeLog } from "../../math/log-sum-exp.ts";
import type { JudgedAnswers } from "./judged-answers.ts";

/** One change of skill, as far as the answers tell. */
export interface ChangePoint {
  /** Log of the Bayes factor of one change against none, in nats; above 3 there is a change. */
  readonly logBayes: number;
  /** P(the change is after t + 1 answers | there is one), as places[t]. */
  readonly places: Float64Array;
  /** Number of answers before the change: the median of the places. */
  readonly at: number;
  /** The ends of the interval of the place. */
  readonly low: number;
  readonly high: number;
}

/** Looks for one change of skill; undefined if there are fewer than two answers. */
export function changePoint(answers: JudgedAnswers, level = 0.95): ChangePoint | undefined {
  const n = answers.right.length;
  if (n < 2) return undefined;
  const rule = gaussJacobi(Math.max(64, Math.ceil(4 * Math.sqrt(n))), 1, 1);
  const before = runningEvidence(answers, rule, 0, 1);
  const after = runningEvidence(answers, rule, n - 1, -1);
  const places = Float64Array.from({ length: n - 1 }, (_, t) => before[t] + after[n - 2 - t]);
  const whole = before[n - 1];
  const logBayes = normalizeLog(places, 0, n - 1) - Math.log(n - 1) - whole;
  const end = (share: number) => 1 + quantilePlace(places, share);
  return {
    logBayes,
    places,
    at: end(0.5),
    low: end((1 - level) / 2),
    high: end((1 + level) / 2),
  };
}

/** log Z of the first 1, 2, …, n answers, counted from one end. */
function runningEvidence(
  { right, wrong }: JudgedAnswers,
  { nodes, weights }: Quadrature,
  first: number,
  step: 1 | -1,
): Float64Array {
  const n = right.length;
  const evidence = new Float64Array(n);
  const mass = weights.slice();
  let logScale = 0;
  for (let done = 0, j = first; done < n; done++, j += step) {
    let sum = 0;
    for (let i = 0; i < mass.length; i++) {
      mass[i] *= nodes[i] * right[j] + (1 - nodes[i]) * wrong[j];
      sum += mass[i];
    }
    for (let i = 0; i < mass.length; i++) mass[i] /= sum;
    logScale += Math.log(sum);
    evidence[done] = logScale;
  }
  return evidence;
}

/** The first place at which the running sum reaches a share. */
export function quantilePlace(places: Float64Array, share: number): number {
  let sum = 0;
  for (let t = 0; t < places.length; t++) {
    sum += places[t];
    if (sum >= share) return t;
  }
  return places.length - 1;
}
