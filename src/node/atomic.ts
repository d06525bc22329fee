/**
 * Files that are there whole or not at all: written beside the place where they go, brought to the
 * disk, then renamed.
 */
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { chmod, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { CrowdError } from "../error.ts";
import type { StopSignal } from "../run.ts";

export type Content =
  | string
  | Uint8Array
  | Iterable<string | Uint8Array>
  | AsyncIterable<string | Uint8Array>;

export interface WriteOptions {
  readonly signal?: StopSignal | undefined;
  /** Told of each temporary path, for whoever ends the process from outside. */
  readonly onTemporary?: ((path: string) => void) | undefined;
}

const PIECE = 262_144;

/** Writes a file so that a kill or a full disk leaves the old one or the new one, never half. */
export async function writeFile(
  path: string,
  content: Content,
  { signal, onTemporary }: WriteOptions = {},
): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const before = await stat(target).catch(() => undefined);
  if (before?.isDirectory())
    throw new CrowdError("bad-option", `${path}: this is a folder, not a file.`);
  if (before && !before.isFile()) {
    // A pipe or a device has nothing to keep.
    return writeThrough(target, content, { flags: "w", sync: false }, signal).catch((cause) => {
      throw writeError(path, cause);
    });
  }
  clearLeftovers(dirname(target), basename(target));
  const temporary = temporaryPath(target);
  onTemporary?.(temporary);
  try {
    await writeThrough(temporary, content, { flags: "wx", sync: true }, signal);
    if (before) await chmod(temporary, before.mode);
    await rename(temporary, target);
    await syncFolder(dirname(target));
  } catch (cause) {
    await rm(temporary, { force: true });
    throw writeError(path, cause);
  }
}

/** Writes piece by piece, each waiting for the one before it, then waits for the disk. */
export async function writeThrough(
  path: string,
  content: Content,
  { flags, sync }: { flags: "w" | "wx"; sync: boolean },
  signal?: StopSignal,
): Promise<void> {
  const handle = await open(path, flags);
  try {
    let waiting = "";
    const pieces =
      typeof content === "string" || content instanceof Uint8Array ? [content] : content;
    for await (const piece of pieces) {
      if (signal?.aborted) {
        throw new CrowdError("cancelled", `Writing ${path} was cancelled.`, {
          cause: signal.reason,
        });
      }
      if (typeof piece === "string") waiting += piece;
      if (waiting.length > PIECE || typeof piece !== "string") {
        await handle.appendFile(waiting);
        waiting = "";
      }
      if (typeof piece !== "string") await handle.appendFile(piece);
    }
    await handle.appendFile(waiting);
    if (sync) await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A hidden name beside the path, which tells whose it is: `.name.tmp-PID-RANDOM`. */
export function temporaryPath(
  path: string,
  folder = dirname(path),
  kind: "tmp" | "old" = "tmp",
): string {
  const random = randomBytes(6).toString("hex");
  return join(folder, `.${basename(path)}.${kind}-${process.pid}-${random}`);
}

/** What earlier processes left beside a path when they were killed. */
export function leftovers(folder: string, name: string, kind: "tmp" | "old"): string[] {
  const start = `.${name}.${kind}-`;
  let names: string[] = [];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names
    .filter(
      (other) =>
        other.startsWith(start) && !isAlive(Number(other.slice(start.length).split("-")[0])),
    )
    .map((other) => join(folder, other));
}

function clearLeftovers(folder: string, name: string): void {
  // Nothing depends on it, so nobody waits for it or hears of it.
  for (const path of leftovers(folder, name, "tmp"))
    rm(path, { recursive: true, force: true }).catch(() => {});
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Brings renames to the disk, where the system allows it. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const handle = await open(path);
    await handle.sync().finally(() => handle.close());
  } catch {
    // Some systems cannot do this with folders; the files themselves are on the disk.
  }
}

/** Why something could not be written, and what to do. */
export function writeError(path: string, cause: unknown): CrowdError {
  if (cause instanceof CrowdError) return cause;
  const code = (cause as NodeJS.ErrnoException).code ?? "";
  const what = new Map([
    ["ENOSPC", "the disk is full. Make room, or choose another place."],
    ["EDQUOT", "your share of the disk is used up. Make room, or choose another place."],
    ["EACCES", "writing is not permitted. Check the permissions, or choose another place."],
    ["EPERM", "writing is not permitted. Check the permissions, or choose another place."],
    ["EROFS", "the disk is read-only. Choose another place."],
    ["ENOENT", "the folder it should go to does not exist."],
    ["ENOTDIR", "a part of the path is a file, not a folder."],
    ["ENOTEMPTY", "another process has written there meanwhile. Choose another place."],
    ["EEXIST", "another process has written there meanwhile. Choose another place."],
  ]).get(code);
  const why = cause instanceof Error ? cause.message : String(cause);
  return new CrowdError(
    "write-failed",
    `${path} could not be written: ${what ?? why} What was there before is unchanged.`,
    { cause },
  );
}
