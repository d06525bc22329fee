/** Who calls what what, or who agrees with whom: one square per pair, stronger where the number is larger. */
import * as Plot from "@observablehq/plot";
import { maxOf, minOf } from "../../math/lists.ts";
import { percent, visible } from "../text.ts";
import type { ConfusionHeatmapChart, Panel } from "./chart.ts";
import { axisLabel, labelRoom, legend, WIDTH } from "./draw.ts";
import { deep, ink, paper } from "./palette.ts";

interface Square {
  readonly row: number;
  readonly column: number;
  readonly value: number;
}

/** More classes than this leave no room for numbers. */
const MOST_NUMBERED = 10;

/** From this opacity on white is read more easily than black. */
const DARK = 0.78;

/** The opacity of the smallest number: never quite nothing, so that the grid is seen. */
const PALEST = 0.05;

/** Numbers within less than this are shown with one more digit. */
const NARROW = 0.1;

/** The smallest and the largest number of a chart: colours reach from one to the other. */
interface Range {
  readonly least: number;
  readonly most: number;
}

function rangeOf({ panels }: ConfusionHeatmapChart): Range {
  const all = panels.flatMap(({ values }) => values.flat());
  const [least, most] = [minOf(all), maxOf(all)];
  // Numbers that are all the same have no range; their colour is the number itself.
  return most - least > 1e-9 ? { least, most } : { least: 0, most: 1 };
}

function opacityOf(value: number, { least, most }: Range): number {
  return PALEST + (1 - PALEST) * ((value - least) / (most - least));
}

export function confusionHeatmapPlot(chart: ConfusionHeatmapChart): Plot.PlotOptions {
  return chart.panels.length === 1 ? one(chart) : many(chart);
}

function one(chart: ConfusionHeatmapChart): Plot.PlotOptions {
  const { rows, columns } = chart;
  // The name of the rows stands above their labels and must not reach into the key.
  const left = Math.max(labelRoom(rows), 7 * chart.rowName.length + 14) + 18;
  const slanted = columns.length > 8 || columns.some((name) => axisLabel(name).length > 9);
  const side = Math.max(14, Math.min(72, (WIDTH - left - 24) / columns.length));
  const bottom = slanted ? 30 + (side < 26 ? 0.95 : 0.7) * labelRoom(columns) : 48;
  const room = WIDTH - left - side * columns.length;
  const range = rangeOf(chart);
  const key = scaleKey(range, columns.length <= MOST_NUMBERED);
  const top = key.length > 0 ? 34 : 12;
  const squares = squaresOf(chart.panels[0]);
  return {
    marginLeft: left,
    marginRight: Math.max(24, room),
    marginBottom: bottom,
    marginTop: top,
    height: top + bottom + side * rows.length,
    x: {
      type: "band",
      domain: [...columns.keys()],
      paddingInner: 0.04,
      paddingOuter: 0,
      label: `${chart.columnName} →`,
      labelOffset: bottom - 8,
      tickSize: 0,
      tickFormat: (l: number) => axisLabel(columns[l]),
      ...(slanted && { tickRotate: side < 26 ? -90 : -40 }),
    },
    y: {
      type: "band",
      domain: [...rows.keys()],
      paddingInner: 0.04,
      paddingOuter: 0,
      label: `${chart.rowName} ↓`,
      labelAnchor: "top",
      labelOffset: left - 8,
      tickSize: 0,
      tickFormat: (k: number) => axisLabel(rows[k]),
    },
    marks: [cells(chart, squares, range), numbers(chart, squares, range, 12), ...key],
  };
}

/** Small multiples, four per row, without axes: the order of the classes is that of the large one. */
function many(chart: ConfusionHeatmapChart): Plot.PlotOptions {
  const across = Math.min(4, chart.panels.length);
  const down = Math.ceil(chart.panels.length / across);
  const squares = chart.panels.flatMap((panel, p) =>
    squaresOf(panel).map((square) => ({ ...square, ...place(p, across) })),
  );
  const titles = chart.panels.map(({ title }, p) => ({ title, ...place(p, across) }));
  const side = WIDTH / 4 - 18;
  const range = rangeOf(chart);
  return {
    width: Math.max(across * (WIDTH / 4), 200),
    height: down * (side + 34),
    marginLeft: 4,
    marginRight: 4,
    marginTop: 24,
    marginBottom: 4,
    x: { type: "band", domain: [...chart.columns.keys()], axis: null, padding: 0.03 },
    y: { type: "band", domain: [...chart.rows.keys()], axis: null, padding: 0.03 },
    fx: { axis: null, padding: 0.08 },
    fy: { axis: null, padding: 0.16 },
    marks: [
      cells(chart, squares, range, { fx: "fx", fy: "fy" }),
      ...(chart.columns.length <= 5
        ? [numbers(chart, squares, range, 10, { fx: "fx", fy: "fy" })]
        : []),
      Plot.text(titles, {
        fx: "fx",
        fy: "fy",
        frameAnchor: "top-left",
        dy: -11,
        textAnchor: "start",
        text: ({ title }: Panel) => axisLabel(title, 21),
      }),
    ],
  };
}

function place(p: number, across: number): { fx: number; fy: number } {
  return { fx: p % across, fy: Math.floor(p / across) };
}

function squaresOf({ values }: Panel): Square[] {
  return values.flatMap((shares, row) => shares.map((value, column) => ({ row, column, value })));
}

function cells(
  { rows, columns, rowName, columnName }: ConfusionHeatmapChart,
  squares: readonly Square[],
  range: Range,
  facets: object = {},
): Plot.Markish {
  return Plot.cell(squares, {
    ...facets,
    x: "column",
    y: "row",
    fill: deep,
    rx: 2,
    fillOpacity: { value: ({ value }: Square) => opacityOf(value, range), scale: null },
    title: ({ row, column, value }: Square) =>
      `${rowName} ${visible(rows[row])}, ${columnName} ${visible(columns[column])}: ${percent(value)}`,
  });
}

/** The shares in the squares, as percents; a square that is empty in a chart of whole percents has none. */
function numbers(
  { columns }: ConfusionHeatmapChart,
  squares: readonly Square[],
  range: Range,
  fontSize: number,
  facets: object = {},
): Plot.Markish {
  if (columns.length > MOST_NUMBERED) return null;
  const digits = range.most - range.least < NARROW ? 1 : 0;
  return Plot.text(
    squares.filter(({ value }) => value >= 0.005),
    {
      ...facets,
      x: "column",
      y: "row",
      fontSize,
      fontVariant: "tabular-nums",
      text: ({ value }: Square) => (100 * value).toFixed(value === 1 ? 0 : digits),
      fill: ({ value }: Square) => (opacityOf(value, range) > DARK ? paper : ink),
      pointerEvents: "none",
    },
  );
}

/** Says what the palest and the strongest square mean, if they are not 0 and 1 or have no numbers. */
function scaleKey({ least, most }: Range, numbered: boolean): Plot.Markish[] {
  if (numbered && least < 0.005 && most > 0.995) return [];
  const digits = most - least < NARROW ? 1 : 0;
  return legend([
    { name: percent(least, digits), color: deep, opacity: PALEST + 0.1 },
    { name: percent(most, digits), color: deep },
  ]);
}
