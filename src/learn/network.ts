/** A network in training on the tasks of a crowd: batches in, loss out, predictions whenever wanted. */
import { byTask, type CategoricalData } from "../data/categorical.ts";
import { type Features, rowSize } from "../data/features.ts";
import type { Random } from "../math/random.ts";
import type { Buffers, Executor, Numbers } from "../tensor/executor.ts";
import { input, type Tensor } from "../tensor/graph.ts";
import type { Network } from "../tensor/models.ts";
import { softmax } from "../tensor/ops/softmax.ts";
import type { OptimiserOptions, Share } from "../tensor/optim/optimiser.ts";
import type { Module, Scope } from "../tensor/scope.ts";
import { createTrainer, type Objective, type Step, type Trainer } from "../tensor/train.ts";
import { inChunks } from "./classifier.ts";

/** What a loss is built from. Sizes: "batch" tasks, "labels" labels of those tasks. */
export interface Io {
  readonly scope: Scope;
  readonly classes: number;
  readonly workers: number;
  /** The features of the batch, as they are. */
  readonly x: Tensor;
  /** The same with mean 0 and deviation 1, where that is wanted: what the trunk is given. */
  readonly standard: Tensor;
  /** What the trunk makes of them, [batch, width]. */
  readonly features: Tensor;
  /** What the head makes of that, [batch, classes]. */
  readonly logits: Tensor;
  /** The same of other inputs, such as perturbed ones. */
  logitsOf(x: Tensor): Tensor;
  /** Fed by the method: a distribution over the classes for each task of the batch. */
  readonly target: Tensor;
  /** The labels of the batch: row of the task in the batch, worker, class, worker · classes + class. */
  readonly task: Tensor;
  readonly worker: Tensor;
  readonly label: Tensor;
  readonly cell: Tensor;
}

export interface Batch {
  /** Numbers of the tasks. */
  readonly tasks: Int32Array;
  /** Their features, one row after another. */
  readonly x: Float32Array;
  /** Numbers of their labels in the order of `byTask`. */
  readonly labels: Int32Array;
}

/** What a method may feed besides features and labels. */
export type Feeding = (batch: Batch) => Buffers | Promise<Buffers>;

export interface Net {
  readonly trainer: Trainer;
  readonly module: Module;
  /** How many tasks it is trained on. */
  readonly trained: number;
  /** One step on one batch. */
  step(batch: Batch, feeds?: Buffers, share?: Share): Promise<Step>;
  /** P(class) of the tasks of the data, as f[task * K + class]; as in use, without dropout. */
  predict(): Promise<Float64Array>;
  /** P(class) of rows of any features. */
  predictRows(features: Features, rows?: ArrayLike<number>): Promise<Float64Array>;
  /** Batches of the tasks to train on, in an order of their own for each key. */
  batches(key: number, size: number, dropLast?: boolean): Iterable<Batch>;
  /** The same tasks as they come. */
  inOrder(size: number): Iterable<Batch>;
  /** Something else computed of batches with the same weights, as in use: without dropout. */
  evaluator(build: (io: Io) => Readonly<Record<string, Tensor>>): Promise<BatchEvaluator>;
  dispose(): Promise<void>;
}

export type BatchEvaluator = (
  batch: Batch,
  feeds?: Buffers,
) => Promise<Readonly<Record<string, Numbers>>>;

export interface NetOptions {
  readonly executor: Executor;
  readonly random: Random;
  readonly data: CategoricalData;
  readonly features: Features;
  /** The row of each task in the features. */
  readonly rows: Int32Array;
  /** The tasks to train on. */
  readonly trained: Int32Array;
  readonly network: Network;
  readonly standardise: (x: Tensor) => Tensor;
  readonly optimiser: OptimiserOptions;
  readonly build: (io: Io) => Objective;
  /** From raw features to logits, where the classifier is not the network's own head. */
  readonly classifier?: Module | undefined;
}

