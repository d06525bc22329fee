/**
 * Several learners, and a classifier that is their mean: held-out labels say how much each of them counts.
 *
 *   p[k] = sum_m w_m · f_m[k]
 *   w      makes sum over the held-out tasks of log sum_m w_m L_m large, by EM from even weights, with a belief
 *          worth EVEN tasks that all are equally good
 *   L_m    what the labels of a held-out task are worth under a learner at its own temperature:
 *          sum_k f_m[k] · product over the labels of confusion[worker][k][label], or f_m[gold]
 *
 * Confusions are counted from what labels alone say, the same for all. Learners that err in different ways err less
 * together than the best of them does, and which is the best a few labels cannot tell.
 */
import { tempered } from "../belief/temper.ts";
import { CrowdError } from "../error.ts";
import { add, multiply } from "../tensor/ops/arithmetic.ts";
import { log } from "../tensor/ops/elementwise.ts";
import { softmax } from "../tensor/ops/softmax.ts";
import type { Module } from "../tensor/scope.ts";
import {
  believeLabels,
  countedConfusion,
  evidenceOf,
  temperatureByGold,
  temperatureByLabels,
} from "./calibration.ts";
import { type Classifier, createClassifier } from "./classifier.ts";
import { toEvidence } from "./evidence.ts";
import { labelLearners } from "./label-learners.ts";
import { type AnyLearner, type Learning, learner, tasksWithLabels } from "./learner.ts";
import { trainingOptions } from "./options.ts";
import type { Session } from "./session.ts";

/** What is tried, by effort. */
const efforts = {
  fast: "aggnet,coin-net",
  normal: "aggnet,coin-net,crowd-layer,doctor-net",
  thorough: "aggnet,coin-net,crowd-layer,doctor-net,conal,geo-crowd-net-f,max-mig,mbem",
} as const;

/** The belief that all are equally good, in tasks. */
const EVEN = 10;
/** Learners that would count for less are left out of the classifier. */
const LEAST = 0.05;
const ROUNDS = 500;

const { selection: _, patience: __, calibrate: ___, ...shared } = trainingOptions;
const options = {
  ...shared,
  effort: {
    default: "normal",
    choices: ["fast", "normal", "thorough"],
    help: "How much to try: 2, 4 or 8 learners.",
  },
  learners: {
    default: "",
    pattern: "([a-z-]+(,[a-z-]+)*)?",
    wants: "ids of learners such as aggnet,max-mig",
    help: "Learners to try, in place of those of the effort.",
  },
} as const;

/** Auto: trains several learners, and blends them by how well they predict held-out labels. */
export const autoLearner = learner(
  {
    id: "auto-learner",
    title: "Auto",
    summary: "Trains several learners, and blends them by how well they predict held-out labels.",
    paper: {
      authors: "D. H. Wolpert",
      year: 1992,
      title: "Stacked generalization",
      url: "https://doi.org/10.1016/S0893-6080(05)80023-1",
    },
    options,
    // By these examples it judges, and afterwards calibrates.
    fixed: { calibrate: true },
    forecasts: true,
    confusion: true,
    cost: "that of the learners it tries, one after the other",
  },
  async function* (session, { learners: named, effort, ...settings }) {
    const { data, notes } = session;
    const tried = (named || efforts[effort]).split(",").map(learnerOf);
    const results: Learning[] = [];
    for (const [i, method] of tried.entries()) {
      const stage = `${method.id} (${i + 1} of ${tried.length})`;
      results.push(yield* session.learn(method, settingsFor(method, settings), stage));
    }
    const judged = await judge(session, results);
    notes.push(words(session, judged));
    const posterior = new Float64Array(data.tasks.length * data.classes.length);
    for (const { learning, weight } of judged) {
      learning.posterior.forEach((p, at) => {
        posterior[at] += weight * p;
      });
    }
    const confusion = countedConfusion(data, posterior);
    const history = results.flatMap((learning) => learning.history);
    const net = blend(session, judged);
    return { net, posterior, confusion, evidence: toEvidence(confusion), history };
  },
);

function learnerOf(id: string): AnyLearner {
  const found = Object.values<AnyLearner>(labelLearners).find((each) => each.id === id);
  if (found) return found;
  throw new CrowdError(
    "bad-option",
    `auto-learner: there is no learner ${id} to try. There are: ${Object.keys(labelLearners).join(", ")}.`,
  );
}

/** The settings that were changed, as far as a learner has them: of the others it has its own defaults. */
function settingsFor(method: AnyLearner, settings: object): object {
  const changed = Object.entries(settings).filter(
    ([name, value]) =>
      Object.hasOwn(method.options, name) &&
      value !== (shared as Readonly<Record<string, { readonly default: unknown }>>)[name]?.default,
  );
  return {
    ...Object.fromEntries(changed),
    ...("calibrate" in method.options && { calibrate: false }),
  };
}

/** A trained learner, and how much it counts. */
interface Judged {
  readonly learning: Learning;
  readonly temperature: number;
  /** The mean over what is held out of the logarithm of what it is worth. */
  readonly score: number;
  readonly weight: number;
}

