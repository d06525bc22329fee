/**
 * Belief propagation: tasks and workers tell each other what they believe, each without its own echo,
 * until it stands still. Workers' confusions are never estimated but averaged over.
 *
 *   skill[w]         ~ Beta(right, wrong)            one coin: right with the same probability everywhere
 *   confusion[w, k]  ~ Dirichlet(right, wrong, …)    two coins: a row for each class
 *   z[t]             ~ h[t]                          the class prior, or the task's own
 *   label[i]         ~ Categorical(confusion[w, z[t]])
 *
 *   mu[t → w](z)  ∝  h[t](z) · product over the other workers v of t of m[v → t](z)
 *   m[w → t](z)   ∝  E confusion[z, label] · product over the other tasks j of w of Σ mu[j → w]·confusion
 *
 * Exact where labels form no loops, and the best known answer where they are sparse and dealt at random,
 * even with a worker prior that is somewhat wrong or a few workers who label everything at random. It
 * needs a worker prior that is better than chance: the symmetric one tells it nothing at all.
 *
 * The trace is Bethe's approximation of the log evidence: exact without loops, and it may fall.
 * `createBeliefPropagation` is the engine, for learners that come with a new h[t] every time.
 *
 * Liu, Peng & Ihler (2012), NeurIPS 25; Kim, Cho, Kim & Ok (2022), AISTATS, PMLR 151.
 */
import { taskPriors } from "../../../belief/task-priors.ts";
import { normalise } from "../../../belief/votes.ts";
import {
  evenRows,
  nothingToTell,
  type Sizes,
  type WorkerPrior,
} from "../../../belief/worker-prior.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { labelsPerWorker } from "../../../data/crowd-data.ts";
import { createClassPrior } from "../../../em/class-prior.ts";
import { CrowdError } from "../../../error.ts";
import { createRandom } from "../../../math/random.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit, probabilisticOptions } from "../aggregator.ts";
import { createCoinMessages } from "./coin-messages.ts";
import { averagedAnswer, meanField, skillPriorOptions } from "./mean-field.ts";
import { believe, type MessageSettings, type Workers } from "./messages.ts";
import { createTableMessages } from "./table-messages.ts";

/** What belief propagation finds beyond the answers. */
export interface BeliefPropagationFit extends Fit {
  /** Posterior mean of the confusions. */
  readonly confusion: Float64Array;
}

