/** Files that a command reads, which it must never replace. */
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { CrowdError } from "../error.ts";

/** Refuses to write a file that is also read, whatever links lead to it. */
export async function checkInputs(
  targets: readonly string[],
  inputs: readonly string[],
): Promise<void> {
  if (inputs.length === 0 || targets.length === 0) return;
  const read = new Map<string, string>();
  for (const input of inputs) {
    for (const path of await placesOf(input)) read.set(path, input);
  }
  for (const target of targets) {
    const places = await placesOf(target);
    const input = places.map((path) => read.get(path)).find((path) => path !== undefined);
    const inside = await Promise.all(
      places.map(async (path) => read.has(dirname(path)) && (await exists(path))),
    );
    if (input === undefined && !inside.includes(true)) continue;
    throw new CrowdError(
      "bad-option",
      `${input ?? target} is read by this command, so it is not replaced. Write somewhere else.`,
    );
  }
}

/** A path as its folder names it, and where it leads; nothing for standard input or what is not there. */
async function placesOf(path: string): Promise<string[]> {
  if (path === "-") return [];
  const folder = await realpath(dirname(resolve(path))).catch(() => undefined);
  if (folder === undefined) return [];
  const named = join(folder, basename(resolve(path)));
  const led = await realpath(named).catch(() => named);
  return led === named ? [named] : [named, led];
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}
