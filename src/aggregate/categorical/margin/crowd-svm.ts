/**
 * CrowdSVM by Gibbs sampling: Dawid–Skene and max-margin voting at once.
 *
 *   prior, confusion[w, k], z[t], label[i]   as in iBCC (ibcc-gibbs.ts)
 *   weight[w] ~ Normal(0, variance)
 *   each task times exp(-2 · penalty · max(0, margin - (s[t, z[t]] - the largest other s[t, k])))
 *
 * with s[t, k] the sum of weight[w] over the workers who called t a k: classes by which a weighted vote is
 * not ahead by a margin are less believed. Each sweep draws the weights given the classes, and the classes
 * given the weights, prior and confusions integrated out (class-chains.ts). It starts from the majority vote.
 *
 * The last line is no likelihood of anything, so that the posterior is one of Dawid–Skene with a penalty, and no
 * more calibrated than that. Without penalty it is `ibcc-gibbs`.
 *
 * Tian & Zhu (2015), NIPS 28, 1621–1629.
 * https://papers.nips.cc/paper/2015/hash/d7322ed717dedf1eb4e6e52a37ea7bcd-Abstract.html
 */

import { tableBytes } from "../../../belief/confusion-table.ts";
import { chainOptions, createMeans } from "../../../belief/gibbs.ts";
import { voteShares } from "../../../belief/votes.ts";
import { priorOption } from "../../../em/class-prior.ts";
import { CrowdError } from "../../../error.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, probabilisticOptions } from "../aggregator.ts";
import { type ClassChains, sampleClasses } from "../bayesian/class-chains.ts";
import { dirichletOptions } from "../bayesian/ibcc.ts";
import { hardened } from "../em/starts.ts";
import { m3v, marginOptions } from "./m3v.ts";
import { createMarginVoice } from "./margin-voice.ts";
import { votesOf } from "./vote-lists.ts";

/** Sides of the matrix through which weights are drawn together: from which it is told, and the most. */
const LARGE = 1000;
const LARGEST = 4000;

/** What CrowdSVM finds beyond the answers. */
export interface CrowdSvm extends ClassChains {
  /** Mean of the weights that were drawn; below 0 for a worker who is wrong more often than right. */
  readonly weights: Float64Array;
}

/**
 * CrowdSVM: Dawid–Skene by Gibbs sampling, for classes by which a weighted vote leads by a margin.
 */
export const crowdSvm = aggregator(
  {
    id: "crowd-svm",
    title: "CrowdSVM (Gibbs sampling)",
    summary: "Bayesian Dawid–Skene with a large-margin weighted vote, fitted by Gibbs sampling.",
    paper: m3v.paper,
    family: "margin",
    probabilistic: true,
    cost: "O(N·K + W·K² + N log N) per sweep; W·K² + T·K memory. Weights together: O(n³), n² memory, n = min(T, W)",
    memory: tableBytes,
    options: {
      ...probabilisticOptions,
      ...chainOptions,
      burnIn: { ...chainOptions.burnIn, default: 50 },
      samples: { ...chainOptions.samples, default: 200 },
      ...priorOption,
      ...dirichletOptions,
      diagonal: { ...dirichletOptions.diagonal, default: 1 },
      ...marginOptions,
      variance: { default: 1, min: 1e-6, help: "Prior variance of the weights." },
      draws: {
        default: "singly",
        choices: ["singly", "together"],
        help: "Sampling of the weights: one at a time, or jointly as in the paper.",
      },
    },
  },
  function* (data, options, context): Steps<CrowdSvm> {
    const { K } = context;
    const W = data.workers.length;
    const side = Math.min(W, data.tasks.length);
    const together = options.draws === "together";
    if (together) checkSize(side);
    const means = createMeans(W);
    let restore = (values: Float64Array) => values;
    const found = yield* sampleClasses(data, options, context, {
      // Of 50 draws per chain R-hat is not known to a twentieth.
      mixed: 1.1,
      shares: (sorted) => hardened(voteShares(sorted), K),
      voice(entries, sorted) {
        restore = (values) => sorted.restore.workers(values);
        const votes = votesOf(entries, { W, K });
        return (random) =>
          createMarginVoice(votes, options, options.draws, random.split("weights"), means.add);
      },
    });
    means.close();
    const notes = [...(found.notes ?? [])];
    if (together && K > 2) {
      notes.push("With more than two classes, joint draws of the weights are approximate.");
    }
    if (together && side > LARGE) {
      notes.push(
        `The weights were drawn jointly through a matrix of ${side} × ${side}: ${megabytes(side)} MB, and ` +
          `${(side ** 3 / 3e9).toFixed(1)} billion steps per sweep. Singly they take neither.`,
      );
    }
    return { ...found, weights: restore(means.finish().mean), notes };
  },
);

/** The matrix and its root. */
const megabytes = (side: number) => Math.ceil((16 * side * side) / 1e6);

function checkSize(side: number): void {
  if (side <= LARGEST) return;
  throw new CrowdError(
    "too-large",
    `crowd-svm: drawing the weights together takes a matrix of ${side} × ${side}, the smaller of the numbers of ` +
      `workers and tasks: ${megabytes(side)} MB, and ${(side ** 3 / 3e9).toFixed(0)} billion steps per sweep. At most ` +
      `${LARGEST} are allowed. Use draws: singly.`,
  );
}
