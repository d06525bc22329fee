/** A trained model from a folder that `learn` wrote, or from any .onnx file of a classifier. */

import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Model } from "../attack/victim.ts";
import { type Names, namesOf } from "../data/names.ts";
import { CrowdError } from "../error.ts";
import type { Forecaster } from "../learn/forecast.ts";
import { importClassifier } from "../tensor/import-onnx.ts";
import { readOnnx } from "../tensor/onnx-reader.ts";

export interface ModelFile extends Model {
  readonly path: string;
  /** What workers' labels are worth, where model.json beside it says so. */
  readonly forecaster?: Forecaster;
}

/** Larger files are not read. */
const MOST_BYTES = 2 ** 31 - 1;

export async function openModel(path: string): Promise<ModelFile> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new CrowdError("bad-data", `${path}: there is no such file or folder.`);
  const file = found.isDirectory() ? join(path, "model.onnx") : path;
  const size = (await stat(file).catch(() => undefined))?.size;
  if (size === undefined) {
    throw new CrowdError("bad-data", `${path}: there is no model.onnx in it.`);
  }
  if (size > MOST_BYTES) {
    throw new CrowdError("too-large", `${file} has ${size} bytes; at most ${MOST_BYTES} are read.`);
  }
  const imported = importClassifier(readOnnx(await readFile(file), file), file);
  const model = { ...imported, classes: namesOf(imported.classes) };
  const forecaster = await readForecaster(join(dirname(file), "model.json"), model.classes);
  return { ...model, path: file, weights: new Map(), ...(forecaster && { forecaster }) };
}

/** The forecaster of a model.json that fits the model; undefined where there is none. */
async function readForecaster(path: string, classes: Names): Promise<Forecaster | undefined> {
  let document: unknown;
  try {
    document = JSON.parse(await readFile(path, "utf8"));
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
    workers.every((name) => typeof name === "string") &&
    Array.isArray(evidence) &&
    evidence.length === workers.length * classes.length ** 2 &&
    evidence.every((nats) => typeof nats === "number" && Number.isFinite(nats));
  if (!sound) {
    throw new CrowdError(
      "bad-data",
      `${path}: its forecaster does not fit its workers and classes.`,
    );
  }
  return { workers: namesOf(workers), classes, evidence: Float64Array.from(evidence as number[]) };
}
