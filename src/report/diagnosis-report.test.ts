import { describe, expect, it } from "vitest";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { drift } from "../diagnose/drift/drift.ts";
import { fatigue } from "../diagnose/drift/fatigue.ts";
import { fairness } from "../diagnose/fairness/fairness.ts";
import { createSvgDocument } from "../node/svg-document.ts";
import { scenarios } from "../simulate/index.ts";
import type { CurvesChart, IntervalsChart } from "./charts/chart.ts";
import type { Content } from "./content.ts";
import { diagnosisFiles, diagnosisReport } from "./diagnosis-report.ts";
import { fairnessRows } from "./fairness-rows.ts";
import { fairnessLines } from "./fairness-text.ts";
import { toHtml } from "./html.ts";

const { data: drawn } = scenarios.drifting({
  tasks: 400,
  workers: 24,
  labelsPerTask: 6,
  turning: 0.5,
  seed: 1,
});
const HOSTILE = "<script>alert(1)</script>";
const data = {
  ...drawn,
  gold: drawn.gold.map((k, t) => (t < 200 ? k : -1)),
  taskAttributes: new Map([
    [HOSTILE, Array.from(drawn.tasks, (_, t) => (t % 2 ? "=1+1" : HOSTILE))],
  ]),
  workerAttributes: new Map([["team", Array.from(drawn.workers, (_, w) => (w < 12 ? "a" : "b"))]]),
};
const result = dawidSkene(data);
const over = { drift: drift(data, result), fatigue: fatigue(data, result) };
const found = fairness(data, { ...result, gold: data.gold });
const input = { data, result, over, fairness: found, notes: [] };
const report = diagnosisReport(input);
const section = (id: string) => report.sections.find((each) => each.id === id);
const textOf = (content: Content | undefined) => [...(content as Iterable<string>)].join("");

describe("skills over time", () => {
  it("have a chart with a band for each of at most eight workers, the lowest at the end first", () => {
    const charts = (section("drift")?.charts ?? []).filter(
      (chart): chart is CurvesChart => chart.kind === "curves",
    );
    expect(charts).toHaveLength(8);
    const ends = charts.map(({ series }) => series[0].points.at(-1)?.y ?? 0);
    expect(ends).toEqual(ends.toSorted((a, b) => a - b));
    for (const { band, range, dates, mark, series } of charts) {
      expect({ band, range, dates }).toEqual({ band: true, range: [0, 1], dates: true });
      const [first, last] = [series[0].points[0].x, series[0].points.at(-1)?.x ?? 0];
      if (mark) expect(mark.x > first && mark.x < last).toBe(true);
    }
    const changed = over.drift.workers.filter((worker) => worker.drift).length;
    expect(changed).toBeGreaterThan(8);
    expect(section("drift")?.tables[0].rows).toHaveLength(changed);
    expect(section("drift")?.text.join(" ")).toContain("Drawn are the 8 workers");
  });

  it("show fatigue with its interval, pooled first", () => {
    const chart = section("drift")?.charts.find(({ id }) => id === "fatigue") as IntervalsChart;
    const { slope, low, high } = over.fatigue.pooled ?? { slope: 0, low: 0, high: 0 };
    expect(chart.rows[0]).toEqual({ name: "All workers", value: slope, low, high });
  });

  it("are left out if time was not looked at", () => {
    const { over: _, ...rest } = input;
    expect(diagnosisReport(rest).sections.map(({ id }) => id)).not.toContain("drift");
    expect([...diagnosisFiles(rest).keys()]).toEqual(["workers.csv", "fairness.csv"]);
  });
});

describe("groups", () => {
  it("have a gap for each measure with its interval and the level of chance", () => {
    const [gaps, rates, accuracy] = (section("task-groups")?.charts ?? []) as IntervalsChart[];
    expect(gaps.rows.map(({ name }) => name)).toEqual([
      "Parity",
      "Equal opportunity",
      "Equalised odds",
      "Error gap",
    ]);
    const { parity, groups } = found.tasks[0].answers;
    if (!parity.estimated) throw new Error("not estimated");
    const { value, low, high, chance } = parity;
    expect(gaps.rows[0]).toEqual({ name: "Parity", value, low, high, chance });
    expect(rates.rows.map((row) => row.value)).toEqual(
      groups.map((group) => group.rates.find((each) => each.class === parity.class)?.positive),
    );
    for (const row of rates.rows) {
      expect(row.low !== null && row.low < row.value && row.value < (row.high ?? 0)).toBe(true);
    }
    expect(accuracy.rows).toHaveLength(2);
  });

  it("of workers have a difference per class, or per measure", () => {
    const charts = (section("worker-groups")?.charts ?? []) as IntervalsChart[];
    expect(charts).toHaveLength(2);
    expect(charts[1].rows[0].name).toBe("a – b");
    expect(section("worker-groups")?.tables).toHaveLength(2);
  });

  it("are one row per comparison in fairness.csv, with formulas made harmless", () => {
    const table = textOf(diagnosisFiles(input).get("fairness.csv"));
    const rows = fairnessRows(found);
    expect(table.trim().split("\n")).toHaveLength(rows.length + 1);
    const counted = rows.filter(({ corrected }) => corrected !== undefined).length;
    expect(counted).toBe(found.comparisons);
    expect(table).toContain("'=1+1");
    expect(table).not.toMatch(/,=1\+1/);
  });

  it("keep hostile names as text in the page and in lines", async () => {
    const page = await toHtml(report, createSvgDocument());
    expect(page).not.toContain(HOSTILE);
    expect(page).toContain("&lt;script&gt;alert(1)");
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(fairnessLines(found)[0]).toContain(`Answers by ${HOSTILE}`);
  });
});

it("answers without labels have gold and groups, and no workers", () => {
  const none = new Int32Array(0);
  const bare = { ...data, task: none, worker: none, label: none, workerAttributes: new Map() };
  const alone = { data: bare, result, fairness: fairness(bare, result), notes: [] };
  const { title, sections, facts } = diagnosisReport(alone);
  expect(title).toBe("Diagnosis of answers");
  expect(sections.map(({ id }) => id)).toEqual(["task-groups", "provenance"]);
  expect(facts[0]).toEqual(["Tasks", "400"]);
  expect([...diagnosisFiles(alone).keys()]).toEqual(["fairness.csv"]);
});
