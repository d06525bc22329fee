/**
 * Belief propagation with a network in place of the class prior: the labels' graph is solved with the
 * workers' skills averaged over, and the network takes one step towards the beliefs about the tasks.
 */
import { createBeliefPropagation } from "../aggregate/categorical/belief-propagation.ts";
import { clip } from "../aggregate/categorical/task-priors.ts";
import { evenRows } from "../aggregate/categorical/worker-prior.ts";
import { bayesOptions, deepMf, silence } from "./deep-mf.ts";
import { toEvidence } from "./evidence.ts";
import { learner } from "./learner.ts";
import { crossEntropy } from "./losses.ts";
import { rowsOf } from "./network.ts";

export const deepBp = learner(
  {
    id: "deep-bp",
    title: "Deep belief propagation",
    summary:
      "Workers' skills have a prior and are averaged over, never estimated; the network learns the beliefs that this gives about the tasks and is their prior.",
    paper: deepMf.paper,
    options: {
      ...bayesOptions,
      integral: {
        default: "quadrature",
        choices: ["quadrature", "mc"],
        help: "How skills are averaged over: exactly, by nodes, or by draws from the prior.",
      },
      samples: { default: 400, min: 1, integer: true, help: "Draws from the prior, for mc." },
      resample: {
        default: "run",
        choices: ["run", "sweep"],
        help: "When these are drawn: once, or for each sweep as the authors do.",
      },
      sweeps: { default: 100, min: 1, integer: true, help: "Most sweeps of messages." },
      tolerance: {
        default: 1e-3,
        min: 0,
        help: "Messages that change less than this have settled.",
      },
      refresh: {
        ...{ default: 1, min: 1, integer: true, unit: "epochs" },
        help: "How often the messages are solved anew.",
      },
    },
    forecasts: true,
    confusion: true,
    cost: "O(network) a task and O(labels · nodes · sweeps) an epoch",
  },
  async function* (session, options) {
    const { data, random } = session;
    const K = data.classes.length;
    const { right, wrong, integral, samples, resample, sweeps } = options;
    const model = createBeliefPropagation(
      data,
      options.workerPrior === "one-coin"
        ? { kind: "one-coin", right, wrong }
        : evenRows({ K, L: K }, right, wrong),
      { integral, samples, resample, random: random.split("worker-prior") },
    );
    const fresh = integral === "mc" && resample === "sweep";
    const tolerance = fresh ? Math.max(0.03, options.tolerance) : options.tolerance;
    const q = new Float64Array(data.tasks.length * K).fill(1 / K);
    const net = await session.network((io) => ({ loss: crossEntropy(io.target, io.logits) }));
    /** All messages from the beginning, under what the network says now. */
    const infer = async () => {
      const h = clip(await net.predict(), K, options.clipAt);
      model.restart();
      for (let sweep = 0; sweep < sweeps && model.sweep(h) > tolerance; sweep++) session.check();
      model.beliefs(h, q);
      return h;
    };
    const run = session.run(net, { q });
    if (run.epoch === 0) silence(net);
    while (run.more()) {
      if (run.epoch % options.refresh === 0) await infer();
      const loss = await run.train((batch) => ({ target: rowsOf(q, batch, K) }));
      yield await run.done(loss);
    }
    await run.finish();
    const h = await infer();
    const { confusion } = model.workers(h);
    return { net, posterior: q, confusion, evidence: toEvidence(confusion) };
  },
);
