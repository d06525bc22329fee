/**
 * EM with a network: the posterior over each task's class, from classifier and labels together, is what
 * the network learns next.
 */
import { createCrowdEm, emOptions } from "./crowd-em.ts";
import { learner } from "./learner.ts";
import { crossEntropy } from "./losses.ts";
import { rowsOf } from "./network.ts";
import { trainingOptions } from "./options.ts";

/**
 * AggNet: workers have confusion matrices and err independently; classifier and matrices are learnt
 * in turns, by EM.
 */
export const aggnet = learner(
  {
    id: "aggnet",
    title: "AggNet",
    summary:
      "Workers have confusion matrices and err independently; EM alternates between the classifier and the matrices.",
    paper: {
      authors: "S. Albarqouni, C. Baur, F. Achilles, V. Belagiannis, S. Demirci, N. Navab",
      year: 2016,
      title:
        "AggNet: Deep Learning From Crowds for Mitosis Detection in Breast Cancer Histology Images",
      url: "https://doi.org/10.1109/TMI.2016.2528120",
    },
    options: {
      ...trainingOptions,
      ...emOptions,
    },
    forecasts: true,
    confusion: true,
    cost: "O(network) per task and O(labels · K) per epoch",
  },
  async function* (session, options) {
    const em = createCrowdEm(session, options);
    const { q, confusion, evidence } = em.state;
    const K = session.data.classes.length;
    const net = await session.network((io) => ({ loss: crossEntropy(io.target, io.logits) }));
    const run = session.run(net, em.state);
    while (run.more()) {
      await run.train((batch) => ({ target: rowsOf(q, batch, K) }));
      // Targets change with every epoch, so that only the likelihood can be compared across them.
      const likelihood = em.expect(await net.predict());
      em.maximise();
      yield await run.done(-likelihood / session.trained.length);
    }
    await run.finish();
    em.expect(await net.predict());
    return { net, posterior: q, confusion, evidence };
  },
);
