/** The tables of sets of labels: labels of tasks, whole sets, workers. */
import { chosenLabels, type MultiLabelResult } from "../aggregate/multi-label/labeller.ts";
import type { MultiLabelData } from "../data/multi-label.ts";
import type { Names } from "../data/names.ts";
import type { MultiLabelWorker } from "../diagnose/multi-label-workers.ts";
import { worstFirst } from "../diagnose/standing.ts";
import { writeCsv } from "../io/csv-writer.ts";
import { rounded } from "../report/csv-files.ts";
import { answersTable, goldTable } from "./tables.ts";

const cell = (x: number) => (Number.isNaN(x) ? undefined : rounded(x));

/** Labels that are less likely than this are listed only where they are chosen. */
const LISTED = 0.01;

/** task,worker,label and task,label, a row per label; the label is empty where there is none. */
export function setTables(data: MultiLabelData) {
  const { tasks, task, workers, worker, classes, start, label, time, weight, gold } = data;
  // One row per chosen label: the answer of each, and which label it is.
  const [answer, chosen]: number[][] = [[], []];
  for (let i = 0; i < task.length; i++) {
    for (let at = start[i]; at < Math.max(start[i + 1], start[i] + 1); at++) {
      answer.push(i);
      chosen.push(at < start[i + 1] ? label[at] : -1);
    }
  }
  const of = Int32Array.from(answer);
  const rows = {
    ...data,
    worker: of.map((i) => worker[i]),
    ...(time && { time: Float64Array.from(of, (i) => time[i]) }),
    ...(weight && { weight: Float64Array.from(of, (i) => weight[i]) }),
  };
  const L = classes.length;
  const known = Array.from(tasks, (_, t) => {
    const fits = gold.subarray(t * L, (t + 1) * L);
    if (fits.includes(-1)) return [];
    return fits.includes(1) ? [...fits.keys()].filter((l) => fits[l] === 1) : [-1];
  }).flatMap((labels, t) => labels.map((l) => [tasks.at(t), classes.at(l)]));
  return {
    answers: answersTable(rows, ["task", "worker", "label"], (at) => [
      tasks.at(task[of[at]]),
      workers.at(rows.worker[at]),
      classes.at(chosen[at]),
    ]),
    gold: goldTable(["task", "label"], known.length, (at) => known[at]),
  };
}

/** The set of each task by name, as plain rows. */
export function* setRows(_: MultiLabelData, result: MultiLabelResult) {
  const { tasks, classes, chosen, setProbability } = result;
  for (let t = 0; t < tasks.length; t++) {
    yield {
      task: tasks.at(t),
      labels: Array.from(chosenLabels(chosen, classes.length, t), (l) => classes.at(l)),
      probability: setProbability[t],
    };
  }
}

/** task,label,probability,chosen: labels that are chosen or not unlikely; a task without any has an empty label. */
export function labelsCsv(result: MultiLabelResult): Iterable<string> {
  const { tasks, classes, chosen, posterior } = result;
  const L = classes.length;
  function* rows(): Iterable<(string | number | undefined)[]> {
    for (let t = 0; t < tasks.length; t++) {
      let listed = false;
      for (let l = 0; l < L; l++) {
        const at = t * L + l;
        if (!chosen[at] && !(posterior[at] >= LISTED)) continue;
        listed = true;
        yield [tasks.at(t), classes.at(l), cell(posterior[at]), chosen[at]];
      }
      if (!listed) yield [tasks.at(t), "", undefined, 0];
    }
  }
  return writeCsv(["task", "label", "probability", "chosen"], rows());
}

/** What may stand between the labels of a set, the first that no label holds. */
const SEPARATORS = ["|", ";", ",", "/", "\t"];

/** task,label,probability: whole sets, the labels in one cell. */
export function setsCsv(data: MultiLabelData, result: MultiLabelResult): Iterable<string> {
  const names = Array.from(result.classes);
  const separator =
    SEPARATORS.find((mark) => !names.some((name) => name.includes(mark))) ?? SEPARATORS[0];
  function* rows(): Iterable<(string | number | undefined)[]> {
    for (const { task, labels, probability } of setRows(data, result)) {
      yield [task, labels.join(separator), cell(probability)];
    }
  }
  return writeCsv(["task", "label", "probability"], rows());
}

/** worker,answers,skill,skill_low,skill_high,sensitivity,specificity,informativeness,standing, worst first. */
export function setWorkersCsv(names: Names, judged: readonly MultiLabelWorker[]): Iterable<string> {
  const rows = worstFirst(judged).map((w) => {
    const { labels, skill, low, high, standing, ...rates } = judged[w];
    return [
      names.at(w),
      labels,
      cell(skill),
      cell(low),
      cell(high),
      cell(rates.sensitivity),
      cell(rates.specificity),
      cell(rates.informativeness),
      standing,
    ];
  });
  const header = [
    "worker",
    "answers",
    "skill",
    "skill_low",
    "skill_high",
    "sensitivity",
    "specificity",
    "informativeness",
    "standing",
  ];
  return writeCsv(header, rows);
}
