/** Networks that predict numbers. */
import type { NumericData } from "../data/numeric.ts";
import type { ReadValues } from "../io/sinks/outputs.ts";
import { numericLearners } from "../learn/index.ts";
import { distinct, outputNames } from "../learn/numeric/numeric-learner.ts";
import { rounded } from "../report/csv-files.ts";
import type { KindLearning, PredictedRows } from "./learning.ts";

/** Learners of numbers, and their predictions: one value per task, or one per output. */
export const numericLearning: KindLearning<NumericData> = {
  learners: Object.values(numericLearners),
  defaultLearner: "crowd-layer-regression",
  aliases: { "crowd-layer": "crowd-layer-regression", "two-stage": "two-stage-regression" },
  predictions: {
    described: (data) => distinct(data).names,
    outputs: outputNames,
    goldOf(rows, gold, outputs) {
      const O = outputs.length;
      const known = new Map(
        gold.map(([task, value, , output]) => [key(task, output), Number(value)]),
      );
      return Float64Array.from({ length: rows.length * O }, (_, at) => {
        const task = rows.at(Math.floor(at / O));
        return known.get(key(task, O > 1 ? outputs[at % O] : undefined)) ?? Number.NaN;
      });
    },
    table: ({ rows, numbers, outputs }) => ({
      header: [
        "task",
        ...(outputs.length > 1 ? outputs.map((name) => `value_${name}`) : ["value"]),
      ],
      rows: Array.from(rows, (task, i) => [
        task,
        ...outputs.map((_, o) => rounded(numbers[i * outputs.length + o])),
      ]),
    }),
    answers: readValues,
  },
};

const key = (task: string, output: string | undefined) => JSON.stringify([task, output ?? ""]);

function readValues({ rows, numbers, outputs }: PredictedRows): ReadValues {
  const O = outputs.length;
  const names = Array.from(rows).flatMap((task) => outputs.map(() => task));
  return {
    names,
    columns: { value: numbers },
    notes: [],
    ...(O > 1 && { outputs: names.map((_, at) => outputs[at % O]) }),
  };
}
