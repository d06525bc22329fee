/**
 * Maximum likelihood of a softmax regression and of every worker's confusion matrix at once, by EM: the
 * method that began learning from crowds.
 *
 *   LL = sum_i log sum_k f(x_i)[k] prod_u theta[u][k][y_iu]
 *        + smoothing · sum log theta - lambda / 2 · |w|²
 */
import { voteShares } from "../aggregate/categorical/majority-vote.ts";
import { rowSize } from "../dataset/features.ts";
import { minimise } from "../math/lbfgs.ts";
import { countLabels, countsToConfusion, infer, normalise, toEvidence } from "./evidence.ts";
import { learner } from "./learner.ts";
import { crossEntropy } from "./losses.ts";
import type { Net } from "./network.ts";
import { trainingOptions } from "./options.ts";
import type { Session } from "./session.ts";

export const raykar = learner(
  {
    id: "raykar",
    title: "Raykar's EM",
    summary:
      "Softmax regression and confusion matrices that together make the labels most likely; workers err independently of each other and of the features.",
    paper: {
      authors: "V. C. Raykar, S. Yu, L. H. Zhao, G. H. Valadez, C. Florin, L. Bogoni, L. Moy",
      year: 2010,
      title: "Learning From Crowds",
      url: "https://www.jmlr.org/papers/v11/raykar10a.html",
    },
    options: {
      standardise: trainingOptions.standardise,
      epochs: { default: 100, min: 1, integer: true, help: "Most iterations of EM." },
      tolerance: {
        ...{ default: 1e-6, min: 0 },
        help: "Stop when the objective rises by less than this share of itself.",
      },
      lambda: {
        ...{ default: 0.01, min: 1e-9 },
        help: "Penalty on squared weights; without one separable tasks have no solution.",
      },
      smoothing: { default: 0.01, min: 0, help: "Added to every cell of a confusion matrix." },
      innerSteps: {
        ...{ default: 5, min: 1, integer: true },
        help: "Steps of the regression for each of EM; more are not needed.",
      },
      selection: trainingOptions.selection,
      patience: trainingOptions.patience,
      validShare: trainingOptions.validShare,
      seed: trainingOptions.seed,
    },
    fixed: { model: "logistic" },
    forecasts: true,
    confusion: true,
    cost: "O(labels · K + tasks · features · K) an iteration; all features in memory",
  },
  async function* (session, { tolerance, lambda, smoothing, innerSteps }) {
    const { data } = session;
    const K = data.classes.length;
    const x = readRows(session);
    const q = voteShares(data);
    const confusion = new Float64Array(data.workers.length * K * K);
    const weights = new Float64Array((x.size + 1) * K);
    const previous = Float64Array.of(-Infinity);
    const f = new Float64Array(data.tasks.length * K).fill(1 / K);
    const maximise = () => {
      countLabels(data, q, confusion);
      countsToConfusion(confusion, K, smoothing);
      const regression = createRegression(x, K, q, lambda);
      weights.set(minimise(regression.loss, weights, { maxIterations: innerSteps }).x);
      regression.predict(weights, f);
    };
    const net = await session.network((io) => ({ loss: crossEntropy(io.target, io.logits) }));
    const run = session.run(net, { q, confusion, weights, f, previous });
    if (run.epoch === 0) maximise();
    let settled = false;
    while (run.more() && !settled) {
      const likelihood = infer(data, f, toEvidence(confusion), q, 0);
      const objective = likelihood + penalties(confusion, weights, smoothing, lambda, K);
      settled = objective - previous[0] < tolerance * Math.abs(objective);
      previous[0] = objective;
      maximise();
      writeWeights(net, weights, K);
      yield await run.done(-objective);
    }
    await run.finish();
    writeWeights(net, weights, K);
    infer(data, f, toEvidence(confusion), q, 0);
    const notes = settled ? [] : [`Stopped after ${run.epoch} iterations, before it settled.`];
    return { net, posterior: q, confusion, evidence: toEvidence(confusion), notes };
  },
);

interface Rows {
  /** The tasks of the rows. */
  readonly tasks: Int32Array;
  readonly size: number;
  /** Standardised, one row after another. */
  readonly values: Float64Array;
}

/** The features of all labelled tasks, as the network would see them. */
function readRows({ features, rows, trained: tasks, statistics }: Session): Rows {
  const size = rowSize(features);
  const values = new Float64Array(tasks.length * size);
  const row = new Float32Array(size);
  const per = statistics ? size / statistics.mean.length : 1;
  tasks.forEach((t, i) => {
    features.read([rows[t]], row);
    for (let j = 0; j < size; j++) {
      const at = Math.floor(j / per);
      values[i * size + j] = statistics
        ? (row[j] - statistics.mean[at]) / statistics.scale[at]
        : row[j];
    }
  });
  return { tasks, size, values };
}

/** -sum_i sum_k q log f + lambda / 2 |w|² and its gradient; weights are [size, K], then K biases. */
function createRegression(
  { tasks, size, values }: Rows,
  K: number,
  q: Float64Array,
  lambda: number,
) {
  const score = (weights: Float64Array, i: number, into: Float64Array, at: number) => {
    for (let k = 0; k < K; k++) into[at + k] = weights[size * K + k];
    for (let j = 0; j < size; j++) {
      const x = values[i * size + j];
      for (let k = 0; k < K; k++) into[at + k] += x * weights[j * K + k];
    }
  };
  const residual = new Float64Array(K);
  return {
    loss(weights: Float64Array, gradient: Float64Array): number {
      let total = 0;
      for (let j = 0; j < size * K; j++) {
        total += (lambda / 2) * weights[j] ** 2;
        gradient[j] = lambda * weights[j];
      }
      gradient.fill(0, size * K);
      tasks.forEach((t, i) => {
        score(weights, i, residual, 0);
        for (let k = 0; k < K; k++) total -= q[t * K + k] * residual[k];
        total += normalise(residual, 0, K);
        for (let k = 0; k < K; k++) gradient[size * K + k] += residual[k] -= q[t * K + k];
        for (let j = 0; j < size; j++) {
          const x = values[i * size + j];
          for (let k = 0; k < K; k++) gradient[j * K + k] += x * residual[k];
        }
      });
      return total;
    },
    predict(weights: Float64Array, f: Float64Array): void {
      tasks.forEach((t, i) => {
        score(weights, i, f, t * K);
        normalise(f, t * K, K);
      });
    },
  };
}

function penalties(
  confusion: Float64Array,
  weights: Float64Array,
  smoothing: number,
  lambda: number,
  K: number,
): number {
  const rows = weights.length - K;
  let total = 0;
  for (let j = 0; j < rows; j++) total -= (lambda / 2) * weights[j] ** 2;
  if (smoothing > 0) for (const p of confusion) total += smoothing * Math.log(p);
  return total;
}

/** The regression's weights as those of the network that is the classifier. */
function writeWeights({ trainer: { weights: own } }: Net, weights: Float64Array, K: number): void {
  own.get("head/weight")?.set(weights.subarray(0, weights.length - K));
  own.get("head/bias")?.set(weights.subarray(weights.length - K));
}
