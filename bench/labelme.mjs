// Every learner on LabelMe over ten seeds: accuracy on the test tasks, with intervals.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fromCsv } from "../dist/index.js";
import { openRuntime } from "../dist/node/index.js";
import { readNpy } from "../dist/public/io.js";
import { fromMatrix, learners } from "../dist/public/learn.js";
import { dataFolder, say, table } from "./shared.mjs";

const folder = join(dataFolder, "labelme");

/** The same network, optimiser, epochs and choice of the epoch for all. */
export async function labelmeTable({ quick }) {
  const seeds = quick ? 2 : 10;
  if (!existsSync(join(folder, "features.npy")))
    return "labelme is not there, so it was not measured.";
  const lines = (name) => readFileSync(join(folder, name), "utf8").trim().split("\n").slice(1);
  const data = fromCsv(readFileSync(join(folder, "labels.csv"), "utf8"));
  const truth = new Map(lines("gold.csv").map((line) => line.split(",")));
  const classOf = (label) => data.classes.indexOf(label);
  const crowd = { ...data, gold: Int32Array.from(data.tasks, (task) => classOf(truth.get(task))) };
  const matrix = (name, tasks) => {
    const { shape, data: numbers } = readNpy(new Uint8Array(readFileSync(join(folder, name))));
    return fromMatrix(tasks, [shape[1]], numbers);
  };
  const set = (name) => {
    const gold = lines(`${name}_gold.csv`).map((line) => line.split(","));
    return {
      features: matrix(
        `${name}_features.npy`,
        gold.map(([task]) => task),
      ),
      gold: Int32Array.from(gold, ([, label]) => classOf(label)),
    };
  };
  const features = matrix("features.npy", lines("tasks.csv"));
  const [test, valid] = [set("test"), set("valid")];
  const executor = await openRuntime();
  const shared = { model: "mlp", hidden: "128", dropout: 0.5, epochs: 50, batch: 64, rate: 1e-3 };
  const plain = { ...shared, schedule: "constant", decay: 0, optimiser: "adam" };
  const variants = Object.values(learners).flatMap((method) =>
    method.id === "two-stage"
      ? ["majority-vote", "dawid-skene", "gold"].map((aggregator) => ({
          ...{ method, name: `two-stage, ${aggregator}`, own: { aggregator } },
        }))
      : method.id === "crowd-layer"
        ? ["MW", "VW", "VB", "VW+B", "SW"].map((variant) => ({
            ...{ method, name: `crowd-layer, ${variant}`, own: { variant } },
          }))
        : [{ method, name: method.id, own: {} }],
  );
  const scores = new Map();
  for (const { method, name, own } of variants) {
    say(`labelme: ${name}`);
    const options = Object.fromEntries(
      Object.entries({ ...plain, ...own }).filter(([key]) => key in method.options),
    );
    const runs = [];
    for (let seed = 0; seed < seeds; seed++) {
      const one = async (selection, context) => {
        const result = await method(
          crowd,
          features,
          { ...options, seed, selection },
          { executor, ...context },
        );
        const f = await result.predictor.predict(test.features);
        return { test: share(f, test.gold), train: share(result.posterior, crowd.gold) };
      };
      runs.push({ chosen: await one("best", { valid }), last: await one("last", {}) });
    }
    scores.set(name, runs);
  }
  const base = scores.get("two-stage, majority-vote");
  const rows = [...scores].map(([name, runs]) => {
    const gain = runs.map((run, s) => run.chosen.test - base[s].chosen.test);
    return {
      name,
      mean: mean(runs.map((run) => run.chosen.test)),
      cells: [
        name,
        interval(runs.map((run) => run.chosen.test)),
        name === "two-stage, majority-vote" ? "–" : interval(gain, true),
        interval(runs.map((run) => run.last.test)),
        interval(runs.map((run) => run.chosen.train)),
      ],
    };
  });
  rows.sort((a, b) => b.mean - a.mean);
  return [
    `### Every learner on LabelMe (${seeds} seeds)`,
    "",
    "Test accuracy in per cent, mean ± half the width of its 95 % interval over seeds. The same for all: mlp with",
    "128 hidden units and dropout .5 on 512 standardised VGG16 features, Adam 1e-3, batches of 64, 50 epochs; the",
    "epoch is chosen on the 500 validation tasks (the raykar row is softmax regression by EM, without epochs to",
    "share). Beside it the gain over two-stage majority vote, seed by seed, the accuracy of the last epoch, and that",
    "of the posterior over the training tasks.",
    "",
    table(
      ["learner", "test", "gain", "test, last epoch", "training tasks"],
      rows.map(({ cells }) => cells),
    ),
  ].join("\n");
}

function share(table_, gold) {
  const K = table_.length / gold.length;
  let right = 0;
  gold.forEach((k, i) => {
    const row = table_.subarray(i * K, (i + 1) * K);
    if (row.indexOf(row.reduce((a, b) => Math.max(a, b))) === k) right++;
  });
  return right / gold.length;
}

const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;

/** Student's 97.5 % points for the seeds used here. */
const T = { 2: 12.706, 3: 4.303, 5: 2.776, 10: 2.262 };

function interval(values, signed = false) {
  const m = mean(values);
  const deviation = Math.sqrt(
    values.reduce((sum, x) => sum + (x - m) ** 2, 0) / Math.max(1, values.length - 1),
  );
  const half = ((T[values.length] ?? 2) * deviation) / Math.sqrt(values.length);
  return `${signed && m > 0 ? "+" : ""}${(100 * m).toFixed(2)} ± ${(100 * half).toFixed(2)}`;
}
