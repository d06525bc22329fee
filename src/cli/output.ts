/** Where a command writes: what it may replace, and what is cleared up if it is ended from outside. */
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { CrowdError } from "../error.ts";
import { checkInputs } from "../node/inputs.ts";
import { checkFolder, type WriteFolderOptions } from "../node/output.ts";
import type { Given, World } from "./command.ts";

/** How a command writes a folder: never over what it reads, and over anything else with --force. */
export function writing(
  given: Given,
  world: World,
  { ours, inputs = given.inputs() }: Pick<WriteFolderOptions, "ours" | "inputs"> = {},
): WriteFolderOptions {
  return {
    force: given.on("force"),
    signal: world.signal,
    onTemporary: world.temporary,
    inputs: withCompanions(inputs),
    ...(ours && { ours }),
  };
}

/** Refuses a folder of --out that could not be written, before any work is done. */
export async function checkOut(
  given: Given,
  world: World,
  settings: Pick<WriteFolderOptions, "ours" | "inputs"> = {},
): Promise<string | undefined> {
  const out = given.text("out");
  if (out !== undefined) await checkFolder(out, writing(given, world, settings));
  return out;
}

/** Refuses a file that is read, or that exists already and was not to be replaced. */
export async function checkFile(
  path: string,
  given: Given,
  inputs: readonly string[] = given.inputs(),
): Promise<void> {
  await checkInputs([path], withCompanions(inputs));
  // A pipe or a device has nothing to keep.
  if (given.on("force") || !existsSync(path) || !statSync(path).isFile()) return;
  throw new CrowdError("bad-option", `${path} exists already. Use --force to replace it.`);
}

/** Inputs with the files beside or within them that are read as well. */
function withCompanions(inputs: readonly string[]): readonly string[] {
  return inputs.flatMap((path) => {
    if (/\.onnx$/i.test(path)) return [path, join(dirname(path), "model.json")];
    if (/\.npy$/i.test(path)) return [path, join(dirname(path), "tasks.csv")];
    const model = join(path, "model.onnx");
    return existsSync(model) ? [model, join(path, "model.json")] : [path];
  });
}
