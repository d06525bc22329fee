/** A network in training on the tasks of a crowd: batches in, loss out, predictions whenever wanted. */
import { type Features, rowSize } from "../data/features.ts";
import type { Random } from "../math/random.ts";
import type { Buffers, Executor, Numbers, Table } from "../tensor/executor.ts";
import { input, type Tensor } from "../tensor/graph.ts";
import type { Network } from "../tensor/models.ts";
import type { OptimiserOptions, Share } from "../tensor/optim/optimiser.ts";
import type { Module, Scope } from "../tensor/scope.ts";
import { countOf } from "../tensor/shape.ts";
import { createTrainer, type Objective, type Step, type Trainer } from "../tensor/train.ts";
import type { Augment } from "./augment.ts";
import { inChunks } from "./predictor.ts";
import type { Drawn, Subject } from "./subject.ts";

/** What a loss is built from. Sizes: "batch" tasks or items, "labels" answers about them. */
export interface Io {
  readonly scope: Scope;
  /** How many numbers the head gives: one per class, or one. */
  readonly classes: number;
  readonly workers: number;
  /** The features of the batch, as they are. */
  readonly x: Tensor;
  /**
   * The same with mean 0 and deviation 1, where that is wanted: what the trunk is given. In training steps, images
   * are shifted, cropped or flipped before, where that is wanted.
   */
  readonly standard: Tensor;
  /** What the trunk makes of them, [batch, width]. */
  readonly features: Tensor;
  /** What the head makes of that, [batch, classes]. */
  readonly logits: Tensor;
  /** The same of other inputs for the same rows, such as perturbed ones; images are augmented alike. */
  logitsOf(x: Tensor): Tensor;
  /** Fed by the method: a distribution over the classes for each task of the batch. */
  readonly target: Tensor;
  /** The labels of the batch: row of the task in the batch, worker, class, worker · classes + class. */
  readonly task: Tensor;
  readonly worker: Tensor;
  readonly label: Tensor;
  readonly cell: Tensor;
  /** What the subject feeds of each answer under a name of its own, such as a value, or a row of the batch. */
  floats(name: string): Tensor;
  ints(name: string): Tensor;
}

export interface Batch extends Drawn {
  /** How many examples it holds. */
  readonly size: number;
  /** The features of the tasks or items, one row after another. */
  readonly x: Float32Array;
}

/** What a method may feed besides features and labels. */
export type Feeding = (batch: Batch) => Buffers | Promise<Buffers>;

export interface Net {
  readonly trainer: Trainer;
  readonly module: Module;
  /** How many examples it is trained on: tasks, or comparisons. */
  readonly trained: number;
  /** How many steps make up one run: with more than 1, what is fed to all of them is asked for beforehand. */
  readonly atOnce: number;
  /** One step on each batch. */
  steps(
    batches: readonly Batch[],
    feeds: readonly Buffers[],
    shares: readonly Share[],
  ): Promise<readonly Step[]>;
  /** What it says of the tasks or items of the data, P(class) as f[task * K + class]; as in use, without dropout. */
  predict(): Promise<Float64Array>;
  /** The same of rows of any features. */
  predictRows(features: Features, rows?: ArrayLike<number>): Promise<Float64Array>;
  /** Batches of the examples to train on, in an order of their own for each key. */
  batches(key: number, size: number, dropLast?: boolean): Iterable<Batch>;
  /** The same examples as they come. */
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
  readonly subject: Subject;
  readonly features: Features;
  /** The examples to train on. */
  readonly trained: Int32Array;
  readonly network: Network;
  readonly standardise: (x: Tensor) => Tensor;
  /** What is done to images in training steps. */
  readonly augment?: Augment | undefined;
  readonly optimiser: OptimiserOptions;
  readonly build: (io: Io) => Objective;
  /** From raw features to logits, where the classifier is not the network's own head. */
  readonly classifier?: Module | undefined;
}

