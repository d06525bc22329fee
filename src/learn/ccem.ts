/**
 * The coupled cross-entropy: every worker's label is the classifier's prediction passed through the
 * worker's confusion matrix, and all of it is learnt by gradient descent at once.
 */
import { given } from "../tensor/layers/starts.ts";
import { logSoftmax } from "../tensor/ops/softmax.ts";
import { infer, toEvidence } from "./evidence.ts";
import { learner } from "./learner.ts";
import { coupledCrossEntropy } from "./losses.ts";
import type { Io, Net } from "./network.ts";
import { trainingOptions } from "./options.ts";
import { rowSoftmax, startingLogits, startOptions } from "./worker-matrix.ts";

export const ccem = learner(
  {
    id: "ccem",
    title: "Coupled cross-entropy",
    summary:
      "Workers have confusion matrices; they and the classifier minimise the cross-entropy of the labels together.",
    paper: {
      authors: "F. Rodrigues, F. C. Pereira",
      year: 2018,
      title: "Deep Learning from Crowds",
      url: "https://doi.org/10.1609/aaai.v32i1.11506",
    },
    options: { ...trainingOptions, ...startOptions },
    forecasts: true,
    confusion: true,
    cost: "O(network) a task and O(K) a label",
  },
  async function* (session, options) {
    const { data } = session;
    const start = startingLogits(data, options);
    const net = await session.network((io) => ({
      loss: coupledCrossEntropy(io, logTheta(io, start)),
    }));
    const run = session.run(net);
    while (run.more()) {
      const loss = await run.train();
      yield await run.done(loss);
    }
    await run.finish();
    const confusion = readConfusion(net, data.classes.length);
    const evidence = toEvidence(confusion);
    const posterior = await net.predict();
    infer(data, posterior, evidence, posterior);
    return { net, posterior, confusion, evidence };
  },
);

/** log theta of all workers, from free rows through a softmax: [workers, classes, labels]. */
export function logTheta({ scope, workers, classes }: Io, start: Float64Array) {
  const shape = [workers, classes, classes];
  return logSoftmax(
    scope.parameter("confusion", shape, given(start), { group: "crowd", decay: false }),
  );
}

export function readConfusion(net: Net, K: number): Float64Array {
  return rowSoftmax(Float64Array.from(net.trainer.weights.get("confusion") ?? []), K);
}
