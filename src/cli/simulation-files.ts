/** What a simulation is written as: labels, truth, features, and what they were drawn from. */
import type { CategoricalData } from "../data/categorical.ts";
import type { Features } from "../data/features.ts";
import { csv } from "../io/csv.ts";
import { writeCsv } from "../io/csv-writer.ts";
import { writeNpy } from "../io/npy.ts";
import { rounded } from "../report/csv-files.ts";
import { readAll } from "../simulate/rows.ts";
import type { Simulation } from "../simulate/simulation.ts";

export type Files = Map<string, string | Iterable<string | Uint8Array>>;

/** The names of all files that there may be. */
export const simulationFiles = [
  "labels.csv",
  "gold.csv",
  "workers.csv",
  "confusion.csv",
  "tasks.csv",
  "simulation.json",
  "features.npy",
  "test_labels.csv",
  "test_gold.csv",
  "test_features.npy",
];

export async function filesOf(simulation: Simulation, document: object): Promise<Files> {
  const { data, confusion, features, difficulty, outliers, test } = simulation;
  const files: Files = new Map();
  files.set("labels.csv", await csv.write(data));
  files.set("gold.csv", gold(data));
  files.set("workers.csv", workers(simulation));
  files.set("simulation.json", `${JSON.stringify(document, null, 2)}\n`);
  if (confusion) files.set("confusion.csv", confusions(simulation));
  if (features ?? difficulty ?? outliers) files.set("tasks.csv", tasks(simulation));
  if (features) files.set("features.npy", array(features));
  if (!test) return files;
  files.set("test_labels.csv", await csv.write(test.data));
  files.set("test_gold.csv", gold(test.data));
  if (test.features) files.set("test_features.npy", array(test.features));
  return files;
}

function gold(data: CategoricalData): Iterable<string> {
  const rows = Array.from(data.tasks, (name, t) => [name, data.classes.at(data.gold[t])]);
  return writeCsv(["task", "label"], rows);
}

/** One task per row, in the order of the features. */
function tasks({ data, difficulty, outliers }: Simulation): Iterable<string> {
  const rows = Array.from(data.tasks, (name, t) => [
    name,
    ...(difficulty ? [rounded(difficulty[t])] : []),
    ...(outliers ? [outliers[t]] : []),
  ]);
  const header = ["task", ...(difficulty ? ["difficulty"] : []), ...(outliers ? ["outlier"] : [])];
  return writeCsv(header, rows);
}

function array(features: Features): Iterable<Uint8Array> {
  return [writeNpy([features.tasks.length, ...features.shape], readAll(features))];
}

function workers({ data, roles, confusion, outliers, prior }: Simulation): Iterable<string> {
  const K = data.classes.length;
  const rows = Array.from(data.workers, (name, w) => {
    let skill: number | undefined;
    if (confusion && !outliers) {
      skill = 0;
      for (let k = 0; k < K; k++) skill += prior[k] * confusion[(w * K + k) * K + k];
    }
    return [name, roles[w], skill === undefined ? undefined : rounded(skill)];
  });
  return writeCsv(["worker", "role", "skill"], rows);
}

function confusions({ data, confusion = new Float64Array() }: Simulation): Iterable<string> {
  const K = data.classes.length;
  function* rows(): Iterable<(string | number)[]> {
    for (let cell = 0; cell < confusion.length; cell++) {
      const k = Math.floor(cell / K) % K;
      const w = Math.floor(cell / (K * K));
      yield [
        data.workers.at(w),
        data.classes.at(k),
        data.classes.at(cell % K),
        rounded(confusion[cell]),
      ];
    }
  }
  return writeCsv(["worker", "true", "given", "probability"], rows());
}
