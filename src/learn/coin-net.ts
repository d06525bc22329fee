/**
 * The coupled cross-entropy with a correction for every label: on most tasks it is nothing, and on a few,
 * the outliers, it takes what no confusion matrix explains, so that these tasks do not spoil the rest.
 *
 *   P(label of worker u | x) = sum_k f(x)[k] theta[u][k] + e        e sums to 0 over the classes
 *
 * minimise the cross-entropy of the labels + mu1 · mean over tasks of (|e|² + zeta)^(p/2)
 *          - mu2 · log det(FᵀF + rI)
 */

import { byTask, type CategoricalData } from "../data/categorical.ts";
import { normalizeLog } from "../math/log-sum-exp.ts";
import { input, type Tensor } from "../tensor/graph.ts";
import { add, clip, divide, multiply, negate, subtract } from "../tensor/ops/arithmetic.ts";
import { sum } from "../tensor/ops/broadcast.ts";
import { exp, log, power, square } from "../tensor/ops/elementwise.ts";
import { gather, pick, scatterAdd } from "../tensor/ops/gather.ts";
import { mean } from "../tensor/ops/reduce.ts";
import { softmax } from "../tensor/ops/softmax.ts";
import { createRowAdam } from "../tensor/optim/row-adam.ts";
import type { Objective } from "../tensor/train.ts";
import { logTheta } from "./coupled.ts";
import { toEvidence } from "./evidence.ts";
import {
  geoOptions,
  noteSmallBatches,
  volumeOfPredictions,
  volumeWeight,
} from "./geo-crowd-net-f.ts";
import { learner } from "./learner.ts";
import { throughOwn } from "./losses.ts";
import type { Io } from "./network.ts";
import { rowSoftmax, startingLogits } from "./worker-matrix.ts";

/** Probabilities are kept at least this far from 0 and 1. */
const LEAST = 1e-10;
/** Added to |e|², so that its root has a slope at 0. */
const ZETA = 1e-10;
/** The penalty is steep near 0: a longer gradient of a label's correction is cut to this. */
const LONGEST = 1;

const { lambda: _, ...shared } = geoOptions;

/**
 * COINNet: coupled cross-entropy in which a few tasks are outliers, whose labels follow no
 * confusion matrix.
 */
export const coinNet = learner(
  {
    id: "coin-net",
    title: "COINNet",
    summary:
      "Coupled cross-entropy in which a few tasks may be outliers that follow no confusion matrix; outliers are detected and do not affect the workers.",
    paper: {
      authors: "T. Nguyen, S. Ibrahim, X. Fu",
      year: 2024,
      title:
        "Noisy Label Learning with Instance-Dependent Outliers: Identifiability via Crowd Wisdom",
      url: "https://openreview.net/forum?id=HTLJptF7qM",
    },
    options: {
      ...shared,
      decay: { ...shared.decay, default: 1e-3 },
      mu1: { default: 0.01, min: 0, help: "Weight of the penalty on the corrections." },
      mu2: { default: 0.01, min: 0, help: "Weight of the volume of the predictions." },
      exponent: {
        default: 0.4,
        min: 0.01,
        max: 2,
        help: "Exponent of a task's correction in the penalty; smaller values give fewer outliers.",
      },
      outlierRate: {
        default: 0,
        min: 0,
        help: "Learning rate of the corrections; 0 uses the rate of the network.",
      },
    },
    forecasts: true,
    confusion: true,
    cost: "O(network) per task, O(K²) per label, O(batch · K² + K³) per step; 3 K numbers per label are kept",
  },
  async function* (session, { outlierRate, ...settings }) {
    const { data } = session;
    const pace = outlierRate || session.options.rate;
    const K = data.classes.length;
    const start = startingLogits(data, settings);
    if (settings.mu2 > 0) noteSmallBatches(session);
    const net = await session.network((io) => {
      const mu2 = volumeWeight(io, settings.mu2, settings);
      return coinObjective(io, { ...settings, mu2, start });
    });
    const corrections = createRowAdam(data.label.length, K, { clip: LONGEST });
    const run = session.run(net, corrections.state);
    while (run.more()) {
      const loss = await run.train(
        ({ labels }) => ({ corrections: rowsAt(corrections.values, labels, K) }),
        {
          after: ({ labels }, { gradients }, share) =>
            corrections.step(labels, gradients["corrections"], share * pace),
        },
      );
      yield await run.done(loss);
    }
    await run.finish();
    const confusion = rowSoftmax(Float64Array.from(net.trainer.weights.get("confusion") ?? []), K);
    const e = centred(corrections.values, K);
    const posterior = believe(data, await net.predict(), confusion, e);
    const evidence = toEvidence(confusion);
    return { net, posterior, confusion, evidence, outlierScores: sizes(data, e) };
  },
);

