/** The tables of docs/diagnose/fairness.md, from the files that the page names to the numbers that it prints. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { majorityVote } from "../src/aggregate/categorical/votes/majority-vote.ts";
import { joinAttributes } from "../src/data/join-attributes.ts";
import { fairness, type WorkerGroupFairness } from "../src/diagnose/fairness/fairness.ts";
import { readAttributes, readData } from "../src/node/files.ts";
import { folder, withSet } from "./datasets.ts";

const page = readFileSync(join(import.meta.dirname, "../docs/diagnose/fairness.md"), "utf8");

/** Compares groups as `diagnose --scale ordinal` does. */
async function compared(
  set: string,
  tables: readonly string[],
  options: { by?: string[]; gold?: boolean },
) {
  const path = (name: string) => join(folder, set, name);
  const data = await readData([path("answers.csv")], {
    ...(options.gold && { goldFile: path("gold.csv") }),
  });
  const facts = await Promise.all(tables.map((name) => readAttributes(path(name))));
  const joined = joinAttributes(data, facts, { by: options.by });
  return fairness(joined, { ...majorityVote(joined), gold: joined.gold }, { ratings: true });
}

const sign = (text: string) => text.replace("-", "−").replace("0.", ".");
const digits = (x: number, n: number) =>
  x >= 0.9995 ? "1" : sign(x.toFixed(n)).replace(/^−(?=\.0+$)/, "");

/** The rows of a page's table: one per group, in the order of names. */
function rowsOf({ groups, gaps }: WorkerGroupFairness, lead: readonly string[]): string[] {
  return groups.map(({ name, workers, residual }) => {
    const gap = gaps.find(({ group }) => group === name);
    const cells = gap
      ? [
          digits(gap.value, 2),
          `${digits(gap.low, 2)} to ${digits(gap.high, 2)}`,
          digits(gap.p, 3),
          digits(gap.corrected, 3),
        ]
      : ["not estimated", "", "", ""];
    return `| ${[...lead, name, workers, digits(residual, 3), ...cells].join(" | ")} |`;
  });
}

withSet("fair_offensive", "differences by gender, race and age are those of the page", async () => {
  const { workers, comparisons } = await compared("fair_offensive", ["workers.csv"], {
    by: ["gender", "race", "age"],
  });
  expect(comparisons).toBe(15);
  const rows = workers.flatMap((each) => rowsOf(each, []));
  expect(rows).toHaveLength(19);
  for (const row of rows) expect(page).toContain(row);
});

withSet(
  "ord_truth_politics",
  "differences by party and political views are those of the page",
  async () => {
    const { workers, tasks, comparisons } = await compared(
      "ord_truth_politics",
      ["workers.csv", "tasks.csv"],
      { gold: true },
    );
    expect(comparisons).toBe(48);
    expect(tasks[0].answers.parity.estimated).toBe(false);
    const shown = workers.filter(({ attribute }) =>
      ["party", "political_views"].includes(attribute),
    );
    const rows = shown.flatMap((each) => rowsOf(each, [each.measure]));
    expect(rows).toHaveLength(18);
    for (const row of rows) expect(page).toContain(row);
    const all = workers.flatMap(({ gaps }) => gaps);
    expect(all.filter(({ corrected }) => corrected < 0.05)).toEqual([]);
    expect(all.filter(({ p }) => p < 0.05)).toHaveLength(3);
  },
);
