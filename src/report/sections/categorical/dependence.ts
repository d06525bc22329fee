/** Who does not err independently: groups that agree too often, shared errors, the effective number of workers. */
import type { AgreeingGroup, AgreeingPair } from "../../../diagnose/collusion/excess-agreement.ts";
import type { GraphEdge, WorkerGraphChart } from "../../charts/chart.ts";
import { columnsOf } from "../../columns.ts";
import { effectiveLines, sharedLine } from "../../dependence-text.ts";
import type { Material } from "../../input.ts";
import type { Section, Table } from "../../model.ts";
import { brief, count, listed, percent } from "../../text.ts";

/** Most workers and lines of the graph, and most rows of its tables. */
const NODES = 40;
const EDGES = 200;
const ROWS = 100;

/** Makes the section; undefined if dependence was not looked for. */
export function dependenceSection(input: Material): Section | undefined {
  const { dependence, data } = input;
  if (!dependence) return undefined;
  const { excess, effective, sharedErrors, copies } = dependence;
  const { groups } = excess;
  const suspected = groups.filter(({ status }) => status === "suspected").length;
  const pairs = `${count(excess.compared, "pair")} of workers compared${excess.sampled ? " on a sample of tasks" : ""}`;
  return {
    id: "dependence",
    title: "Workers who err together",
    text: [
      ...effectiveLines(effective),
      sharedLine(sharedErrors),
      ...copies.map(
        ({ workers }) =>
          `Copies of one another, who never disagree and err: ${listed(
            workers.map((w) => brief(data.workers.at(w), 40)),
            12,
          )}. They are judged, and judge the others, as one.`,
      ),
      groups.length === 0
        ? `Nobody agrees more than skills explain: ${pairs}.`
        : `${count(groups.length, "group agrees", "groups agree")} more than skills explain, ${suspected} of them suspected: ${pairs}. ` +
          `A group is suspected if its equal answers are ones that the rest of the crowd contradicts; it may still have an honest reason, such as another reading of the instructions.`,
    ],
    charts: excess.pairs.length > 0 ? [graphChart(input, groups, excess.pairs)] : [],
    tables: [groupTable(input, groups), pairTable(input, excess.pairs)].filter(
      ({ rows }) => rows.length > 0,
    ),
  };
}

/** The workers of the groups, or those in most of the pairs, and the strongest pairs between them. */
function graphChart(
  { data, result }: Material,
  groups: readonly AgreeingGroup[],
  pairs: readonly AgreeingPair[],
): WorkerGraphChart {
  const shown = groups.length > 0 ? groups.flatMap((group) => [...group.pairs]) : pairs;
  const groupOf = new Map(groups.flatMap(({ workers }, g) => Array.from(workers, (w) => [w, g])));
  const degree = new Map<number, number>();
  for (const { workers } of shown) {
    for (const w of workers) degree.set(w, (degree.get(w) ?? 0) + 1);
  }
  const chosen = [...degree.keys()]
    .sort((a, b) => (degree.get(b) ?? 0) - (degree.get(a) ?? 0) || a - b)
    .slice(0, NODES)
    .sort((a, b) => (groupOf.get(a) ?? -1) - (groupOf.get(b) ?? -1) || a - b);
  const place = new Map(chosen.map((w, at) => [w, at]));
  const edges = shown
    .flatMap(({ workers: [u, v], agreement, expected, common }): GraphEdge[] => {
      const [from, to] = [place.get(u), place.get(v)];
      if (from === undefined || to === undefined) return [];
      const suspected = groups[groupOf.get(u) ?? -1]?.status === "suspected";
      return [{ from, to, excess: agreement - expected, common, suspected }];
    })
    .sort((a, b) => b.excess - a.excess || a.from - b.from || a.to - b.to)
    .slice(0, EDGES);
  return {
    kind: "worker-graph",
    id: "worker-graph",
    title: "Who agrees more than skills explain",
    description: `${count(chosen.length, "worker")} and ${count(edges.length, "pair")} of them; wider lines for a larger excess.`,
    nodes: chosen.map((w) => {
      const group = groupOf.get(w);
      return {
        name: brief(data.workers.at(w)),
        labels: result.workload[w],
        group: group === undefined ? null : group + 1,
      };
    }),
    edges,
  };
}

function groupTable({ data }: Material, groups: readonly AgreeingGroup[]): Table {
  const name = (w: number) => brief(data.workers.at(w), 40);
  return {
    id: "agreeing-groups",
    caption: "Groups that agree more than skills explain",
    columns: columnsOf({
      Workers: "text",
      Status: "text",
      "Share of labels": "percent",
      Agreement: "percent",
      Expected: "percent",
      Evidence: "text",
      Order: "text",
    }),
    rows: groups
      .slice(0, ROWS)
      .map(({ workers, status, share, agreement, expected, reason, copying }) => [
        listed(Array.from(workers, name), 12),
        status,
        share,
        agreement,
        expected,
        reason,
        copying
          .slice(0, 3)
          .map(
            (each) =>
              `${name(each.later)} gave ${percent(each.share, 0)} of ${each.answers} equal answers after ${name(each.first)}.`,
          )
          .join(" ") || null,
      ]),
    ...(groups.length > ROWS && { more: `${count(groups.length - ROWS, "more group")}.` }),
  };
}

function pairTable({ data }: Material, pairs: readonly AgreeingPair[]): Table {
  return {
    id: "agreeing-pairs",
    caption: "Pairs that agree more than their skills explain, the most significant first",
    columns: columnsOf({
      Worker: "text",
      Other: "text",
      "Common tasks": "integer",
      Agreement: "percent",
      Expected: "percent",
      z: "number",
    }),
    rows: pairs
      .slice(0, ROWS)
      .map(({ workers: [u, v], common, agreement, expected, z }) => [
        brief(data.workers.at(u)),
        brief(data.workers.at(v)),
        common,
        agreement,
        expected,
        z,
      ]),
    ...(pairs.length > ROWS && {
      more: `${count(pairs.length - ROWS, "more pair")}; consilience diagnose --json lists up to 1,000.`,
    }),
  };
}
