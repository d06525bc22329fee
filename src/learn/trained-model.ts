/** A trained model in memory: from the bytes of an ONNX file of a classifier, and the model.json beside it. */
import { type Names, namesOf } from "../data/names.ts";
import { CrowdError } from "../error.ts";
import { sha256Hex } from "../math/sha256.ts";
import { importClassifier } from "../tensor/import-onnx.ts";
import { readOnnx } from "../tensor/onnx-reader.ts";
import type { Classifier } from "./classifier.ts";
import type { Forecaster } from "./forecast.ts";

/** A classifier that can be run, attacked and, where its workers are known, joined with labels. */
export interface TrainedModel extends Pick<Classifier, "classes" | "shape" | "module" | "weights"> {
  /** Where it is from, for messages. */
  readonly name: string;
  /** What workers' labels are worth, where model.json says so. */
  readonly forecaster?: Forecaster;
  /** What it predicts where that is no class: the kind of answers it was learnt from, and the names of its numbers. */
  readonly predicts?: { readonly kind: string; readonly outputs: readonly string[] };
  /** What was noticed while it was read. */
  readonly notes: readonly string[];
}

/** The files of a trained model, in memory. */
export interface ModelBytes {
  /** What messages call the file. */
  readonly name: string;
  readonly onnx: Uint8Array;
  /** The SHA-256 of the bytes in hexadecimal, where it is known already. */
  readonly sha256?: string | undefined;
  /** The text of model.json, with what messages call it. */
  readonly document?: { readonly name: string; readonly text: string } | undefined;
}

/** Reads a model that `learn` wrote, or any ONNX file of a classifier. */
export function readModel({ name, onnx, sha256, document }: ModelBytes): TrainedModel {
  const file = readOnnx(onnx, name);
  const imported = importClassifier(file, name);
  const classes = namesOf(imported.classes);
  const predicts = predictsOf(file.metadata, imported.classes.length, name);
  const read = { ...imported, classes, name, weights: new Map(), notes: [] };
  const model = predicts ? { ...read, predicts } : read;
  const fields = document && parsed(document.text);
  if (!fields) return model;
  const notes = checkBinding(fields, document.name, {
    name,
    classes,
    digest: () => sha256 ?? sha256Hex(onnx),
  });
  const forecaster = readForecaster(fields.forecaster, document.name, classes);
  return { ...model, notes, ...(forecaster && { forecaster }) };
}

/** What the file says that it predicts; undefined for classes. */
function predictsOf(
  metadata: ReadonlyMap<string, string>,
  width: number,
  name: string,
): TrainedModel["predicts"] {
  const kind = metadata.get("kind");
  if (kind === undefined) return undefined;
  try {
    const outputs: unknown = JSON.parse(metadata.get("outputs") ?? "");
    if (Array.isArray(outputs) && outputs.length === width) {
      return { kind, outputs: outputs.map(String) };
    }
  } catch {
    // Told below.
  }
  throw new CrowdError(
    "bad-data",
    `${name}: it says that it predicts ${kind} answers, but not what its ${width} numbers are called.`,
  );
}

/** What model.json says, as far as it is looked at here. */
interface Fields {
  readonly sha256?: unknown;
  readonly classes?: unknown;
  readonly forecaster?: {
    readonly workers?: unknown;
    readonly evidence?: unknown;
    readonly temperature?: unknown;
    readonly copies?: unknown;
  } | null;
}

/** Parses a model.json; undefined where it is not one of ours. */
function parsed(text: string): Fields | undefined {
  try {
    const fields = JSON.parse(text) as Fields | null;
    const ours = fields && ["sha256", "classes", "forecaster"].some((key) => key in fields);
    return ours ? fields : undefined;
  } catch {
    return undefined;
  }
}

/** Refuses the model.json of another model; returns what is worth a note. */
function checkBinding(
  fields: Fields,
  name: string,
  model: { readonly name: string; readonly classes: Names; readonly digest: () => string },
): string[] {
  const { sha256, classes } = fields;
  if (sha256 !== undefined && sha256 !== model.digest()) {
    throw new CrowdError(
      "bad-data",
      `${name} belongs to another model than ${model.name}: the SHA-256 in it is not that of the file. ` +
        "Use the model.json that was written with this model, or remove it.",
    );
  }
  const own = [...model.classes];
  if (classes !== undefined && JSON.stringify(classes) !== JSON.stringify(own)) {
    const listed = Array.isArray(classes) ? classes.slice(0, 10).join(", ") : String(classes);
    throw new CrowdError(
      "bad-data",
      `${name}: its classes are ${listed}; those of ${model.name} are ${own.slice(0, 10).join(", ")}. ` +
        "Use the model.json that was written with this model, or remove it.",
    );
  }
  if (sha256 !== undefined) return [];
  return [
    `${name} does not say which model it belongs to: an older version wrote it. Its classes fit.`,
  ];
}

/** Reads the forecaster of a model.json that fits the model; undefined where there is none. */
function readForecaster(
  forecaster: Fields["forecaster"],
  name: string,
  classes: Names,
): Forecaster | undefined {
  if (!forecaster) return undefined;
  const { workers, evidence, temperature, copies } = forecaster;
  const sound =
    Array.isArray(workers) &&
    workers.every((worker) => typeof worker === "string") &&
    Array.isArray(evidence) &&
    evidence.length === workers.length * classes.length ** 2 &&
    evidence.every((nats) => typeof nats === "number" && Number.isFinite(nats)) &&
    (temperature === undefined || (typeof temperature === "number" && temperature > 0)) &&
    (copies === undefined || areGroups(copies, workers.length));
  if (!sound) {
    throw new CrowdError(
      "bad-data",
      `${name}: its forecaster does not fit its workers and classes.`,
    );
  }
  return {
    workers: namesOf(workers),
    classes,
    evidence: Float64Array.from(evidence),
    ...(typeof temperature === "number" && { temperature }),
    ...(Array.isArray(copies) && { copies: Int32Array.from(copies) }),
  };
}

/** True if that is a group by number for each worker. */
const areGroups = (groups: unknown, workers: number): boolean =>
  Array.isArray(groups) &&
  groups.length === workers &&
  groups.every((group) => Number.isInteger(group) && group >= 0 && group < workers);
