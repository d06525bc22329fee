/** Who agrees more than skills explain: workers on a circle, groups side by side, a line for each such pair. */
import * as Plot from "@observablehq/plot";
import { count, percent, visible } from "../text.ts";
import type { GraphEdge, GraphNode, WorkerGraphChart } from "./chart.ts";
import { axisLabel, legend, WIDTH } from "./draw.ts";
import { blue, vermillion } from "./palette.ts";

/** Radius of the circle in pixels, and room for names around it. */
const RADIUS = 150;
const ROOM = 125;
const LONGEST_NAME = 15;

interface Placed extends GraphNode {
  readonly x: number;
  readonly y: number;
  /** Direction from the middle, in degrees. */
  readonly angle: number;
}

export function workerGraphPlot({ nodes, edges }: WorkerGraphChart): Plot.PlotOptions {
  const placed = nodes.map((node, at) => place(node, at, nodes.length));
  const isLeft = ({ angle }: Placed) => angle > 90 && angle < 270;
  const height = 2 * (RADIUS + ROOM);
  const suspected = edges.filter((edge) => edge.suspected);
  const marks: Plot.Markish[] = [
    lines(
      edges.filter((edge) => !edge.suspected),
      placed,
      blue,
    ),
    lines(suspected, placed, vermillion),
    Plot.dot(placed, { x: "x", y: "y", r: 4.5, fill: "currentColor", title: nodeWords }),
    names(
      placed.filter((node) => !isLeft(node)),
      "start",
    ),
    names(placed.filter(isLeft), "end"),
    legend([
      ...(suspected.length > 0 ? [{ name: "suspected", color: vermillion }] : []),
      ...(suspected.length < edges.length ? [{ name: "alike", color: blue }] : []),
    ]),
  ];
  return {
    height,
    marginTop: 24,
    marginBottom: 0,
    marginLeft: 0,
    marginRight: 0,
    x: { domain: [-WIDTH / 2, WIDTH / 2], axis: null },
    y: { domain: [-height / 2 + 12, height / 2 - 12], axis: null },
    marks,
  };
}

function place(node: GraphNode, at: number, of: number): Placed {
  const turn = at / Math.max(1, of);
  const angle = 360 * turn;
  const round = (x: number) => Math.round(10 * x) / 10;
  return {
    ...node,
    x: round(RADIUS * Math.cos(2 * Math.PI * turn)),
    y: round(RADIUS * Math.sin(2 * Math.PI * turn)),
    angle: round(angle),
  };
}

/** Lines between workers, wider for a larger excess. */
function lines(
  edges: readonly GraphEdge[],
  nodes: readonly Placed[],
  stroke: string,
): Plot.Markish {
  return Plot.link(edges, {
    x1: ({ from }: GraphEdge) => nodes[from].x,
    y1: ({ from }: GraphEdge) => nodes[from].y,
    x2: ({ to }: GraphEdge) => nodes[to].x,
    y2: ({ to }: GraphEdge) => nodes[to].y,
    stroke,
    strokeOpacity: 0.55,
    strokeWidth: ({ excess }: GraphEdge) => 0.75 + 3 * Math.min(1, excess),
    title: ({ from, to, excess, common }: GraphEdge) =>
      `${visible(nodes[from].name)} and ${visible(nodes[to].name)}: ${percent(excess)} more than expected on ${count(common, "task")}`,
  });
}

/** Names that point away from the middle. */
function names(nodes: readonly Placed[], textAnchor: "start" | "end"): Plot.Markish {
  const away = (RADIUS + 9) / RADIUS;
  return Plot.text(nodes, {
    x: ({ x }: Placed) => away * x,
    y: ({ y }: Placed) => away * y,
    text: ({ name }: Placed) => axisLabel(name, LONGEST_NAME),
    // The axis points up, rotation goes clockwise.
    rotate: ({ angle }: Placed) => (textAnchor === "start" ? -angle : 180 - angle),
    textAnchor,
    fontSize: 12,
  });
}

function nodeWords({ name, labels, group }: Placed): string {
  return `${visible(name)}: ${count(labels, "label")}${group === null ? "" : `, group ${group}`}`;
}
