/**
 * Crowd layer for numbers: what a worker says of a task is the network's value, shifted and stretched by the worker.
 *
 *   B    f(x) + b[w]          S    s[w] f(x)
 *   S+B  s[w] f(x) + b[w]     B+S  s[w] (f(x) + b[w])
 *
 * Mean squared error over the answers that there are, network and workers trained together. With `noise` each worker has
 * a noise of an own size, σ[w] = exp(t[w]), and the loss is (y - ŷ)² / 2σ² + t with t ~ N(mean t, 1).
 *
 * A shift of all workers and the opposite one of the network leave all answers as they are, and so does a stretch. Here
 * offsets have the mean 0 and stretches the mean 1 over the answers, in every step; the original leaves both open.
 *
 * Rodrigues & Pereira (2018), AAAI. https://doi.org/10.1609/aaai.v32i1.11506
 */
import { type NumericData, outputsOf } from "../../data/numeric.ts";
import { constant, type Tensor } from "../../tensor/graph.ts";
import { filled } from "../../tensor/layers/starts.ts";
import { add, divide, multiply, subtract } from "../../tensor/ops/arithmetic.ts";
import { sum } from "../../tensor/ops/broadcast.ts";
import { exp, square } from "../../tensor/ops/elementwise.ts";
import { gather, pick } from "../../tensor/ops/gather.ts";
import { mean } from "../../tensor/ops/reduce.ts";
import { reshape } from "../../tensor/ops/reshape.ts";
import type { Io } from "../network.ts";
import { networkWith } from "../options.ts";
import { numericLearner, type Scale, scaleOf } from "./numeric-learner.ts";

const variants = ["B", "S", "S+B", "B+S"] as const;
export type RegressionVariant = (typeof variants)[number];

/** Crowd layer for numbers: workers shift and stretch what the network says; both are learnt together. */
export const crowdLayerRegression = numericLearner(
  {
    id: "crowd-layer-regression",
    title: "Crowd layer for numbers",
    summary:
      "Workers shift or stretch what the network says of a task; their offsets are trained together with it.",
    paper: {
      authors: "F. Rodrigues, F. C. Pereira",
      year: 2018,
      title: "Deep Learning from Crowds",
      url: "https://doi.org/10.1609/aaai.v32i1.11506",
    },
    options: {
      ...networkWith({ dropout: 0, epochs: 200, decay: 0.01 }),
      variant: {
        default: "B",
        choices: variants,
        help: "Parameters per worker: an offset, a stretch, a stretch and then an offset, or an offset and then a stretch.",
      },
      noise: {
        default: false,
        help: "Learn how noisy each worker is; precise workers count more.",
      },
    },
    cost: "O(network) per task and O(1) per answer",
  },
  async function* (session, { variant, noise }) {
    const counts = countsPerWorker(session.data);
    const net = await session.network((io) => ({
      loss: regressionLoss(io, { variant, noise, counts }),
    }));
    const run = session.run(net);
    while (run.more()) {
      const loss = await run.train();
      yield await run.done(loss);
    }
    await run.finish();
    return { net, ...workersOf(net.trainer.weights, variant, counts, scaleOf(session.data)) };
  },
);

/** Answers of each worker to each output, as counts[worker * outputs + output]. */
function countsPerWorker(data: NumericData): Float64Array {
  const O = data.outputs?.names.length ?? 1;
  const output = outputsOf(data, data.task);
  const counts = new Float64Array(data.workers.length * O);
  data.worker.forEach((w, i) => {
    counts[w * O + output[i]] += data.weight ? data.weight[i] : 1;
  });
  return counts;
}

interface Layer {
  readonly variant: RegressionVariant;
  readonly noise: boolean;
  readonly counts: Float64Array;
}

/** Weighted mean over the answers of the squared error, or of -log of the density. */
export function regressionLoss(io: Io, { variant, noise, counts }: Layer): Tensor {
  const { scope, workers, classes: outputs } = io;
  const cell = io.ints("cell");
  const f = pick(gather(io.logits, io.ints("task")), io.ints("output"));
  const shares = constant(sharesOf(counts, outputs), [workers, outputs]);
  const own = (table: Tensor) => gather(reshape(table, [workers * outputs]), cell);
  const parameter = (name: string, start: number) =>
    scope.parameter(name, [workers, outputs], filled(start), { group: "crowd", decay: false });
  /** Moved so that its mean over the answers is what it starts from. */
  const centred = (name: string, start: number) => {
    const table = parameter(name, start);
    return own(add(subtract(table, sum(multiply(table, shares), [0], true)), start));
  };
  const offset = () => centred("offset", 0);
  const stretch = () => centred("stretch", 1);
  const said = {
    B: () => add(f, offset()),
    S: () => multiply(stretch(), f),
    "S+B": () => add(multiply(stretch(), f), offset()),
    "B+S": () => multiply(stretch(), add(f, offset())),
  }[variant]();
  const weight = io.floats("weight");
  const weighted = (losses: Tensor) => divide(sum(multiply(losses, weight)), sum(weight));
  const miss = square(subtract(io.floats("value"), said));
  if (!noise) return weighted(miss);
  const spread = parameter("noise", 0);
  const t = own(spread);
  const total = counts.reduce((a, b) => a + b, 0);
  const prior = sum(square(subtract(spread, mean(spread))));
  return add(
    weighted(add(divide(miss, multiply(exp(multiply(t, 2)), 2)), t)),
    multiply(prior, 0.5 / total),
  );
}

/** Each worker's share of the answers to each output. */
function sharesOf(counts: Float64Array, outputs: number): Float64Array {
  const total = new Float64Array(outputs);
  counts.forEach((count, at) => {
    total[at % outputs] += count;
  });
  // An output may have no answers, as all of them may be held out.
  return counts.map((count, at) => count / (total[at % outputs] || 1));
}

/** What was learnt of the workers, in the units of the answers. */
function workersOf(
  weights: ReadonlyMap<string, Float32Array>,
  variant: RegressionVariant,
  counts: Float64Array,
  { mean: centre, sd }: Scale,
) {
  const O = sd.length;
  const shares = sharesOf(counts, O);
  const centred = (name: string, start: number): Float64Array => {
    const table = Float64Array.from(weights.get(name) ?? new Float32Array(counts.length));
    const middle = new Float64Array(O);
    table.forEach((x, at) => {
      middle[at % O] += x * shares[at];
    });
    // Of a worker without answers nothing is known: the mean.
    return table.map((x, at) => start + (counts[at] > 0 ? x - middle[at % O] : 0));
  };
  const stretch = variant === "B" ? undefined : centred("stretch", 1);
  const moved = variant === "S" ? new Float64Array(counts.length) : centred("offset", 0);
  const noise = weights.get("noise");
  return {
    // In standard units y = s (f + b), or s f + b; with the mean of the answers taken out and put back it is s f + offset.
    offset: moved.map((b, at) => {
      const s = stretch ? stretch[at] : 1;
      const o = at % O;
      return (variant === "B+S" ? s * b : b) * sd[o] + (1 - s) * centre[o];
    }),
    ...(stretch && { stretch }),
    ...(noise && { noise: Float64Array.from(noise, (t, at) => Math.exp(t) * sd[at % O]) }),
  };
}
