/**
 * Mean field with a network in place of the class prior: beliefs about tasks and workers are fitted in
 * turns, and the network takes an epoch of steps towards the beliefs about the tasks.
 *
 *   z[t]   ~ network(features of t)        held at `clipAt` at most, beside the labels
 *   label  ~ confusion of its worker       with a prior: one skill, or a row of rates for each class
 *
 * The trace is the lower bound of the log evidence, in nats per task, under the network at the beginning
 * of each epoch.
 */
import { createMeanField } from "../aggregate/categorical/messages/mean-field.ts";
import { clip } from "../belief/task-priors.ts";
import { type CoinPrior, evenRows, nothingToTell, type RowsPrior } from "../belief/worker-prior.ts";
import { toEvidence } from "./evidence.ts";
import { learner } from "./learner.ts";
import { crossEntropy } from "./losses.ts";
import { type Net, rowsOf } from "./network.ts";
import { trainingWith } from "./options.ts";

export const workerPriorOptions = {
  workerPrior: {
    default: "one-coin",
    choices: ["one-coin", "two-coin"],
    help: "Worker model: one skill for all classes, or one row of rates per class.",
  },
  right: {
    default: 2,
    min: 1e-3,
    unit: "labels",
    help: "Prior count of right labels; with two coins, K - 1 times this count per class.",
  },
  wrong: {
    default: 1,
    min: 1e-3,
    unit: "labels",
    help: "Prior count of wrong labels; with two coins, the count of each wrong label.",
  },
  clipAt: {
    default: 0.9,
    min: 0,
    max: 1,
    help: "Upper bound on the network's class probabilities when they are combined with labels; 1 means no bound. Values near 1/K suit poor features.",
  },
} as const;

/**
 * Deep mean field: beliefs about skills and tasks are fitted in turns; the network learns those
 * about tasks and is their prior.
 */
export const deepMf = learner(
  {
    id: "deep-mf",
    title: "Deep mean field",
    summary:
      "Mean-field inference over skills and tasks, with the network as the prior of the tasks and trained on their beliefs.",
    paper: {
      authors: "H. Kim, S. Cho, D. Kim, J. Ok",
      year: 2022,
      title: "Robust Deep Learning from Crowds with Belief Propagation",
      url: "https://proceedings.mlr.press/v151/kim22a.html",
    },
    options: { ...trainingWith({ schedule: "cosine" }), ...workerPriorOptions },
    forecasts: true,
    confusion: true,
    cost: "O(network) per task and O(labels · K) per epoch",
  },
  async function* (session, options) {
    const { data, trained } = session;
    const K = data.classes.length;
    const model = createMeanField(data, workerPrior(options, K));
    const q = new Float64Array(data.tasks.length * K).fill(1 / K);
    const notes = model.update(q) < 1e-9 ? [nothingToTell] : [];
    model.restart();
    const net = await session.network((io) => ({ loss: crossEntropy(io.target, io.logits) }));
    const run = session.run(net, { q });
    if (run.epoch === 0) silence(net);
    // Before the first step the workers are at their prior; after that they follow from the tasks.
    if (run.epoch > 0) model.startFrom(q);
    while (run.more()) {
      const h = taskPriors(await net.predict(), K, options.clipAt);
      model.update(h);
      q.set(model.posterior);
      await run.train((batch) => ({ target: rowsOf(q, batch, K) }));
      yield await run.done(-model.bound(h) / trained.length);
    }
    await run.finish();
    model.startFrom(q);
    const h = taskPriors(await net.predict(), K, options.clipAt);
    for (let sweep = 0; sweep < 100 && model.update(h) > 1e-3; sweep++) session.check();
    const confusion = model.confusion();
    return { net, posterior: model.posterior, confusion, evidence: toEvidence(confusion), notes };
  },
);

interface WorkerPriorOptions {
  readonly workerPrior: "one-coin" | "two-coin";
  readonly right: number;
  readonly wrong: number;
}

/**
 * What is believed of every worker at first: on average right with right / (right + wrong), however many
 * classes there are. A row whose wrong labels shared one count would take errors for sure or impossible.
 */
export function workerPrior(
  { workerPrior, right, wrong }: WorkerPriorOptions,
  K: number,
): CoinPrior | RowsPrior {
  return workerPrior === "one-coin"
    ? { kind: "one-coin", right, wrong }
    : evenRows({ K, L: K }, right * (K - 1), wrong);
}

/** What the network says of the tasks, as far as it counts beside their labels. */
export function taskPriors(f: Float64Array, K: number, clipAt: number): Float64Array {
  return clip(
    f.map((p) => Math.max(p, 1e-9)),
    K,
    clipAt,
  );
}

/**
 * Lets the network say nothing at first, all classes alike, so that inference begins as that of the
 * labels alone: taken for evidence on every task, the accidents of a random start can outweigh them.
 */
export function silence({ trainer: { weights } }: Net): void {
  for (const [name, values] of weights) if (name.startsWith("head/")) values.fill(0);
}