/** Belief propagation: tasks and workers exchange beliefs; skills are averaged over. */
export const beliefPropagation = aggregator(
  {
    id: "belief-propagation",
    title: "Belief propagation",
    summary: "Tasks and workers exchange messages; skills are integrated out.",
    paper: meanField.paper,
    family: "messages",
    probabilistic: true,
    cost: "O(N · min(n, 60)) per sweep with n labels per worker; two coins 2 to 20 times as much",
    options: {
      ...probabilisticOptions,
      maxIterations: { default: 100, min: 1, integer: true, help: "Maximum number of sweeps." },
      tolerance: {
        default: 1e-3,
        min: 0,
        help: "Largest change of a message at which to stop; at least 0.03 if every sweep has new draws.",
      },
      damping: {
        default: 0,
        min: 0,
        max: 0.99,
        help: "Share of the previous message that is kept.",
      },
      workerPrior: {
        default: "one-coin",
        choices: ["one-coin", "two-coin", "mixture"],
        help: "Worker model: one skill for all classes, one row of rates per class, or one of three skills.",
      },
      ...skillPriorOptions,
      hammers: { default: 0.6, min: 0, max: 1, help: "With mixture: share of good workers." },
      hammerSkill: {
        default: 0.95,
        min: 0,
        max: 1,
        help: "With mixture: skill of the good workers.",
      },
      spammers: {
        default: 0.3,
        min: 0,
        max: 1,
        help: "With mixture: share of workers who guess; the rest are adversaries.",
      },
      adversarySkill: {
        default: 0.05,
        min: 0,
        max: 1,
        help: "With mixture: skill of the adversaries.",
      },
      integral: {
        default: "quadrature",
        choices: ["quadrature", "mc", "poly"],
        help: "Integration over skills: quadrature nodes, draws from the prior, or polynomials.",
      },
      samples: {
        default: 400,
        min: 1,
        integer: true,
        help: "With mc: number of draws from the prior.",
      },
      resample: {
        default: "run",
        choices: ["run", "sweep"],
        help: "With mc: when to draw: once, or for each sweep as in the paper.",
      },
    },
  },
  function* (data, options, { known, K, L }): Steps<BeliefPropagationFit> {
    const { maxIterations, resample } = options;
    const prior = workerPrior(options, { K, L });
    const integral = integralFor(prior, options.integral, { K, L });
    const classes = createClassPrior(data, known, "uniform");
    const h = taskPriors(data, known, classes.factor);
    const random = createRandom(options.seed).split("worker-prior");
    const model = createBeliefPropagation(data, prior, {
      ...options,
      L,
      integral,
      random,
      history: known.history,
    });
    const fresh = integral === "mc" && resample === "sweep";
    const tolerance = fresh ? Math.max(0.03, options.tolerance) : options.tolerance;
    const trace: number[] = [];
    const changes: number[] = [];
    let converged = false;
    for (let iteration = 1; iteration <= maxIterations && !converged; iteration++) {
      changes.push(model.sweep(h));
      converged = changes[iteration - 1] <= tolerance;
      trace.push(model.evidence(h));
      yield { iteration, objective: trace[iteration - 1] };
    }
    const posterior = new Float64Array(h.length);
    model.beliefs(h, posterior);
    const { confusion, effective } = model.workers(h);
    return {
      ...averagedAnswer(data, posterior, confusion, classes, { K, L }),
      trace,
      converged,
      notes: [
        ...(data.label.length > 0 && K > 1 && changes[0] < 1e-9 ? [nothingToTell] : []),
        ...(converged ? [] : [dampingNote(changes.at(-1) ?? 0)]),
        ...averagingNotes(data, prior, options, integral, effective),
      ],
    };
  },
);

export interface BeliefPropagation {
  /** How means are taken, which is not always what was asked for. */
  readonly integral: Integral;
  /** All messages once, under h[task * K + class]; returns the largest change of one. */
  sweep(h: Float64Array): number;
  /** Writes P(class) of each task, as into[task * K + class]. */
  beliefs(h: Float64Array, into: Float64Array): void;
  /** Bethe's approximation of the log evidence, in nats, after a sweep. */
  evidence(h: Float64Array): number;
  /** Forgets all messages; without it the next sweep goes on from the last. */
  restart(): void;
  /** What the messages say of the workers: their confusions, and how many nodes stand for each. */
  workers(h: Float64Array): Workers;
}

export interface BeliefPropagationSettings
  extends Partial<Omit<MessageSettings<WorkerPrior>, "prior">> {
  /** What labels can say: K, or K + 1 with abstentions. */
  readonly L?: number;
}

export function createBeliefPropagation(
  data: CategoricalData,
  prior: WorkerPrior,
  { L = data.classes.length, ...given }: BeliefPropagationSettings = {},
): BeliefPropagation {
  const K = data.classes.length;
  const settings = {
    ...({ damping: 0, samples: 400, resample: "run" } as const),
    random: createRandom(0),
    ...given,
    integral: integralFor(prior, given.integral ?? "quadrature", { K, L }),
  };
  const messages =
    prior.kind === "one-coin" || prior.kind === "mixture"
      ? createCoinMessages(data, { K, L }, { ...settings, prior })
      : createTableMessages(data, { K, L }, { ...settings, prior });
  let sums = new Float64Array(data.tasks.length * K);
  let next = new Float64Array(sums.length);
  const belief = new Float64Array(sums.length);
  return {
    integral: settings.integral,
    sweep(h) {
      believe(h, sums, K, belief);
      next.fill(0);
      const change = messages.pass(belief, next);
      [sums, next] = [next, sums];
      return change;
    },
    beliefs(h, into) {
      believe(h, sums, K, into);
      normalise(into, K);
    },
    evidence: (h) => believe(h, sums, K, belief) + messages.evidence(),
    restart() {
      sums.fill(0);
      messages.restart();
    },
    workers(h) {
      believe(h, sums, K, belief);
      return messages.workers(belief);
    },
  };
}

