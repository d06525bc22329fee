/**
 * Mean field with a network in place of the class prior: beliefs about tasks and workers are fitted in
 * turns, and the network takes one step towards the beliefs about the tasks.
 */
import { createMeanField } from "../aggregate/categorical/mean-field.ts";
import { clip } from "../aggregate/categorical/task-priors.ts";
import { evenRows } from "../aggregate/categorical/worker-prior.ts";
import { toEvidence } from "./evidence.ts";
import { learner } from "./learner.ts";
import { crossEntropy } from "./losses.ts";
import { type Net, rowsOf } from "./network.ts";
import { trainingWith } from "./options.ts";

/** Every task in every step: the graph of tasks and workers must stay whole. */
const WHOLE = 1_000_000_000;

export const bayesOptions = {
  ...trainingWith({ epochs: 200, batch: WHOLE, rate: 0.01 }),
  workerPrior: {
    default: "one-coin",
    choices: ["one-coin", "two-coin"],
    help: "What a worker has: one skill for all classes, or a row of rates for each.",
  },
  right: { default: 2, min: 1e-3, unit: "labels", help: "Prior count of right labels." },
  wrong: {
    ...{ default: 1, min: 1e-3, unit: "labels" },
    help: "Prior count of wrong labels; with two coins of each wrong label.",
  },
  clipAt: {
    ...{ default: 0.9, min: 0, max: 1 },
    help: "Most that the classifier's probability of a class counts for beside the labels; 1/K: nothing, 1: as it is.",
  },
} as const;

export const deepMf = learner(
  {
    id: "deep-mf",
    title: "Deep mean field",
    summary:
      "Workers' skills have a prior and are fitted as beliefs, in turns with those about the tasks; the network learns the latter and is their prior.",
    paper: {
      authors: "H. Kim, S. Cho, D. Kim, J. Ok",
      year: 2022,
      title: "Robust Deep Learning from Crowds with Belief Propagation",
      url: "https://proceedings.mlr.press/v151/kim22a.html",
    },
    options: bayesOptions,
    forecasts: true,
    confusion: true,
    cost: "O(network) a task and O(labels · K) an epoch",
  },
  async function* (session, options) {
    const { data } = session;
    const K = data.classes.length;
    const { right, wrong } = options;
    const model = createMeanField(
      data,
      options.workerPrior === "one-coin"
        ? { kind: "one-coin", right, wrong }
        : evenRows({ K, L: K }, right, wrong),
    );
    const q = new Float64Array(data.tasks.length * K).fill(1 / K);
    const net = await session.network((io) => ({ loss: crossEntropy(io.target, io.logits) }));
    const infer = async () => {
      model.update(clip(await net.predict(), K, options.clipAt));
      q.set(model.posterior);
    };
    const run = session.run(net, { q });
    if (run.epoch === 0) silence(net);
    // Before the first step the workers are at their prior; after that they follow from the tasks.
    if (run.epoch > 0) model.startFrom(q);
    while (run.more()) {
      await infer();
      const loss = await run.train((batch) => ({ target: rowsOf(q, batch, K) }));
      yield await run.done(loss);
    }
    await run.finish();
    model.startFrom(q);
    const h = clip(await net.predict(), K, options.clipAt);
    for (let sweep = 0; sweep < 100 && model.update(h) > 1e-3; sweep++);
    const confusion = model.confusion();
    return { net, posterior: model.posterior, confusion, evidence: toEvidence(confusion) };
  },
);

/**
 * Lets the network say nothing at first, all classes alike, so that inference begins as that of the
 * labels alone: taken for evidence on every task, the accidents of a random start can outweigh them.
 */
export function silence({ trainer: { weights } }: Net): void {
  for (const [name, values] of weights) if (name.startsWith("head/")) values.fill(0);
}
