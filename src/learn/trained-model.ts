/** A trained model in memory: from the bytes of an ONNX file of a classifier, and the model.json beside it. */
import { type Names, namesOf } from "../data/names.ts";
import { CrowdError } from "../error.ts";
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
}

/** The files of a trained model, in memory. */
export interface ModelBytes {
  /** What messages call the file. */
  readonly name: string;
  readonly onnx: Uint8Array;
  /** The text of model.json, with what messages call it. */
  readonly document?: { readonly name: string; readonly text: string } | undefined;
}

/** Reads a model that `learn` wrote, or any ONNX file of a classifier. */
export function readModel({ name, onnx, document }: ModelBytes): TrainedModel {
  const imported = importClassifier(readOnnx(onnx, name), name);
  const classes = namesOf(imported.classes);
  const forecaster = document && readForecaster(document.text, document.name, classes);
  return { ...imported, classes, name, weights: new Map(), ...(forecaster && { forecaster }) };
}

/** Reads the forecaster of a model.json that fits the model; undefined where there is none. */
function readForecaster(text: string, name: string, classes: Names): Forecaster | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { forecaster } = (document ?? {}) as {
    readonly forecaster?: { readonly workers?: unknown; readonly evidence?: unknown } | null;
  };
  if (!forecaster) return undefined;
  const { workers, evidence } = forecaster;
  const sound =
    Array.isArray(workers) &&
    workers.every((worker) => typeof worker === "string") &&
    Array.isArray(evidence) &&
    evidence.length === workers.length * classes.length ** 2 &&
    evidence.every((nats) => typeof nats === "number" && Number.isFinite(nats));
  if (!sound) {
    throw new CrowdError(
      "bad-data",
      `${name}: its forecaster does not fit its workers and classes.`,
    );
  }
  return { workers: namesOf(workers), classes, evidence: Float64Array.from(evidence) };
}
