/** One training from files to plain data: what the learning thread does, and what it is asked and answers. */

import type { CategoricalData } from "../data/categorical.ts";
import type { CrowdData } from "../data/crowd-data.ts";
import type { CleaningOptions } from "../io/cleaning.ts";
import type { GoldPair } from "../io/sink.ts";
import { kindLearnerNamed } from "../jobs/choose-learner.ts";
import type { JobProgress } from "../jobs/hooks.ts";
import { goldOfRows } from "../jobs/learn.ts";
import { type Trained, trainJob } from "../jobs/train.ts";
import { kindOf } from "../kinds.ts";
import type { Learnt } from "../learn/create-learner.ts";
import type { Valid } from "../learn/validation.ts";
import type { Executor } from "../tensor/executor.ts";
import { interpreter } from "../tensor/interpreter.ts";
import { type OpenFeatures, openFeatures } from "./features.ts";
import { openBoth } from "./plugins.ts";
import { openRuntime, type RuntimeChoice } from "./runtime.ts";
import { type Stopping, stoppable } from "./stoppable.ts";

export const engines = ["auto", "onnxruntime-node", "onnxruntime-web", "typescript"] as const;
export type EngineName = (typeof engines)[number];

/** What runs networks, and what computes. */
export interface EngineChoice {
  readonly engine: EngineName;
  readonly device?: RuntimeChoice["device"];
  readonly threads?: number | undefined;
}

/** Where features are and what their rows are called. */
export interface FeatureSource extends Pick<CleaningOptions, "keepSpaces" | "keepUnicode"> {
  readonly path: string;
  readonly tasks?: string | readonly string[] | undefined;
  /** The column that names the task, of a table. */
  readonly columns?: { readonly task: string } | undefined;
  readonly layout?: "nchw" | "nhwc" | undefined;
  readonly size?: number | undefined;
}

export interface LearnJob<Data extends CrowdData = CategoricalData> extends EngineChoice {
  readonly method: string;
  /** Modules with learners of the user's own. */
  readonly plugins: readonly string[];
  readonly options: Readonly<Record<string, number | string | boolean>>;
  readonly data: Data;
  readonly features: FeatureSource;
  readonly valid?:
    | { readonly features: FeatureSource; readonly gold: readonly GoldPair[] }
    | undefined;
  readonly test?: FeatureSource | undefined;
  /** A checkpoint to go on from, as bytes. */
  readonly resume?: Uint8Array | undefined;
  /** Seconds between checkpoints; 0: after every epoch. Absent: none but when stopped. */
  readonly checkpointEvery?: number | undefined;
}

export interface LearnHooks {
  readonly signal: { readonly aborted: boolean };
  say(text: string): void;
  progress(progress: JobProgress): void;
  checkpoint(bytes: Uint8Array): void;
}

/** Opens engine and features, and trains. */
export async function runLearnJob(
  job: LearnJob<CrowdData>,
  hooks: LearnHooks,
): Promise<Trained<Learnt>> {
  const { data, options, resume, checkpointEvery } = job;
  const { learners } = await openBoth(job.plugins);
  const kind = kindOf(data);
  const method = kindLearnerNamed(job.method, kind, learners);
  const named = kind.learning?.predictions?.described(data) ?? data.tasks;
  const executor = await openEngine(job, hooks.say);
  const opened: OpenFeatures[] = [];
  const open = async ({ path, ...more }: FeatureSource, match?: Iterable<string>) => {
    const features = await openFeatures(path, { ...more, match, onUnderstood: hooks.say });
    opened.push(features);
    for (const note of features.notes) hooks.say(`note: ${note}`);
    return features;
  };
  try {
    const features = await open(job.features, named);
    const test = job.test && (await open(job.test));
    const valid =
      job.valid &&
      validOf(
        job.valid.gold,
        await open(
          job.valid.features,
          job.valid.gold.map(([task]) => task),
        ),
        data,
      );
    const shared = { data, method, options, executor, resume, checkpointEvery };
    return await trainJob({ ...shared, features, valid, test }, hooks);
  } finally {
    for (const features of opened) features.close?.();
  }
}

/** Validation rows with their truth by number: classes, or what the kind predicts. */
function validOf(gold: readonly GoldPair[], features: OpenFeatures, data: CrowdData): Valid {
  const predictions = kindOf(data).learning?.predictions;
  if (predictions) {
    const known = predictions.goldOf(features.tasks, gold, predictions.outputs(data));
    return { features, gold: known };
  }
  const classes = gold.map(([task, label]) => [task, String(label)] as const);
  return {
    features,
    gold: goldOfRows(features.tasks, classes, (data as CategoricalData).classes),
  };
}

/** Opens what runs networks, and says what that is; it stops between two steps when it is told to. */
export async function openEngine(
  { engine, device, threads }: EngineChoice,
  say: (text: string) => void,
  stopping?: Stopping,
): Promise<Executor> {
  const onEngine = (name: string) => say(`engine: ${name}`);
  if (engine === "typescript") {
    onEngine(interpreter.name);
    // What runs in this language can be ended anywhere.
    return stopping ? stoppable(interpreter, { signal: stopping.signal }) : interpreter;
  }
  const name = engine === "auto" ? undefined : engine;
  const runtime = await openRuntime({ name, device, threads, onEngine });
  return stopping ? stoppable(runtime, stopping) : runtime;
}
