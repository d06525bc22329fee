/** Exports of tools as tests read them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CategoricalData } from "../src/data/categorical.ts";
import { type BytesOptions, fromBytes } from "../src/jobs/from-bytes.ts";

const folder = join(import.meta.dirname, "fixtures/exports");

export const exportBytes = (name: string) => new Uint8Array(readFileSync(join(folder, name)));
export const exportText = (name: string) => readFileSync(join(folder, name), "utf8");

export const readExports = (names: readonly string[], options: BytesOptions = {}) =>
  fromBytes(
    names.map((name) => ({ name, bytes: exportBytes(name) })),
    options,
  );

export const readText = (name: string, text: string, options: BytesOptions = {}) =>
  fromBytes([{ name, bytes: new TextEncoder().encode(text) }], options);

/** `task worker label`, sorted. */
export const rowsOf = ({ tasks, workers, classes, task, worker, label }: CategoricalData) =>
  Array.from(
    task,
    (t, i) => `${tasks.at(t)} ${workers.at(worker[i])} ${classes.at(label[i])}`,
  ).sort();

/** `task class` of the tasks whose class is known. */
export const goldOf = ({ tasks, classes, gold }: CategoricalData) =>
  [...tasks].flatMap((task, t) => (gold[t] >= 0 ? [`${task} ${classes.at(gold[t])}`] : []));
