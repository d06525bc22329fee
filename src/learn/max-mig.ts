import { voteShares } from "../belief/votes.ts";
import { byTask, type CategoricalData } from "../data/categorical.ts";
import { append } from "../math/lists.ts";
import { normalizeLog } from "../math/log-sum-exp.ts";
import { constant, type Tensor } from "../tensor/graph.ts";
import { given } from "../tensor/layers/starts.ts";
import { add, divide, maximum, multiply, negate, subtract } from "../tensor/ops/arithmetic.ts";
import { sizeOf, sum } from "../tensor/ops/broadcast.ts";
import { exp, log, softplus, square } from "../tensor/ops/elementwise.ts";
import { scatterAdd } from "../tensor/ops/gather.ts";
import { transpose } from "../tensor/ops/layout.ts";
import { matmul } from "../tensor/ops/matmul.ts";
import { logSumExp, mean } from "../tensor/ops/reduce.ts";
import { logSoftmax } from "../tensor/ops/softmax.ts";
import { infer, voteEvidence } from "./evidence.ts";
import { learner } from "./learner.ts";
import { columnsOf } from "./losses.ts";
import type { Io } from "./network.ts";
import { trainingWith } from "./options.ts";

const divergences = ["kl", "pearson", "js"] as const;
export type Divergence = (typeof divergences)[number];

/**
 * Max-MIG: classifier and label aggregator are trained to share as much information as possible;
 * robust to copied labels.
 */
export const maxMig = learner(
  {
    id: "max-mig",
    title: "Max-MIG",
    summary:
      "Maximises the mutual information between classifier and label aggregator; robust to copied labels, shared mistakes and a naive majority.",
    paper: {
      authors: "P. Cao, Y. Xu, Y. Kong, Y. Wang",
      year: 2019,
      title: "Max-MIG: an Information Theoretic Approach for Joint Learning from Crowds",
      url: "https://openreview.net/forum?id=BJg9DoR9t7",
    },
    options: {
      ...trainingWith({ patience: 10 }),
      divergence: {
        default: "kl",
        choices: divergences,
        help: "Divergence of the mutual information.",
      },
      prior: {
        default: "uniform",
        choices: ["uniform", "votes", "learned"],
        help: "Class prior: uniform, the vote shares, or learned.",
      },
      priorRate: {
        default: 0.01,
        min: 0,
        help: "Learning rate of a learned prior; 0 uses the rate of the workers.",
      },
      start: {
        default: "votes",
        choices: ["votes", "zero"],
        help: "Initial weight of the labels: an estimate from the votes, or zero.",
      },
      epsilon: {
        default: 1e-4,
        min: 0,
        help: "Constant added to the shares before taking logarithms at the start.",
      },
    },
    forecasts: true,
    confusion: false,
    cost: "O(network) per task and O(K) per label for kl, O(batch · K) per task for the others",
  },
  async function* (session, { divergence, prior: kind, priorRate, start, epsilon }) {
    const { data } = session;
    const K = data.classes.length;
    const shares = voteShares(data);
    const prior = startingPrior(data, shares, kind);
    const weights = new Float64Array(data.workers.length * K * K);
    if (start === "votes") {
      weights.set(voteEvidence(data, shares, epsilon));
      const scale = desaturation(data, weights, prior);
      if (scale < 1) {
        session.notes.push(
          `The workers' weights start at ${scale.toPrecision(2)} of what the votes say, which would leave no gradient.`,
        );
        weights.forEach((w, i) => {
          weights[i] = w * scale;
        });
      }
    }
    const settings = { divergence, learned: kind === "learned", prior, weights };
    const { rate, crowdRate } = session.options;
    const groups = { prior: { rate: priorRate || crowdRate || rate } };
    const net = await session.network((io) => ({ loss: negativeGain(io, settings) }), { groups });
    const run = session.run(net);
    while (run.more()) {
      const loss = await run.train(undefined, { dropLast: true, shares: { prior: 1 } });
      yield await run.done(loss);
    }
    await run.finish();
    const evidence = Float64Array.from(net.trainer.weights.get("weights") ?? []);
    const posterior = await net.predict();
    append(session.notes, mergedClasses(data, posterior, shares));
    // log h + log g - log p: the prior in g cancels.
    infer(data, posterior, evidence, posterior);
    const learned = Float64Array.from(net.trainer.weights.get("prior") ?? prior.map(Math.log));
    normalizeLog(learned, 0, K);
    return { net, posterior, evidence, workerWeights: evidence, prior: learned };
  },
);

