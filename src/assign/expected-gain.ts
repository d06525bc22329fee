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

/** Returns by how much a label is expected to raise the probability that the answer is right. */
export function expectedRise(
  believed: Float64Array,
  at: number,
  { rows, entropy }: Speaker,
): number {
  const K = entropy.length;
  const L = rows.length / K;
  let [before, after] = [0, 0];
  for (let c = 0; c < K; c++) before = Math.max(before, believed[at + c]);
  for (let l = 0; l < L; l++) {
    let most = 0;
    for (let c = 0; c < K; c++) most = Math.max(most, believed[at + c] * rows[c * L + l]);
    after += most;
  }
  return Math.max(0, after - before);
}
