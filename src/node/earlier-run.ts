/** An earlier run from disk: its result.json, and truth.csv and workers.csv beside it. */
import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Run } from "../diagnose/since.ts";
import { CrowdError } from "../error.ts";
import { earlierRun, hasAnswers, rowsOf } from "../jobs/since.ts";
import { type FileOptions, readTable } from "./files.ts";

/** Reads the run that wrote a result.json; a folder stands for the one in it. */
export async function readEarlierRun(path: string, options: FileOptions = {}): Promise<Run> {
  const folder = existsSync(path) && statSync(path).isDirectory();
  const file = folder ? join(path, "result.json") : path;
  const document = await readDocument(file);
  const table = async (name: string) => rowsOf(await readTable(join(dirname(file), name), options));
  if (hasAnswers(document)) return earlierRun(document, {}, file);
  // Checked before the tables are read: a wrong file is the more likely mistake.
  earlierRun(document, { answers: [] }, file);
  const truth = join(dirname(file), "truth.csv");
  if (!existsSync(truth)) {
    throw new CrowdError(
      "bad-data",
      `${truth}: there is no such file. Answers are compared with the truth.csv beside ${file}, as aggregate wrote it.`,
    );
  }
  const workers = existsSync(join(dirname(file), "workers.csv"));
  return earlierRun(
    document,
    { answers: await table("truth.csv"), ...(workers && { workers: await table("workers.csv") }) },
    file,
  );
}

/** Reads a JSON document. */
export async function readDocument(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw new CrowdError("bad-data", `${path}: cannot be read. Name the result.json of a run.`, {
      cause,
    });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CrowdError("bad-data", `${path}: this is not JSON.`, { cause });
  }
}
