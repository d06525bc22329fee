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

import { exposureOf, skillOf } from "../../../belief/confusion-table.ts";
import { startingPosterior, taskBase } from "../../../belief/known.ts";
import { sumOverTasks } from "../../../belief/task-priors.ts";
import { voteShares } from "../../../belief/votes.ts";
import type { CrowdDataset } from "../../../data/dataset.ts";
import { priorOption } from "../../../em/class-prior.ts";
import { CrowdError } from "../../../error.ts";
import { createExpectation } from "../../../kernels/expectation.ts";
import { dirichlet } from "../../../math/distributions.ts";
import { createRandom, type Random } from "../../../math/random.ts";
import type { Progress, Steps } from "../../../method.ts";
import { aggregator, type Context, type Fit, probabilisticOptions } from "../aggregator.ts";
import { startNote } from "../em/starts.ts";
import { createClassBelief, expectLogs } from "./class-belief.ts";
import { dirichletOptions } from "./ibcc.ts";

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

/** Cells of the largest table; four of them, with 8 bytes a cell, make 2 GB. */
const MOST_CELLS = 2 ** 26;

export const ebcc = aggregator(
  {
    id: "ebcc",
    title: "EBCC",
    summary:
      "Classes have subtypes on which workers err alike, so that shared errors are no evidence.",
    paper: {
      authors: "Y. Li, B. I. P. Rubinstein, T. Cohn",
      year: 2019,
      title: "Exploiting worker correlation for label aggregation in crowdsourcing",
      url: "https://proceedings.mlr.press/v97/li19i.html",
    },
    family: "bayesian",
    probabilistic: true,
    cost: "O(N·K·G + W·K²·G) an iteration, times restarts; W·K²·G memory",
    options: {
      ...probabilisticOptions,
      subtypes: { default: 10, min: 1, integer: true, help: "Subtypes of each class, G." },
      restarts: { default: 10, min: 1, integer: true, help: "Random starts; the best bound wins." },
      maxIterations: { default: 500, min: 1, integer: true, help: "Most iterations of a start." },
      tolerance: {
        default: 1e-3,
        min: 0,
        help: "Stop when no probability of a class changes by more than this.",
      },
      ...priorOption,
      ...dirichletOptions,
      empirical: {
        default: true,
        help: "Prior counts of tasks are the summed vote shares, in place of classCount.",
      },
      subtypeCount: {
        default: 0.1,
        min: 1e-6,
        unit: "tasks",
        help: "Prior count of tasks of each class, shared by its subtypes.",
      },
    },
  },
  function* (data, options, context): Steps<Ebcc> {
    const { K } = context;
    const model = createModel(data, options, context);
    const random = createRandom(options.seed).split("restarts");
    const ends: Ascent[] = [];
    let iteration = 0;
    let best = 0;
    let fitted: ReturnType<typeof model.read> | undefined;
    for (let r = 0; r < options.restarts; r++) {
      const ascent = yield* model.ascend(random.split(r), (objective) => {
        iteration++;
        return { iteration, objective, stage: `start ${r + 1}` };
      });
      ends.push(ascent);
      // Bounds that differ by rounding alone are a tie, and the earlier start has it.
      const before = ends[best].bound;
      if (fitted && !(ascent.bound > before + 1e-9 * Math.abs(before))) continue;
      best = r;
      fitted = model.read();
    }
    const order = ends.map((_, r) => r).sort((a, b) => ends[b].bound - ends[a].bound || a - b);
    const second = order.find((r) => r !== best);
    return {
      ...(fitted ?? model.read()),
      posterior: ends[best].posterior,
      trace: ends[best].trace,
      converged: ends[best].converged,
      bounds: Float64Array.from(ends, ({ bound }) => bound),
      notes: second === undefined ? [] : [startNote(ends[best], ends[second], K)],
    };
  },
);

interface Settings {
  readonly subtypes: number;
  readonly maxIterations: number;
  readonly tolerance: number;
  readonly prior: "learn" | "uniform";
  readonly diagonal: number;
  readonly offDiagonal: number;
  readonly classCount: number;
  readonly empirical: boolean;
  readonly subtypeCount: number;
}

/** Where one start ended. */
interface Ascent {
  readonly posterior: Float64Array;
  readonly trace: readonly number[];
  readonly converged: boolean;
  readonly bound: number;
}

