/** Who can be relied on, who is suspect, and how much each did. */
import { spread } from "../../../data/summary.ts";
import { isSuspect, worstFirst } from "../../../diagnose/standing.ts";
import type {
  BoxPlotChart,
  IntervalsChart,
  WorkerPoint,
  WorkerSkillChart,
} from "../../charts/chart.ts";
import type { Material, ReportedWorker } from "../../input.ts";
import { intervalsChart } from "../../kind-report.ts";
import type { Cell, Column, Section, Table } from "../../model.ts";
import { brief, count, finite, grouped, percent } from "../../text.ts";
import { standingTables, standingText } from "../common/standing.ts";

/** Most workers in the table, and in the chart. */
const TABLED = 500;
const CHARTED = 1000;

/** Says that little is known of a worker, not that something is wrong. */
const FEW_LABELS = "few-labels";

const flagMeanings = new Map([
  [FEW_LABELS, "too few to judge"],
  ["spammer", "cannot be told from guessing"],
  ["adversary", "agrees with the others less than a guess would"],
  ["one-class", "nearly always says the same"],
  ["copy", "never disagrees with some others, and errs"],
]);

/** Workers with a bar for their capacity, and what the bars are. */
const BARS = 40;
const CAPACITY =
  "What a label can tell of the class at most, worst workers first; intervals leave out chance";

const ORDER =
  "Worst first: workers who are worse than guessing, then those who cannot be told from guessing, then all others " +
  "by the highest skill that their labels leave possible, so that few labels put nobody on top.";

export function workersSection(input: Material): Section | undefined {
  const { data, result, intervals, scores } = input;
  const active = [...[...data.workers].keys()].filter((w) => result.workload[w] > 0);
  if (data.classes.length === 0 || active.length === 0) return undefined;
  const skills = spread(active.map((w) => result.skill[w]));
  return {
    id: "workers",
    title: "Workers",
    text: [
      `The median worker gave ${count(spread(active.map((w) => result.workload[w])).median, "label")} ` +
        `and has a skill of ${percent(skills.median)}, for most methods the probability of a right label; ` +
        `half of all lie between ${percent(skills.lower)} and ${percent(skills.upper)}.` +
        (intervals
          ? " Intervals hold the true skill in 95 of 100 cases, if the model is right."
          : " No intervals are given: on parts of the data the skills came out too differently."),
      ORDER,
      ...(scores ? [flagWords(scores)] : []),
    ],
    charts: [
      skillChart(input, active),
      workloadChart(input, active),
      skillSpread(input, active),
      ...capacityChart(input),
    ],
    tables: workerTables(input),
  };
}

function flagWords(scores: readonly ReportedWorker[]): string {
  const counts = new Map<string, number>();
  for (const { flags } of scores) {
    for (const flag of flags) counts.set(flag, (counts.get(flag) ?? 0) + 1);
  }
  if (counts.size === 0) return "No worker is flagged.";
  const parts = [...counts]
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .map(([flag, n]) => {
      const meaning = flagMeanings.get(flag);
      return `${flag} (${grouped(n)}${meaning ? `: ${meaning}` : ""})`;
    });
  return `Flags: ${parts.join(", ")}. A flag is a reason to look at a worker's labels, not a verdict.`;
}

function skillChart(input: Material, active: readonly number[]): WorkerSkillChart {
  const { data, result, intervals, scores } = input;
  const byVolume = active.toSorted((a, b) => result.workload[b] - result.workload[a] || a - b);
  const every = Math.max(1, byVolume.length / CHARTED);
  const drawn = Array.from(
    { length: Math.min(CHARTED, byVolume.length) },
    (_, i) => byVolume[Math.floor(i * every)],
  );
  const workers = drawn.map(
    (w): WorkerPoint => ({
      name: brief(data.workers.at(w)),
      labels: result.workload[w],
      skill: finite(result.skill[w]) ?? 0,
      low: finite(intervals?.low[w]),
      high: finite(intervals?.high[w]),
      flagged: scores?.[w] ? isSuspect(scores[w]) : false,
    }),
  );
  const flagged = workers.filter((worker) => worker.flagged).length;
  const skills = spread(workers.map(({ skill }) => skill));
  return {
    kind: "worker-skill",
    id: "worker-skill",
    title: "Skill against number of labels",
    description:
      `${count(workers.length, "worker")}${drawn.length < active.length ? ` drawn evenly from ${grouped(active.length)}` : ""}: ` +
      `skills from ${percent(skills.min)} to ${percent(skills.max)}, median ${percent(skills.median)}, ` +
      `${grouped(flagged)} flagged.`,
    workers,
  };
}