interface PriorOptions {
  readonly workerPrior: "one-coin" | "two-coin" | "mixture";
  readonly right: number;
  readonly wrong: number;
  readonly hammers: number;
  readonly hammerSkill: number;
  readonly spammers: number;
  readonly adversarySkill: number;
}

function workerPrior(options: PriorOptions, { K, L }: Sizes): WorkerPrior {
  const { right, wrong, hammers, spammers } = options;
  if (options.workerPrior === "one-coin") return { kind: "one-coin", right, wrong };
  if (options.workerPrior === "two-coin") return evenRows({ K, L }, right, wrong);
  if (hammers + spammers > 1) {
    throw new CrowdError(
      "bad-option",
      `belief-propagation: hammers and spammers must be at most 1 together, not ${hammers + spammers}.`,
    );
  }
  const parts = [
    { share: hammers, skill: options.hammerSkill },
    { share: spammers, skill: 1 / K },
    { share: 1 - hammers - spammers, skill: options.adversarySkill },
  ];
  return { kind: "mixture", parts };
}

type Integral = MessageSettings<WorkerPrior>["integral"];

/** Rows of more than two rates have no grid, and only one coin has polynomials. */
function integralFor(prior: WorkerPrior, asked: Integral, { K, L }: Sizes): Integral {
  if (prior.kind === "rows" && !(K === 2 && L === 2)) return "mc";
  return asked === "poly" && prior.kind !== "one-coin" ? "quadrature" : asked;
}

/** What to say of how skills were averaged over, given how many nodes stood for each worker. */
export function averagingNotes(
  data: CategoricalData,
  prior: WorkerPrior,
  { integral: asked, samples }: { readonly integral: Integral; readonly samples: number },
  used: Integral,
  effective: Float64Array,
): string[] {
  return [
    ...integralNotes(data, prior, asked, used),
    ...(used === "mc" ? drawNotes(data, effective, samples) : []),
  ];
}

function integralNotes(
  data: CategoricalData,
  prior: WorkerPrior,
  asked: Integral,
  used: Integral,
): string[] {
  const notes: string[] = [];
  if (used !== asked) {
    notes.push(
      used === "mc"
        ? "A row of more than two rates has no quadrature here, so draws from the prior stand for it."
        : "Polynomials serve one coin only, so quadrature was used.",
    );
  }
  const busiest = labelsPerWorker(data).reduce((most, n) => Math.max(most, n), 0);
  if (prior.kind === "rows" && used === "quadrature" && busiest > 100_000) {
    notes.push(
      `A worker gave ${busiest} labels; the grid of two coins is coarse for more than 100 000. ` +
        "One coin has no such limit, nor has mean-field.",
    );
  }
  return notes;
}

/** A warning where too few draws share the posteriors of workers with many labels. */
function drawNotes(data: CategoricalData, effective: Float64Array, samples: number): string[] {
  const labels = labelsPerWorker(data);
  let held = 0;
  effective.forEach((draws, w) => {
    if (draws < 10) held += labels[w];
  });
  if (held <= 0.1 * data.label.length) return [];
  const percent = ((100 * held) / data.label.length).toFixed(0);
  return [
    `Of ${samples} draws from the prior fewer than 10 fit the workers behind ${percent} % of the ` +
      "labels: too few to trust. Draw more, or use one coin or mean-field.",
  ];
}

export function dampingNote(change: number): string {
  return `Messages still change by ${change.toPrecision(2)}; a damping of 0.3 may settle them.`;
}