export interface CoinSettings {
  readonly start: Float64Array;
  readonly mu1: number;
  readonly mu2: number;
  readonly exponent: number;
  readonly ridge: number;
}

/** The loss, and the corrections of the batch's labels as an input whose gradient is wanted. */
export function coinObjective(io: Io, settings: CoinSettings): Objective {
  const { classes, task, worker, label } = io;
  const { mu1, mu2, exponent, ridge } = settings;
  const free = input("corrections", ["labels", classes]);
  const e = subtract(free, mean(free, [1], true));
  const theta = exp(logTheta(io, settings.start));
  const f = softmax(io.logits);
  const mixed = throughOwn(gather(f, task), gather(theta, worker));
  const p = clip(add(mixed, e), LEAST, 1 - LEAST);
  const misfit = negate(mean(log(divide(pick(p, label), sum(p, [1])))));
  const size = sum(scatterAdd(square(e), task, io.logits), [1]);
  const sparsity = multiply(mean(power(add(size, ZETA), exponent / 2)), mu1);
  const parts: Tensor[] = [misfit, sparsity];
  if (mu2 > 0) parts.push(volumeOfPredictions(io, { lambda: mu2, ridge }));
  return { loss: parts.reduce(add), differentiate: [free] };
}

/** Rows of a table, one after another. */
function rowsAt(table: Float64Array, rows: Int32Array, width: number): Float32Array {
  const picked = new Float32Array(rows.length * width);
  rows.forEach((row, i) => {
    picked.set(table.subarray(row * width, (row + 1) * width), i * width);
  });
  return picked;
}

/** The same rows with sum 0. */
function centred(free: Float64Array, K: number): Float64Array {
  const e = free.slice();
  for (let row = 0; row < e.length; row += K) {
    let total = 0;
    for (let k = row; k < row + K; k++) total += e[k];
    for (let k = row; k < row + K; k++) e[k] -= total / K;
  }
  return e;
}

/**
 * f[k] · product over the labels of theta[u][k][y] + e[y], normalised: where e explains a label, that
 * label says little of the class.
 */
function believe(
  data: CategoricalData,
  f: Float64Array,
  confusion: Float64Array,
  e: Float64Array,
): Float64Array {
  const K = data.classes.length;
  const { start, other, label } = byTask(data);
  const posterior = f.map((p) => Math.log(Math.max(p, 1e-9)));
  for (let t = 0; t < data.tasks.length; t++) {
    for (let j = start[t]; j < start[t + 1]; j++) {
      for (let k = 0; k < K; k++) {
        const p = confusion[(other[j] * K + k) * K + label[j]] + e[j * K + label[j]];
        posterior[t * K + k] += Math.log(Math.max(p, LEAST));
      }
    }
    normalizeLog(posterior, t * K, (t + 1) * K);
  }
  return posterior;
}

/** The sum of the squares of each task's corrections. */
function sizes(data: CategoricalData, e: Float64Array): Float64Array {
  const K = data.classes.length;
  const { start } = byTask(data);
  return Float64Array.from(data.tasks, (_, t) =>
    e.subarray(start[t] * K, start[t + 1] * K).reduce((total, x) => total + x * x, 0),
  );
}
