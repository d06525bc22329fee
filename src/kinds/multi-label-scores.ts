import type { MultiLabelData } from "../data/multi-label.ts";
import { namesOf } from "../data/names.ts";
import { CrowdError } from "../error.ts";
import { evaluateSets, type ScoredSets } from "../evaluate/multi-label.ts";
import type { GoldPair } from "../io/sink.ts";
import type { ReadSets } from "../io/sinks/label-sets.ts";
import { rounded } from "../report/csv-files.ts";
import { count, percent } from "../report/text.ts";
import { numberFolds } from "./answers.ts";
import type { Scores } from "./kind.ts";

/** True where something is known of a task. */
const known = ({ gold }: Pick<MultiLabelData, "gold">, L: number, t: number) =>
  gold.subarray(t * L, (t + 1) * L).some((label) => label >= 0);

/** Number of tasks with gold. */
export function tasksWithGold(data: MultiLabelData): number {
  return Array.from(data.tasks).filter((_, t) => known(data, data.classes.length, t)).length;
}

/** Splits the tasks with gold into parts that take turns in being scored. */
export function foldsOfGold(data: MultiLabelData): ReadonlySet<number>[] {
  const has = Float64Array.from(data.tasks, (_, t) =>
    known(data, data.classes.length, t) ? 1 : Number.NaN,
  );
  return numberFolds(has).map((fold) => new Set(fold));
}

type Span = { readonly value: number; readonly low: number; readonly high: number };

const number = (x: number) => (Number.isNaN(x) ? null : rounded(x));
const interval = ({ value, low, high }: Span) => ({
  value: number(value),
  low: number(low),
  high: number(high),
});
const share = ({ value, low, high }: Span) =>
  Number.isNaN(low) ? percent(value) : `${percent(value)} [${percent(low)}, ${percent(high)}]`;
const ends = ({ low, high }: Span) =>
  Number.isNaN(low) ? "" : `  [${low.toFixed(4)}, ${high.toFixed(4)}]`;

/** The scores of sets against gold. */
export function setScores(scored: ScoredSets): Scores {
  const metrics = evaluateSets(scored);
  const { tasks, labels, precision, recall, microF1, macroF1, setAccuracy, hamming } = metrics;
  const ece = metrics.calibration?.ece;
  const lines: [string, string][] = [
    ["gold tasks", String(tasks)],
    ["precision", precision.toFixed(4)],
    ["recall", recall.toFixed(4)],
    ["micro F1", `${microF1.value.toFixed(4)}${ends(microF1)}`],
    ["macro F1", macroF1.toFixed(4)],
    ["whole sets right", `${setAccuracy.value.toFixed(4)}${ends(setAccuracy)}`],
    ["labels wrong", hamming.toFixed(4)],
    ...(ece ? [["ECE of labels", `${ece.value.toFixed(4)}${ends(ece)}`] as [string, string]] : []),
  ];
  return {
    line: `Micro F1 ${share(microF1)}, ${share(setAccuracy)} of whole sets right, on ${count(tasks, "gold task")}.`,
    values: {
      micro_f1: microF1.value,
      precision,
      recall,
      macro_f1: macroF1,
      set_accuracy: setAccuracy.value,
      ...(ece && { ece: ece.value }),
    },
    credits: metrics.credits,
    document: {
      tasks,
      labels,
      precision: number(precision),
      recall: number(recall),
      microF1: interval(microF1),
      macroF1: number(macroF1),
      setAccuracy: interval(setAccuracy),
      hamming: number(hamming),
      ...(ece && { ece: interval(ece) }),
    },
    table: `${lines.map(([name, value]) => `${name.padEnd(20)}${value}`).join("\n")}\n`,
    details: metrics,
  };
}

/** Scores sets that a file holds. */
export function scoreReadSets(
  answers: unknown,
  gold: readonly GoldPair[],
  goldName: string,
): { readonly scores: Scores; readonly notes: readonly string[] } {
  const { tasks, labels, chosen, probability } = answers as ReadSets;
  const named = new Map([...new Set(tasks)].map((name, t) => [name, t]));
  const goldTasks = new Set(gold.map(([task]) => task));
  const missing = [...goldTasks].filter((task) => !named.has(task)).length;
  if (missing === goldTasks.size) {
    throw new CrowdError(
      "bad-data",
      `None of the ${goldTasks.size} gold tasks of ${goldName} has an answer: gold names "${gold[0]?.[0] ?? ""}", ` +
        `the answers "${tasks[0] ?? ""}". Do both files name tasks the same way?`,
    );
  }
  const names = [...new Set([...labels, ...gold.map(([, label]) => String(label))])]
    .filter((name) => name !== "")
    .sort();
  const place = new Map(names.map((name, l) => [name, l]));
  const L = names.length;
  const [sets, known] = [new Uint8Array(named.size * L), new Int8Array(named.size * L).fill(-1)];
  const posterior = probability && new Float64Array(named.size * L);
  const cellOf = (task: string, label: string) =>
    (named.get(task) ?? -1) * L + (place.get(label) ?? -1);
  tasks.forEach((task, row) => {
    if (labels[row] === "") return;
    if (chosen[row]) sets[cellOf(task, labels[row])] = 1;
    // A label whose probability is not said is as likely as its being chosen.
    const p = probability?.[row] ?? Number.NaN;
    if (posterior) posterior[cellOf(task, labels[row])] = Number.isNaN(p) ? Number(chosen[row]) : p;
  });
  for (const task of goldTasks) {
    const t = named.get(task);
    if (t !== undefined) known.fill(0, t * L, (t + 1) * L);
  }
  for (const [task, label] of gold) {
    if (named.has(task) && label !== "") known[cellOf(task, String(label))] = 1;
  }
  return {
    scores: setScores({ classes: namesOf(names), chosen: sets, gold: known, posterior }),
    notes: missing > 0 ? [`${count(missing, "gold task")} without an answer are left out.`] : [],
  };
}