/** Weighs learners by what held-out labels, or the validation gold, are worth under them. */
async function judge(session: Session, results: readonly Learning[]): Promise<readonly Judged[]> {
  const { valid, heldOut, data, features, rows, options } = session;
  const each = <Value>(make: (learning: Learning) => Promise<Value>) =>
    Promise.all(results.map(make));
  if (valid) {
    const known = Int32Array.from(valid.gold.keys()).filter((row) => valid.gold[row] >= 0);
    return weighed(
      await each(async (learning) => {
        const f = await learning.predictor.predict(valid.features, known);
        const gold = known.map((row) => valid.gold[row]);
        const K = data.classes.length;
        const temperature = temperatureByGold(f, gold);
        const p = tempered(f, K, temperature);
        return { learning, temperature, worth: Float64Array.from(gold, (k, i) => p[i * K + k]) };
      }),
    );
  }
  if (!heldOut) {
    return weighed(
      results.map((learning) => ({ learning, temperature: 1, worth: new Float64Array() })),
    );
  }
  const belief = believeLabels(data, options.seed);
  const tasks = tasksWithLabels(heldOut);
  const said = evidenceOf(heldOut, tasks, belief);
  return weighed(
    await each(async (learning) => {
      const f = await learning.predictor.predict(
        features,
        tasks.map((t) => rows[t]),
      );
      const temperature = temperatureByLabels(f, heldOut, tasks, belief);
      const p = tempered(f, data.classes.length, temperature);
      return { learning, temperature, worth: worthOf(p, said, data.classes.length) };
    }),
  );
}

/** sum_k p[k] · exp(evidence[k]) of each row. */
function worthOf(p: Float64Array, evidence: Float64Array, K: number): Float64Array {
  const worth = new Float64Array(p.length / K);
  p.forEach((each, at) => {
    worth[Math.floor(at / K)] += each * Math.exp(evidence[at]);
  });
  return worth;
}

/** EM for the weights of a mixture; those that count for little are left out of it. */
function weighed(
  given: readonly (Pick<Judged, "learning" | "temperature"> & { readonly worth: Float64Array })[],
): readonly Judged[] {
  const M = given.length;
  const N = given[0].worth.length;
  const balance = (start: readonly number[]) => {
    let weights = start;
    for (let round = 0; round < ROUNDS; round++) {
      const counts = start.map((w) => EVEN * w);
      for (let i = 0; i < N; i++) {
        const total = given.reduce((sum, { worth }, m) => sum + weights[m] * worth[i], 0);
        if (!(total > 0)) continue;
        given.forEach(({ worth }, m) => {
          counts[m] += (weights[m] * worth[i]) / total;
        });
      }
      const all = counts.reduce((a, b) => a + b, 0);
      weights = counts.map((count) => count / all);
    }
    return weights;
  };
  const first = balance(given.map(() => 1 / M));
  const kept = first.map((w) => w >= LEAST);
  const many = kept.filter(Boolean).length;
  const weights = balance(kept.map((keep) => (keep ? 1 / many : 0)));
  return given.map(({ worth, ...one }, m) => ({
    ...one,
    score: worth.reduce((sum, p) => sum + Math.log(Math.max(p, 1e-300)), 0) / N,
    weight: weights[m],
  }));
}

/** The classifiers that count, as one. */
function blend(
  { executor, data, features, statistics }: Session,
  judged: readonly Judged[],
): Classifier {
  const parts = judged.filter(({ weight }) => weight > 0);
  const module: Module = (x, scope) => {
    const shares = parts.map(({ learning: { predictor, method }, temperature, weight }, m) => {
      const logits = predictor.module(x, scope.child(nameOf(method, m)));
      return multiply(softmax(multiply(logits, 1 / temperature)), weight);
    });
    return log(shares.reduce(add));
  };
  const weights = parts.flatMap(({ learning: { predictor, method } }, m) =>
    [...predictor.weights].map(
      ([name, values]) => [`${nameOf(method, m)}/${name}`, values] as const,
    ),
  );
  return createClassifier(executor, {
    classes: data.classes,
    shape: features.shape,
    module,
    weights: new Map(weights),
    ...(statistics && { statistics }),
  });
}

const nameOf = (method: string, m: number) => `${m}-${method}`;

/** What was tried, and why it counts for how much. */
function words({ valid, heldOut }: Session, judged: readonly Judged[]): string {
  const by = valid ? "the validation gold" : heldOut ? "held-out labels" : undefined;
  const list = judged
    .map(({ learning: { method }, weight, score }) =>
      [method, (100 * weight).toFixed(0), "%", by ? ` (${score.toFixed(3)})` : ""]
        .join(" ")
        .replace(" %", " %"),
    )
    .join(", ");
  return by
    ? `The classifier is a blend of learners, weighed by how well they predict ${by} (mean log-likelihood per task in brackets): ${list}.`
    : `The classifier is a blend of learners in equal parts, since there is too little to judge them by: ${list}.`;
}
