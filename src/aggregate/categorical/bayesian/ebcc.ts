/**
 * EBCC: iBCC whose classes have subtypes, so that workers can be wrong together on tasks of a kind.
 *
 *   tau                 ~ Dirichlet(classCount, or the votes)
 *   share[k]            ~ Dirichlet(subtypeCount / G), over the G subtypes of class k
 *   confusion[w, k, g]  ~ Dirichlet(diagonal where label = k, offDiagonal elsewhere)
 *   z[t]                ~ Categorical(tau),  g[t] ~ Categorical(share[z[t]])
 *   label[i]            ~ Categorical(confusion[w, z[t], g[t]])
 *
 * Labels are independent given class and subtype, not given the class alone: what several workers
 * mistake alike becomes a subtype instead of evidence. Coordinate ascent on the evidence lower bound as
 * in iBCC with K·G classes, from several random splits of the vote shares; the best bound wins.
 * Subtypes that nobody needs die out. One subtype is iBCC.
 *
 * Li, Rubinstein & Cohn (2019), ICML, PMLR 97, 3886–3895. https://proceedings.mlr.press/v97/li19i.html
 */

import { priorOption } from "../../../em/class-prior.ts";
import { createRandom } from "../../../math/random.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit, probabilisticOptions } from "../aggregator.ts";
import { startNote } from "../em/starts.ts";
import { dirichletOptions } from "./ibcc.ts";
import { type Ascent, ascend, createSubtypeModel, readModel } from "./subtype-model.ts";

/** What EBCC finds beyond the answers. */
export interface Ebcc extends Fit {
  /** Posterior mean of the confusions, over the subtypes of each class. */
  readonly confusion: Float64Array;
  /** Expected share of each subtype among the tasks of its class: subtypeShare[class * G + subtype]. */
  readonly subtypeShare: Float64Array;
  /** Posterior mean, as subtypeConfusion[((worker * K + class) * G + subtype) * L + label]. */
  readonly subtypeConfusion: Float64Array;
  /** Bound that each restart reached, in nats. */
  readonly bounds: Float64Array;
}

/**
 * EBCC: classes have subtypes on which workers make the same errors, so that shared errors are no
 * evidence.
 */
export const ebcc = aggregator(
  {
    id: "ebcc",
    title: "EBCC",
    summary:
      "Classes have subtypes on which workers make the same errors, so that shared errors do not count as evidence.",
    paper: {
      authors: "Y. Li, B. I. P. Rubinstein, T. Cohn",
      year: 2019,
      title: "Exploiting worker correlation for label aggregation in crowdsourcing",
      url: "https://proceedings.mlr.press/v97/li19i.html",
    },
    family: "bayesian",
    probabilistic: true,
    cost: "O(N·K·G + W·K²·G) per iteration, times restarts; W·K²·G memory",
    total: ({ labels: N, workers: W, classes: K }) => 3000 * (N * K + W * K ** 2),
    options: {
      ...probabilisticOptions,
      subtypes: { default: 10, min: 1, integer: true, help: "Number of subtypes per class." },
      restarts: {
        default: 10,
        min: 1,
        integer: true,
        help: "Number of random starts; the best bound wins.",
      },
      maxIterations: {
        default: 500,
        min: 1,
        integer: true,
        help: "Maximum number of iterations per start.",
      },
      tolerance: {
        default: 1e-3,
        min: 0,
        help: "Largest change of a class probability at which to stop.",
      },
      ...priorOption,
      ...dirichletOptions,
      empirical: {
        default: true,
        help: "Use the summed vote shares as prior counts of tasks, instead of classCount.",
      },
      subtypeCount: {
        default: 0.1,
        min: 1e-6,
        unit: "tasks",
        help: "Prior count of tasks per class, shared by its subtypes.",
      },
    },
  },
  function* (data, options, context): Steps<Ebcc> {
    const { K } = context;
    const model = createSubtypeModel(data, options, context);
    const random = createRandom(options.seed).split("restarts");
    const ends: Ascent[] = [];
    let iteration = 0;
    let best = 0;
    let fitted: ReturnType<typeof readModel> | undefined;
    for (let r = 0; r < options.restarts; r++) {
      const ascent = yield* ascend(model, random.split(r), (objective) => {
        iteration++;
        return { iteration, objective, stage: `start ${r + 1}` };
      });
      ends.push(ascent);
      // Bounds that differ by rounding alone are a tie, and the earlier start has it.
      const before = ends[best].bound;
      if (fitted && !(ascent.bound > before + 1e-9 * Math.abs(before))) continue;
      best = r;
      fitted = readModel(model);
    }
    const order = ends.map((_, r) => r).sort((a, b) => ends[b].bound - ends[a].bound || a - b);
    const second = order.find((r) => r !== best);
    return {
      ...(fitted ?? readModel(model)),
      posterior: ends[best].posterior,
      trace: ends[best].trace,
      converged: ends[best].converged,
      bounds: Float64Array.from(ends, ({ bound }) => bound),
      notes: second === undefined ? [] : [startNote(ends[best], ends[second], K)],
    };
  },
);
