/** Which classes are mixed up: by all workers together, and by the busiest ones. */
import { byWorker } from "../../../data/categorical.ts";
import type { ConfusionHeatmapChart, Panel } from "../../charts/chart.ts";
import { columnsOf } from "../../columns.ts";
import type { Material } from "../../input.ts";
import type { Section, Table } from "../../model.ts";
import { brief, count, percent } from "../../text.ts";
import { CHARTED, commonest } from "./answers.ts";

/** Most workers side by side, and most classes that they are drawn with. */
const PANELS = 12;
const PANEL_CLASSES = 12;

const PAIRS = 20;

export function confusionsSection(input: Material): Section | undefined {
  const { data } = input;
  const K = data.classes.length;
  if (K < 2 || data.label.length === 0) return undefined;
  const shown = commonest([...[...data.classes].keys()], classSize(input), CHARTED);
  const pooled = countPairs(input, shown);
  const rest = K - shown.length;
  const small = K <= PANEL_CLASSES ? workerPanels(input) : undefined;
  return {
    id: "confusions",
    title: "Confusions",
    text: [
      "Rows are what the answer is, columns what workers said: of 100 labels on tasks answered so, how many said what. " +
        "Right labels are on the diagonal; a strong square beside it is a pair of classes that the instructions may have to tell apart." +
        (rest > 0 ? ` Drawn for the ${shown.length} most common classes of ${K}.` : ""),
      ...(small || data.workers.length < 2
        ? []
        : ["With so many classes the workers are not drawn one by one; confusion.csv has them."]),
    ],
    charts: [pooledChart(input, shown, pooled), ...(small ? [small] : [])],
    tables: pairTables(input, shown, pooled),
  };
}

function classSize({ data }: Material): (k: number) => number {
  const sizes = new Float64Array(data.classes.length + 1);
  for (const l of data.label) sizes[l]++;
  return (k) => sizes[k];
}

/** Labels as counts[row][column] over answers and labels among the shown classes. */
function countPairs({ data, result }: Material, shown: readonly number[]): number[][] {
  const place = new Int32Array(data.classes.length + 1).fill(-1);
  shown.forEach((k, i) => {
    place[k] = i;
  });
  const counts = shown.map(() => new Array<number>(shown.length).fill(0));
  for (let i = 0; i < data.label.length; i++) {
    const k = result.consensus[data.task[i]];
    const [row, column] = [k < 0 ? -1 : place[k], place[data.label[i]]];
    if (row >= 0 && column >= 0) counts[row][column]++;
  }
  return counts;
}

function shares(counts: readonly number[]): number[] {
  const total = counts.reduce((sum, n) => sum + n, 0);
  return counts.map((n) => (total > 0 ? n / total : 0));
}

function pooledChart(
  { data }: Material,
  shown: readonly number[],
  counts: readonly (readonly number[])[],
): ConfusionHeatmapChart {
  const names = shown.map((k) => brief(data.classes.at(k)));
  const values = counts.map(shares);
  const diagonal = values
    .slice(0, 10)
    .map((row, i) => `${brief(names[i], 40)} ${percent(row[i], 0)}`);
  return {
    kind: "confusion-heatmap",
    id: "pooled-confusion",
    title: "What all workers said, by answer",
    description: `Share of labels that name the answer: ${diagonal.join("; ")}.`,
    rowName: "Answer",
    columnName: "Label",
    rows: names,
    columns: names,
    panels: [{ title: "All workers", values }],
  };
}

/** The busiest workers' confusions: the model's, or where it has none counted by answer. */
function workerPanels(input: Material): ConfusionHeatmapChart | undefined {
  const { data, result } = input;
  const busiest = [...[...data.workers].keys()]
    .filter((w) => result.workload[w] > 0)
    .sort((a, b) => result.workload[b] - result.workload[a] || a - b)
    .slice(0, PANELS);
  if (busiest.length < 2) return undefined;
  const names = Array.from(data.classes, (name) => brief(name));
  const given = result.given > names.length ? [...names, "(abstained)"] : names;
  const panels = busiest.map(
    (w): Panel => ({
      title: brief(data.workers.at(w)),
      values: result.confusion ? fitted(input, w) : counted(input, w),
    }),
  );
  const words = panels.map(({ title, values }) => {
    const right = values.reduce((sum, row, k) => sum + row[k], 0) / values.length;
    return `${brief(title, 40)} ${percent(right, 0)}`;
  });
  return {
    kind: "confusion-heatmap",
    id: "worker-confusions",
    title: `The ${busiest.length} busiest workers, one by one`,
    description: `Mean share of right labels over the classes: ${words.join("; ")}.`,
    rowName: "Answer",
    columnName: "Label",
    rows: names,
    columns: given,
    panels,
  };
}

function fitted({ result }: Material, w: number): number[][] {
  const { confusion = new Float64Array(0), given: L } = result;
  const K = result.classes.length;
  return Array.from(result.classes, (_, k) =>
    Array.from(confusion.subarray((w * K + k) * L, (w * K + k + 1) * L)),
  );
}

function counted({ data, result }: Material, w: number): number[][] {
  const counts = Array.from(data.classes, () => new Array<number>(result.given).fill(0));
  const { start, other, label } = byWorker(data);
  for (let i = start[w]; i < start[w + 1]; i++) {
    const k = result.consensus[other[i]];
    if (k >= 0 && label[i] < result.given) counts[k][label[i]]++;
  }
  return counts.map(shares);
}

/** The pairs of classes that were mixed up most often. */
function pairTables(
  { data }: Material,
  shown: readonly number[],
  counts: readonly (readonly number[])[],
): Table[] {
  const pairs = counts.flatMap((row, k) => {
    const total = row.reduce((sum, n) => sum + n, 0);
    return row.map((n, l) => ({ k, l, n, share: total > 0 ? n / total : 0 }));
  });
  const wrong = pairs.filter(({ k, l, n }) => k !== l && n > 0);
  const most = wrong.sort((a, b) => b.n - a.n || a.k - b.k || a.l - b.l).slice(0, PAIRS);
  if (most.length === 0) return [];
  const rest = wrong.length - most.length;
  return [
    {
      id: "mix-ups",
      caption: "Most frequent mix-ups",
      columns: columnsOf({
        Answer: "text",
        "Said instead": "text",
        Labels: "integer",
        "Share of the answer's labels": "percent",
      }),
      rows: most.map(({ k, l, n, share }) => [
        brief(data.classes.at(shown[k])),
        brief(data.classes.at(shown[l])),
        n,
        share,
      ]),
      ...(rest > 0 && { more: `${count(rest, "rarer pair")} not shown.` }),
    },
  ];
}
