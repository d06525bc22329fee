/** What model.json says of a trained model: what it was made from and how, and what workers' labels are worth. */
import type { Learnt } from "../learn/create-learner.ts";
import type { Learning } from "../learn/learner.ts";
import { sha256Hex } from "../math/sha256.ts";
import { version } from "../version.ts";
import { rounded } from "./csv-files.ts";

/** The version of what model.json holds; it changes when a field goes or changes its meaning. */
const MODEL_SCHEMA = 1;

export interface ModelDocument {
  readonly schema: number;
  readonly tool: { readonly name: "consilience"; readonly version: string };
  readonly method: string;
  readonly options: Learning["options"];
  /** The SHA-256 of model.onnx in hexadecimal: the model that this belongs to. */
  readonly sha256: string;
  readonly classes: readonly string[];
  readonly input: { readonly name: "features"; readonly shape: readonly number[] };
  readonly standardisation: {
    readonly mean: readonly number[];
    readonly scale: readonly number[];
  } | null;
  readonly training: {
    readonly labels: number;
    readonly tasks: number;
    readonly workers: number;
    readonly engine: string;
    readonly history: Learning["history"];
  };
  /** Nats that a label adds to each class, as evidence[worker][class][label]; for predictions with labels. */
  readonly forecaster: {
    readonly workers: readonly string[];
    readonly evidence: readonly number[];
    /** What the classifier's logits were divided by: labels are joined with what it said before. Absent: 1. */
    readonly temperature?: number;
    /** The group of each worker by number, where some are copies: on a task one of them counts. */
    readonly copies?: readonly number[];
  } | null;
}

export interface Modelled {
  readonly learning: Omit<Learning, "predictor">;
  /** The bytes of the model as an ONNX file. */
  readonly onnx: Uint8Array;
  readonly shape: readonly number[];
  readonly statistics?: { readonly mean: Float64Array; readonly scale: Float64Array };
  readonly engine: string;
}

/** What model.json says of a network that predicts numbers, scores or clusters. */
export interface AnswersModelDocument extends Omit<ModelDocument, "classes" | "forecaster"> {
  /** The kind of answers that it was learnt from. */
  readonly kind: string;
  /** What it predicts of a row: `value` or the names of several outputs, `score`; nothing for clusters. */
  readonly outputs: readonly string[];
}

/** Makes model.json of a network learnt from answers that are no classes. */
export function answersModelDocument(
  {
    learning,
    onnx,
    shape,
    statistics,
    engine,
  }: Omit<Modelled, "learning"> & {
    readonly learning: Omit<Learnt, "predictor">;
  },
  more: Pick<AnswersModelDocument, "kind" | "outputs"> & {
    readonly labels: number;
    readonly tasks: number;
  },
): AnswersModelDocument {
  const { kind, outputs, labels, tasks } = more;
  return {
    schema: MODEL_SCHEMA,
    tool: { name: "consilience", version },
    method: learning.method,
    options: learning.options,
    sha256: sha256Hex(onnx),
    kind,
    outputs,
    input: { name: "features", shape },
    standardisation: standardisationOf(statistics),
    training: {
      labels,
      tasks,
      workers: learning.workers.length,
      engine,
      history: learning.history,
    },
  };
}

function standardisationOf(statistics: Modelled["statistics"]): ModelDocument["standardisation"] {
  if (!statistics) return null;
  return {
    mean: Array.from(statistics.mean, rounded),
    scale: Array.from(statistics.scale, rounded),
  };
}

export function modelDocument(
  { learning, onnx, shape, statistics, engine }: Modelled,
  {
    anonymous,
    labels,
    tasks,
  }: { readonly anonymous: boolean; readonly labels: number; readonly tasks: number },
): ModelDocument {
  const { evidence, temperature, copies } = learning;
  return {
    schema: MODEL_SCHEMA,
    tool: { name: "consilience", version },
    method: learning.method,
    options: learning.options,
    sha256: sha256Hex(onnx),
    classes: [...learning.classes],
    input: { name: "features", shape },
    standardisation: standardisationOf(statistics),
    training: {
      labels,
      tasks,
      workers: learning.workers.length,
      engine,
      history: learning.history,
    },
    // Without names nobody's label can be recognised, so there is nothing to forecast with.
    forecaster:
      evidence && !anonymous
        ? {
            workers: [...learning.workers],
            evidence: Array.from(evidence, rounded),
            ...(temperature && { temperature }),
            ...(copies && { copies: [...copies] }),
          }
        : null,
  };
}
