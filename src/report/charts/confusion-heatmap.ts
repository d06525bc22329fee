/** Who calls what what: one square per pair of classes, darker where it happens more often. */
import * as Plot from "@observablehq/plot";
import { percent, visible } from "../text.ts";
import type { ConfusionHeatmapChart, Panel } from "./chart.ts";
import { axisLabel, labelRoom, WIDTH } from "./draw.ts";
import { deep } from "./palette.ts";

interface Square {
  readonly row: number;
  readonly column: number;
  readonly value: number;
}

/** More classes than this leave no room for numbers. */
const MOST_NUMBERED = 10;

/** Above this share light text is read more easily than the page's own. */
const DARK = 0.72;

export function confusionHeatmapPlot(chart: ConfusionHeatmapChart): Plot.PlotOptions {
  return chart.panels.length === 1 ? one(chart) : many(chart);
}

function one(chart: ConfusionHeatmapChart): Plot.PlotOptions {
  const { rows, columns } = chart;
  const left = labelRoom(rows) + 18;
  const slanted = columns.length > 8 || columns.some((name) => axisLabel(name).length > 9);
  const side = Math.max(14, Math.min(72, (WIDTH - left - 24) / columns.length));
  const bottom = slanted ? 30 + (side < 26 ? 0.95 : 0.7) * labelRoom(columns) : 48;
  const room = WIDTH - left - side * columns.length;
  const squares = squaresOf(chart.panels[0]);
  return {
    marginLeft: left,
    marginRight: Math.max(24, room),
    marginBottom: bottom,
    marginTop: 12,
    height: 12 + bottom + side * rows.length,
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
    marks: [cells(chart, squares), numbers(chart, squares, 12)],
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
      cells(chart, squares, { fx: "fx", fy: "fy" }),
      ...(chart.columns.length <= 5 ? [numbers(chart, squares, 10, { fx: "fx", fy: "fy" })] : []),
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
  facets: object = {},
): Plot.Markish {
  return Plot.cell(squares, {
    ...facets,
    x: "column",
    y: "row",
    fill: deep,
    rx: 2,
    // Never quite nothing, so that the grid is seen.
    fillOpacity: { value: ({ value }: Square) => 0.05 + 0.95 * value, scale: null },
    title: ({ row, column, value }: Square) =>
      `${rowName} ${visible(rows[row])}, ${columnName} ${visible(columns[column])}: ${percent(value)}`,
  });
}

/** The shares in the squares, as whole percents. */
function numbers(
  { columns }: ConfusionHeatmapChart,
  squares: readonly Square[],
  fontSize: number,
  facets: object = {},
): Plot.Markish {
  if (columns.length > MOST_NUMBERED) return null;
  return Plot.text(
    squares.filter(({ value }) => value >= 0.005),
    {
      ...facets,
      x: "column",
      y: "row",
      fontSize,
      fontVariant: "tabular-nums",
      text: ({ value }: Square) => String(Math.round(100 * value)),
      fill: ({ value }: Square) => (value > DARK ? "#fff" : "currentColor"),
      pointerEvents: "none",
    },
  );
}
