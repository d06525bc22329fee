/**
 * Graph Dawid–Skene: tasks that are linked tend to have the same class.
 *
 *   P(z)      ∝ product over tasks of prior[z[t]] · product over links of e^(coupling · weight · 1[z[t] = z[s]])
 *   label[i]  ~ Categorical(confusion[w, z[t]])
 *
 * EM with loopy belief propagation as its E step (`math/potts.ts`). It starts with an E step under workers who are right
 * with .7: started from the votes it would stay there if tasks have one label each. The class prior is uniform and fixed: a
 * learnt one and strong links would put all tasks into one class. The coupling is learnt by one Newton step of
 * the pseudo-likelihood per iteration. Strong where tasks have one or two labels and links mostly connect tasks
 * of one class; weak where links say little, and of no use with many labels per task.
 *
 * Ibrahim, Traganitis, Fu & Giannakis (2024), arXiv:2407.06902, part on dependent data;
 * Besag (1986), Journal of the Royal Statistical Society B 48(3), 259–302. https://doi.org/10.1111/j.2517-6161.1986.tb01412.x
 */
import {
  exposureOf,
  normaliseTable,
  type Shape,
  skillOf,
  tableBytes,
  transpose,
} from "../../../belief/confusion-table.ts";
import { isKnownTask, startingPosterior, taskBase } from "../../../belief/known.ts";
import type { Links } from "../../../belief/links.ts";
import { FLOOR } from "../../../belief/shares.ts";
import { sumOverTasks } from "../../../belief/task-priors.ts";
import { voteShares } from "../../../belief/votes.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { createClassPrior } from "../../../em/class-prior.ts";
import { logDensity, type Pseudo } from "../../../em/confusion.ts";
import { CrowdError, hint, plural } from "../../../error.ts";
import { createExpectation } from "../../../kernels/expectation.ts";
import { maxOf } from "../../../math/lists.ts";
import { type Graph, graphOf, nextCoupling, pottsMessages } from "../../../math/potts.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Context, type Fit, probabilisticOptions } from "../aggregator.ts";

/** What graph Dawid–Skene finds beyond the answers. */
export interface GraphDawidSkene extends Fit {
  readonly confusion: Float64Array;
  readonly exposure: Float64Array;
  /** How strongly links pull: the log-odds that one link of mean weight adds, times the mean number of links per task. */
  readonly coupling: number;
  /** 1 for each task whose belief also rests on what is known of other tasks. */
  readonly linked: Uint8Array;
}

/** Largest coupling that is learnt. */
const MOST = 3;
/** Coupling from which on answers may swing from one part of the graph to all of it. */
const NEAR = 2.9;
/** Share of all tasks in one class from which on the coupling does not rise. */
const CROWDED = 0.98;
/** Probability at the start that a worker is right. */
const START = 0.7;

/**
 * Graph Dawid–Skene: Dawid–Skene for tasks with links, by EM and belief propagation along the links.
 */
