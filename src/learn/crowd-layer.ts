import { voteShares } from "../belief/votes.ts";
import type { CategoricalData } from "../data/categorical.ts";
import type { Tensor } from "../tensor/graph.ts";
import { filled, given } from "../tensor/layers/starts.ts";
import { add, multiply, negate } from "../tensor/ops/arithmetic.ts";
import { sum } from "../tensor/ops/broadcast.ts";
import { gather, pick } from "../tensor/ops/gather.ts";
import { mean } from "../tensor/ops/reduce.ts";
import { logSoftmax, softmax } from "../tensor/ops/softmax.ts";
import { trainCoupled } from "./coupled.ts";
import { voteEvidence } from "./evidence.ts";
import { learner } from "./learner.ts";
import { columnsOf, throughOwn } from "./losses.ts";
import type { Io } from "./network.ts";
import { trainingWith } from "./options.ts";
import { identityMatrix, startingLogits } from "./worker-matrix.ts";

const variants = ["MW", "VW", "VB", "VW+B", "SW", "simplex"] as const;
export type Variant = (typeof variants)[number];

/**
 * Crowd layer: each worker transforms the classifier's probabilities; the transformations are
 * learnt with the network, without EM.
 */
export const crowdLayer = learner(
  {
    id: "crowd-layer",
    title: "Crowd layer",
    summary:
      "Adds one layer per worker on top of the classifier, trained together with the network, without EM.",
    paper: {
      authors: "F. Rodrigues, F. C. Pereira",
      year: 2018,
      title: "Deep Learning from Crowds",
      url: "https://doi.org/10.1609/aaai.v32i1.11506",
    },
    options: {
      ...trainingWith({ rate: 3e-3, schedule: "cosine", steps: 2400 }),
      variant: {
        default: "MW",
        choices: variants,
        help: "Parameters per worker: a matrix, one weight per class, one bias per class, both, a single weight, or a confusion matrix.",
      },
      start: {
        default: "identity",
        choices: ["identity", "votes"],
        help: "Initial matrices: the identity, or an estimate from the votes.",
      },
      loss: {
        default: "exact",
        choices: ["exact", "jensen"],
        help: "With simplex: -log of the mixed probability, or its upper bound, the mean of -log.",
      },
    },
    forecasts: false,
    confusion: false,
    cost: "O(network) per task and O(K²) per label for MW, O(K) for the others",
  },
  async function* (session, { variant, start, loss: kind }) {
    const { data } = session;
    if (variant === "simplex") {
      const from = start === "votes" ? "votes" : "diagonal";
      const logits = startingLogits(data, { start: from, startDiagonal: 0.9 });
      const jensen = kind === "jensen" ? { misfit: expectedCrossEntropy } : {};
      return yield* trainCoupled(session, { start: logits, ...jensen });
    }
    const matrices = startingMatrices(data, start);
    const net = await session.network((io) => ({ loss: layerLoss(io, variant, matrices) }));
    const run = session.run(net);
    while (run.more()) {
      const loss = await run.train();
      yield await run.done(loss);
    }
    await run.finish();
    return { net, workerWeights: readWeights(net.trainer.weights, variant) };
  },
);

function startingMatrices(data: CategoricalData, start: "identity" | "votes"): Float64Array {
  if (start === "votes") return voteEvidence(data, voteShares(data), 1e-4);
  const K = data.classes.length;
  const block = identityMatrix(K);
  return Float64Array.from({ length: data.workers.length * K * K }, (_, at) => block[at % (K * K)]);
}

/** -mean over the labels of log softmax(a)[y], a the worker's logits. */
export function layerLoss(
  io: Io,
  variant: Exclude<Variant, "simplex">,
  matrices: Float64Array,
): Tensor {
  const { scope, workers, classes, worker, label, task } = io;
  const f = gather(softmax(io.logits), task);
  const vector = (name: string, width: number, start: number) =>
    gather(
      scope.parameter(name, [workers, width], filled(start), { group: "crowd", decay: false }),
      worker,
    );
  const logits = {
    MW: () => {
      const shape = [workers, classes, classes];
      const all = scope.parameter("matrix", shape, given(matrices), {
        group: "crowd",
        decay: false,
      });
      return throughOwn(f, gather(all, worker));
    },
    VW: () => multiply(vector("weight", classes, 1), f),
    VB: () => add(f, vector("bias", classes, 0)),
    "VW+B": () => add(multiply(vector("weight", classes, 1), f), vector("bias", classes, 0)),
    SW: () => multiply(vector("weight", 1, 1), f),
  }[variant]();
  return negate(mean(pick(logSoftmax(logits), label)));
}

/** -mean over the labels of sum_k f[k] log theta[u][k][y]: at least the exact loss, by Jensen. */
export function expectedCrossEntropy(io: Io, logTheta: Tensor): Tensor {
  const f = gather(softmax(io.logits), io.task);
  return negate(mean(sum(multiply(f, columnsOf(logTheta, io)), [1])));
}

/** All numbers that workers have, matrices as [(worker * K + class) * K + label]. */
function readWeights(weights: ReadonlyMap<string, Float32Array>, variant: Variant): Float64Array {
  const names = variant === "MW" ? ["matrix"] : ["weight", "bias"];
  return Float64Array.from(names.flatMap((name) => [...(weights.get(name) ?? [])]));
}
