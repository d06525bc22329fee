/** How the skills of workers went over time: a line with its band for each worker who changed, and fatigue. */
import type { Drift, WorkerDrift } from "../../../diagnose/drift/drift-result.ts";
import { isDate } from "../../../diagnose/drift/drift-words.ts";
import { CONFOUNDED, type Fatigue } from "../../../diagnose/drift/fatigue.ts";
import type { Slope } from "../../../diagnose/drift/slope.ts";
import type { CurvesChart, IntervalsChart } from "../../charts/chart.ts";
import { columnsOf } from "../../columns.ts";
import { changedWorkers, driftSummary, fatigueLine } from "../../drift-text.ts";
import type { Section, Table } from "../../model.ts";
import { brief, count, decimal, percent } from "../../text.ts";

/** What was found over time. */
export interface OverTime {
  readonly drift: Drift;
  readonly fatigue: Fatigue;
}

/** Workers with a chart, rows of a table, and slopes of a chart, at most. */
const CHARTED = 8;
const TABLED = 200;
const SLOPES = 20;

/** Makes the section; undefined if time was not looked at. */
export function driftSection(over: OverTime | undefined): Section | undefined {
  if (!over) return undefined;
  const { drift, fatigue } = over;
  const changed = changedWorkers(drift);
  const left = changed.length - CHARTED;
  return {
    id: "drift",
    title: "Skills over time",
    text: [
      driftSummary(drift) +
        (changed.length > 0
          ? " The line is the probability of a right label, the band its 95 % interval, and the dashed line the most probable time of a sudden change. " +
            "A change is a reason to look at the labels around it, not proof of carelessness."
          : ""),
      ...(left > 0
        ? [
            `Drawn are the ${CHARTED} workers with the lowest skill at the end; the table has ${count(left, "more worker")}.`,
          ]
        : []),
      ...drift.taskDrift.map(
        ({ at, direction, workers, active }) =>
          `${workers.length} of ${active} workers ${direction === "fall" ? "fell" : "rose"} together (${moment(at)}): probably the tasks changed.`,
      ),
      ...fatigueLine(fatigue),
      ...new Set([...drift.notes, ...fatigue.notes].filter((note) => note !== CONFOUNDED)),
    ],
    charts: [...changed.slice(0, CHARTED).map(skillChart), ...fatigueChart(fatigue)],
    tables: [changedTable(changed), fatigueTable(fatigue)].filter(({ rows }) => rows.length > 0),
  };
}

const moment = (time: number) =>
  isDate(time) ? new Date(time).toISOString().slice(0, 10) : `at ${time}`;

/** Draws the skill of one worker; all charts share one axis of skill, so that they can be compared. */
function skillChart({ worker, curve, change, labels }: WorkerDrift, at: number): CurvesChart {
  const dates = curve.every(({ from }) => isDate(from));
  const [first, last] = [curve[0], curve[curve.length - 1]];
  return {
    kind: "curves",
    id: `drift-${at}`,
    title: `${brief(worker, 40)}: ${count(labels, "label")}`,
    description:
      `Skill from ${percent(first.skill, 0)} (${percent(first.low, 0)} to ${percent(first.high, 0)}) ` +
      `to ${percent(last.skill, 0)} (${percent(last.low, 0)} to ${percent(last.high, 0)})` +
      `${change ? `; it changed ${moment(change.at)}` : ""}.`,
    xName: dates ? "Time (UTC)" : "Place in the order of labels",
    yName: "Probability of a right label",
    share: true,
    band: true,
    range: [0, 1],
    dates,
    series: [
      {
        name: brief(worker, 40),
        points: curve.map(({ from, to, skill, low, high }) => ({
          x: (from + to) / 2,
          y: skill,
          low,
          high,
        })),
      },
    ],
    ...(change && { mark: { x: change.at, name: "change" } }),
  };
}

/** The pooled slope within sessions first, then those of single workers. */
function slopesOf({ pooled, sessions, workers }: Fatigue) {
  const all: (Slope & { readonly worker: string; readonly sessions: number })[] = [
    ...(pooled ? [{ ...pooled, worker: "All workers", sessions }] : []),
    ...workers.toSorted((a, b) => a.slope - b.slope),
  ];
  return all;
}

function fatigueChart(fatigue: Fatigue): IntervalsChart[] {
  const slopes = slopesOf(fatigue).slice(0, SLOPES);
  if (slopes.length === 0) return [];
  return [
    {
      kind: "intervals",
      id: "fatigue",
      title: "Within a session: below 0, workers get worse",
      description: slopes
        .slice(0, 10)
        .map(({ worker, slope }) => `${brief(worker, 40)} ${decimal(slope)}`)
        .join("; "),
      xName: "Change of the log-odds of a right label",
      zero: true,
      rows: slopes.map(({ worker, slope, low, high }) => ({
        name: brief(worker),
        value: slope,
        low,
        high,
      })),
    },
  ];
}

function changedTable(changed: readonly WorkerDrift[]): Table {
  return {
    id: "drift",
    caption: "Workers who changed, the lowest skill at the end first",
    columns: columnsOf({
      Worker: "text",
      Labels: "integer",
      "At first": "percent",
      "At the end": "percent",
      From: "percent",
      To: "percent",
      Evidence: "text",
    }),
    rows: changed.slice(0, TABLED).map(({ worker, labels, curve, reasons }) => {
      const [first, last] = [curve[0], curve[curve.length - 1]];
      return [
        brief(worker),
        labels,
        first.skill,
        last.skill,
        last.low,
        last.high,
        reasons.join(" "),
      ];
    }),
    ...(changed.length > TABLED && {
      more: `${count(changed.length - TABLED, "more worker")}: see drift.csv.`,
    }),
  };
}

function fatigueTable(fatigue: Fatigue): Table {
  return {
    id: "fatigue",
    caption: "Change of the log-odds of a right label when the place in the session grows e-fold",
    columns: columnsOf({
      Worker: "text",
      Labels: "integer",
      Sessions: "integer",
      Slope: "number",
      From: "number",
      To: "number",
    }),
    rows: slopesOf(fatigue)
      .slice(0, TABLED)
      .map(({ worker, labels, sessions, slope, low, high }) => [
        brief(worker),
        labels,
        sessions,
        slope,
        low,
        high,
      ]),
  };
}
