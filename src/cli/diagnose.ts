/** What the labels say about themselves, without gold: agreement, workers, what can be learnt at all. */
import type { CrowdDataset } from "../data/dataset.ts";
import { type Summary, summarise } from "../data/summary.ts";
import type { Agreement, Scale } from "../diagnose/agreement.ts";
import type { Coefficient } from "../diagnose/coefficient.ts";
import type { IdentifiabilityCheck } from "../diagnose/identifiability.ts";
import { diagnose as diagnoseAll } from "../diagnose/index.ts";
import { skillIntervals } from "../diagnose/skill-intervals.ts";
import type { WorkerScore } from "../diagnose/worker-scores.ts";
import { CrowdError } from "../error.ts";
import { maxOf } from "../math/lists.ts";
import { rounded } from "../report/csv-files.ts";
import { run } from "../run.ts";
import type { Command } from "./command.ts";
import { commonFlags, count, dataFlags, readLabels } from "./data-flags.ts";
import { methodNamed } from "./method-flags.ts";
import { showSteps } from "./progress.ts";

const SCALES = ["nominal", "ordinal", "interval", "ratio"] as const;

export const diagnose: Command = {
  id: "diagnose",
  usage: "LABELS… [options]",
  example: "consilience diagnose labels.csv",
  flags: () => {
    const { gold: _, ...reading } = dataFlags;
    return {
      method: {
        type: "text",
        value: "NAME",
        help: "The method that judges the workers.",
        default: "dawid-skene",
      },
      scale: {
        type: "text",
        value: SCALES.join("|"),
        help: "What the classes are.",
        default: "nominal",
      },
      workers: { type: "number", value: "N", help: "Workers to list; 0 for all.", default: 20 },
      ...commonFlags,
      ...reading,
    };
  },
  async run(given, world) {
    const scale = SCALES.find((each) => each === given.text("scale"));
    if (!scale)
      throw new CrowdError(
        "usage",
        `--scale is one of ${SCALES.join(", ")}, not "${given.text("scale")}".`,
      );
    const { method, options } = methodNamed(given.text("method") ?? "dawid-skene");
    const quiet = given.on("json")
      ? { ...given, on: (flag: string) => flag === "quiet" || given.on(flag) }
      : given;
    const data = await readLabels(quiet, world);
    const seed = given.number("seed") ?? 0;
    const result = await run(
      method,
      data,
      { ...options, seed },
      {
        signal: world.signal,
        onProgress: showSteps(world, method.id),
      },
    );
    world.show("judging workers");
    const intervals = skillIntervals(result, data, { seed });
    world.show("checking what can be learnt");
    const diagnosis = diagnoseAll(data, result, { seed, agreement: { scale } });
    world.show("");
    const workers = diagnosis.workers.map((worker, w) => ({
      ...worker,
      ...(intervals && { low: intervals.low[w], high: intervals.high[w] }),
    }));
    const document = { summary: summarise(data), ...diagnosis, workers };
    if (given.on("json")) {
      await world.print(`${JSON.stringify(document, plain)}\n`);
      return;
    }
    const most = given.number("workers") ?? 20;
    await world.print(
      [
        ...summaryLines(data, document.summary),
        ...agreementLines(diagnosis.agreement, scale),
        ...workerLines(workers, most === 0 ? workers.length : most),
        ...checkLines(diagnosis.identifiability.checks),
        "",
      ].join("\n"),
    );
  },
};

/** Numbers to seven digits, typed arrays as lists. */
function plain(_: string, value: unknown): unknown {
  if (typeof value === "number") return rounded(value);
  return value instanceof Float64Array ? [...value] : value;
}

function summaryLines(
  data: CrowdDataset,
  { redundancy, workload, unanimous, classShares }: Summary,
): string[] {
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  return [
    "Labels",
    `  a task      median ${redundancy.median}, from ${redundancy.min} to ${redundancy.max}`,
    `  a worker    median ${workload.median}, from ${workload.min} to ${workload.max}`,
    `  unanimous   ${percent(unanimous)} of the tasks with two labels or more`,
    `  classes     ${[...data.classes]
      .slice(0, 8)
      .map((name, k) => `${name} ${percent(classShares[k])}`)
      .join(", ")}${data.classes.length > 8 ? ", …" : ""}`,
    "",
  ];
}

function agreementLines(
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

function workerLines(
  workers: readonly (WorkerScore & { low?: number; high?: number })[],
  most: number,
): string[] {
  const suspicion = ({ flags }: WorkerScore) =>
    flags.filter((flag) => flag !== "few-labels").length;
  const sorted = workers.toSorted((a, b) => suspicion(b) - suspicion(a) || b.labels - a.labels);
  const shown = sorted.slice(0, most);
  const width = maxOf(
    shown.map(({ worker }) => worker.length),
    6,
  );
  const two = (x: number | undefined) => (x === undefined ? "" : x.toFixed(2));
  return [
    `Workers (${count(workers.filter((worker) => suspicion(worker) > 0).length, "worker")} flagged)`,
    `  ${"worker".padEnd(width)}  labels  skill      interval  spammer score      p  flags`,
    ...shown.map(
      ({ worker, labels, skill, low, high, spammerScoreCorrected, p, flags }) =>
        `  ${worker.padEnd(width)}  ${String(labels).padStart(6)}  ${two(skill).padStart(5)}  ${`[${two(low)}, ${two(high)}]`.padStart(12)}` +
        `  ${two(spammerScoreCorrected).padStart(13)}  ${p.toFixed(3)}  ${flags.join(" ")}`,
    ),
    ...(sorted.length > shown.length
      ? [`  … and ${count(sorted.length - shown.length, "more worker")}; --workers 0 shows all`]
      : []),
    "",
  ];
}

function checkLines(checks: readonly IdentifiabilityCheck[]): string[] {
  const mark = { ok: "ok  ", warn: "warn", fail: "FAIL" };
  return [
    "What can be learnt from these labels",
    ...checks.flatMap(({ status, title, finding, advice }) => [
      `  ${mark[status]}  ${title}: ${finding}`,
      ...(status === "ok" || advice === "" ? [] : [`        ${advice}`]),
    ]),
  ];
}