export const graphDawidSkene = aggregator(
  {
    id: "graph-dawid-skene",
    title: "Graph Dawid–Skene",
    summary:
      "Dawid–Skene for tasks with known links: linked tasks tend to have the same class, by a strength that is learnt.",
    paper: {
      authors: "S. Ibrahim, P. A. Traganitis, X. Fu, G. B. Giannakis",
      year: 2024,
      title: "Learning from crowdsourced noisy labels: a signal processing perspective",
      url: "https://arxiv.org/abs/2407.06902",
    },
    family: "em",
    probabilistic: true,
    needs: "links",
    cost: "O(N·K + S·E·K + W·K²) per iteration with E links and up to S = 50 sweeps; W·K² + E·K memory",
    memory: tableBytes,
    options: {
      ...probabilisticOptions,
      maxIterations: { default: 50, min: 1, integer: true, help: "Maximum number of iterations." },
      tolerance: {
        default: 1e-6,
        min: 0,
        help: "Largest change of a probability at which to stop.",
      },
      coupling: {
        default: 1,
        min: 0,
        max: 50,
        help: "Strength of the links at the start, or throughout if learnCoupling is false; 0 ignores them.",
      },
      learnCoupling: { default: true, help: "Learn the strength of the links, from 0 to 3." },
      right: {
        default: 4,
        min: 0,
        unit: "labels",
        help: "Pseudo-count on the diagonal of the confusion matrices.",
      },
      wrong: {
        default: 1,
        min: 0,
        unit: "labels",
        help: "Pseudo-count in every other cell of the confusion matrices.",
      },
      sweeps: {
        default: 50,
        min: 1,
        integer: true,
        help: "Maximum number of rounds of messages per iteration.",
      },
      damping: {
        default: 0.5,
        min: 0,
        max: 0.99,
        help: "Share of its old value that a message keeps.",
      },
    },
  },
  function* (data, values, context): Steps<GraphDawidSkene> {
    const { links } = context.known;
    if (!links) {
      throw new CrowdError(
        "bad-option",
        `graph-dawid-skene needs ${hint("known.links")}: pairs of tasks that tend to have the same class.`,
      );
    }
    const graph = scaledGraph(links, data.tasks.length);
    const fit = yield* fitGraph(data, graph, values, context);
    const linked = reached(data, graph, fit.coupling, context);
    return { ...fit, linked, notes: [...linkNotes(links, graph), ...fit.notes] };
  },
);

/** The options that the fit needs. */
interface Settings {
  readonly maxIterations: number;
  readonly tolerance: number;
  readonly coupling: number;
  readonly learnCoupling: boolean;
  readonly right: number;
  readonly wrong: number;
  readonly sweeps: number;
  readonly damping: number;
}

/** The links with weights such that linked tasks have the weighted degree 1 on average. */
function scaledGraph({ from, to, weight }: Links, T: number): Graph {
  const kept = Array.from(from.keys()).filter((e) => !weight || weight[e] > 0);
  const ends = [from, to].map((column) => Int32Array.from(kept, (e) => column[e]));
  const graph = graphOf(T, ends[0], ends[1], (e) => (weight ? weight[kept[e]] : 1));
  let [total, tasks] = [0, 0];
  for (const count of graph.weight) total += count;
  for (let t = 0; t < T; t++) if (graph.start[t + 1] > graph.start[t]) tasks++;
  return { ...graph, weight: graph.weight.map((count) => (count * tasks) / total) };
}

function* fitGraph(
  data: CategoricalData,
  graph: Graph,
  values: Settings,
  { known, engine, K, L }: Context,
) {
  const shape = { tasks: data.tasks.length, workers: data.workers.length, classes: K, given: L };
  const model = createExpectation({ ...data, ...shape, base: taskBase(data, known) }, engine);
  const prior = createClassPrior(data, known, "uniform");
  const messages = pottsMessages(graph, K, { ...values, tolerance: 1e-6 });
  const pseudo = pseudoLabels(values, known.history, shape);
  const belief = new Float64Array(shape.tasks * K);
  const before = belief.slice();
  let coupling = K > 1 ? values.coupling : 0;
  let [settled, crowded, converged] = [true, false, false];
  const trace: number[] = [];
  if (known.start) {
    model.startFrom(startingPosterior(data, known, voteShares(data)));
    normaliseTable(model.counts, pseudo, shape, model.rates);
  } else startRates(shape, model.rates);
  for (let iteration = 1; iteration <= values.maxIterations && !converged; iteration++) {
    // The kernels judge each task alone; then tasks talk to each other, and labels are counted under what they believe.
    const alone = model.infer(prior.factor);
    const inferred = messages.infer(model.posterior.slice(), coupling, belief);
    settled = inferred.settled;
    const penalty = logDensity(model.rates, pseudo, shape) + prior.logDensity();
    trace.push(alone + inferred.evidence + penalty);
    yield { iteration, objective: alone + inferred.evidence + penalty };
    converged =
      iteration > 1 && !belief.some((p, at) => Math.abs(p - before[at]) > values.tolerance);
    before.set(belief);
    model.startFrom(belief);
    prior.update(model.totals);
    if (converged || iteration === values.maxIterations) break;
    normaliseTable(model.counts, pseudo, shape, model.rates);
    if (!values.learnCoupling || values.coupling === 0) continue;
    const next = nextCoupling(graph, belief, K, coupling);
    crowded = maxOf(sumOverTasks(belief, K)) > CROWDED * shape.tasks;
    coupling = Math.min(crowded ? coupling : MOST, Math.max(0, next));
  }
  const confusion = transpose(model.rates, shape);
  return {
    posterior: belief,
    prior: prior.shares,
    confusion,
    exposure: exposureOf(model.counts, shape),
    skill: skillOf(confusion, prior.shares, shape),
    coupling,
    trace,
    converged,
    notes: couplingNotes({ ...values, coupling, settled, crowded: crowded && K > 1 }),
  };
}

