import { voteShares } from "../../../belief/votes.ts";
import type { EpochRecord } from "../../../learn/checkpoint.ts";
import type { CurvesChart } from "../../charts/chart.ts";
import { columnsOf } from "../../columns.ts";
import type { Material } from "../../input.ts";
import type { Tested } from "../../learning-report.ts";
import type { Cell, Section, Table } from "../../model.ts";
import { brief, count, decimal, percent } from "../../text.ts";
import { goldSection } from "./gold.ts";

const SHOWN = 50;

/** The classifier against the gold of a test set. */
export function testSection(input: Material, tested: Tested | undefined): Section | undefined {
  if (!tested?.metrics) return undefined;
  const { majorityVote: _, folds: __, ...rest } = input;
  const section = goldSection({ ...rest, metrics: tested.metrics });
  if (!section) return undefined;
  const { value, low, high } = tested.metrics.accuracy.chosen;
  const joined = tested.withLabels?.metrics?.accuracy.chosen;
  return {
    ...section,
    id: "test",
    title: "The classifier on the test set",
    text: [
      `From features alone the classifier is right on ${percent(value, 2)} of ${count(tested.metrics.accuracy.tasks, "test task")}, ` +
        `with an interval from ${percent(low)} to ${percent(high)}.` +
        (joined
          ? ` With the labels of these tasks as well it is right on ${percent(joined.value, 2)} (${percent(joined.low)} to ${percent(joined.high)}).`
          : ""),
      ...section.text.slice(1),
    ],
    charts: section.charts.map((chart) => ({ ...chart, id: `test-${chart.id}` })),
    tables: section.tables.map((table) => ({ ...table, id: `test-${table.id}` })),
  };
}

/** Loss and validation by epoch, of each run of epochs. */
export function curvesSection(history: readonly (readonly EpochRecord[])[]): Section | undefined {
  const runs = history.filter((run) => run.length > 1);
  if (runs.length === 0) return undefined;
  const name = (i: number) => (runs.length === 1 ? "Loss" : `Run ${i + 1}`);
  const loss: CurvesChart = {
    kind: "curves",
    id: "loss",
    title: "The loss after each epoch",
    description: runs
      .map(
        (run) =>
          `From ${decimal(run[0].loss)} to ${decimal(run[run.length - 1].loss)} in ${count(run.length, "epoch")}`,
      )
      .join("; "),
    xName: "Epoch",
    yName: "Loss",
    series: runs.map((run, i) => ({
      name: name(i),
      points: run.map(({ epoch, loss: y }) => ({ x: epoch + 1, y })),
    })),
  };
  const validated = runs.filter((run) => run.some(({ validation }) => validation !== undefined));
  const charts = [loss, ...validated.map(validationChart)];
  return {
    id: "training",
    title: "How training went",
    text: [
      `${count(
        runs.reduce((sum, run) => sum + run.length, 0),
        "epoch",
      )} of training.` +
        (validated.length > 0 ? " The dashed line is the best epoch by validation." : ""),
    ],
    charts,
    tables: [],
  };
}

function validationChart(run: readonly EpochRecord[], i: number): CurvesChart {
  const points = run.flatMap(({ epoch, validation }) =>
    validation === undefined ? [] : [{ x: epoch + 1, y: validation }],
  );
  const best = points.reduce((a, b) => (b.y > a.y ? b : a));
  return {
    kind: "curves",
    id: i === 0 ? "validation" : `validation-${i + 1}`,
    title: "The score on validation after each epoch",
    description: `Best at epoch ${best.x} with ${decimal(best.y)}; last ${decimal(points[points.length - 1].y)}.`,
    xName: "Epoch",
    yName: "Score",
    series: [{ name: "Validation", points }],
    mark: { x: best.x, name: "best" },
  };
}

const taskColumns = columnsOf({
  Task: "text",
  Classifier: "text",
  Probability: "percent",
  Crowd: "text",
  "Share of labels": "percent",
  Labels: "integer",
  Answer: "text",
  Gold: "text",
});

/** Tasks on which what the classifier sees and what the crowd says are furthest apart. */
export function disagreementSection(
  { data, result }: Material,
  predicted: Float64Array,
): Section | undefined {
  const K = data.classes.length;
  const shares = voteShares(data);
  const apart = [...[...data.tasks].keys()]
    .filter((t) => result.support[t] > 0)
    .map((t) => {
      // Twice the total variation, more weight to more labels.
      let distance = 0;
      for (let k = t * K; k < (t + 1) * K; k++) distance += Math.abs(predicted[k] - shares[k]);
      return { t, score: distance * Math.sqrt(result.support[t]) };
    })
    .filter(({ t }) => top(predicted, t, K) !== top(shares, t, K))
    .sort((a, b) => b.score - a.score || a.t - b.t);
  if (apart.length === 0) return undefined;
  const table: Table = {
    id: "disagreement",
    caption: "Furthest apart first",
    columns: taskColumns,
    rows: apart.slice(0, SHOWN).map(({ t }): Cell[] => {
      const [f, s] = [top(predicted, t, K), top(shares, t, K)];
      return [
        brief(data.tasks.at(t)),
        brief(data.classes.at(f)),
        predicted[t * K + f],
        brief(data.classes.at(s)),
        shares[t * K + s],
        result.support[t],
        result.consensus[t] < 0 ? null : brief(data.classes.at(result.consensus[t])),
        data.gold[t] < 0 ? null : brief(data.classes.at(data.gold[t])),
      ];
    }),
    ...(apart.length > SHOWN && { more: `${count(apart.length - SHOWN, "more task")}.` }),
  };
  return {
    id: "disagreement",
    title: "Where classifier and crowd differ",
    text: [
      `On ${count(apart.length, "task")} the classifier and the majority of the labels name different classes. ` +
        "Either the crowd is wrong there, or the features do not show what people see: worth a look.",
    ],
    charts: [],
    tables: [table],
  };
}

/** Tasks whose labels do not follow their workers' usual ways. */
export function outlierSection(
  { data, result }: Material,
  scores: Float64Array | undefined,
): Section | undefined {
  if (!scores) return undefined;
  const order = [...scores.keys()]
    .filter((t) => scores[t] > 0)
    .sort((a, b) => scores[b] - scores[a] || a - b);
  if (order.length === 0) return undefined;
  return {
    id: "outliers",
    title: "Outlier tasks",
    text: [
      "Labels of these tasks do not follow their workers' usual confusions: confusing or corrupted tasks, or special cases. " +
        "The score is the squared size of what had to be added to explain them.",
    ],
    charts: [],
    tables: [
      {
        id: "outliers",
        caption: "Oddest first",
        columns: columnsOf({ Task: "text", Score: "number", Labels: "integer", Answer: "text" }),
        rows: order
          .slice(0, SHOWN)
          .map((t): Cell[] => [
            brief(data.tasks.at(t)),
            scores[t],
            result.support[t],
            result.consensus[t] < 0 ? null : brief(data.classes.at(result.consensus[t])),
          ]),
        ...(order.length > SHOWN && { more: `${count(order.length - SHOWN, "more task")}.` }),
      },
    ],
  };
}

/** The most probable class of a task. */
function top(table: Float64Array, t: number, K: number): number {
  let best = 0;
  for (let k = 1; k < K; k++) if (table[t * K + k] > table[t * K + best]) best = k;
  return best;
}
