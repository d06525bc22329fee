/**
 * BSC-seq: the true tags are a Markov chain, and what a worker says depends on the true tag and on what the same
 * worker said one position before.
 *
 *   z_t ~ Tr[z_{t-1}],   answer of worker u at t ~ theta_u[z_t][answer of u at t - 1]
 *
 * Variational: q(z) q(theta) q(Tr) q(start), all Dirichlet. Workers' rows have the prior 1 + [answer is the true
 * tag], and .1 for answers that break BIO after the one before. At the start of a chain, and where the worker left the
 * position before unanswered, the answer before is a symbol of its own.
 *
 * Simpson, Gurevych (2019), EMNLP-IJCNLP, 1093–1104. https://doi.org/10.18653/v1/D19-1101
 */
import { isBroken } from "../../data/sequence.ts";
import { digamma, logGamma } from "../../math/gamma.ts";
import type { Steps } from "../../method.ts";
import type { ChainSums } from "./chain.ts";
import { type Allowed, fitChain, type Learnt } from "./chain-fit.ts";
import { type Frame, type Tagging, tagger } from "./tagger.ts";

/** A Markov chain of true tags, and workers whose answers depend on their answer before. */
export const bscSeq = tagger(
  {
    id: "bsc-seq",
    title: "Bayesian sequence combination",
    summary:
      "The true tags are a Markov chain; a worker's answer depends on the true tag and on the worker's answer before.",
    paper: {
      authors: "E. Simpson, I. Gurevych",
      year: 2019,
      title: "A Bayesian approach for sequence tagging with crowds",
      url: "https://doi.org/10.18653/v1/D19-1101",
    },
    family: "chains",
    cost: "O(NK + TK² + WK³) per iteration",
    memory: ({ labels, workers, classes: K }) =>
      8 * (2 * labels * K + 2 * workers * K * K * (K + 1)),
    options: {
      correct: {
        default: 1,
        min: 0,
        unit: "answers",
        help: "Prior answers that are the true tag, beyond one of every tag.",
      },
      broken: {
        default: 0.1,
        min: 0.000001,
        unit: "answers",
        help: "Prior answers that break BIO after the worker's answer before.",
      },
      maxIterations: { default: 20, min: 1, integer: true, help: "Maximum number of iterations." },
      tolerance: {
        default: 1e-4,
        min: 0,
        help: "Stop when the objective changes by less than this share of it.",
      },
    },
  },
  function* (frame, { correct, broken, ...settings }): Steps<Tagging> {
    const priors = priorRows(frame, correct, broken);
    return yield* fitChain(frame, frame.K + 1, settings, (counts, sums, allowed) =>
      expect(frame, counts, sums, allowed, priors),
    );
  },
);

/** Prior counts of one worker: rows of K for each answer before and answer given, as counts are laid out. */
function priorRows({ K, scheme }: Frame, correct: number, broken: number): Float64Array {
  const prior = new Float64Array((K + 1) * K * K);
  for (let p = 0; p <= K; p++) {
    for (let k = 0; k < K; k++) {
      const never = scheme && isBroken(scheme, p < K ? p : -1, k);
      for (let c = 0; c < K; c++) {
        prior[(p * K + k) * K + c] = never ? broken : k === c ? 1 + correct : 1;
      }
    }
  }
  return prior;
}

/** The step of the parameters: E log of all rates; the penalty is the divergence from the priors. */
function expect(
  { K, W }: Frame,
  counts: Float64Array,
  sums: ChainSums,
  allowed: Allowed,
  prior: Float64Array,
): Learnt {
  const logs = new Float64Array(counts.length);
  const size = prior.length;
  let penalty = 0;
  const [column, base] = [new Float64Array(K), new Float64Array(K)];
  for (let w = 0; w < W; w++) {
    for (let p = 0; p <= K; p++) {
      for (let c = 0; c < K; c++) {
        const first = p * K * K + c;
        for (let k = 0; k < K; k++) {
          base[k] = prior[first + k * K];
          column[k] = base[k] + counts[w * size + first + k * K];
        }
        penalty -= expectRow(column, base, logs, w * size + first, K);
      }
    }
  }
  const chain = (sums: Float64Array, may: Float64Array) => {
    const rates = new Float64Array(sums.length);
    for (let row = 0; row < sums.length; row += K) {
      const places = Array.from({ length: K }, (_, d) => d).filter((d) => may[row + d]);
      const row1 = Float64Array.from(places, (d) => sums[row + d] + 1);
      const into = new Float64Array(places.length);
      penalty -= expectRow(
        row1,
        row1.map(() => 1),
        into,
        0,
        1,
      );
      places.forEach((d, at) => {
        rates[row + d] = Math.exp(into[at]);
      });
    }
    return rates;
  };
  const start = chain(sums.start, allowed.start);
  const step = chain(sums.step, allowed.step);
  return { start, step, logs, penalty };
}

/** Writes E log p under Dirichlet(counts) to every `stride`-th place; returns the divergence from Dirichlet(prior). */
function expectRow(
  counts: Float64Array,
  prior: Float64Array,
  into: Float64Array,
  from: number,
  stride: number,
): number {
  let [total, before] = [0, 0];
  for (let k = 0; k < counts.length; k++) {
    total += counts[k];
    before += prior[k];
  }
  const base = digamma(total);
  let divergence = logGamma(total) - logGamma(before);
  for (let k = 0; k < counts.length; k++) {
    const log = digamma(counts[k]) - base;
    into[from + k * stride] = log;
    if (counts[k] !== prior[k]) {
      divergence += logGamma(prior[k]) - logGamma(counts[k]) + (counts[k] - prior[k]) * log;
    }
  }
  return divergence;
}