/** iBCC with K·G classes, whose shares come in two steps: class, then subtype. */
function createModel(data: CrowdDataset, options: Settings, { known, engine, K, L }: Context) {
  const [T, W, G] = [data.tasks.length, data.workers.length, options.subtypes];
  checkSize(W, K, L, G);
  const parts = K * G;
  const base = taskBase(data, known);
  const model = createExpectation(
    {
      ...data,
      tasks: T,
      workers: W,
      classes: parts,
      given: L,
      base: base && spread(base, G),
    },
    engine,
  );
  const votes = startingPosterior(data, known, voteShares(data));
  const voted = sumOverTasks(votes, K);
  const tasks = voted.map((votes) =>
    options.empirical ? Math.max(votes, 1e-3) : options.classCount,
  );
  const classes = createClassBelief(data, known, options.prior, tasks);
  const ofClass = new Float64Array(K);
  const ofSubtype = new Float64Array(G);
  const concentration = new Float64Array(G).fill(options.subtypeCount / G);
  const within = new Float64Array(parts);
  const factor = new Float64Array(parts);
  const row = new Float64Array(L);
  const own = new Float64Array(L);
  let posterior: Float64Array = votes;

  /** Prior counts of a worker's labels on tasks of a class, to `own`. */
  function priorRow(w: number, k: number): void {
    for (let l = 0; l < L; l++) {
      const past = known.history ? known.history[(w * K + k) * L + l] : 0;
      own[l] = (l === k ? options.diagonal : options.offDiagonal) + past;
    }
  }

  /** exp E log of everything under the current counts; returns the divergence from the prior. */
  function maximise(): number {
    let divergence = 0;
    for (let k = 0; k < K; k++) {
      let total = 0;
      for (let g = 0; g < G; g++) {
        total += model.totals[k * G + g];
        ofSubtype[g] = concentration[g] + model.totals[k * G + g];
      }
      ofClass[k] = total;
      divergence += expectLogs(ofSubtype, concentration, within.subarray(k * G), 1);
    }
    divergence += classes.update(ofClass);
    for (let at = 0; at < parts; at++) factor[at] = classes.factor[Math.floor(at / G)] * within[at];
    for (let w = 0; w < W; w++) {
      for (let k = 0; k < K; k++) {
        priorRow(w, k);
        for (let g = 0; g < G; g++) {
          const from = w * L * parts + k * G + g;
          for (let l = 0; l < L; l++) row[l] = own[l] + model.counts[from + l * parts];
          divergence += expectLogs(row, own, model.rates.subarray(from), parts);
        }
      }
    }
    return divergence;
  }

  return {
    *ascend(random: Random, say: (objective: number) => Progress): Steps<Ascent> {
      model.startFrom(splitVotes(data, votes, G, random));
      posterior = votes;
      const trace: number[] = [];
      let converged = false;
      while (trace.length < options.maxIterations && !converged) {
        const divergence = maximise();
        const bound = model.infer(factor) - divergence;
        const next = sumParts(model.posterior, G);
        let change = 0;
        for (let at = 0; at < next.length; at++) {
          change = Math.max(change, Math.abs(next[at] - posterior[at]));
        }
        posterior = next;
        trace.push(bound);
        yield say(bound);
        converged = trace.length > 1 && change <= options.tolerance;
      }
      return { posterior, trace, converged, bound: trace[trace.length - 1] };
    },

    /** What the last start says of classes, subtypes and workers. */
    read() {
      const subtypeShare = new Float64Array(parts);
      for (let k = 0; k < K; k++) {
        const total = model.totals.subarray(k * G, (k + 1) * G).reduce((sum, n) => sum + n, 0);
        for (let g = 0; g < G; g++) {
          const count = concentration[g] + model.totals[k * G + g];
          subtypeShare[k * G + g] = count / (options.subtypeCount + total);
        }
      }
      const subtypeConfusion = new Float64Array(W * parts * L);
      const confusion = new Float64Array(W * K * L);
      for (let w = 0; w < W; w++) {
        for (let k = 0; k < K; k++) {
          priorRow(w, k);
          for (let g = 0; g < G; g++) {
            const from = w * L * parts + k * G + g;
            const to = ((w * K + k) * G + g) * L;
            let total = 0;
            for (let l = 0; l < L; l++) total += row[l] = own[l] + model.counts[from + l * parts];
            for (let l = 0; l < L; l++) {
              subtypeConfusion[to + l] = row[l] / total;
              confusion[(w * K + k) * L + l] += (subtypeShare[k * G + g] * row[l]) / total;
            }
          }
        }
      }
      const shape = { workers: W, classes: K, given: L };
      const exposure = sumParts(exposureOf(model.counts, { ...shape, classes: parts }), G);
      const prior = classes.shares.slice();
      const skill = skillOf(confusion, prior, shape);
      return { prior, confusion, exposure, skill, subtypeShare, subtypeConfusion };
    },
  };
}

/** The vote shares, each divided among its subtypes at random, drawn by the names of task and class. */
function splitVotes(
  { tasks, classes }: CrowdDataset,
  votes: Float64Array,
  G: number,
  random: Random,
): Float64Array {
  const K = classes.length;
  const even = new Float64Array(G).fill(1);
  const start = new Float64Array(votes.length * G);
  [...tasks].forEach((task, t) => {
    const ofTask = random.split(task);
    for (let k = 0; k < K; k++) {
      const share = votes[t * K + k];
      if (share === 0) continue;
      const part = start.subarray((t * K + k) * G, (t * K + k + 1) * G);
      dirichlet(ofTask.split(classes.at(k)), even, part);
      for (let g = 0; g < G; g++) part[g] *= share;
    }
  });
  return start;
}

/** Each number G times. */
function spread(values: Float64Array, G: number): Float64Array {
  return new Float64Array(values.length * G).map((_, at) => values[Math.floor(at / G)]);
}

/** Sums of G numbers each. */
function sumParts(values: Float64Array, G: number): Float64Array {
  const sums = new Float64Array(values.length / G);
  for (let at = 0; at < values.length; at++) sums[Math.floor(at / G)] += values[at];
  return sums;
}

function checkSize(W: number, K: number, L: number, G: number): void {
  const cells = W * K * L * G;
  if (cells <= MOST_CELLS) return;
  throw new CrowdError(
    "too-large",
    `ebcc: ${W} workers, ${K} classes and ${G} subtypes make tables of ${cells} numbers, and ` +
      `${MOST_CELLS} is the most. Ask for fewer subtypes, or use ibcc.`,
  );
}
