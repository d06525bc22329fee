/**
 * EM with a network: the posterior over each task's class, from classifier and labels together, is what
 * the network learns next.
 */
import { voteShares } from "../aggregate/categorical/majority-vote.ts";
import { hardened } from "./aggregate-first.ts";
import { countLabels, countsToConfusion, infer } from "./evidence.ts";
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
      start: {
        default: "shares",
        choices: ["shares", "hard"],
        help: "What the network learns first: the shares of the votes, or the majority.",
      },
      smoothing: {
        ...{ default: 1e-4, min: 0, max: 0.1 },
        help: "Added to every share of a confusion before its logarithm.",
      },
      probFloor: {
        ...{ default: 1e-3, min: 0, max: 0.1 },
        help: "The least that the classifier's probabilities count for in the E step.",
      },
    },
    forecasts: true,
    confusion: true,
    cost: "O(network) a task and O(labels · K) an epoch",
  },
  async function* (session, { start, smoothing, probFloor }) {
    const { data } = session;
    const K = data.classes.length;
    const shares = voteShares(data);
    const q = start === "hard" ? hardened(session, shares) : shares;
    const confusion = new Float64Array(data.workers.length * K * K);
    const evidence = new Float64Array(confusion.length);
    const maximise = () => {
      countLabels(data, q, confusion);
      countsToConfusion(confusion, K, 0);
      confusion.forEach((share, at) => {
        evidence[at] = Math.log(share + smoothing);
      });
    };
    maximise();
    const net = await session.network((io) => ({ loss: crossEntropy(io.target, io.logits) }));
    const run = session.run(net, { q, confusion, evidence });
    const expect = async () => infer(data, await net.predict(), evidence, q, probFloor);
    while (run.more()) {
      await run.train((batch) => ({ target: rowsOf(q, batch, K) }));
      // Targets change with every epoch, so that only the likelihood can be compared across them.
      const likelihood = await expect();
      maximise();
      yield await run.done(-likelihood / session.trained.length);
    }
    await run.finish();
    await expect();
    return { net, posterior: q, confusion, evidence };
  },
);
