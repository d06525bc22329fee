/**
 * Chains of hidden tags: forward–backward with scaled messages, sums over pairs, and the likeliest path.
 *
 *   a_t = (a_{t-1} Tr) ∘ b_t / s_t        B_t = Tr (b_{t+1} ∘ B_{t+1}) / s_{t+1}
 *   q_t = a_t ∘ B_t        xi_t[c][d] = a_{t-1}[c] Tr[c][d] b_t[d] B_t[d] / s_t        log Z = Σ log s_t
 *
 * Rows of `start` and `step` need not sum to 1: variational methods put exp(E log) there. Evidence comes as
 * logarithms; what lies more than `REACH` nats below a token's best tag is put there, so that no product underflows.
 *
 * Rabiner (1989), Proceedings of the IEEE 77(2), 257–286. https://doi.org/10.1109/5.18626
 */

/** How chains begin and go on. */
export interface ChainModel {
  /** K numbers. */
  readonly start: Float64Array;
  /** K × K numbers, rows are the tag before. */
  readonly step: Float64Array;
}

/** What is seen of the chains: the evidence of each token for each tag, best tag 1, and where chains begin. */
export interface Seen {
  readonly K: number;
  readonly chains: Int32Array;
  /** T × K numbers between 0 and 1. */
  readonly evidence: Float64Array;
  /** The logarithms of what the evidence was divided by, summed. */
  readonly scale: number;
}

/** Expected counts of a chain model. */
export interface ChainSums {
  readonly logZ: number;
  readonly start: Float64Array;
  readonly step: Float64Array;
}

/** Evidence more than this many nats below the best counts as this many. */
const REACH = 230;

/** Turns log evidence into evidence in place: each token's best tag gets 1. */
export function scaleEvidence(
  logs: Float64Array,
  K: number,
): { evidence: Float64Array; scale: number } {
  let scale = 0;
  for (let at = 0; at < logs.length; at += K) {
    let best = -Infinity;
    for (let c = 0; c < K; c++) if (logs[at + c] > best) best = logs[at + c];
    scale += best;
    for (let c = 0; c < K; c++) {
      const log = logs[at + c];
      logs[at + c] = log === -Infinity ? 0 : Math.exp(Math.max(-REACH, log - best));
    }
  }
  return { evidence: logs, scale };
}

/** Writes the posterior of every token, and returns the expected counts and the log normaliser. */
export function forwardBackward(seen: Seen, model: ChainModel, posterior: Float64Array): ChainSums {
  const { K, chains, evidence } = seen;
  const sums = { start: new Float64Array(K), step: new Float64Array(K * K) };
  const scales = new Float64Array(evidence.length / K);
  const back = new Float64Array(K);
  const ahead = new Float64Array(K);
  let logZ = seen.scale;
  for (let chain = 0; chain + 1 < chains.length; chain++) {
    const [first, end] = [chains[chain], chains[chain + 1]];
    logZ += forward(seen, model, posterior, scales, first, end);
    back.fill(1);
    for (let t = end - 1; t > first; t--) {
      const at = t * K;
      for (let d = 0; d < K; d++) {
        ahead[d] = (evidence[at + d] * back[d]) / scales[t];
        posterior[at + d] *= back[d];
      }
      for (let c = 0; c < K; c++) {
        const before = posterior[at - K + c];
        const row = c * K;
        let sum = 0;
        for (let d = 0; d < K; d++) {
          const onward = model.step[row + d] * ahead[d];
          sum += onward;
          sums.step[row + d] += before * onward;
        }
        back[c] = sum;
      }
    }
    for (let c = 0; c < K; c++) {
      posterior[first * K + c] *= back[c];
      sums.start[c] += posterior[first * K + c];
    }
  }
  return { logZ, ...sums };
}

