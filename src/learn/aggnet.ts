/**
 * EM with a network: the posterior over each task's class, from classifier and labels together, is what
 * the network learns next.
 */
import { voteShares } from "../aggregate/categorical/majority-vote.ts";
import { countLabels, countsToConfusion, infer, toEvidence } from "./evidence.ts";
import { learner } from "./learner.ts";
import { crossEntropy } from "./losses.ts";
import { rowsOf } from "./network.ts";
import { trainingOptions } from "./options.ts";

export const aggnet = learner(
  {
    id: "aggnet",
    title: "AggNet",
    summary:
      "Workers have confusion matrices and err independently; classifier and matrices are learnt in turns, by EM.",
    paper: {
      authors: "S. Albarqouni, C. Baur, F. Achilles, V. Belagiannis, S. Demirci, N. Navab",
      year: 2016,
      title:
        "AggNet: Deep Learning From Crowds for Mitosis Detection in Breast Cancer Histology Images",
      url: "https://doi.org/10.1109/TMI.2016.2528120",
    },
    options: {
      ...trainingOptions,
      smoothing: { default: 1e-4, min: 0, help: "Added to every cell of a confusion matrix." },
      probFloor: {
        ...{ default: 1e-3, min: 0, max: 0.1 },
        help: "The least that the classifier's probabilities count for in the E step.",
      },
    },
    forecasts: true,
    confusion: true,
    cost: "O(network) a task and O(labels · K) an epoch",
  },
  async function* (session, { smoothing, probFloor }) {
    const { data } = session;
    const K = data.classes.length;
    const q = voteShares(data);
    const confusion = new Float64Array(data.workers.length * K * K);
    const maximise = () => {
      countLabels(data, q, confusion);
      countsToConfusion(confusion, K, smoothing);
    };
    maximise();
    const net = await session.network((io) => ({ loss: crossEntropy(io.target, io.logits) }));
    const run = session.run(net, { q, confusion });
    while (run.more()) {
      const loss = await run.train((batch) => ({ target: rowsOf(q, batch, K) }));
      infer(data, await net.predict(), toEvidence(confusion), q, probFloor);
      maximise();
      yield await run.done(loss);
    }
    await run.finish();
    return { net, posterior: q, confusion, evidence: toEvidence(confusion) };
  },
);
