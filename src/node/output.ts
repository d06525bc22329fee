/**
 * A folder of results, old or new but never half. All files are written and on the disk before
 * anything that was there is touched; then the folder changes by renaming. Files of others in it get a
 * second name in the new folder. Where the folder itself must stay, its files change one by one, and
 * the next run takes back what a killed one left unfinished.
 */
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
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
import { checkInputs } from "./inputs.ts";

export { type Content, writeFile } from "./atomic.ts";

export interface WriteFolderOptions extends WriteOptions {
  /** True to write into a folder that is not empty. */
  readonly force?: boolean | undefined;
  /**
   * Names of files that earlier runs may have written: those not written this time are removed.
   * Default: the files of `aggregate` and `learn`. Any other file is somebody else's and stays.
   */
  readonly ours?: readonly string[] | undefined;
  /** Files that are read meanwhile: none of them is replaced or removed. */
  readonly inputs?: readonly string[] | undefined;
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
  { force = false, ours = OURS, inputs = [] }: WriteFolderOptions = {},
): Promise<void> {
  // What is read comes first: no option allows to replace it.
  await checkInputs(
    ours.map((name) => join(folder, name)),
    inputs,
  );
  await look(folder, force);
}

/** Writes a set of files into a folder, which is made if need be. */
export async function writeFolder(
  folder: string,
  files: Files,
  { force = false, ours = OURS, inputs = [], signal, onTemporary }: WriteFolderOptions = {},
): Promise<void> {
  const entries: [string, Content][] = files instanceof Map ? [...files] : Object.entries(files);
  const wrong = entries.find(([name]) => basename(name) !== name || ["", ".", ".."].includes(name));
  if (wrong) throw new CrowdError("bad-option", `"${wrong[0]}" is not the name of a file.`);
  const names = entries.map(([name]) => name);
  const known = new Set([...ours, ...names]);
  let temporary: string | undefined;
  try {
    await mkdir(dirname(resolve(folder)), { recursive: true });
    restore(await realpath(folder).catch(() => resolve(folder)));
    await checkInputs(
      [...known].map((name) => join(folder, name)),
      inputs,
    );
    const place = await look(folder, force);
    temporary = await makeBeside(place.path, place.exists, onTemporary);
    for (const [name, content] of entries) {
      await writeThrough(join(temporary, name), content, { flags: "wx", sync: true }, signal);
    }
    await syncFolder(temporary);
    if (signal?.aborted) throw new CrowdError("cancelled", `Writing ${folder} was cancelled.`);
    await takePlace(temporary, place, names, known);
    await syncFolder(dirname(place.path));
  } catch (cause) {
    throw writeError(folder, cause);
  } finally {
    if (temporary) await rm(temporary, { recursive: true, force: true });
  }
}

/** Puts the new files where they belong: the whole folder at once if possible. */
async function takePlace(
  temporary: string,
  place: Place,
  names: readonly string[],
  known: ReadonlySet<string>,
): Promise<void> {
  const ofOthers = place.entries.filter(({ name, isFile }) => !isFile || !known.has(name));
  const beside = dirname(temporary) === dirname(place.path);
  const movable = !place.exists || (beside && !holdsCurrent(place.path));
  if (movable && adopt(place.path, temporary, ofOthers)) {
    return swapFolder(temporary, place.path, place.mode);
  }
  const stale = place.entries.filter(
    ({ name, isFile }) => isFile && known.has(name) && !names.includes(name),
  );
  return swapFiles(
    temporary,
    place.path,
    names,
    stale.map(({ name }) => name),
  );
}

/** More files of others than this stay where they are, and ours change one by one. */
const MOST_ADOPTED = 1000;

/** Gives the files of others a second name in the new folder; false if that cannot be done. */
function adopt(from: string, to: string, entries: Place["entries"]): boolean {
  const left = { count: MOST_ADOPTED };
  try {
    if (entries.every(({ name }) => adoptOne(join(from, name), join(to, name), left))) return true;
  } catch {
    // Some disks know no second names; what was begun is taken back below.
  }
  for (const { name } of entries) rmSync(join(to, name), { recursive: true, force: true });
  return false;
}

/** A second name for a file; for a folder, a new one whose files have second names. */
function adoptOne(from: string, to: string, left: { count: number }): boolean {
  if (existsSync(to) || left.count-- <= 0) return false;
  const found = lstatSync(from);
  if (found.isFile() || found.isSymbolicLink()) {
    linkSync(from, to);
    return true;
  }
  if (!found.isDirectory() || found.dev !== lstatSync(dirname(from)).dev) return false;
  mkdirSync(to, { mode: found.mode });
  const whole = readdirSync(from).every((name) => adoptOne(join(from, name), join(to, name), left));
  utimesSync(to, found.atime, found.mtime);
  return whole;
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
async function makeBeside(
  path: string,
  exists: boolean,
  onTemporary: WriteOptions["onTemporary"],
): Promise<string> {
  const parent = dirname(path);
  for (const left of leftovers(parent, basename(path), "tmp"))
    await rm(left, { recursive: true, force: true });
  const beside = temporaryPath(path);
  onTemporary?.(beside);
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
  onTemporary?.(within);
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

/** Takes back what a killed run left unfinished. */
function restore(path: string): void {
  // Killed between the two renames: there is no folder, and the old one lies beside.
  const [old, ...older] = leftovers(dirname(path), basename(path), "old");
  if (old) {
    try {
      renameSync(old, path);
    } catch {
      // The folder is there, so the old one is not needed any more.
      older.push(old);
    }
  }
  for (const left of older) rmSync(left, { recursive: true, force: true });
  // Killed while files changed one by one: the old ones are kept with a list of what was to change.
  for (const folder of [dirname(path), path]) {
    for (const left of leftovers(folder, basename(path), "tmp")) takeBack(left, path);
  }
}

/** The list of files that are about to change, in the temporary folder while they do. */
const CHANGES = "changes.json";

/** Puts the old files back in place of those that a killed run had changed, and clears up. */
function takeBack(temporary: string, path: string): void {
  const list = join(temporary, "old", CHANGES);
  const text = existsSync(list) ? readFileSync(list, "utf8") : '{"names":[],"stale":[]}';
  const { names, stale } = JSON.parse(text) as { names: string[]; stale: string[] };
  for (const name of [...names, ...stale]) {
    const kept = join(temporary, "old", name);
    if (existsSync(kept)) renameSync(kept, join(path, name));
    else if (!existsSync(join(temporary, name))) rmSync(join(path, name), { force: true });
  }
  rmSync(temporary, { recursive: true, force: true });
}

/** Changes file by file, where the folder must stay; if one fails, all go back. */
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
  const list = join(old, CHANGES);
  writeFileSync(`${list}.new`, JSON.stringify({ names, stale }), { flush: true });
  renameSync(`${list}.new`, list);
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
  } finally {
    rmSync(list, { force: true });
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
