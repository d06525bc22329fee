/** How answers of numbers and comparisons went over time: a line with its band for each turn. */
import { isDate, moment } from "../../../diagnose/drift/drift-words.ts";
import type {
  Turn,
  TurnMeasure,
  Turns,
  WorkerTurns,
} from "../../../diagnose/drift/turns-result.ts";
import type { CurvesChart } from "../../charts/chart.ts";
import { columnsOf } from "../../columns.ts";
import type { Section, Table } from "../../model.ts";
import { brief, count, decimal } from "../../text.ts";
import { turnedWorkers, turnSummary } from "../../turns-text.ts";

/** Turns with a chart, and rows of a table, at most. */
const CHARTED = 8;
const TABLED = 200;

const titles: Readonly<Record<TurnMeasure, { readonly name: string; readonly share: boolean }>> = {
  noise: { name: "Size of the error", share: false },
  bias: { name: "Mean error", share: false },
  agreement: { name: "Follows the order of the others", share: true },
  side: { name: "Chooses the left side", share: true },
};

/** Makes the section; undefined if time was not looked at. */
export function turnsSection(drift: Turns | undefined): Section | undefined {
  if (!drift) return undefined;
  const turned = turnedWorkers(drift).flatMap((worker) =>
    worker.turns.map((turn) => ({ worker, turn })),
  );
  const left = turned.length - CHARTED;
  return {
    id: "drift",
    title: "Workers over time",
    text: [
      turnSummary(drift) +
        (turned.length > 0
          ? " The line is the measure in stretches of about 20 answers, the band its 95 % interval, and the dashed line the most probable time of the turn. " +
            "A turn is a reason to look at the answers around it, not proof of carelessness."
          : ""),
      ...(drift.tests > 0
        ? [
            `Values of p are corrected for ${count(drift.tests, "test")}: if nobody turns, the probability of any flag is at most 5 %.`,
          ]
        : []),
      ...(left > 0
        ? [`Drawn are the ${CHARTED} clearest turns; the table has ${count(left, "more", "more")}.`]
        : []),
      ...drift.taskDrift.map(
        ({ measure, at, direction, workers, active }) =>
          `${titles[measure].name}: ${workers.length} of ${active} workers ${direction === "fall" ? "fell" : "rose"} together (${moment(at)}): probably the tasks changed.`,
      ),
      ...drift.notes,
    ],
    charts: turned.slice(0, CHARTED).map(turnChart),
    tables: turned.length > 0 ? [turnTable(turned)] : [],
  };
}

interface Turned {
  readonly worker: WorkerTurns;
  readonly turn: Turn;
}

function turnChart({ worker, turn }: Turned, at: number): CurvesChart {
  const { name, share } = titles[turn.measure];
  const dates = worker.curve.every(({ from }) => isDate(from));
  return {
    kind: "curves",
    id: `drift-${at}`,
    title: `${brief(worker.worker, 40)}: ${name.toLowerCase()}, ${count(worker.answers, "answer")}`,
    description: `From ${decimal(turn.before)} to ${decimal(turn.after)}; it turned ${moment(turn.at)}.`,
    xName: dates ? "Time (UTC)" : "Place in the order of answers",
    yName: name,
    share,
    band: true,
    ...(share && { range: [0, 1] as const }),
    dates,
    series: [
      {
        name: brief(worker.worker, 40),
        points: worker.curve.flatMap(({ from, to, measures }) => {
          const found = measures[turn.measure];
          if (!found) return [];
          return [{ x: (from + to) / 2, y: found.value, low: found.low, high: found.high }];
        }),
      },
    ],
    mark: { x: turn.at, name: "turn" },
  };
}

function turnTable(turned: readonly Turned[]): Table {
  return {
    id: "drift",
    caption: "Workers who turned, the clearest first",
    columns: columnsOf({
      Worker: "text",
      Answers: "integer",
      Measure: "text",
      Before: "number",
      After: "number",
      "Answers before": "integer",
      "Corrected p": "number",
    }),
    rows: turned
      .slice(0, TABLED)
      .map(({ worker, turn }) => [
        brief(worker.worker),
        worker.answers,
        titles[turn.measure].name,
        turn.before,
        turn.after,
        turn.answer,
        turn.corrected,
      ]),
    ...(turned.length > TABLED && { more: "drift.csv has every worker." }),
  };
}
