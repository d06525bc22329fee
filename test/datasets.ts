/**
 * The public crowds that tests and benchmarks read, in the folder $CONSILIENCE_DATA or
 * ../shared/data. They are not part of the project; what needs them skips without them.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import type { CategoricalData } from "../src/data/categorical.ts";
import { fromRows } from "../src/data/from-rows.ts";
import type { MultiLabelData } from "../src/data/multi-label.ts";
import type { NumericData } from "../src/data/numeric.ts";
import type { OrdinalData } from "../src/data/ordinal.ts";
import type { PairwiseData } from "../src/data/pairwise.ts";
import type { Repeats } from "../src/data/repeats.ts";
import type { SequenceData } from "../src/data/sequence.ts";
import type { SimilarityData } from "../src/data/similarity.ts";

export const folder =
  process.env["CONSILIENCE_DATA"] ?? join(import.meta.dirname, "../../shared/data");

/** The 19 categorical sets with labels and gold. */
export const categoricalSets = [
  "bluebird",
  "cifar10n",
  "ducks",
  "fact_eval",
  "imagenet15n",
  "labelme",
  "leaves",
  "movie3",
  "possent",
  "product",
  "rte",
  "sp",
  "sp_amt",
  "temp",
  "weather",
  "weather_amt",
  "web",
  "zencrowd_in",
  "zencrowd_us",
] as const;

export function hasSet(name: string): boolean {
  return existsSync(join(folder, name, "meta.json"));
}

/** A set with its gold. Exact repeats of a row are dropped, conflicting ones kept, unless told otherwise. */
export function loadSet(name: string, repeats: Repeats = "distinct"): CategoricalData {
  const labels = readTable(join(folder, name, "labels.csv"));
  const gold = name === "anesthesia" ? [] : readTable(join(folder, name, "gold.csv"));
  return fromRows(
    labels.map(([task, worker, label]) => ({ task, worker, label })),
    { repeats, gold: gold.map(([task, label]) => [task, label] as const) },
  );
}

/** A set of ordered classes with its gold, if it has some. */
export function loadLevels(name: string): OrdinalData {
  const answers = readTable(join(folder, name, "answers.csv"));
  const goldFile = join(folder, name, "gold.csv");
  const gold = existsSync(goldFile) ? readTable(goldFile) : [];
  return fromRows(
    answers.map(([task, worker, label]) => ({ task, worker, label })),
    { kind: "ordinal", repeats: "all", gold: gold.map(([task, label]) => [task, label] as const) },
  );
}

/** A set of numbers with its gold. */
export function loadNumeric(name: string): NumericData {
  const file = existsSync(join(folder, name, "answers.csv")) ? "answers.csv" : "labels.csv";
  const answers = readTable(join(folder, name, file));
  const gold = readTable(join(folder, name, "gold.csv"));
  return fromRows(
    answers.map(([task, worker, value]) => ({ task, worker, value: Number(value) })),
    { kind: "numeric", repeats: "all", gold: gold.map(([task, x]) => [task, Number(x)] as const) },
  );
}

/** A set of comparisons, without gold: the rows of files with columns worker (or judge), left, right, label. */
export function loadComparisons(
  name: string,
  files: string | readonly string[],
  { tasks = false } = {},
): PairwiseData {
  const all = [files].flat().flatMap((file) => {
    const [header, ...rows] = readTable(join(folder, name, file), true);
    const at = (column: string) => header.indexOf(column);
    return rows.map((row) => ({
      ...(tasks && { task: row[at("task")] }),
      worker: row[at("worker")] ?? row[at("judge")],
      left: row[at("left")],
      right: row[at("right")],
      label: row[at("label")],
    }));
  });
  return fromRows(all, { kind: "pairwise" });
}

/** A set of several labels per task; its gold is a weak reference. */
export function loadSets(name: string): MultiLabelData {
  const gold = readTable(join(folder, name, "reference_weak.csv"));
  return fromRows(
    readTable(join(folder, name, "answers.csv")).map(([task, worker, label]) => ({
      task,
      worker,
      label,
    })),
    { kind: "multi-label", gold: gold.map(([task, label]) => [task, label] as const) },
  );
}

