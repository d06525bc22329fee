import { voteShares } from "../belief/votes.ts";
import { silence } from "./deep-mf.ts";
import { toEvidence } from "./evidence.ts";
import { learner } from "./learner.ts";
import { crossEntropy } from "./losses.ts";
import { type Batch, rowsOf } from "./network.ts";
import { trainingWith } from "./options.ts";
import { globalStep, localStep, lowerBound, startBeliefs } from "./variational.ts";

/**
 * BayesDGC: confusion matrices have Dirichlet beliefs and the network is one more opinion on every
 * task, fitted by natural gradients.
 */
export const bayesDgc = learner(
  {
    id: "bayes-dgc",
    title: "BayesDGC",
    summary:
      "Bayesian confusion matrices, with the network as an additional source for every task; fitted by natural gradients.",
    paper: {
      authors: "S.-Y. Li, S.-J. Huang, S. Chen",
      year: 2021,
      title: "Crowdsourcing aggregation with deep Bayesian learning",
      url: "https://doi.org/10.1007/s11432-020-3118-7",
    },
    options: {
      ...trainingWith({ epochs: 200, batch: 100_000_000, hidden: "100", dropout: 0, decay: 1e-3 }),
      priorShare: { default: 1.1, min: 1e-3, help: "Prior count of tasks per class." },
      priorDiagonal: { default: 5, min: 1e-3, help: "Prior count of right labels per class." },
      priorBeside: {
        default: 2,
        min: 1e-3,
        help: "Prior count of each wrong label per class.",
      },
      usePi: {
        default: false,
        help: "Multiply the network's probabilities by the class shares, as in the paper. Unreliable with few labels per task.",
      },
      rho: {
        default: 1,
        min: 0,
        max: 1,
        help: "Step size of the natural gradient; with minibatches it decays as (steps + 1)^-0.6.",
      },
    },
    forecasts: true,
    confusion: true,
    cost: "O(network) per task and O(labels · K) per epoch",
  },
  async function* (session, options) {
    const { data, trained, features, rows } = session;
    const K = data.classes.length;
    const priors = {
      a0: options.priorShare,
      diagonal: options.priorDiagonal,
      beside: options.priorBeside,
      usePi: options.usePi,
    };
    const beliefs = startBeliefs(data, priors);
    const q = voteShares(data);
    globalStep(data, beliefs, priors, trained, q, 1, 1);
    const net = await session.network((io) => ({ loss: crossEntropy(io.target, io.logits) }));
    const run = session.run(net, { q, a: beliefs.a, beta: beliefs.beta });
    if (run.epoch === 0) silence(net);
    const f = new Float64Array(q.length);
    const whole = options.batch >= trained.length;
    while (run.more()) {
      let step = run.epoch * Math.ceil(trained.length / options.batch);
      const feeds = async (batch: Batch) => {
        const { tasks } = batch;
        const own = await net.predictRows(
          features,
          tasks.map((t) => rows[t]),
        );
        tasks.forEach((t, i) => {
          f.set(own.subarray(i * K, (i + 1) * K), t * K);
        });
        localStep(data, beliefs, priors, f, tasks, q);
        const rho = whole ? options.rho : options.rho * (step++ + 1) ** -0.6;
        globalStep(data, beliefs, priors, tasks, q, rho, trained.length / tasks.length);
        return { target: rowsOf(q, batch, K) };
      };
      await run.train(feeds, { stepwise: true });
      yield await run.done(-lowerBound(data, beliefs, priors, f, trained, q) / trained.length);
    }
    await run.finish();
    localStep(data, beliefs, priors, await net.predict(), trained, q);
    const confusion = meanRows(beliefs.beta, K);
    return {
      net,
      posterior: q,
      confusion,
      evidence: toEvidence(confusion),
      prior: meanRows(beliefs.a, K),
    };
  },
);

/** The mean of Dirichlet rows with these counts. */
function meanRows(counts: Float64Array, K: number): Float64Array {
  const mean = counts.slice();
  for (let row = 0; row < mean.length; row += K) {
    const total = mean.subarray(row, row + K).reduce((a, b) => a + b);
    for (let l = row; l < row + K; l++) mean[l] /= total;
  }
  return mean;
}
