/**
 * Aggregate first, then train: answers are aggregated without features, and the network learns the values as if they were
 * true. The baseline that every other learner of numbers has to beat. With `gold` as the aggregate it is the supervised
 * bound.
 */
import { estimators } from "../../aggregate/numeric/index.ts";
import { type NumericData, outputsOf } from "../../data/numeric.ts";
import { CrowdError } from "../../error.ts";
import { input, type Tensor } from "../../tensor/graph.ts";
import { divide, multiply, subtract } from "../../tensor/ops/arithmetic.ts";
import { sum } from "../../tensor/ops/broadcast.ts";
import { square } from "../../tensor/ops/elementwise.ts";
import { type Io, rowsOf } from "../network.ts";
import { networkWith } from "../options.ts";
import { distinct, numericLearner, scaleOf } from "./numeric-learner.ts";

const usable = estimators.map(({ id }) => id);

/** Aggregate, then train, for numbers. */
export const twoStageRegression = numericLearner(
  {
    id: "two-stage-regression",
    title: "Aggregate, then train, for numbers",
    summary:
      "Aggregates answers without features, then trains the network on the values as if they were the truth.",
    paper: {
      authors: "Student (W. S. Gosset)",
      year: 1908,
      title: "The probable error of a mean",
      url: "https://doi.org/10.2307/2331554",
    },
    options: {
      ...networkWith({ dropout: 0, epochs: 200, decay: 0.01 }),
      aggregator: {
        default: "mean",
        choices: [...usable, "gold"],
        help: "Aggregation method for the targets; gold uses the true values, as an upper bound.",
      },
    },
    cost: "that of the aggregator, then O(network) per task",
  },
  async function* (session, { aggregator }) {
    const { data } = session;
    const O = data.outputs?.names.length ?? 1;
    const { targets, known } = targetsOf(data, valuesOf(data, aggregator), O);
    const net = await session.network((io) => ({ loss: targetLoss(io) }));
    const run = session.run(net);
    while (run.more()) {
      const loss = await run.train((batch) => ({
        target: rowsOf(targets, batch, O),
        known: rowsOf(known, batch, O),
      }));
      yield await run.done(loss);
    }
    await run.finish();
    return { net };
  },
);

/** The squared error, the mean over the values that there are. */
function targetLoss(io: Io): Tensor {
  const known = input("known", ["batch", io.classes]);
  return divide(sum(multiply(square(subtract(io.logits, io.target)), known)), sum(known));
}

/** The value of each entry of `tasks`. */
function valuesOf(data: NumericData, id: string): Float64Array {
  const method = estimators.find((each) => each.id === id);
  if (method) return method(data).value;
  const missing = data.gold.filter((value) => Number.isNaN(value)).length;
  if (missing > 0) {
    throw new CrowdError(
      "bad-data",
      `two-stage-regression with gold: ${missing} of ${data.tasks.length} tasks have no gold.`,
    );
  }
  return data.gold;
}

/** The values of each task in the units of the network, and 1 where there is one: an output may have no answers. */
function targetsOf(data: NumericData, value: Float64Array, O: number) {
  const { names, of } = distinct(data);
  const { mean: centre, sd } = scaleOf(data);
  const output = outputsOf(
    data,
    Int32Array.from(data.tasks, (_, t) => t),
  );
  const [targets, known] = [0, 0].map(() => new Float64Array(names.length * O));
  value.forEach((x, t) => {
    if (Number.isNaN(x)) return;
    const o = output[t];
    targets[of[t] * O + o] = (x - centre[o]) / sd[o];
    known[of[t] * O + o] = 1;
  });
  return { targets, known };
}
