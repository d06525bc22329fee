/** One training from files to plain data: what the learning thread does, and what it is asked and answers. */
import type { CategoricalData } from "../data/categorical.ts";
import { CrowdError } from "../error.ts";
import { loadCheckpoint, saveCheckpoint } from "../learn/checkpoint.ts";
import { learnerList } from "../learn/index.ts";
import type { Learning, LearnProgress } from "../learn/learner.ts";
import type { Executor } from "../tensor/executor.ts";
import { interpreter } from "../tensor/interpreter.ts";
import { type OpenFeatures, openFeatures } from "./features.ts";
import { openRuntime } from "./runtime.ts";

export const engines = ["auto", "onnxruntime-node", "onnxruntime-web", "typescript"] as const;
export type EngineName = (typeof engines)[number];

/** Where features are and what their rows are called. */
export interface FeatureSource {
  readonly path: string;
  readonly tasks?: string | readonly string[] | undefined;
  /** The column that names the task, of a table. */
  readonly columns?: { readonly task: string } | undefined;
  readonly layout?: "nchw" | "nhwc" | undefined;
  readonly size?: number | undefined;
}

export interface LearnJob {
  readonly method: string;
  readonly options: Readonly<Record<string, number | string | boolean>>;
  readonly data: CategoricalData;
  readonly features: FeatureSource;
  readonly valid?: { readonly features: FeatureSource; readonly gold: Int32Array } | undefined;
  readonly test?: FeatureSource | undefined;
  readonly engine: EngineName;
  readonly threads?: number | undefined;
  /** A checkpoint to go on from, as bytes. */
  readonly resume?: Uint8Array | undefined;
  /** Seconds between checkpoints; 0: after every epoch. Absent: none but when stopped. */
  readonly every?: number | undefined;
}

export interface LearnHooks {
  readonly aborted: () => boolean;
  say(text: string): void;
  progress(progress: LearnProgress, share: number): void;
  checkpoint(bytes: Uint8Array): void;
}

export interface LearnOutcome {
  readonly learning: Omit<Learning, "classifier">;
  /** What the classifier alone says of the labelled tasks, and of those of the test. */
  readonly predicted: Float64Array;
  readonly testPredicted?: Float64Array;
  readonly onnx: Uint8Array;
  readonly shape: readonly number[];
  readonly statistics?: { readonly mean: Float64Array; readonly scale: Float64Array };
  readonly engine: string;
}

export async function runLearnJob(job: LearnJob, hooks: LearnHooks): Promise<LearnOutcome> {
  const method = learnerList.find(({ id }) => id === job.method);
  if (!method) throw new CrowdError("unknown-method", `There is no learner "${job.method}".`);
  const executor = await openEngine(job.engine, job.threads);
  hooks.say(`engine: ${executor.name}`);
  const opened: OpenFeatures[] = [];
  const open = async ({ path, ...options }: FeatureSource) => {
    const features = await openFeatures(path, { ...options, onUnderstood: hooks.say });
    opened.push(features);
    for (const note of features.notes) hooks.say(`note: ${note}`);
    return features;
  };
  try {
    const features = await open(job.features);
    const test = job.test && (await open(job.test));
    const valid = job.valid && { ...job.valid, features: await open(job.valid.features) };
    for (const other of [test, valid?.features]) {
      if (other && String(other.shape) !== String(features.shape)) {
        throw new CrowdError(
          "bad-data",
          `The features of test or validation have shape [${other.shape}], those of training [${features.shape}].`,
        );
      }
    }
    let saved = performance.now();
    let latest: LearnProgress = { iteration: 0, objective: Number.NaN };
    const walk = method.steps(job.data, features, job.options, {
      executor,
      valid,
      signal: {
        get aborted() {
          return hooks.aborted();
        },
      },
      resume: job.resume && loadCheckpoint(job.resume),
      onBatch: (share) => hooks.progress(latest, share),
      onCheckpoint: (make, stopped) => {
        const due = performance.now() - saved >= 1000 * (job.every ?? Infinity);
        if (!due && !stopped) return;
        hooks.checkpoint(saveCheckpoint(make()));
        saved = performance.now();
      },
    });
    for (;;) {
      const step = await walk.next();
      if (!step.done) {
        latest = step.value;
        hooks.progress(latest, 0);
        continue;
      }
      const { classifier, ...learning } = step.value;
      const rows = new Map(Array.from(features.tasks, (name, row) => [name, row]));
      const predicted = await classifier.predict(
        features,
        Array.from(job.data.tasks, (name) => rows.get(name) ?? 0),
      );
      const { statistics } = classifier;
      return {
        learning,
        predicted,
        onnx: classifier.toOnnx(),
        shape: classifier.shape,
        ...(test && { testPredicted: await classifier.predict(test) }),
        ...(statistics && { statistics: { mean: statistics.mean, scale: statistics.scale } }),
        engine: executor.name,
      };
    }
  } finally {
    for (const features of opened) features.close?.();
  }
}

export async function openEngine(name: EngineName, threads?: number): Promise<Executor> {
  if (name === "typescript") return interpreter;
  return openRuntime({ name: name === "auto" ? undefined : name, threads });
}
