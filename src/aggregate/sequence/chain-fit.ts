/** What methods with a chain of hidden tags share: which tags may follow which, evidence and counts by worker. */
import { isBroken, type TagScheme } from "../../data/sequence.ts";
import type { Steps } from "../../method.ts";
import {
  type ChainModel,
  type ChainSums,
  forwardBackward,
  likeliestPath,
  pathLinks,
  scaleEvidence,
} from "./chain.ts";
import { type Frame, type Tagging, voteShares } from "./tagger.ts";

/** Where a tag may stand: 1 where it may begin a chain, and where it may follow another; K, and K × K. */
export interface Allowed {
  readonly start: Float64Array;
  readonly step: Float64Array;
}

/** Everything, unless tags are BIO. */
function allowedTags(K: number, scheme: TagScheme | undefined): Allowed {
  const may = (before: number, tag: number) => (scheme && isBroken(scheme, before, tag) ? 0 : 1);
  return {
    start: Float64Array.from({ length: K }, (_, tag) => may(-1, tag)),
    step: Float64Array.from({ length: K * K }, (_, at) => may(Math.floor(at / K), at % K)),
  };
}

/** Counts of tags by true tag: rows of K for each worker, tag before (`depth` of them) and tag given. */
function countTags(frame: Frame, depth: number, q: Float64Array, into: Float64Array): void {
  const { T, K, start, worker, label, before, weight } = frame;
  for (let t = 0; t < T; t++) {
    const at = t * K;
    for (let i = start[t]; i < start[t + 1]; i++) {
      const p = depth > 1 ? before[i] : 0;
      const row = ((worker[i] * depth + p) * K + label[i]) * K;
      const w = weight[i];
      for (let c = 0; c < K; c++) into[row + c] += w * q[at + c];
    }
  }
}

/** Sums the logarithms of what each answer says of the tags; `logs` is laid out as counts are. */
function evidenceOf(frame: Frame, depth: number, logs: Float64Array): Float64Array {
  const { T, K, start, worker, label, before, weight, gold } = frame;
  const evidence = new Float64Array(T * K);
  for (let t = 0; t < T; t++) {
    const at = t * K;
    for (let i = start[t]; i < start[t + 1]; i++) {
      const p = depth > 1 ? before[i] : 0;
      const row = ((worker[i] * depth + p) * K + label[i]) * K;
      const w = weight[i];
      for (let c = 0; c < K; c++) evidence[at + c] += w * logs[row + c];
    }
    if (gold && gold[t] >= 0) {
      for (let c = 0; c < K; c++) if (c !== gold[t]) evidence[at + c] = -Infinity;
    }
  }
  return evidence;
}

/** Pair sums and sums of first tokens, as the shares of votes have them. */
function startSums({ T, K, chains }: Frame, q: Float64Array, allowed: Allowed): ChainSums {
  const first = new Uint8Array(T + 1);
  for (const t of chains) first[t] = 1;
  const [start, step] = [new Float64Array(K), new Float64Array(K * K)];
  for (let t = 0; t < T; t++) {
    const at = t * K;
    if (first[t]) for (let c = 0; c < K; c++) start[c] += q[at + c];
    else {
      for (let c = 0; c < K; c++) {
        const share = q[at - K + c];
        if (share === 0) continue;
        for (let d = 0; d < K; d++) step[c * K + d] += share * q[at + d];
      }
    }
  }
  return {
    logZ: 0,
    start: start.map((sum, c) => sum * allowed.start[c]),
    step: step.map((sum, at) => sum * allowed.step[at]),
  };
}

/** One M step: what the workers' answers say, how chains go on, and what the objective has besides log Z. */
export interface Learnt extends ChainModel {
  /** Logarithms of what each answer says of the tags, laid out as counts are. */
  readonly logs: Float64Array;
  readonly penalty: number;
}

interface Settings {
  readonly maxIterations: number;
  readonly tolerance: number;
}

/** Alternates M and E steps from the shares of votes, then finds path and links. */
export function* fitChain(
  frame: Frame,
  depth: number,
  { maxIterations, tolerance }: Settings,
  learn: (counts: Float64Array, sums: ChainSums, allowed: Allowed) => Learnt,
): Steps<Tagging> {
  const { K, W, chains, scheme } = frame;
  const allowed = allowedTags(K, scheme);
  const posterior = voteShares(frame);
  const counts = new Float64Array(W * depth * K * K);
  const trace: number[] = [];
  let sums = startSums(frame, posterior, allowed);
  let converged = false;
  for (let iteration = 1; ; iteration++) {
    counts.fill(0);
    countTags(frame, depth, posterior, counts);
    const learnt = learn(counts, sums, allowed);
    const seen = { K, chains, ...scaleEvidence(evidenceOf(frame, depth, learnt.logs), K) };
    sums = forwardBackward(seen, learnt, posterior);
    trace.push(sums.logZ + learnt.penalty);
    const now = trace[trace.length - 1];
    const last = trace[trace.length - 2];
    converged = iteration > 1 && Math.abs(now - last) <= tolerance * Math.abs(last);
    yield { iteration, objective: now };
    if (!converged && iteration < maxIterations) continue;
    const path = likeliestPath(seen, learnt);
    const carry = (tag: number) =>
      scheme && scheme.type[tag] >= 0 ? scheme.carry[scheme.type[tag]] : -1;
    return {
      path,
      posterior,
      confidence: Float64Array.from(path, (tag, t) => posterior[t * K + tag]),
      begins: ({ start }) => posterior[start * K + path[start]],
      links: pathLinks(seen, learnt, path, carry),
      trace,
      converged,
    };
  }
}

/** Adds 1 to the sums of what is allowed, and norms each row. */
export function normedRows(sums: Float64Array, allowed: Float64Array, K: number): Float64Array {
  const rates = sums.map((sum, at) => (allowed[at] ? sum + 1 : 0));
  for (let row = 0; row < rates.length; row += K) {
    let total = 0;
    for (let c = 0; c < K; c++) total += rates[row + c];
    for (let c = 0; c < K; c++) rates[row + c] /= total;
  }
  return rates;
}
