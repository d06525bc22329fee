/**
 * Belief propagation with a network in place of the class prior: the labels' graph is solved with the
 * workers' skills averaged over, and the network takes one step towards the beliefs about the tasks.
 *
 *   z[t]   ~ network(features of t)        held at `clipAt` at most, beside the labels
 *   label  ~ confusion of its worker       with a prior: one skill, or a row of rates for each class
 *
 * Messages follow from the network alone, which is why none are kept from one epoch to the next.
 */
import {
  averagingNotes,
  createBeliefPropagation,
  dampingNote,
} from "../aggregate/categorical/messages/belief-propagation.ts";
import { nothingToTell } from "../belief/worker-prior.ts";
import { append } from "../math/lists.ts";
import { deepMf, silence, taskPriors, workerPrior, workerPriorOptions } from "./deep-mf.ts";
import { toEvidence } from "./evidence.ts";
import { learner } from "./learner.ts";
import { crossEntropy } from "./losses.ts";
import { rowsOf } from "./network.ts";
import { trainingWith } from "./options.ts";

const WHOLE = 100_000_000;

/**
 * Deep belief propagation: skills are averaged over; the network learns the beliefs about tasks and
 * is their prior.
 */
export const deepBp = learner(
  {
    id: "deep-bp",
    title: "Deep belief propagation",
    summary:
      "Belief propagation that integrates out skills, with the network as the prior of the tasks and trained on their beliefs.",
    paper: deepMf.paper,
    options: {
      // Every task in every step: the graph of tasks and workers must stay whole.
      ...trainingWith({ epochs: 200, batch: WHOLE, decay: 1e-3 }),
      ...workerPriorOptions,
      integral: {
        default: "quadrature",
        choices: ["quadrature", "mc"],
        help: "Integration over skills: exact, quadrature nodes, or draws from the prior.",
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
      sweeps: {
        default: 100,
        min: 1,
        integer: true,
        help: "Maximum number of sweeps of messages.",
      },
      tolerance: {
        default: 1e-3,
        min: 0,
        help: "Largest change of a message at which the sweeps stop; at least 0.03 if every sweep has new draws.",
      },
      damping: {
        default: 0,
        min: 0,
        max: 0.99,
        help: "Share of the previous message that is kept.",
      },
      refresh: {
        default: 1,
        min: 1,
        integer: true,
        unit: "epochs",
        help: "How often the messages are recomputed.",
      },
    },
    forecasts: true,
    confusion: true,
    cost: "O(network) per task and O(labels · nodes · sweeps) per epoch",
  },
  async function* (session, options) {
    const { data, random } = session;
    const K = data.classes.length;
    const prior = workerPrior(options, K);
    const draws = random.split("worker-prior");
    const create = (stream = draws) =>
      createBeliefPropagation(data, prior, { ...options, random: stream });
    let model = create();
    const fresh = model.integral === "mc" && options.resample === "sweep";
    const tolerance = fresh ? Math.max(0.03, options.tolerance) : options.tolerance;
    let change = 0;
    const q = new Float64Array(data.tasks.length * K).fill(1 / K);
    const notes = model.sweep(q) < 1e-9 ? [nothingToTell] : [];
    const net = await session.network((io) => ({ loss: crossEntropy(io.target, io.logits) }));
    const run = session.run(net, { q });
    if (run.epoch === 0) silence(net);
    /** All messages from the beginning, under what the network says now. */
    const infer = async () => {
      const h = taskPriors(await net.predict(), K, options.clipAt);
      if (fresh) model = create(draws.split(run.epoch));
      model.restart();
      change = Infinity;
      for (let sweep = 0; sweep < options.sweeps && change > tolerance; sweep++) {
        change = model.sweep(h);
        session.check();
      }
      model.beliefs(h, q);
      return h;
    };
    while (run.more()) {
      if (run.epoch % options.refresh === 0) await infer();
      const loss = await run.train((batch) => ({ target: rowsOf(q, batch, K) }));
      yield await run.done(loss);
    }
    await run.finish();
    const h = await infer();
    const { confusion, effective } = model.workers(h);
    if (change > tolerance) notes.push(dampingNote(change));
    append(notes, averagingNotes(data, prior, options, model.integral, effective));
    return { net, posterior: q, confusion, evidence: toEvidence(confusion), notes };
  },
);
