/** What was found, as cells for a terminal and as a report with plots. */

import {
  type ComparedRow,
  type Experiment,
  type Finding,
  halfWidth,
  mean,
} from "../reproduce/experiment.ts";
import type { ComparisonChart } from "./charts/chart.ts";
import type { Report } from "./model.ts";

/** Name, setting, mean ± half the 99 % interval, seeds, the paper's number. */
export function rowCells({ name, setting, ours, theirs }: ComparedRow): string[] {
  const half = halfWidth(ours);
  const own = `${mean(ours).toFixed(4)}${half > 0 ? ` ± ${half.toFixed(4)}` : ""}`;
  return [name, setting, own, String(ours.length), theirs === undefined ? "–" : theirs.toFixed(4)];
}

/**
 * Pictures of the rows, for a finding that comes without one: settings that differ only after their last
 * comma share a picture.
 */
function pictures(rows: readonly ComparedRow[]): ComparisonChart[] {
  const parts = new Map<string, ComparedRow[]>();
  for (const row of rows) {
    const part = row.setting.slice(0, Math.max(0, row.setting.lastIndexOf(", ")));
    parts.set(part, [...(parts.get(part) ?? []), row]);
  }
  return [...parts].map(([part, some], at) => {
    const one = new Set(some.map(({ setting }) => setting)).size === 1;
    const label = (setting: string) => setting.slice(part === "" ? 0 : part.length + 2);
    return {
      kind: "comparison",
      id: `rows-${at}`,
      xName: "Mean over seeds",
      title: (one ? some[0].setting : part) || "All settings",
      description: some.map(({ name, ours }) => `${name}: ${mean(ours).toFixed(3)}`).join("; "),
      rows: some.map(({ name, setting, ours, theirs = null }) => ({
        name: one ? name : `${label(setting)}: ${name}`,
        value: mean(ours),
        half: halfWidth(ours),
        theirs,
      })),
    };
  });
}

export function findingReport({ title, paper, about }: Experiment, finding: Finding): Report {
  const { rows, charts, checks, notes } = finding;
  const text = (name: string) => ({ name, kind: "text" as const });
  return {
    title,
    subtitle: paper,
    facts: [
      ["Claims found", `${checks.filter(({ passed }) => passed).length} of ${checks.length}`],
      ["Seeds", String(rows[0]?.ours.length ?? 0)],
    ],
    notes,
    sections: [
      {
        id: "numbers",
        title: "Ours beside theirs",
        text: [about, "Ours is the mean over seeds with its 99 % interval."],
        charts: charts.length > 0 ? charts : pictures(rows),
        tables: [
          {
            id: "numbers",
            caption: "Numbers",
            columns: ["Name", "Setting", "Ours", "Seeds", "Paper"].map(text),
            rows: rows.map(rowCells),
          },
          {
            id: "checks",
            caption: "Claims",
            columns: ["Claim", "Found", "Measured"].map(text),
            rows: checks.map(({ claim, passed, measured }) => [
              claim,
              passed ? "yes" : "no",
              measured,
            ]),
          },
        ],
      },
    ],
  };
}
