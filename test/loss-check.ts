/**
 * Checks the gradient of a learner's loss against central differences, in double precision, on the
 * instance that asks most of it: 7 tasks, 5 workers, 3 classes, 40 % of the labels missing, one worker
 * with a single label and one with none.
 */
import { expect } from "vitest";
import type { CategoricalData } from "../src/data/categorical.ts";
import { byTask } from "../src/data/categorical.ts";
import { fromRows, type LabelRow } from "../src/data/from-rows.ts";
import { namesOf } from "../src/data/names.ts";
import { createIo, type Io } from "../src/learn/network.ts";
import { createRandom } from "../src/math/random.ts";
import type { Numbers } from "../src/tensor/executor.ts";
import { gradient } from "../src/tensor/gradient.ts";
import { inputName } from "../src/tensor/graph.ts";
import { interpret } from "../src/tensor/interpreter.ts";
import { logistic } from "../src/tensor/models.ts";
import { createScope } from "../src/tensor/scope.ts";
import { countOf } from "../src/tensor/shape.ts";
import type { Objective } from "../src/tensor/train.ts";

export const K = 3;
const [T, W, D] = [7, 5, 4];

/** Worker 3 has one label, worker 4 none. */
export const toyCrowd: CategoricalData = (() => {
  const random = createRandom(11).split("toy");
  const rows: LabelRow[] = [];
  for (let t = 0; t < T; t++) {
    for (let w = 0; w < 3; w++) {
      if (random.next() < 0.4 && !(t < 3 && w === t)) continue;
      rows.push({ task: `t${t}`, worker: `w${w}`, label: `c${Math.floor(random.next() * K)}` });
    }
  }
  rows.push({ task: "t2", worker: "w3", label: "c1" });
  const data = fromRows(rows, { classes: ["c0", "c1", "c2"] });
  return { ...data, workers: namesOf([...data.workers, "w4"]) };
})();

/** Answers of another kind, in place of the toy crowd. */
interface OtherCrowd {
  /** Numbers that the network gives, workers, and rows of features. */
  readonly outputs: number;
  readonly workers: number;
  readonly rows: number;
  /** What the subject feeds of the answers. */
  readonly answers: Readonly<Record<string, Numbers>>;
}

export interface LossCheck {
  readonly crowd?: OtherCrowd;
  /** Besides features, labels and parameters: what the method feeds, by name. */
  readonly feeds?: Readonly<Record<string, Numbers>>;
  readonly tolerance?: number;
  /** Sizes the drawn parameters of a name get; default 1. */
  readonly spread?: (name: string) => number;
  readonly seed?: number;
  /** Of which parameters and inputs the gradient is compared; of all, unless only values are wanted. */
  readonly compare?: (name: string) => boolean;
}

export interface CheckedLoss {
  readonly loss: number;
  readonly gradients: Readonly<Record<string, Float64Array>>;
  /** All that was fed: features, labels, parameters. */
  readonly fed: Readonly<Record<string, Numbers>>;
}

/** Builds the loss on the toy crowd, compares every parameter's gradient; returns values for more checks. */
export function checkLoss(
  build: (io: Io) => Objective,
  {
    feeds = {},
    tolerance = 1e-6,
    spread = () => 1,
    seed = 1,
    compare = () => true,
    crowd = { outputs: K, workers: W, rows: T, answers: toyLabels() },
  }: LossCheck = {},
): CheckedLoss {
  const random = createRandom(seed).split("loss");
  const scope = createScope(false);
  const network = logistic([D], crowd.outputs, { hidden: [], dropout: 0 });
  const io = createIo(scope, crowd.outputs, crowd.workers, [D], network, (x) => x);
  const { loss, differentiate = [] } = build(io);
  const draw = (length: number, size: number) =>
    Float64Array.from({ length }, () => size * (2 * random.next() - 1));
  const all: Record<string, Numbers> = { features: draw(crowd.rows * D, 1), ...crowd.answers };
  const targets = [...scope.requests.parameters.values()].map(({ node, shape, name }) => {
    all[name] = draw(countOf(shape), spread(name));
    return node;
  });
  for (const node of differentiate) targets.push(node);
  Object.assign(all, feeds);
  const names = targets.map((node) => String(inputName(node)));
  const parts = gradient(loss, targets);
  const found = interpret(
    Object.fromEntries([["loss", loss], ...parts.map((part, i) => [names[i], part] as const)]),
  ).runNow(all);
  const { runNow } = interpret({ loss });
  for (const name of names.filter(compare)) {
    const values = Float64Array.from(all[name]);
    for (let j = 0; j < values.length; j++) {
      const h = 1e-5;
      const at = (step: number) =>
        runNow({ ...all, [name]: values.with(j, values[j] + step) })["loss"][0];
      const numeric = (at(h) - at(-h)) / (2 * h);
      const error = Math.abs(found[name][j] - numeric) / Math.max(1, Math.abs(numeric));
      expect(error, `${name}[${j}]: ${found[name][j]} against ${numeric}`).toBeLessThan(tolerance);
    }
  }
  const { loss: value, ...gradients } = found;
  expect(Number.isFinite(value[0])).toBe(true);
  return { loss: value[0], gradients, fed: all };
}

/** What the network gives for each row, from what was fed, by its definition: row * outputs + output. */
export function linearOutputs(fed: CheckedLoss["fed"], rows: number, outputs: number): number[] {
  const { features: x, "head/weight": weight, "head/bias": bias } = fed;
  return Array.from({ length: rows * outputs }, (_, at) => {
    const [row, k] = [Math.floor(at / outputs), at % outputs];
    let sum = bias[k];
    for (let j = 0; j < D; j++) sum += x[row * D + j] * weight[j * outputs + k];
    return sum;
  });
}

/** P(class) of each task of the toy crowd, from what was fed: softmax regression by its definition. */
export function toyPredictions(fed: CheckedLoss["fed"]): readonly (readonly number[])[] {
  const { features: x, "head/weight": weight, "head/bias": bias } = fed;
  return Array.from({ length: T }, (_, t) =>
    softmaxOf(
      Array.from({ length: K }, (_, k) => {
        let logit = bias[k];
        for (let j = 0; j < D; j++) logit += x[t * D + j] * weight[j * K + k];
        return logit;
      }),
    ),
  );
}

export function softmaxOf(logits: readonly number[]): number[] {
  const total = logits.reduce((sum, x) => sum + Math.exp(x), 0);
  return logits.map((x) => Math.exp(x) / total);
}

/** The mean over the labels of the toy crowd. */
export function overLabels(value: (task: number, worker: number, label: number) => number): number {
  const { task, worker, label } = toyLabels();
  return label.reduce((sum, y, i) => sum + value(task[i], worker[i], y) / label.length, 0);
}

/** The labels of the whole toy crowd as one batch. */
function toyLabels(): Record<string, Int32Array> {
  const { start, other, label } = byTask(toyCrowd);
  const task = new Int32Array(label.length);
  for (let t = 0; t < T; t++) task.fill(t, start[t], start[t + 1]);
  return { task, worker: other, label, cell: other.map((w, i) => w * K + label[i]) };
}