function startingPrior(
  data: CategoricalData,
  shares: Float64Array,
  kind: "uniform" | "votes" | "learned",
) {
  const K = data.classes.length;
  const prior = new Float64Array(K).fill(kind === "votes" ? 1e-6 : 1);
  if (kind === "votes")
    shares.forEach((share, at) => {
      prior[at % K] += share;
    });
  const total = prior.reduce((a, b) => a + b);
  return prior.map((p) => p / total);
}

/** At most this is the usual lead of a task's first class over its second, in nats, at the start. */
const LARGEST_LEAD = 20;

/** What the weights must be multiplied by, at most 1, so that the aggregator is not saturated. */
export function desaturation(
  data: CategoricalData,
  weights: Float64Array,
  prior: Float64Array,
): number {
  const K = data.classes.length;
  const { start, other, label } = byTask(data);
  const leads: number[] = [];
  for (let t = 0; t < data.tasks.length; t++) {
    if (start[t] === start[t + 1]) continue;
    const logits = prior.map(Math.log);
    for (let j = start[t]; j < start[t + 1]; j++) {
      for (let k = 0; k < K; k++) logits[k] += weights[(other[j] * K + k) * K + label[j]];
    }
    logits.sort((a, b) => b - a);
    leads.push(logits[0] - logits[1]);
  }
  leads.sort((a, b) => a - b);
  const median = leads[leads.length >> 1] ?? 0;
  return median > LARGEST_LEAD ? LARGEST_LEAD / median : 1;
}

/**
 * Two classes that share most of their labels can end as one, which costs little information. A sign of
 * it is a class that the classifier gives less than a tenth of its votes.
 */
function mergedClasses(data: CategoricalData, h: Float64Array, shares: Float64Array): string[] {
  const total = (table: Float64Array, k: number) =>
    table.reduce((sum, share, at) => (at % data.classes.length === k ? sum + share : sum), 0);
  const lost = [...data.classes].filter((_, k) => total(h, k) < 0.1 * total(shares, k));
  if (lost.length === 0) return [];
  return [
    `The classifier hardly ever says ${lost.join(", ")}: ${lost.length > 1 ? "they have" : "it has"} merged with other classes. A smaller crowdRate may help.`,
  ];
}

export interface GainSettings {
  readonly divergence: Divergence;
  readonly learned: boolean;
  readonly prior: Float64Array;
  readonly weights: Float64Array;
}

/** Minus the mutual information gain of classifier and aggregator on a batch. */
export function negativeGain(
  io: Io,
  { divergence, learned, prior, weights }: GainSettings,
): Tensor {
  const { scope, workers, classes } = io;
  const logPrior = learned
    ? logSoftmax(
        scope.parameter("prior", [classes], given(prior.map(Math.log)), {
          group: "prior",
          decay: false,
        }),
      )
    : constant(prior.map(Math.log), [classes]);
  const all = scope.parameter("weights", [workers, classes, classes], given(weights), {
    group: "crowd",
    decay: false,
  });
  const said = scatterAdd(columnsOf(all, io), io.task, io.logits);
  const g = logSoftmax(add(said, logPrior));
  const h = subtract(logSoftmax(io.logits), logPrior);
  return negate(gains[divergence](h, g));
}

/**
 * MIG from log(h / p) and log g, both [batch, classes]; S[i][j] = sum_k h[i][k] g[j][k] / p[k]. The
 * diagonal of S is kept as logarithms, so that tasks on which h and g disagree completely still pull.
 */
export const gains: Readonly<Record<Divergence, (h: Tensor, g: Tensor) => Tensor>> = {
  // Only sums of S are needed besides its diagonal.
  kl: (h, g) => {
    const same = logSumExp(add(h, g));
    const all = sum(multiply(sum(exp(h), [0]), sum(exp(g), [0])));
    const others = divide(subtract(all, sum(exp(same))), pairs(h));
    return subtract(add(mean(same), 1), others);
  },
  pearson: (h, g) => {
    const same = exp(logSumExp(add(h, g)));
    const squares = subtract(sum(square(agreement(h, g))), sum(square(same)));
    const others = subtract(divide(squares, pairs(h)), 1);
    return subtract(multiply(subtract(mean(same), 1), 2), others);
  },
  js: (h, g) => {
    const same = logSumExp(add(h, g));
    // log(1 + S)
    const all = sum(log(add(agreement(h, g), 1)));
    const others = divide(subtract(all, sum(softplus(same))), pairs(h));
    const own = mean(subtract(same, softplus(same)));
    return add(subtract(own, others), 2 * Math.LN2);
  },
};

const agreement = (h: Tensor, g: Tensor): Tensor => matmul(exp(h), transpose(exp(g), [1, 0]));

/** Pairs of different tasks in the batch; 1 where there are none. */
function pairs(h: Tensor): Tensor {
  const size = sizeOf(h, [0]);
  return maximum(multiply(size, subtract(size, 1)), 1);
}
