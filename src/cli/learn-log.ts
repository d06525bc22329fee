/** The log of a training: a row per epoch, written as the epochs end. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { CrowdError } from "../error.ts";
import { csvCell } from "../io/csv-writer.ts";
import type { EpochProgress } from "../jobs/hooks.ts";
import { loadCheckpoint } from "../learn/checkpoint.ts";
import { writeError } from "../node/atomic.ts";
import { rounded } from "../report/csv-files.ts";
import type { Given } from "./command.ts";
import { checkFile } from "./output.ts";

/** An epoch as a row; one that was read from a checkpoint has no rate and no seconds. */
type Row = Omit<EpochProgress, "seconds"> & { readonly seconds?: number };

const COLUMNS = [
  "run",
  "stage",
  "epoch",
  "epochs",
  "loss",
  "validation",
  "rate",
  "seconds",
] as const satisfies readonly (keyof Row)[];

/** How rows become lines, by the ending of the file. */
interface Format {
  readonly header: string;
  line(row: Row): string;
}

/** A value as it is in other files: numbers with seven digits. */
const shown = <Value>(value: Value) => (typeof value === "number" ? rounded(value) : value);

const csv: Format = {
  header: `${COLUMNS.join()}\n`,
  line: (row) => `${COLUMNS.map((name) => csvCell(shown(row[name]))).join()}\n`,
};
const jsonLines: Format = {
  header: "",
  line: (row) => `${JSON.stringify(row, (_, value) => shown(value))}\n`,
};

const formatOf = (path: string): Format | undefined =>
  path.endsWith(".csv") ? csv : path.endsWith(".jsonl") ? jsonLines : undefined;

/** The file of --log; refuses what could not be written, or must not be, before any work is done. */
export async function logPath(
  given: Given,
  {
    out,
    checkpoint,
  }: { readonly out: string | undefined; readonly checkpoint: string | undefined },
): Promise<string | undefined> {
  const path = given.text("log");
  if (path === undefined) return undefined;
  const format = formatOf(path);
  if (!format) {
    throw new CrowdError(
      "usage",
      `--log writes .csv or .jsonl, by the ending of the file, not "${path}".`,
    );
  }
  if (out !== undefined && !/^\.\.([\\/]|$)/.test(relative(resolve(out), resolve(path)))) {
    throw new CrowdError(
      "bad-option",
      `${path} lies in the folder of --out, which is written when the training is done. Write the log beside it.`,
    );
  }
  const read = [...given.inputs(), ...(checkpoint === undefined ? [] : [checkpoint])];
  const continued = given.on("resume") && isLog(path, format);
  const on = (flag: string) => (continued && flag === "force") || given.on(flag);
  await checkFile(path, { ...given, on }, read);
  await checkWritable(path);
  return path;
}

/** Returns whether a file is what this wrote before. */
function isLog(path: string, { header }: Format): boolean {
  if (!existsSync(path)) return false;
  const [first] = readFileSync(path, "utf8").split("\n", 1);
  return header === "" ? /^$|^\{"run":\d/.test(first) : `${first}\n` === header;
}

/** Refuses a path that cannot be written, and leaves it as it is. */
async function checkWritable(path: string): Promise<void> {
  const before = existsSync(path);
  try {
    await (await open(path, "a")).close();
    if (!before) await rm(path);
  } catch (cause) {
    throw writeError(path, cause);
  }
}

/**
 * Returns what writes an epoch to the log: a whole line at once. The file begins with the first epoch; a training that goes
 * on from a checkpoint keeps the rows of the epochs that the checkpoint holds, and those alone.
 */
export function createLog(
  path: string | undefined,
  checkpoint: Uint8Array | undefined,
  say: (text: string) => void,
): (epoch: EpochProgress) => void {
  const format = path === undefined ? undefined : formatOf(path);
  if (path === undefined || !format) return () => {};
  let begun = false;
  let failed = false;
  return (epoch) => {
    if (failed) return;
    try {
      if (!begun) writeFileSync(path, beginning(path, format, checkpoint));
      begun = true;
      appendFileSync(
        path,
        format.line({ ...epoch, seconds: Math.round(epoch.seconds * 1000) / 1000 }),
      );
    } catch (error) {
      failed = true;
      say(`note: the log could not be written: ${(error as Error).message}`);
    }
  };
}

/** The header, and the rows of the epochs before: as they were written, else from the checkpoint. */
function beginning(path: string, format: Format, checkpoint: Uint8Array | undefined): string {
  if (!checkpoint) return format.header;
  const { runs } = loadCheckpoint(checkpoint);
  const rows = runs.flatMap(({ history }, r) =>
    history.map(({ epoch, ...more }) => ({ run: r + 1, epoch: epoch + 1, ...more })),
  );
  const old = isLog(path, format) ? readFileSync(path, "utf8").slice(format.header.length) : "";
  // What follows the last line break is a row that was not written to its end.
  const lines = old.split("\n").slice(0, -1);
  return (
    format.header + rows.map((row, i) => (lines[i] ? `${lines[i]}\n` : format.line(row))).join("")
  );
}