/** Pseudo-labels of each cell: more on the diagonal, and those of the past. */
function pseudoLabels(
  { right, wrong }: { readonly right: number; readonly wrong: number },
  history: Float64Array | undefined,
  { classes: K, given: L }: Shape,
): Pseudo {
  return (w, k, l) => (k === l ? right : wrong) + (history ? history[(w * K + k) * L + l] : 0);
}

/** Workers who are right with .7, and otherwise say anything else alike. */
function startRates({ workers: W, classes: K, given: L }: Shape, rates: Float64Array): void {
  const right = L > 1 ? START : 1;
  for (let at = 0; at < W * L * K; at++) {
    const [l, k] = [Math.floor(at / K) % L, at % K];
    rates[at] = k === l ? right : Math.max(FLOOR, (1 - right) / (L - 1));
  }
}

/** The tasks with links to others, directly or not, of which a label or something else is known. */
function reached(
  data: CategoricalData,
  { start, neighbour }: Graph,
  coupling: number,
  { known, K }: Context,
): Uint8Array {
  const T = data.tasks.length;
  const linked = new Uint8Array(T);
  if (!(coupling > 0)) return linked;
  const told = new Uint8Array(T);
  for (const t of data.task) told[t] = 1;
  for (let t = 0; t < T; t++) if (isKnownTask(known, t, K)) told[t] = 1;
  // A part of the graph is reached by what is told in it, but a task does not reach itself.
  const seen = new Uint8Array(T);
  for (let first = 0; first < T; first++) {
    if (seen[first]) continue;
    seen[first] = 1;
    const part = [first];
    for (let at = 0; at < part.length; at++) {
      for (let e = start[part[at]]; e < start[part[at] + 1]; e++) {
        if (seen[neighbour[e]]) continue;
        seen[neighbour[e]] = 1;
        part.push(neighbour[e]);
      }
    }
    const count = part.reduce((sum, t) => sum + told[t], 0);
    for (const t of part) if (count > told[t]) linked[t] = 1;
  }
  return linked;
}

function linkNotes({ leftOut = 0 }: Links, { neighbour }: Graph): string[] {
  const lost = `${plural(leftOut, "link names", "links name")} something that is no task of the labels, and ${leftOut === 1 ? "was" : "were"} left out.`;
  return [
    ...(leftOut > 0 ? [lost] : []),
    ...(neighbour.length === 0 ? ["There are no links between tasks: each was judged alone."] : []),
  ];
}

function couplingNotes(about: {
  readonly coupling: number;
  readonly settled: boolean;
  readonly crowded: boolean;
  readonly sweeps: number;
}): string[] {
  const { coupling, settled, crowded, sweeps } = about;
  const shown = coupling.toFixed(1);
  return [
    ...(coupling >= NEAR
      ? [
          `The links pull with ${shown}, at which whole parts of the graph may take one class by chance: compare with a fixed coupling of 1 or 2.`,
        ]
      : []),
    ...(crowded
      ? [
          `Nearly all tasks are in one class, so the strength of the links was held at ${shown}: the links may have drawn them there.`,
        ]
      : []),
    ...(settled
      ? []
      : [
          `Messages between tasks had not come to rest after ${sweeps} sweeps; more damping helps.`,
        ]),
  ];
}
