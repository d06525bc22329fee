/** What answers say about themselves, in lines for a terminal. */
import type { CategoricalData } from "../data/categorical.ts";
import type { Summary } from "../data/summary.ts";
import type { Agreement, Scale } from "../diagnose/agreement.ts";
import type { Check } from "../diagnose/checks.ts";
import type { Coefficient } from "../diagnose/coefficient.ts";
import type { Diagnosis } from "../diagnose/index.ts";
import type { ScoreInterval } from "../diagnose/score-intervals.ts";
import type { SkillIntervals } from "../diagnose/skill-intervals.ts";
import { type Ranked, type Standing, standingOf, worstFirst } from "../diagnose/standing.ts";
import type { WorkerScore } from "../diagnose/worker-scores.ts";
import { maxOf } from "../math/lists.ts";
import { brief, count, lengthOf } from "./text.ts";

/** Longer names of workers are shortened, so that the table fits a terminal. */
const LONGEST_NAME = 24;

export function summaryLines(
  data: CategoricalData,
  { redundancy, workload, unanimous, classShares }: Summary,
): string[] {
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  return [
    "Labels",
    `  per task    median ${redundancy.median}, from ${redundancy.min} to ${redundancy.max}`,
    `  per worker  median ${workload.median}, from ${workload.min} to ${workload.max}`,
    `  unanimous   ${percent(unanimous)} of the tasks with two labels or more`,
    `  classes     ${[...data.classes]
      .slice(0, 8)
      .map((name, k) => `${name} ${percent(classShares[k])}`)
      .join(", ")}${data.classes.length > 8 ? ", …" : ""}`,
    "",
  ];
}

export function agreementLines(
  { percent, pooled, cohen, fleiss, krippendorff, gwet }: Agreement,
  scale: Scale,
): string[] {
  const line = (name: string, { value, low, high, defined, notes }: Coefficient) =>
    `  ${name.padEnd(34)}${defined ? `${value.toFixed(4)}  [${low.toFixed(4)}, ${high.toFixed(4)}]` : (notes[0] ?? "not defined")}`;
  return [
    `Agreement (${scale}), with 95 % intervals over tasks`,
    line("share of agreeing pairs, by task", percent),
    line("share of all agreeing pairs", pooled),
    line("Cohen's kappa, mean of pairs", cohen),
    line("Fleiss' kappa", fleiss),
    line("Krippendorff's alpha", krippendorff),
    line(scale === "nominal" ? "Gwet's AC1" : "Gwet's AC2", gwet),
    "",
  ];
}

/** Scores of a worker with their intervals, as far as there are any. */
export type JudgedWorker = WorkerScore & {
  readonly low?: number;
  readonly high?: number;
  readonly informativenessInterval?: readonly [low: number, high: number];
  readonly capacityInterval?: readonly [low: number, high: number];
};

/** Joins the intervals of skill, informativeness and capacity to the scores. */
export function judgedWorkers(
  { workers, scoreIntervals }: Pick<Diagnosis, "workers" | "scoreIntervals">,
  skill: SkillIntervals | undefined,
): JudgedWorker[] {
  const of = ({ low, high }: ScoreInterval, w: number) => [low[w], high[w]] as const;
  return workers.map((worker, w) => ({
    ...worker,
    ...(skill && { low: skill.low[w], high: skill.high[w] }),
    ...(scoreIntervals && {
      informativenessInterval: of(scoreIntervals.informativeness, w),
      capacityInterval: of(scoreIntervals.capacityBits, w),
    }),
  }));
}

