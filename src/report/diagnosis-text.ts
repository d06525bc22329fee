/** What can be said without gold, in lines for a terminal. */
import type { CategoricalData } from "../data/categorical.ts";
import type { Summary } from "../data/summary.ts";
import type { Agreement, Scale } from "../diagnose/agreement.ts";
import type { Coefficient } from "../diagnose/coefficient.ts";
import type { IdentifiabilityCheck } from "../diagnose/identifiability.ts";
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

export function workerLines(
  workers: readonly (WorkerScore & { low?: number; high?: number })[],
  most: number,
): string[] {
  const suspicion = ({ flags }: WorkerScore) =>
    flags.filter((flag) => flag !== "few-labels").length;
  const sorted = workers.toSorted((a, b) => suspicion(b) - suspicion(a) || b.labels - a.labels);
  const shown = sorted.slice(0, most);
  const names = shown.map(({ worker }) => brief(worker, LONGEST_NAME));
  const width = maxOf(names.map(lengthOf), 6);
  const two = (x: number | undefined) => (x === undefined ? "" : x.toFixed(2));
  return [
    `Workers (${count(workers.filter((worker) => suspicion(worker) > 0).length, "worker")} flagged)`,
    `  ${"worker".padEnd(width)}  labels  skill      interval  informativeness      p  flags`,
    ...shown.map(
      ({ labels, skill, low, high, informativenessCorrected, p, flags }, w) =>
        `  ${names[w].padEnd(width)}  ${String(labels).padStart(6)}  ${two(skill).padStart(5)}  ${`[${two(low)}, ${two(high)}]`.padStart(12)}` +
        `  ${two(informativenessCorrected).padStart(15)}  ${p.toFixed(3)}  ${flags.join(" ")}`.trimEnd(),
    ),
    ...(sorted.length > shown.length
      ? [`  … and ${count(sorted.length - shown.length, "more worker")}; --workers 0 shows all`]
      : []),
    "",
  ];
}

export function checkLines(checks: readonly IdentifiabilityCheck[]): string[] {
  const mark = { ok: "ok  ", warn: "warn", fail: "FAIL" };
  return [
    "What can be learnt from these labels",
    ...checks.flatMap(({ status, title, finding, advice }) => [
      `  ${mark[status]}  ${title}: ${finding}`,
      ...(status === "ok" || advice === "" ? [] : [`        ${advice}`]),
    ]),
  ];
}