/** Writes the scaled forward messages of one chain to `into` and their scales; returns the sum of their logarithms. */
function forward(
  { K, evidence }: Seen,
  { start, step }: ChainModel,
  into: Float64Array,
  scales: Float64Array,
  first: number,
  end: number,
): number {
  let log = 0;
  for (let t = first; t < end; t++) {
    const at = t * K;
    if (t === first) for (let d = 0; d < K; d++) into[at + d] = start[d];
    else {
      for (let d = 0; d < K; d++) into[at + d] = 0;
      for (let c = 0; c < K; c++) {
        const before = into[at - K + c];
        if (before === 0) continue;
        const row = c * K;
        for (let d = 0; d < K; d++) into[at + d] += before * step[row + d];
      }
    }
    let sum = 0;
    for (let d = 0; d < K; d++) {
      into[at + d] *= evidence[at + d];
      sum += into[at + d];
    }
    for (let d = 0; d < K; d++) into[at + d] /= sum;
    scales[t] = sum;
    log += Math.log(sum);
  }
  return log;
}

/** Paths whose log-probabilities are this close are equally likely: what differs is rounding. */
const EQUAL = 1e-9;

/** The likeliest path of tags; of equally likely ones the lowest numbers, from the end on. */
export function likeliestPath({ K, chains, evidence }: Seen, model: ChainModel): Int32Array {
  const T = evidence.length / K;
  const [start, step] = [model.start.map(Math.log), model.step.map(Math.log)];
  const path = new Int32Array(T);
  const from = K <= 256 ? new Uint8Array(T * K) : new Int32Array(T * K);
  let [best, next] = [new Float64Array(K), new Float64Array(K)];
  for (let chain = 0; chain + 1 < chains.length; chain++) {
    const [first, end] = [chains[chain], chains[chain + 1]];
    for (let t = first; t < end; t++) {
      for (let d = 0; d < K; d++) {
        let [most, origin] = [t === first ? start[d] : -Infinity, 0];
        for (let c = 0; t > first && c < K; c++) {
          const through = best[c] + step[c * K + d];
          if (through > most + EQUAL) [most, origin] = [through, c];
        }
        next[d] = most + Math.log(evidence[t * K + d]);
        from[t * K + d] = origin;
      }
      [best, next] = [next, best];
    }
    let tag = 0;
    for (let c = 1; c < K; c++) if (best[c] > best[tag] + EQUAL) tag = c;
    for (let t = end - 1; t >= first; t--) {
      path[t] = tag;
      tag = from[t * K + tag];
    }
  }
  return path;
}

/** How surely a chain goes on along a path, for the probability of spans. */
export interface PathLinks {
  /** Probability of each token's tag, given that the tag before is that of the path. */
  readonly onward: Float64Array;
  /** Probability that the span of the token before goes on here, given its tag; 0 at the start of a chain. */
  readonly longer: Float64Array;
}

/** Finds the links of a path: xi_t / q_{t-1}, from the messages backwards. */
export function pathLinks(
  { K, chains, evidence }: Seen,
  { step }: ChainModel,
  path: Int32Array,
  carry: (tag: number) => number,
): PathLinks {
  const T = evidence.length / K;
  const onward = new Float64Array(T).fill(1);
  const longer = new Float64Array(T);
  const back = new Float64Array(K);
  const ahead = new Float64Array(K);
  for (let chain = 0; chain + 1 < chains.length; chain++) {
    back.fill(1);
    for (let t = chains[chain + 1] - 1; t > chains[chain]; t--) {
      for (let d = 0; d < K; d++) ahead[d] = evidence[t * K + d] * back[d];
      let most = 0;
      for (let c = 0; c < K; c++) {
        let sum = 0;
        for (let d = 0; d < K; d++) sum += step[c * K + d] * ahead[d];
        back[c] = sum;
        if (sum > most) most = sum;
      }
      const before = path[t - 1];
      const goesOn = carry(before);
      onward[t] = (step[before * K + path[t]] * ahead[path[t]]) / back[before];
      longer[t] = goesOn < 0 ? 0 : (step[before * K + goesOn] * ahead[goesOn]) / back[before];
      for (let c = 0; c < K; c++) back[c] /= most;
    }
  }
  return { onward, longer };
}