/** Lists workers, worst first, those who are worse than guessing and those who cannot be told from it under heads of their own. */
export function workerLines(workers: readonly JudgedWorker[], most: number): string[] {
  const names = workers.map(({ worker }) => brief(worker, LONGEST_NAME));
  const two = (x: number) => x.toFixed(2);
  const range = (ends: readonly [number, number] | undefined) =>
    ends ? ` [${two(ends[0])}, ${two(ends[1])}]` : "";
  const cell = (value: number, ends: readonly [number, number] | undefined) =>
    `  ${`${two(value)}${range(ends)}`.padEnd(17)}`;
  return groupedLines(workers, worstFirst(workers), most, {
    noun: "label",
    counts: standingCounts(workers),
    head: (width) =>
      `${"worker".padEnd(width)}  labels  ${"skill".padEnd(17)}  ${"informativeness".padEnd(17)}  capacity in bits`,
    names,
    row: (w) => {
      const worker = workers[w];
      const { labels, skill, low, high, flags, reasons } = worker;
      const skills = low === undefined || high === undefined ? undefined : ([low, high] as const);
      return [
        `  ${String(labels).padStart(6)}${cell(skill, skills)}` +
          cell(worker.informativenessCorrected, worker.informativenessInterval) +
          cell(worker.capacityBits, worker.capacityInterval).trimEnd(),
        ...flags.map((flag, at) => `      ${flag}: ${reasons[at] ?? ""}`.trimEnd()),
      ].join("\n");
    },
  });
}

/** Counts the workers of each group. */
function standingCounts(workers: readonly Pick<Ranked, "standing" | "flags">[]): string {
  const of = (standing: Standing) =>
    workers.filter((worker) => standingOf(worker) === standing).length;
  const unknown = of("unknown");
  return (
    `: ${of("better")} good, ${of("guessing")} cannot be told from guessing, ${of("worse")} worse than guessing` +
    (unknown > 0 ? `, ${unknown} with too few labels to tell` : "")
  );
}

interface WorkerTable {
  /** What each worker gave: "label". */
  readonly noun: string;
  /** What the title says of all workers; default: how many gave too little to tell. */
  readonly counts?: string;
  /** The heads of the columns, where names are so wide. */
  readonly head: (width: number) => string;
  readonly names: readonly string[];
  /** What stands after the name of a worker. */
  readonly row: (w: number) => string;
}

/** Lists at most so many workers in the given order, with a line above each group. */
export function groupedLines(
  workers: readonly Pick<Ranked, "standing" | "flags">[],
  order: readonly number[],
  most: number,
  { noun, counts: given, head, names, row }: WorkerTable,
): string[] {
  const shown = order.slice(0, most);
  const width = maxOf(
    shown.map((w) => lengthOf(names[w])),
    6,
  );
  const titleOf = (w: number) => {
    const standing = standingOf(workers[w]);
    if (standing === "worse") return "Worse than guessing";
    if (standing === "guessing") return "Cannot be told from guessing";
    return "The others";
  };
  const counts = new Map<string, number>();
  for (const w of order) counts.set(titleOf(w), (counts.get(titleOf(w)) ?? 0) + 1);
  const unknown = workers.filter((worker) => standingOf(worker) === "unknown").length;
  const few = unknown > 0 ? ` (${unknown} of ${workers.length} with too few ${noun}s to tell)` : "";
  const lines = shown.flatMap((w, at) => {
    const title = titleOf(w);
    const begins = counts.size > 1 && (at === 0 || titleOf(shown[at - 1]) !== title);
    const line = `  ${names[w].padEnd(width)}${row(w)}`.trimEnd();
    return begins ? [` ${title} (${counts.get(title)})`, line] : [line];
  });
  return [
    `Workers, worst first${given ?? few}`,
    `  ${head(width)}`,
    ...lines,
    ...(order.length > shown.length
      ? [`  … and ${count(order.length - shown.length, "more worker")}; --workers 0 shows all`]
      : []),
    "",
  ];
}

/** Lists checks with their state: ok, warn or unknown (`?`). */
export function checkLines(checks: readonly Check[]): string[] {
  const width = 9;
  return [
    "What can be learnt from these labels",
    ...checks.flatMap(({ status, serious, title, finding, advice }) => [
      `  ${(serious ? "WARN" : status).padEnd(width)}${title} ${finding}`,
      ...(advice === "" ? [] : [`  ${"".padEnd(width)}${advice}`]),
    ]),
    ...(checks.some(({ status }) => status === "unknown")
      ? ["", "unknown: too few labels to tell, which is not the same as ok."]
      : []),
  ];
}
