/**
 * The loop of truth discovery: answers by a weighted vote, weights by how far workers err from the
 * answers, in turns, until the answers repeat.
 */
import { clampGold, type Known } from "../../../belief/known.ts";
import { decide, type Ties } from "../../../belief/ties.ts";
import { labelShares, voteShares } from "../../../belief/votes.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import type { Steps } from "../../../method.ts";
import type { Fit } from "../aggregator.ts";
import { agreementWith, weightedShares } from "./wawa.ts";

export const discoveryOptions = {
  maxIterations: {
    default: 100,
    min: 1,
    integer: true,
    help: "Maximum number of votes after the first one.",
  },
} as const;

/** What PM and CATD find beyond the answers. */
export interface Discovery extends Fit {
  readonly weights: Float64Array;
  /** Labels of each worker that differ from the answers. */
  readonly errors: Float64Array;
}

/** What workers did under the current answers, by weight of their labels. */
export interface Errors {
  readonly errors: Float64Array;
  readonly labels: Float64Array;
}

/** Returns the classes that a posterior names, gold in its place. */
export function answering(
  data: CategoricalData,
  options: { readonly ties: Ties; readonly seed: number },
  known: Known,
  prior: Float64Array,
): (posterior: Float64Array) => Int32Array {
  return (posterior) => {
    clampGold(data, known, posterior);
    return decide(data, posterior, prior, options).consensus;
  };
}

/**
 * From the plain vote. The trace is minus the weighted number of labels that differ from the answers. A
 * task whose workers have no weight at all is left to the plain vote.
 */
export function* discover(
  data: CategoricalData,
  options: { readonly maxIterations: number; readonly ties: Ties; readonly seed: number },
  known: Known,
  weigh: (found: Errors) => Float64Array,
): Steps<Discovery> {
  const prior = labelShares(data);
  const answers = answering(data, options, known, prior);
  let posterior = voteShares(data);
  let consensus = answers(posterior);
  let found = countErrors(data, consensus);
  let weights: Float64Array = new Float64Array(data.workers.length).fill(1);
  const trace: number[] = [];
  let converged = false;
  for (let iteration = 1; iteration <= options.maxIterations && !converged; iteration++) {
    weights = weigh(found);
    posterior = weightedShares(data, weights);
    const next = answers(posterior);
    converged = next.every((k, t) => k === consensus[t]);
    consensus = next;
    found = countErrors(data, consensus);
    const objective = -found.errors.reduce((sum, e, w) => sum + weights[w] * e, 0);
    trace.push(objective);
    yield { iteration, objective };
  }
  const skill = agreementWith(data, consensus);
  return { posterior, prior, skill, weights, errors: found.errors, trace, converged };
}

function countErrors(
  { workers, task, worker, label, weight }: CategoricalData,
  consensus: Int32Array,
) {
  const errors = new Float64Array(workers.length);
  const labels = new Float64Array(workers.length);
  for (let i = 0; i < label.length; i++) {
    const count = weight ? weight[i] : 1;
    labels[worker[i]] += count;
    if (label[i] !== consensus[task[i]]) errors[worker[i]] += count;
  }
  return { errors, labels };
}