/** Builds a network, and compiles its training step and its prediction. */
export async function createNet(options: NetOptions): Promise<Net> {
  const { executor, random, subject, features, trained, network, standardise } = options;
  const { outputs } = subject;
  const ownLogits: Module = (x, scope) =>
    network.head(network.trunk(standardise(x), scope.child("trunk")), scope.child("head"));
  const module = options.classifier ?? ownLogits;
  const ioOf = (scope: Scope) => {
    const augment = scope.training ? options.augment?.(scope) : undefined;
    const prepare = augment ? (x: Tensor) => standardise(augment(x)) : standardise;
    return createIo(scope, outputs, subject.workers, features.shape, network, prepare);
  };
  let wantsLabels = false;
  const trainer = await createTrainer({
    executor,
    random,
    tables: executor.compileSteps ? tablesOf(features) : {},
    optimiser: options.optimiser,
    build(scope) {
      const io = ioOf(scope);
      const objective = options.build(io);
      wantsLabels = io.wantsLabels();
      return objective;
    },
  });
  const evaluate = await trainer.evaluator((scope) => ({
    said: subject.says(module(input("features", ["batch", ...features.shape]), scope)),
  }));
  const predictRows: Net["predictRows"] = (source, which) =>
    inChunks(source, which, outputs, async (x) => {
      const { said } = await evaluate({ features: x });
      return said;
    });
  const byRows = trainer.byRows("features");
  const feed = (batch: Batch, labels: boolean, feeds: Buffers, rows = false) => {
    const x = rows ? batch.tasks.map((t) => subject.rows[t]) : batch.x;
    return { features: x, ...(labels && subject.feeds(batch)), ...feeds };
  };
  return {
    trainer,
    module,
    trained: trained.length,
    predictRows,
    predict: () => predictRows(features, subject.rows),
    atOnce: trainer.atOnce,
    steps(batches, feeds, shares) {
      const fed = batches.map((batch, i) => feed(batch, wantsLabels, feeds[i], byRows));
      return trainer.steps(fed, shares);
    },
    batches(key, most, dropLast = false) {
      const order = shuffled(trained, random.split("batches").split(key));
      return inBatches(options, order, most, { dropLast, atOnce: trainer.atOnce });
    },
    inOrder: (most) => inBatches(options, trained, most),
    async evaluator(build) {
      const run = await trainer.evaluator((scope) => build(ioOf(scope)));
      return (batch, feeds = {}) => run(feed(batch, true, feeds));
    },
    dispose: () => trainer.dispose(),
  };
}

/** Features of more bytes stay where they are, and go to the device batch by batch. */
const MOST_RESIDENT = 2 ** 30;

/** The features as a table, which a device can keep. */
function tablesOf(features: Features): Readonly<Record<string, Table>> {
  const shape = [features.tasks.length, ...features.shape];
  const bytes = countOf(shape) * Float32Array.BYTES_PER_ELEMENT;
  return bytes > MOST_RESIDENT ? {} : { features: { shape, read: features.read } };
}

/** Yields the examples in batches of at most so many; their features are read when they are asked for. */
function* inBatches(
  { subject, features }: NetOptions,
  order: Int32Array,
  most: number,
  { dropLast = false, atOnce = 1 }: { readonly dropLast?: boolean; readonly atOnce?: number } = {},
): Iterable<Batch> {
  const size = rowSize(features);
  // One memory for all batches, unless several of them are looked at together.
  let memory = new Float32Array(0);
  const room = (length: number) => {
    if (atOnce > 1) return new Float32Array(length);
    if (memory.length !== length) memory = new Float32Array(length);
    return memory;
  };
  for (let start = 0; start < order.length; start += most) {
    const examples = order.subarray(start, start + most);
    if (dropLast && examples.length < most && start > 0) return;
    const drawn = subject.drawn(examples);
    const { tasks } = drawn;
    let x: Float32Array | undefined;
    yield {
      ...drawn,
      size: examples.length,
      get x() {
        if (x) return x;
        x = room(tasks.length * size);
        features.read(
          tasks.map((t) => subject.rows[t]),
          x,
        );
        return x;
      },
    };
  }
}

export function createIo(
  scope: Scope,
  classes: number,
  workers: number,
  shape: readonly number[],
  network: Network,
  prepare: (x: Tensor) => Tensor,
): Io & { wantsLabels(): boolean } {
  const x = input("features", ["batch", ...shape]);
  const made = new Map<string, Tensor>();
  const once = (name: string, make: () => Tensor): Tensor => {
    const tensor = made.get(name) ?? make();
    made.set(name, tensor);
    return tensor;
  };
  let wanted = false;
  const perAnswer = (name: string, type: "int" | "float") => {
    wanted = true;
    return once(name, () => input(name, ["labels"], type));
  };
  const ints = (name: string) => perAnswer(name, "int");
  const trunk = (of: Tensor) => network.trunk(of, scope.child("trunk"));
  const head = (of: Tensor) => network.head(of, scope.child("head"));
  const io: Io & { wantsLabels(): boolean } = {
    scope,
    classes,
    workers,
    x,
    get standard() {
      return once("standard", () => prepare(x));
    },
    get features() {
      return once("trunk", () => trunk(io.standard));
    },
    get logits() {
      return once("logits", () => head(io.features));
    },
    logitsOf: (of: Tensor) => head(trunk(prepare(of))),
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
    ints,
    floats: (name) => perAnswer(name, "float"),
    wantsLabels: () => wanted,
  };
  return io;
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
