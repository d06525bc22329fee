/** What a simulation is written as: answers, truth, features, and what they were drawn from. */
import type { CrowdData } from "../data/crowd-data.ts";
import type { Features } from "../data/features.ts";
import { writeCsv } from "../io/csv-writer.ts";
import { writeNpy } from "../io/npy.ts";
import type { Table } from "../kinds/kind.ts";
import { kindOf } from "../kinds.ts";
import { rounded } from "../report/csv-files.ts";
import type { AnswerSimulation } from "../simulate/answers.ts";
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

/** The files of any simulation; what it does not have is not written. */
export function filesOf(simulation: Simulation | AnswerSimulation, document: object): Files {
  const files: Files = new Map();
  const { answers, gold } = kindOf(simulation.data).tables(simulation.data);
  files.set("labels.csv", written(answers));
  files.set("gold.csv", written(gold));
  files.set("workers.csv", workers(simulation));
  files.set("simulation.json", `${JSON.stringify(document, null, 2)}\n`);
  if (!("prior" in simulation)) return files;
  const { confusion, features, difficulty, outliers, test } = simulation;
  if (confusion) files.set("confusion.csv", confusions(simulation));
  if (features ?? difficulty ?? outliers) files.set("tasks.csv", tasks(simulation));
  if (features) files.set("features.npy", array(features));
  if (!test) return files;
  const tested = kindOf(test.data).tables(test.data);
  files.set("test_labels.csv", written(tested.answers));
  files.set("test_gold.csv", written(tested.gold));
  if (test.features) files.set("test_features.npy", array(test.features));
  return files;
}

/** The answers as they go into a file. */
export function answersCsv(data: CrowdData): Iterable<string> {
  return written(kindOf(data).tables(data).answers);
}

function written({ header, rows }: Table): Iterable<string> {
  return writeCsv(header, rows);
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

/** worker,role and what is known of each in numbers. */
function workers(simulation: Simulation | AnswerSimulation): Iterable<string> {
  const { data, roles } = simulation;
  const facts: AnswerSimulation["facts"] =
    "facts" in simulation ? simulation.facts : { skill: skills(simulation) };
  const columns = Object.values(facts);
  const rows = Array.from(data.workers, (name, w) => [
    name,
    roles[w],
    ...columns.map((column) => (Number.isNaN(column[w]) ? undefined : rounded(column[w]))),
  ]);
  return writeCsv(["worker", "role", ...Object.keys(facts)], rows);
}

/** How often each worker is right; NaN where that depends on more than the class. */
function skills({ data, confusion, outliers, prior }: Simulation): Float64Array {
  const K = data.classes.length;
  return Float64Array.from(data.workers, (_, w) => {
    if (!confusion || outliers) return Number.NaN;
    let skill = 0;
    for (let k = 0; k < K; k++) skill += prior[k] * confusion[(w * K + k) * K + k];
    return skill;
  });
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