/** A set of similarities with its gold. */
export function loadSimilarities(name: string): SimilarityData {
  return fromRows(
    readTable(join(folder, name, "answers.csv")).map(([worker, left, right, label]) => ({
      worker,
      left,
      right,
      label,
    })),
    {
      kind: "similarity",
      gold: readTable(join(folder, name, "gold.csv")).map(
        ([item, cluster]) => [item, cluster] as const,
      ),
    },
  );
}

/** A set of sequences with its gold, and the tokens at which a sentence begins: the scorer of the set cuts there. */
export function loadSequences(name: string): {
  data: SequenceData;
  breaks: number[];
  split: Map<string, string>;
} {
  const data = fromRows(
    readTable(join(folder, name, "answers.csv")).map(([task, worker, position, label]) => ({
      task,
      worker,
      position: Number(position),
      label,
    })),
    {
      kind: "sequence",
      gold: readTable(join(folder, name, "gold.csv")).map(
        ([task, position, label]) => [task, label, Number(position)] as const,
      ),
    },
  );
  const sentences = new Map(
    readTable(join(folder, name, "tokens.csv")).map((row) => [`${row[0]} ${row[1]}`, row.at(-1)]),
  );
  const { task, position, length } = data.tokens;
  const sentence = (t: number) => sentences.get(`${data.tasks.at(task[t])} ${position[t]}`);
  const breaks = Array.from({ length }, (_, t) => t).filter(
    (t) => t > 0 && task[t] === task[t - 1] && sentence(t) !== sentence(t - 1),
  );
  const split = new Map(
    readTable(join(folder, name, "split.csv")).map(([each, part]) => [each, part]),
  );
  return { data, breaks, split };
}

function readTable(path: string, withHeader = false): string[][] {
  const bytes = existsSync(path) ? readFileSync(path) : gunzipSync(readFileSync(`${path}.gz`));
  const lines = bytes.toString().trim().split(/\r?\n/);
  return lines.slice(withHeader ? 0 : 1).map((line) => line.split(","));
}

/** Accuracy against gold with ties shared, the convention of the published numbers. */
export function splitAccuracy(data: CategoricalData, posterior: Float64Array): number {
  const K = data.classes.length;
  let right = 0;
  let scored = 0;
  for (let t = 0; t < data.tasks.length; t++) {
    if (data.gold[t] < 0) continue;
    const row = posterior.subarray(t * K, (t + 1) * K);
    const max = Math.max(...row);
    const ties = row.filter((p) => max - p <= 1e-12).length;
    if (max - row[data.gold[t]] <= 1e-12) right += 1 / ties;
    scored++;
  }
  return right / scored;
}

/**
 * A test against a published number on one of the sets. The only reason for which it may skip is
 * that the set is not in the folder (test/gates.test.ts sees to that).
 */
export function gate(name: string, title: string, test: (data: CategoricalData) => void): void {
  it.skipIf(!hasSet(name))(`${name}: ${title}`, () => test(loadSet(name)));
}

/** A test that needs the files of a set; without them it skips, as a gate does. */
export function withSet(name: string, title: string, test: () => void | Promise<void>): void {
  it.skipIf(!hasSet(name))(`${name}: ${title}`, test);
}

/** One test per set: accuracy, ties shared, within the tolerance or two tasks, whichever is larger. */
export function accuracyGates(
  expected: Readonly<Record<string, number>>,
  tolerance: number,
  aggregate: (data: CategoricalData) => { readonly posterior: Float64Array },
): void {
  for (const [name, accuracy] of Object.entries(expected)) {
    gate(name, `accuracy ${accuracy}`, (data) => {
      const tasks = data.gold.filter((k) => k >= 0).length;
      const actual = splitAccuracy(data, aggregate(data).posterior);
      expect(Math.abs(actual - accuracy)).toBeLessThanOrEqual(
        Math.max(tolerance, 2 / tasks) + 5e-5,
      );
    });
  }
}

/** One test per set: the accuracy, ties shared, that the authors print, to five digits. */
export function printedAccuracies(
  printed: Readonly<Record<string, number>>,
  aggregate: (data: CategoricalData) => { readonly posterior: Float64Array },
): void {
  for (const [name, accuracy] of Object.entries(printed)) {
    gate(name, `accuracy ${accuracy}, as the authors print it`, (data) => {
      expect(splitAccuracy(data, aggregate(data).posterior)).toBeCloseTo(accuracy, 5);
    });
  }
}
