/**
 * A folder of results, old or new but never half. All files are written and on the disk before
 * anything that was there is touched; then the folder changes by renaming.
 */
import { linkSync, lstatSync, renameSync, rmSync } from "node:fs";
import { chmod, copyFile, mkdir, readdir, realpath, rm, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { CrowdError, hint } from "../error.ts";
import {
  type Content,
  leftovers,
  syncFolder,
  temporaryPath,
  type WriteOptions,
  writeError,
  writeThrough,
} from "./atomic.ts";

export { type Content, writeFile } from "./atomic.ts";

export interface WriteFolderOptions extends WriteOptions {
  /** True to write into a folder that is not empty. */
  readonly force?: boolean | undefined;
  /**
   * Names of files that earlier runs may have written: those not written this time are removed.
   * Default: the files of `aggregate` and `learn`. Any other file is somebody else's and stays.
   */
  readonly ours?: readonly string[] | undefined;
}

const OURS = [
  "review.csv",
  "truth.csv",
  "posterior.csv",
  "workers.csv",
  "confusion.csv",
  "result.json",
  "report.html",
  "model.onnx",
  "model.json",
  "test-predictions.csv",
];

/** Hidden folders of runs like this one. */
const LEFTOVER = /^\..*\.(tmp|old)-\d+-[0-9a-f]{12}$/;

type Files = ReadonlyMap<string, Content> | Readonly<Record<string, Content>>;

/** Refuses a folder that `writeFolder` would refuse, before the work that fills it is done. */
export async function checkFolder(
  folder: string,
  { force = false }: WriteFolderOptions = {},
): Promise<void> {
  await look(folder, force);
}

/** Writes a set of files into a folder, which is made if need be. */
export async function writeFolder(
  folder: string,
  files: Files,
  { force = false, ours = OURS, signal }: WriteFolderOptions = {},
): Promise<void> {
  const entries: [string, Content][] = files instanceof Map ? [...files] : Object.entries(files);
  const wrong = entries.find(([name]) => basename(name) !== name || ["", ".", ".."].includes(name));
  if (wrong) throw new CrowdError("bad-option", `"${wrong[0]}" is not the name of a file.`);
  let temporary: string | undefined;
  try {
    await mkdir(dirname(resolve(folder)), { recursive: true });
    restore(resolve(folder));
    const place = await look(folder, force);
    temporary = await makeBeside(place.path, place.exists);
    for (const [name, content] of entries) {
      await writeThrough(join(temporary, name), content, { flags: "wx", sync: true }, signal);
    }
    await syncFolder(temporary);
    const names = entries.map(([name]) => name);
    const known = new Set([...ours, ...names]);
    const foreign = place.entries.some(({ name, isFile }) => !isFile || !known.has(name));
    const beside = dirname(temporary) === dirname(place.path);
    if (!place.exists || (beside && !foreign && !holdsCurrent(place.path))) {
      await swapFolder(temporary, place.path, place.mode);
    } else {
      const stale = place.entries.filter(
        ({ name, isFile }) => isFile && known.has(name) && !names.includes(name),
      );
      await swapFiles(
        temporary,
        place.path,
        names,
        stale.map(({ name }) => name),
      );
    }
    await syncFolder(dirname(place.path));
  } catch (cause) {
    throw writeError(folder, cause);
  } finally {
    if (temporary) await rm(temporary, { recursive: true, force: true });
  }
}

interface Place {
  readonly path: string;
  readonly exists: boolean;
  /** A folder or a link is never ours, whatever its name. */
  readonly entries: readonly { readonly name: string; readonly isFile: boolean }[];
  readonly mode: number | undefined;
}

/** What is there now; refuses what must not be overwritten. */
async function look(folder: string, force: boolean): Promise<Place> {
  const path = await realpath(folder).catch(() => resolve(folder));
  const found = await stat(path).catch(() => undefined);
  if (!found) return { path, exists: false, entries: [], mode: undefined };
  if (!found.isDirectory()) {
    throw new CrowdError("bad-option", `${folder} is a file. Choose a folder to write to.`);
  }
  const entries = (await readdir(path, { withFileTypes: true }))
    .filter(({ name }) => !LEFTOVER.test(name))
    .map((entry) => ({ name: entry.name, isFile: entry.isFile() }));
  if (entries.length > 0 && !force) {
    throw new CrowdError(
      "bad-option",
      `${folder} is not empty. Choose another folder, or overwrite its files with ${hint("force", true)}.`,
    );
  }
  return { path, exists: true, entries, mode: found.mode };
}

/** A hidden folder on the same disk: beside the place, or within it where that is all we may write. */
async function makeBeside(path: string, exists: boolean): Promise<string> {
  const parent = dirname(path);
  for (const left of leftovers(parent, basename(path), "tmp"))
    await rm(left, { recursive: true, force: true });
  const beside = temporaryPath(path);
  try {
    await mkdir(beside);
    const [there, here] = await Promise.all([stat(exists ? path : parent), stat(beside)]);
    if (there.dev === here.dev) return beside;
    await rm(beside, { recursive: true });
  } catch (cause) {
    const refused = ["EACCES", "EPERM", "EROFS"].includes(
      (cause as NodeJS.ErrnoException).code ?? "",
    );
    if (!refused || !exists) throw cause;
  }
  for (const left of leftovers(path, basename(path), "tmp"))
    await rm(left, { recursive: true, force: true });
  const within = temporaryPath(path, path);
  await mkdir(within);
  return within;
}

/** A folder that somebody is working in must stay the same folder. */
function holdsCurrent(path: string): boolean {
  const way = relative(path, process.cwd());
  return way === "" || !way.startsWith("..");
}

/** The new folder takes the place of the old one. Two renames in a row, with nothing in between. */
async function swapFolder(
  temporary: string,
  path: string,
  mode: number | undefined,
): Promise<void> {
  if (mode === undefined) return renameSync(temporary, path);
  await chmod(temporary, mode);
  const old = temporaryPath(path, dirname(path), "old");
  renameSync(path, old);
  try {
    renameSync(temporary, path);
  } catch (cause) {
    renameSync(old, path);
    throw cause;
  }
  // The new folder is in place; what remains of the old one is cleared away next time.
  await rm(old, { recursive: true, force: true }).catch(() => {});
}

/** A kill between those two renames leaves no folder, and the old one beside: put it back. */
function restore(path: string): void {
  const [old, ...older] = leftovers(dirname(path), basename(path), "old");
  if (!old) return;
  try {
    renameSync(old, path);
  } catch {
    // The folder is there, so the old one is not needed any more.
    older.push(old);
  }
  for (const left of older) rmSync(left, { recursive: true, force: true });
}

/** File by file, where others have files in the folder; if one fails, all go back. */
async function swapFiles(
  temporary: string,
  path: string,
  names: readonly string[],
  stale: readonly string[],
): Promise<void> {
  const old = join(temporary, "old");
  await mkdir(old);
  const kept = new Set<string>();
  for (const name of [...names, ...stale]) {
    if (await keep(join(path, name), join(old, name))) kept.add(name);
  }
  const done: string[] = [];
  try {
    for (const name of names) {
      renameSync(join(temporary, name), join(path, name));
      done.push(name);
    }
    for (const name of stale) {
      rmSync(join(path, name));
      done.push(name);
    }
  } catch (cause) {
    for (const name of done) {
      if (kept.has(name)) renameSync(join(old, name), join(path, name));
      else rmSync(join(path, name), { force: true });
    }
    throw cause;
  }
}

/** A second name for a file, or a copy where the disk knows no second names; false if there is no file. */
async function keep(path: string, copy: string): Promise<boolean> {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return false;
  try {
    linkSync(path, copy);
  } catch {
    await copyFile(path, copy);
  }
  return true;
}
