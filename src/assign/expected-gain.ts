/**
 * What one more label is expected to tell of a task, in closed form: no posterior after the label has to be made.
 *
 *   m[l] = Σ_c q[c] θ[c, l]                        how probable each label is
 *   information = H(m) − Σ_c q[c] H(θ[c])          in nats
 *   rise        = Σ_l max_c q[c] θ[c, l] − max q   in the probability that the answer is right
 *
 * q is what is believed of the task and θ how the worker labels, as the mean of what is believed of the worker: then this is
 * the information about the class, however little is known of the worker. The rise is 0 if no single label could turn the
 * answer, so the information decides whom to ask.
 */

/** How a worker labels, with what a gain needs of it. */
export interface Speaker {
  /** P(label | class) as rows[class * L + label]. */
  readonly rows: Float64Array;
  /** Entropy of each row, in nats. */
  readonly entropy: Float64Array;
}

/** Returns the entropy of `length` probabilities from `at` on, in nats. */
export function entropyOf(p: Float64Array, at: number, length: number): number {
  let sum = 0;
  for (let i = at; i < at + length; i++) if (p[i] > 0) sum -= p[i] * Math.log(p[i]);
  return sum;
}

/** Returns a speaker with these rows, for K classes. */
export function speakerOf(rows: Float64Array, K: number): Speaker {
  const L = rows.length / K;
  return { rows, entropy: Float64Array.from({ length: K }, (_, c) => entropyOf(rows, c * L, L)) };
}

/** Returns P(right label) of a speaker if all classes are equally common. */
export function diagonalOf({ rows, entropy }: Speaker): number {
  const K = entropy.length;
  let sum = 0;
  for (let c = 0; c < K; c++) sum += rows[c * (rows.length / K) + c];
  return sum / K;
}

/** Returns the expected information of a label about a task that is believed[at + class], in nats; never below 0. */
export function expectedInformation(
  believed: Float64Array,
  at: number,
  { rows, entropy }: Speaker,
): number {
  const K = entropy.length;
  const L = rows.length / K;
  let sum = 0;
  for (let c = 0; c < K; c++) sum -= believed[at + c] * entropy[c];
  for (let l = 0; l < L; l++) {
    let m = 0;
    for (let c = 0; c < K; c++) m += believed[at + c] * rows[c * L + l];
    if (m > 0) sum -= m * Math.log(m);
  }
  return Math.max(0, sum);
}

/**
 * Returns by how much a label, or several of such a worker, are expected to raise the probability that the answer is right.
 * Costs L to the power of `labels`.
 */
export function expectedRise(
  believed: Float64Array,
  at: number,
  { rows, entropy }: Speaker,
  labels = 1,
): number {
  const K = entropy.length;
  const L = rows.length / K;
  const before = believed.subarray(at, at + K);
  /** Probability of a right answer after so many labels more, times that of the labels so far. */
  const right = (joint: Float64Array, left: number): number => {
    if (left === 0) return joint.reduce((most, p) => Math.max(most, p), 0);
    let sum = 0;
    for (let l = 0; l < L; l++) {
      sum += right(
        joint.map((p, c) => p * rows[c * L + l]),
        left - 1,
      );
    }
    return sum;
  };
  return Math.max(0, right(before, labels) - right(before, 0));
}
