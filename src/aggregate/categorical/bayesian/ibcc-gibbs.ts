/**
 * iBCC by Gibbs sampling: the same model as `ibcc`, but drawn from instead of approximated.
 *
 *   prior            ~ Dirichlet(classCount)
 *   confusion[w, k]  ~ Dirichlet(diagonal where label = k, offDiagonal elsewhere)
 *   z[t]             ~ Categorical(prior)
 *   label[i]         ~ Categorical(confusion[w, z[t]])
 *
 * Prior and confusions are integrated out, and the tasks drawn one after the other, n and m being counts
 * without the task itself:
 *
 *   P(z[t] = k | rest) ∝ (classCount + n[k]) · product over its labels of (beta[k, l] + m[w, k, l]) / sum over l
 *
 * Chains start at draws from the vote shares, near the answer that the crowd means, since every renaming
 * of the classes fits the labels as well. The posterior is the mean of these probabilities over all
 * sweeps that are kept; it is not too sure of itself, as the variational one is.
 *
 * Kim & Ghahramani (2012), AISTATS, PMLR 22, 619–627. https://proceedings.mlr.press/v22/kim12.html
 */
import { tableBytes } from "../../../belief/confusion-table.ts";
import { chainOptions } from "../../../belief/gibbs.ts";
import { voteShares } from "../../../belief/votes.ts";
import { priorOption } from "../../../em/class-prior.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, probabilisticOptions } from "../aggregator.ts";
import { type ClassChains, sampleClasses } from "./class-chains.ts";
import { dirichletOptions, ibcc } from "./ibcc.ts";

export type IbccGibbs = ClassChains;

/** iBCC by Gibbs sampling: Dawid–Skene with priors, with intervals of the skills. */
export const ibccGibbs = aggregator(
  {
    id: "ibcc-gibbs",
    title: "iBCC (Gibbs sampling)",
    summary:
      "Bayesian Dawid–Skene fitted by Gibbs sampling: calibrated probabilities and skill intervals.",
    paper: ibcc.paper,
    family: "bayesian",
    probabilistic: true,
    cost: "O(N·K + W·K²) per sweep, 1800 sweeps; W·K² + W·samples memory",
    memory: tableBytes,
    total: ({ labels: N, workers: W, classes: K }) => 1800 * (N * K + W * K ** 2),
    options: { ...probabilisticOptions, ...chainOptions, ...priorOption, ...dirichletOptions },
  },
  (data, options, context): Steps<IbccGibbs> =>
    sampleClasses(data, options, context, { mixed: 1.05, shares: voteShares }),
);