function workloadChart(
  { data, result, summary }: Material,
  active: readonly number[],
): BoxPlotChart {
  const tasks = summary.redundancy;
  const workers = spread(active.map((w) => result.workload[w]));
  return {
    kind: "box-plot",
    id: "workload",
    title: "Labels per task, and labels per worker",
    description:
      `From least to most, with the middle half as a box. Labels per task: ${grouped(tasks.min)} to ${grouped(tasks.max)}, ` +
      `median ${grouped(tasks.median)}, over ${count(data.tasks.length, "task")}. Labels per worker: ` +
      `${grouped(workers.min)} to ${grouped(workers.max)}, median ${grouped(workers.median)}.`,
    axis: "Labels",
    scale: "counts",
    boxes: [
      { name: "Labels per task", ...tasks },
      { name: "Labels per worker", ...workers },
    ],
  };
}

function skillSpread({ result, scores }: Material, active: readonly number[]): BoxPlotChart {
  const group = (name: string, workers: readonly number[]) => ({
    name: `${name} (${grouped(workers.length)})`,
    ...spread(workers.map((w) => result.skill[w])),
  });
  const flag = (w: number) => scores?.[w] !== undefined && isSuspect(scores[w]);
  const flagged = active.filter(flag);
  const rest = active.filter((w) => !flag(w));
  const boxes = [
    group("All workers", active),
    ...(flagged.length > 0 && rest.length > 0
      ? [group("Not flagged", rest), group("Flagged", flagged)]
      : []),
  ];
  const words = boxes.map(
    ({ name, lower, median, upper }) =>
      `${name}: median ${percent(median)}, middle half ${percent(lower)} to ${percent(upper)}`,
  );
  return {
    kind: "box-plot",
    id: "skill-spread",
    title: "How skills are spread",
    description: `${words.join("; ")}.`,
    axis: "Skill",
    scale: "shares",
    boxes,
  };
}

/** Capacities with their intervals, of the workers who are listed first. */
function capacityChart({
  data,
  result,
  intervals,
  scores,
  scoreIntervals,
}: Material): IntervalsChart[] {
  if (!scores || !scoreIntervals) return [];
  const workers = scores.map((score, w) => ({
    ...score,
    labels: result.workload[w],
    skill: result.skill[w],
    high: intervals?.high[w],
  }));
  const order = worstFirst(workers).filter((w) => result.workload[w] > 0);
  const value = Float64Array.from(scores, ({ capacityBits }) => capacityBits ?? Number.NaN);
  const known = order.filter((w) => Number.isFinite(value[w]));
  if (known.length === 0) return [];
  const chart = intervalsChart(
    { id: "capacity", title: CAPACITY, xName: "Bits per label" },
    data.workers,
    { value, ...scoreIntervals.capacityBits },
    known,
    BARS,
  );
  return [{ ...chart, zero: true, bars: true }];
}

/** One table per group: worse than guessing, cannot be told from guessing, the others. */
function workerTables(input: Material): Table[] {
  const { data, result, intervals, scores } = input;
  const workers = Array.from(data.workers, (_, w) => ({
    ...scores?.[w],
    labels: result.workload[w],
    skill: result.skill[w],
    high: intervals?.high[w],
  }));
  const columns = workerColumns(input);
  const order = worstFirst(workers).filter((w) => result.workload[w] > 0);
  return standingTables(workers, order, TABLED, {
    columns: columns.map(([column]) => column),
    row: (w) => columns.map(([, cell]) => cell(w)),
  });
}

/** The columns that there is something to say in, with the cell of each worker. */
function workerColumns({
  data,
  result,
  intervals,
  scores,
  scoreIntervals,
}: Material): [Column, (w: number) => Cell][] {
  const measured: [Column, (w: number) => Cell][] = [
    [{ name: "Worker", kind: "text" }, (w) => brief(data.workers.at(w))],
    [{ name: "Labels", kind: "integer" }, (w) => result.workload[w]],
    [{ name: "Skill", kind: "percent" }, (w) => finite(result.skill[w])],
  ];
  if (intervals) {
    measured.push([{ name: "From", kind: "percent" }, (w) => finite(intervals.low[w])]);
    measured.push([{ name: "To", kind: "percent" }, (w) => finite(intervals.high[w])]);
  }
  const optional: [string, (score: ReportedWorker) => number | null | undefined][] = [
    ["Informativeness", (score) => score.informativenessCorrected ?? score.informativeness],
    ["Capacity (bits)", (score) => score.capacityBits],
  ];
  for (const [name, of] of optional) {
    const values = scores?.map((score) => finite(of(score))) ?? [];
    if (values.some((value) => value !== null)) {
      measured.push([{ name, kind: "number" }, (w) => values[w] ?? null]);
    }
  }
  if (scores && scoreIntervals) {
    const { low, high } = scoreIntervals.capacityBits;
    measured.push([{ name: "Capacity from", kind: "number" }, (w) => finite(low[w])]);
    measured.push([{ name: "Capacity to", kind: "number" }, (w) => finite(high[w])]);
  }
  if (scores) {
    measured.push([
      { name: "Against guessing", kind: "text" },
      (w) => standingText(scores[w] ?? {}),
    ]);
    measured.push([{ name: "Flags", kind: "text" }, (w) => scores[w]?.flags.join(", ") || null]);
  }
  return measured;
}
