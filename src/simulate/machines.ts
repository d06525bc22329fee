/**
 * Machines as workers: small classifiers, each trained on a few of the tasks with their true classes,
 * label some of the others. They err on the tasks that look like another class, and so together.
 *
 * Differs from the papers, which also use support vector machines and convolutional networks, and train
 * on data of their own: here the examples are tasks, and nobody labels what he was trained on.
 *
 * After the experiments of Ibrahim, Nguyen & Fu (2023). https://arxiv.org/abs/2306.03288
 */
import { CrowdError } from "../error.ts";
import { integer, shuffle } from "../math/distributions.ts";
import type { Random } from "../math/random.ts";
import { mean, variance } from "../math/statistics.ts";
import { classOption, drawTruth, toDataset, uniform } from "./draw.ts";
import { gaussFeatures, gaussOptions } from "./features.ts";
import { readAll } from "./rows.ts";
import { coupledPaper } from "./scattered.ts";
import { scenario } from "./scenario.ts";
import type { Tasks } from "./tasks.ts";
import { weakClassifiers } from "./weak-classifiers.ts";

/**
 * Machines as workers: weak classifiers, each trained on a few tasks, label a share of the others.
 */
export const machinesCrowd = scenario(
  {
    id: "machines",
    title: "Machines as workers",
    summary: "Weak classifiers, each trained on a few tasks, label a share of the others.",
    paper: coupledPaper,
    features: true,
    options: {
      tasks: { default: 2000, min: 1, integer: true, help: "Number of tasks." },
      workers: {
        default: 30,
        min: 1,
        integer: true,
        help: "Number of machines, of four kinds in turn.",
      },
      classes: { ...classOption.classes, default: 10 },
      share: { default: 0.1, min: 0, max: 1, help: "Share of the tasks that each machine labels." },
      smallest: {
        default: 50,
        min: 1,
        integer: true,
        help: "Minimum number of training tasks per machine.",
      },
      largest: {
        default: 600,
        min: 1,
        integer: true,
        help: "Maximum number of training tasks per machine; never more than half of all tasks.",
      },
      specialists: {
        default: 0,
        min: 0,
        max: 1,
        help: "Probability that a machine is a specialist, trained on half of all tasks.",
      },
      ...gaussOptions,
      separation: { ...gaussOptions.separation, default: 3 },
    },
  },
  (options, random, tasks) => {
    const { classes: K, workers: W, smallest, largest } = options;
    if (largest < smallest) {
      throw new CrowdError(
        "bad-option",
        `machines: largest must be at least smallest, ${smallest}, not ${largest}.`,
      );
    }
    const truth = drawTruth(tasks, uniform(K), random.split("truth"));
    const parts = tasks.features ?? [gaussFeatures(truth, K, options, random.split("features"))];
    const rows = standardRows(readAll(...parts), tasks);
    const half = Math.ceil(tasks.train / 2);
    const order = range(0, tasks.train);
    shuffle(random.split("examples"), order);
    const said = Array.from(truth, (): { worker: number; label: number }[] => []);
    let used = 0;
    const roles = Array.from({ length: W }, (_, worker) => {
      const draws = random.split("machines").split(worker);
      const special = draws.next() < options.specialists;
      const few = smallest + integer(draws, largest - smallest + 1);
      // One after the other along the order: no two have an example in common while there are enough.
      const examples = range(used, special ? half : Math.min(half, few)).map(
        (i) => order[i % order.length],
      );
      used += examples.length;
      const [kind, learn] = weakClassifiers[worker % weakClassifiers.length];
      const known = {
        rows: [...examples].map((t) => rows[t]),
        label: examples.map((t) => truth[t]),
      };
      const classify = learn({ ...known, K }, draws.split("learning"));
      const seen = new Set(examples);
      const train = range(0, tasks.train).filter((t) => !seen.has(t));
      const test = range(tasks.train, tasks.test);
      for (const t of [
        ...choose(train, options.share * tasks.train, draws.split("tasks")),
        ...choose(test, options.share * tasks.test, draws.split("test tasks")),
      ]) {
        said[t].push({ worker, label: classify(rows[t]) });
      }
      return special ? `specialist ${kind}` : kind;
    });
    const start = new Int32Array(truth.length + 1);
    said.forEach((labels, t) => {
      start[t + 1] = start[t] + labels.length;
    });
    const places = { start, worker: Int32Array.from(said.flat(), ({ worker }) => worker) };
    const label = Int32Array.from(said.flat(), (each) => each.label);
    return {
      data: toDataset(places, truth, label, W, K),
      prior: uniform(K),
      roles,
      features: parts[0],
    };
  },
);

function range(from: number, length: number): Int32Array {
  return Int32Array.from({ length }, (_, i) => from + i);
}

/** About this many of the tasks, at random; all of them if there are no more. */
function choose(tasks: Int32Array, count: number, random: Random): Int32Array {
  shuffle(random, tasks);
  return tasks.subarray(0, Math.round(count));
}

/** Each feature with mean 0 and variance 1, tasks to test on apart; one that never changes is 0. */
function standardRows(matrix: Float32Array, { train, test }: Tasks): Float64Array[] {
  const d = matrix.length / (train + test);
  const rows = Array.from({ length: train + test }, (_, t) =>
    Float64Array.from(matrix.subarray(t * d, (t + 1) * d)),
  );
  for (let j = 0; j < d; j++) {
    const column = rows.slice(0, train).map((row) => row[j]);
    const centre = mean(column);
    const deviation = Math.sqrt(variance(column)) || 1;
    for (const row of rows) row[j] = (row[j] - centre) / deviation;
  }
  return rows;
}
