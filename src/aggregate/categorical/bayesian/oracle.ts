/**
 * Oracle: the most probable class under known confusions and prior.
 *
 *   P(z[t] = k | labels) ∝ prior[k] · product over labels of confusion[w, k, label]
 *
 * No method that sees only labels can beat it on average where workers err independently, so it is
 * the bound for simulated crowds; it learns nothing, and needs what only a simulation knows.
 *
 * Nitzan & Paroush (1982), International Economic Review 23(2), 289–297. https://doi.org/10.2307/2526438
 */

import { skillOf } from "../../../belief/confusion-table.ts";
import { taskBase } from "../../../belief/known.ts";
import { FLOOR } from "../../../belief/shares.ts";
import { createClassPrior } from "../../../em/class-prior.ts";
import { CrowdError, hint } from "../../../error.ts";
import { createExpectation } from "../../../kernels/expectation.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit, probabilisticOptions } from "../aggregator.ts";

/** What the oracle finds beyond the answers. */
export interface Oracle extends Fit {
  readonly confusion: Float64Array;
}

/**
 * Oracle: Bayes' rule with known confusion matrices and prior, the upper bound for simulated
 * crowds.
 */
export const oracle = aggregator(
  {
    id: "oracle",
    title: "Oracle",
    summary:
      "Bayes' rule with known confusion matrices and prior: the upper bound for simulated crowds.",
    paper: {
      authors: "S. Nitzan, J. Paroush",
      year: 1982,
      title: "Optimal decision rules in uncertain dichotomous choice situations",
      url: "https://doi.org/10.2307/2526438",
    },
    family: "bayesian",
    probabilistic: true,
    needs: "confusion",
    cost: "O(N·K), one pass",
    options: probabilisticOptions,
  },
  function* (data, _options, { known, engine, K, L }): Steps<Oracle> {
    if (!known.confusion) {
      throw new CrowdError(
        "bad-option",
        `oracle needs ${hint("known.confusion")}, which a simulation has.`,
      );
    }
    const shape = { workers: data.workers.length, classes: K, given: L };
    const base = taskBase(data, known);
    const model = createExpectation({ ...data, tasks: data.tasks.length, ...shape, base }, engine);
    for (let w = 0; w < shape.workers; w++) {
      for (let k = 0; k < K; k++) {
        for (let l = 0; l < L; l++) {
          model.rates[(w * L + l) * K + k] = Math.max(FLOOR, known.confusion[(w * K + k) * L + l]);
        }
      }
    }
    const prior = createClassPrior(data, known, "uniform");
    const objective = model.infer(prior.factor);
    yield { iteration: 1, objective };
    const { confusion } = known;
    return {
      posterior: model.posterior.slice(),
      prior: prior.shares,
      confusion,
      skill: skillOf(confusion, prior.shares, shape),
      trace: [objective],
      converged: true,
    };
  },
);
