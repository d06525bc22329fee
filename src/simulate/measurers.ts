/**
 * Workers who give numbers: the value of the task, an offset of the worker, and normal noise of the worker's own size. Some
 * are far noisier than the others, and some copy the first worker.
 */
import { namesOf } from "../data/names.ts";
import type { NumericData } from "../data/numeric.ts";
import { normal } from "../math/distributions.ts";
import { answerScenario, between, cast, numbered, roleCount } from "./answers.ts";
import { assign, assignmentOptions } from "./assignment.ts";

/** Numbers: workers with offsets and noise, outliers among them, and copies of the first worker. */
export const measurersCrowd = answerScenario(
  {
    id: "measurers",
    kind: "numeric",
    title: "Workers who measure",
    summary: "Numbers: each worker has noise and an offset; some are far off, some copy another.",
    options: {
      ...assignmentOptions,
      tasks: { ...assignmentOptions.tasks, default: 300 },
      workers: { ...assignmentOptions.workers, default: 16, max: 1_000_000 },
      labelsPerTask: {
        ...assignmentOptions.labelsPerTask,
        default: 8,
        help: "Number of values per task; 0 means that every worker answers every task.",
      },
      spread: { default: 2, min: 0, max: 1e6, help: "Standard deviation of the true values." },
      low: { default: 0.3, min: 0, max: 1e6, help: "Least noise of a worker." },
      high: { default: 1, min: 0, max: 1e6, help: "Largest noise of a worker." },
      offset: { default: 0.2, min: 0, max: 1e6, help: "Standard deviation of workers' offsets." },
      outliers: roleCount(2, "Number of workers who are far noisier than the others."),
      outlierNoise: { default: 3, min: 0, max: 1e6, help: "Noise of such a worker." },
      copies: roleCount(2, "Number of workers who copy the first one."),
      copyNoise: { default: 0.05, min: 0, max: 1e6, help: "Noise that a copy adds." },
    },
    answers: ({ tasks, labelsPerTask, workers }) => tasks * (labelsPerTask || workers),
  },
  (options, random) => {
    const { tasks: T, workers: W } = options;
    const roles = cast("measurers", W, "careful", {
      outlier: options.outliers,
      "copies w0": options.copies,
    });
    const isCopy = roles.map((role, w) => w > 0 && role === "copies w0");
    const [skills, truths] = [random.split("skills"), random.split("truth")];
    const noise = Float64Array.from(roles, (role) =>
      role === "outlier" ? options.outlierNoise : between(skills, options.low, options.high),
    );
    const offset = Float64Array.from(roles, () => options.offset * normal(skills));
    for (let w = 0; w < W; w++) if (isCopy[w]) [noise[w], offset[w]] = [noise[0], offset[0]];
    const gold = Float64Array.from({ length: T }, () => options.spread * normal(truths));
    // What the first worker says of every task, asked or not: copies say the same.
    const errors = random.split("first worker");
    const first = gold.map((value) => value + offset[0] + noise[0] * normal(errors));
    const { start, worker } = assign({ ...options, testTasks: 0 }, random.split("assignment"));
    const draws = random.split("values");
    const [task, value] = [new Int32Array(worker.length), new Float64Array(worker.length)];
    for (let t = 0; t < T; t++) {
      for (let i = start[t]; i < start[t + 1]; i++) {
        const w = worker[i];
        task[i] = t;
        if (w === 0) value[i] = first[t];
        else if (isCopy[w]) value[i] = first[t] + options.copyNoise * normal(draws);
        else value[i] = gold[t] + offset[w] + noise[w] * normal(draws);
      }
    }
    const data: NumericData = {
      kind: "numeric",
      tasks: namesOf(numbered("t", T)),
      workers: namesOf(numbered("w", W)),
      task,
      worker,
      value,
      gold,
      notes: [],
    };
    return { data, roles, facts: { noise, offset } };
  },
);
