/** A trained model from a folder that `learn` wrote, or from any .onnx file of a classifier. */
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CrowdError } from "../error.ts";
import { readModel, type TrainedModel } from "../learn/trained-model.ts";

/** Larger files are not read. */
const MOST_BYTES = 2 ** 31 - 1;

/** Opens a trained model. */
export async function openModel(path: string): Promise<TrainedModel> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new CrowdError("bad-data", `${path}: there is no such file or folder.`);
  const name = found.isDirectory() ? join(path, "model.onnx") : path;
  const size = (await stat(name).catch(() => undefined))?.size;
  if (size === undefined) {
    throw new CrowdError("bad-data", `${path}: there is no model.onnx in it.`);
  }
  if (size > MOST_BYTES) {
    throw new CrowdError("too-large", `${name} has ${size} bytes; at most ${MOST_BYTES} are read.`);
  }
  const beside = join(dirname(name), "model.json");
  const text = await readFile(beside, "utf8").catch(() => undefined);
  const document = text === undefined ? undefined : { name: beside, text };
  const onnx = await readFile(name);
  const sha256 = createHash("sha256").update(onnx).digest("hex");
  return readModel({ name, onnx, sha256, document });
}
