import { voteShares } from "../belief/votes.ts";
import { rowSize } from "../data/features.ts";
import { countLabels, countsToConfusion, inferFromLogs, toEvidence } from "./evidence.ts";
import { learner } from "./learner.ts";
import { crossEntropy } from "./losses.ts";
import type { Net } from "./network.ts";
import { trainingOptions } from "./options.ts";
import type { Session } from "./session.ts";
import { createRegression, type Rows } from "./softmax-regression.ts";

/**
 * Raykar's EM: softmax regression and confusion matrices that together make the labels most likely.
 */
export const raykar = learner(
  {
    id: "raykar",
    title: "Raykar's EM",
    summary:
      "Fits softmax regression and confusion matrices together by maximum likelihood; workers err independently of each other and of the features.",
    paper: {
      authors: "V. C. Raykar, S. Yu, L. H. Zhao, G. H. Valadez, C. Florin, L. Bogoni, L. Moy",
      year: 2010,
      title: "Learning From Crowds",
      url: "https://www.jmlr.org/papers/v11/raykar10a.html",
    },
    options: {
      standardise: trainingOptions.standardise,
      epochs: { default: 100, min: 1, integer: true, help: "Maximum number of EM iterations." },
      tolerance: {
        default: 1e-6,
        min: 0,
        help: "Relative increase of the objective at which to stop.",
      },
      lambda: {
        default: 30,
        min: 1e-9,
        help: "Penalty on squared weights; with 0, separable classes have no finite solution.",
      },
      smoothing: {
        default: 0.1,
        min: 0,
        help: "Pseudo-count added to every cell of the confusion matrices.",
      },
      innerSteps: {
        default: 2,
        min: 1,
        integer: true,
        help: "Number of regression steps per EM iteration.",
      },
      selection: trainingOptions.selection,
      patience: trainingOptions.patience,
      validShare: trainingOptions.validShare,
      copies: trainingOptions.copies,
      calibrate: trainingOptions.calibrate,
      seed: trainingOptions.seed,
    },
    fixed: { model: "logistic" },
    forecasts: true,
    confusion: true,
    cost: "O(labels · K + tasks · features · K) per iteration; all features in memory",
  },
  async function* (session, { tolerance, lambda, smoothing, innerSteps }) {
    const { data } = session;
    const K = data.classes.length;
    const regression = createRegression(readRows(session), K, lambda);
    const q = voteShares(data);
    const confusion = new Float64Array(data.workers.length * K * K);
    const infer = () => {
      regression.logProbabilities(q);
      return inferFromLogs(data, toEvidence(confusion), q);
    };
    const maximise = () => {
      countLabels(data, q, confusion);
      countsToConfusion(confusion, K, smoothing);
      regression.improve(q, innerSteps);
    };
    const net = await session.network((io) => ({ loss: crossEntropy(io.target, io.logits) }));
    const last = Float64Array.of(-Infinity);
    const settled = Float64Array.of(0);
    const run = session.run(net, { q, confusion, last, settled, ...regression.state });
    if (run.epoch === 0) maximise();
    while (run.more() && !settled[0]) {
      const likelihood = infer();
      const objective =
        likelihood + smoothing * sumOfLogs(confusion, smoothing) - regression.penalty();
      settled[0] = Number(objective - last[0] < tolerance * Math.abs(objective));
      last[0] = objective;
      maximise();
      writeWeights(net, regression.weights, K);
      yield await run.done(-objective);
    }
    await run.finish();
    writeWeights(net, regression.weights, K);
    infer();
    const notes = settled[0] ? [] : [`Stopped after ${run.epoch} iterations without converging.`];
    return { net, posterior: q, confusion, evidence: toEvidence(confusion), notes };
  },
);

/** The features of all tasks as the network would see them; of tasks without labels zeros, which say nothing. */
function readRows({ data, features, rows, trained, statistics }: Session): Rows {
  const size = rowSize(features);
  const width = size + 1;
  const count = data.tasks.length;
  const values = new Float64Array(Math.ceil(count / 4) * 4 * width);
  const row = new Float32Array(size);
  const per = statistics ? size / statistics.mean.length : 1;
  for (const t of trained) {
    features.read([rows[t]], row);
    for (let j = 0; j < size; j++) {
      const at = Math.floor(j / per);
      values[t * width + j] = statistics
        ? (row[j] - statistics.mean[at]) / statistics.scale[at]
        : row[j];
    }
    values[t * width + size] = 1;
  }
  return { count, width, values };
}

const sumOfLogs = (confusion: Float64Array, smoothing: number) =>
  smoothing > 0 ? confusion.reduce((sum, p) => sum + Math.log(p), 0) : 0;

/** The regression's weights, by class, as those of the network that is the classifier, by feature. */
function writeWeights({ trainer }: Net, weights: Float64Array, K: number): void {
  const size = weights.length / K - 1;
  const byFeature = new Float32Array(size * K);
  const bias = new Float32Array(K);
  for (let k = 0; k < K; k++) {
    const own = weights.subarray(k * (size + 1), (k + 1) * (size + 1));
    for (let j = 0; j < size; j++) byFeature[j * K + k] = own[j];
    bias[k] = own[size];
  }
  trainer.weights.get("head/weight")?.set(byFeature);
  trainer.weights.get("head/bias")?.set(bias);
}
