/**
 * HMM-crowd: the true tags are a Markov chain, and each worker errs on each tag at an own rate.
 *
 *   z_1 ~ start,   z_t ~ Tr[z_{t-1}],   answer of worker u at t ~ theta_u[z_t]
 *
 * EM. Where tags are BIO, transitions that break it have probability 0. `tied` rows: a worker gives the true tag with
 * the rate of that tag, and all others alike. Counts are smoothed by .1, transitions by 1.
 *
 * Nguyen, Wallace, Li, Nenkova, Lease (2017), ACL, 299–309. https://doi.org/10.18653/v1/P17-1028
 */
import type { Steps } from "../../method.ts";
import type { ChainSums } from "./chain.ts";
import { type Allowed, fitChain, type Learnt, normedRows } from "./chain-fit.ts";
import { type Tagging, tagger } from "./tagger.ts";

/** A Markov chain of true tags, and workers who err on each tag at an own rate. */
export const hmmCrowd = tagger(
  {
    id: "hmm-crowd",
    title: "HMM-crowd",
    summary: "The true tags are a Markov chain; each worker errs on each tag at an own rate.",
    paper: {
      authors: "A. T. Nguyen, B. C. Wallace, J. J. Li, A. Nenkova, M. Lease",
      year: 2017,
      title: "Aggregating and predicting sequence labels from crowd annotations",
      url: "https://doi.org/10.18653/v1/P17-1028",
    },
    family: "chains",
    cost: "O(NK + TK²) per iteration",
    memory: ({ labels, workers, classes: K }) => 8 * (2 * labels * K + 2 * workers * K * K),
    options: {
      rows: {
        default: "tied",
        choices: ["tied", "full"],
        help: "Errors of a worker on a tag: all other tags alike, or each at an own rate.",
      },
      smoothing: {
        default: 0.1,
        min: 0.000001,
        unit: "answers",
        help: "Added to every count of a worker's answers.",
      },
      maxIterations: { default: 50, min: 1, integer: true, help: "Maximum number of iterations." },
      tolerance: {
        default: 1e-6,
        min: 0,
        help: "Stop when the objective changes by less than this share of it.",
      },
    },
  },
  function* (frame, { rows, smoothing, ...settings }): Steps<Tagging> {
    const { K, W } = frame;
    return yield* fitChain(frame, 1, settings, (counts, sums, allowed) =>
      maximise(counts, sums, allowed, { K, W, tied: rows === "tied", smoothing }),
    );
  },
);

interface Shape {
  readonly K: number;
  readonly W: number;
  readonly tied: boolean;
  readonly smoothing: number;
}

/** The M step; the penalty is the log prior of all rates. */
function maximise(
  counts: Float64Array,
  sums: ChainSums,
  allowed: Allowed,
  { K, W, tied, smoothing }: Shape,
): Learnt {
  const logs = new Float64Array(counts.length);
  const start = normedRows(sums.start, allowed.start, K);
  const step = normedRows(sums.step, allowed.step, K);
  let penalty = 0;
  for (let w = 0; w < W; w++) {
    for (let c = 0; c < K; c++) {
      const at = (k: number) => (w * K + k) * K + c;
      let total = smoothing * K;
      for (let k = 0; k < K; k++) total += counts[at(k)];
      const right = (counts[at(c)] + smoothing) / total;
      const wrong = Math.log((1 - right) / (K - 1));
      for (let k = 0; k < K; k++) {
        logs[at(k)] =
          k === c ? Math.log(right) : tied ? wrong : Math.log((counts[at(k)] + smoothing) / total);
        penalty += smoothing * logs[at(k)];
      }
    }
  }
  for (const [rates, may] of [[start, allowed.start] as const, [step, allowed.step] as const]) {
    for (let at = 0; at < rates.length; at++) if (may[at]) penalty += Math.log(rates[at]);
  }
  return { start, step, logs, penalty };
}