/** Builds a network, and compiles its training step and its prediction. */
export async function createNet(options: NetOptions): Promise<Net> {
  const { executor, random, data, features, rows, trained, network, standardise } = options;
  const K = data.classes.length;
  const ownLogits: Module = (x, scope) =>
    network.head(network.trunk(standardise(x), scope.child("trunk")), scope.child("head"));
  const module = options.classifier ?? ownLogits;
  const ioOf = (scope: Scope) =>
    createIo(scope, K, data.workers.length, features.shape, network, standardise);
  let wantsLabels = false;
  const trainer = await createTrainer({
    executor,
    random,
    optimiser: options.optimiser,
    build(scope) {
      const io = ioOf(scope);
      const objective = options.build(io);
      wantsLabels = io.wantsLabels();
      return objective;
    },
  });
  const evaluate = await trainer.evaluator((scope) => ({
    probabilities: softmax(module(input("features", ["batch", ...features.shape]), scope)),
  }));
  const predictRows: Net["predictRows"] = (source, which) =>
    inChunks(source, which, K, async (x) => {
      const { probabilities } = await evaluate({ features: x });
      return probabilities;
    });
  const feed = (batch: Batch, labels: boolean, feeds: Buffers) => ({
    features: batch.x,
    ...(labels && labelFeeds(data, batch)),
    ...feeds,
  });
  return {
    trainer,
    module,
    trained: trained.length,
    predictRows,
    predict: () => predictRows(features, rows),
    step: (batch, feeds = {}, share = 1) => trainer.step(feed(batch, wantsLabels, feeds), share),
    batches: (key, most, dropLast) =>
      inBatches(options, shuffled(trained, random.split("batches").split(key)), most, dropLast),
    inOrder: (most) => inBatches(options, trained, most),
    async evaluator(build) {
      const run = await trainer.evaluator((scope) => build(ioOf(scope)));
      return (batch, feeds = {}) => run(feed(batch, true, feeds));
    },
    dispose: () => trainer.dispose(),
  };
}

/** Yields the tasks in batches of at most so many; their features stand in one array, used again. */
function* inBatches(
  { data, features, rows }: NetOptions,
  order: Int32Array,
  most: number,
  dropLast = false,
): Iterable<Batch> {
  const size = rowSize(features);
  let x = new Float32Array(0);
  for (let start = 0; start < order.length; start += most) {
    const tasks = order.subarray(start, start + most);
    if (dropLast && tasks.length < most && start > 0) return;
    if (x.length !== tasks.length * size) x = new Float32Array(tasks.length * size);
    features.read(
      tasks.map((t) => rows[t]),
      x,
    );
    yield { tasks, x, labels: labelsOf(data, tasks) };
  }
}

export function createIo(
  scope: Scope,
  classes: number,
  workers: number,
  shape: readonly number[],
  network: Network,
  standardise: (x: Tensor) => Tensor,
): Io & { wantsLabels(): boolean } {
  const x = input("features", ["batch", ...shape]);
  const made = new Map<string, Tensor>();
  const once = (name: string, make: () => Tensor): Tensor => {
    const tensor = made.get(name) ?? make();
    made.set(name, tensor);
    return tensor;
  };
  const ints = (name: string) => once(name, () => input(name, ["labels"], "int"));
  const trunk = (of: Tensor) => network.trunk(of, scope.child("trunk"));
  const head = (of: Tensor) => network.head(of, scope.child("head"));
  const io: Io & { wantsLabels(): boolean } = {
    scope,
    classes,
    workers,
    x,
    get standard() {
      return once("standard", () => standardise(x));
    },
    get features() {
      return once("trunk", () => trunk(io.standard));
    },
    get logits() {
      return once("logits", () => head(io.features));
    },
    logitsOf: (of: Tensor) => head(trunk(standardise(of))),
    get target() {
      return once("target", () => input("target", ["batch", classes]));
    },
    get task() {
      return ints("task");
    },
    get worker() {
      return ints("worker");
    },
    get label() {
      return ints("label");
    },
    get cell() {
      return ints("cell");
    },
    wantsLabels: () => ["task", "worker", "label", "cell"].some((name) => made.has(name)),
  };
  return io;
}

/** The labels of some tasks, by their place in `byTask`. */
function labelsOf(data: CategoricalData, tasks: Int32Array): Int32Array {
  const { start } = byTask(data);
  let total = 0;
  for (const t of tasks) total += start[t + 1] - start[t];
  const labels = new Int32Array(total);
  let at = 0;
  for (const t of tasks) for (let j = start[t]; j < start[t + 1]; j++) labels[at++] = j;
  return labels;
}

function labelFeeds(data: CategoricalData, { tasks, labels }: Batch): Buffers {
  const { start, other, label } = byTask(data);
  const K = data.classes.length;
  const task = new Int32Array(labels.length);
  let at = 0;
  tasks.forEach((t, row) => {
    const end = at + start[t + 1] - start[t];
    task.fill(row, at, end);
    at = end;
  });
  return {
    task,
    worker: labels.map((j) => other[j]),
    label: labels.map((j) => label[j]),
    cell: labels.map((j) => other[j] * K + label[j]),
  };
}

/** In random order: Fisher and Yates. */
function shuffled(items: Int32Array, random: Random): Int32Array {
  const order = items.slice();
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random.next() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

/** Rows of a table [task * K + class], for the tasks of a batch. */
export function rowsOf(table: Float64Array, { tasks }: Batch, K: number): Float32Array {
  const rows = new Float32Array(tasks.length * K);
  tasks.forEach((t, i) => {
    rows.set(table.subarray(t * K, (t + 1) * K), i * K);
  });
  return rows;
}
