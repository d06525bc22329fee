import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { dawidSkene } from "../src/aggregate/categorical/em/dawid-skene.ts";
import type { CrowdData } from "../src/data/crowd-data.ts";
import { fromRows } from "../src/data/from-rows.ts";
import { aggregateJob, judgeJob } from "../src/jobs/aggregate.ts";
import { compareJob } from "../src/jobs/compare.ts";
import { forecastJob } from "../src/jobs/forecast.ts";
import { robustnessJob } from "../src/jobs/robustness.ts";
import { learnerList } from "../src/learn/index.ts";
import { createSvgDocument } from "../src/node/svg-document.ts";
import { attackReport } from "../src/report/attack-report.ts";
import { toHtml } from "../src/report/html.ts";
import { learningReport } from "../src/report/learning-report.ts";
import type { Report } from "../src/report/model.ts";
import { inBrowser } from "./browser.ts";
import { randomCrowd } from "./random-crowd.ts";

const crowd = randomCrowd(1, { tasks: 60 });
const longName = "a-name-without-any-break-".repeat(8);

const values = fromRows(
  Array.from({ length: 90 }, (_, i) => ({
    task: i % 30 === 0 ? longName : `t${i % 30}`,
    worker: `w${Math.floor(i / 30)}`,
    value: ((i * 37) % 11) + (i % 30),
  })),
  { kind: "numeric" },
);
const comparisons = fromRows(
  Array.from({ length: 60 }, (_, i) => {
    const [left, right] = [`item ${i % 6}`, `item ${(i + 1 + (i % 4)) % 6}`];
    return { worker: `w${i % 3}`, left, right, label: i % 3 === 0 ? left : right };
  }),
  { kind: "pairwise" },
);

async function reportOf(data: CrowdData): Promise<Report> {
  const outcome = await aggregateJob({ data });
  return outcome.kind.report(await judgeJob(outcome));
}

function learnt(): Report {
  const result = { ...dawidSkene(crowd), history: [[{ epoch: 1, loss: 1 }]] };
  const { posterior } = result;
  const history = [Array.from({ length: 5 }, (_, epoch) => ({ epoch, loss: 1 / (epoch + 1) }))];
  const [card] = learnerList;
  return learningReport({ data: crowd, result, card, predicted: posterior, history, engine: "x" });
}

function attacked(): Report {
  const points = [0, 0.1].map((epsilon) => ({ epsilon, right: 9, total: 10, accuracy: 0.9 }));
  const curves = ["fgsm", "pgd"].map((attack) => ({ attack, title: attack, points }));
  return attackReport({
    curves,
    model: "m",
    rows: 10,
    norm: "inf",
    units: "features",
    engine: "cpu",
  });
}

const methods = ["majority-vote", "dawid-skene"];
const reports: readonly (readonly [string, () => Promise<Report> | Report])[] = [
  ["labels", () => reportOf(crowd)],
  ["numbers", () => reportOf(values)],
  ["comparisons", () => reportOf(comparisons)],
  ["learn", learnt],
  ["compare", async () => (await compareJob({ data: crowd, methods })).report()],
  ["robustness", async () => (await robustnessJob({ data: crowd, methods })).report()],
  ["forecast", async () => (await forecastJob({ data: crowd, draws: 4 })).report()],
  ["attack", attacked],
];

interface Looked {
  readonly width: number;
  readonly wide: readonly string[];
  readonly blank: number;
  readonly cells: number;
  /** Cells that say something and are not shown, or say nothing and are. */
  readonly hidden: readonly string[];
}

/** Looks at a page from inside: what is too wide, and which cells do not say what they are. */
const LOOK = `(() => {
  const cells = [...document.querySelectorAll("td")];
  return {
    width: document.documentElement.scrollWidth,
    wide: [...document.querySelectorAll("section *:not(svg *, thead, thead *)")]
      .filter((element) => element.getBoundingClientRect().right > 391)
      .map((element) => element.outerHTML.slice(0, 80)),
    blank: cells.filter((cell) => getComputedStyle(cell, "::before").content === "none").length,
    cells: cells.length,
    hidden: cells
      .filter((cell) => (cell.getBoundingClientRect().width === 0) !== (cell.textContent === "–"))
      .map((cell) => cell.outerHTML.slice(0, 80)),
  };
})()`;

describe("on a phone", () => {
  inBrowser("rows are cards, and nothing has to be pushed sideways", async (browser) => {
    const folder = mkdtempSync(join(tmpdir(), "consilience-phone-"));
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    for (const [name, make] of reports) {
      writeFileSync(join(folder, "report.html"), await toHtml(await make(), createSvgDocument()));
      await page.goto(`file://${join(folder, "report.html")}`);
      const found = (await page.evaluate(LOOK)) as Looked;
      expect({ name, ...found }).toMatchObject({ width: 390, wide: [], blank: 0, hidden: [] });
      expect(found.cells, name).toBeGreaterThan(0);
    }
    rmSync(folder, { recursive: true });
  });

  inBrowser(
    "a doubtful task shows its labels, the answer and how probable it is",
    async (browser) => {
      const folder = mkdtempSync(join(tmpdir(), "consilience-phone-"));
      const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
      writeFileSync(
        join(folder, "report.html"),
        await toHtml(await reportOf(crowd), createSvgDocument()),
      );
      await page.goto(`file://${join(folder, "report.html")}`);
      const labels = await page.evaluate(
        `[...document.querySelectorAll("#review .scroll:first-of-type tbody tr:first-child td")].map((cell) =>
        getComputedStyle(cell, "::before").content.replaceAll('"', ""))`,
      );
      expect(labels).toEqual(["Answer", "Confidence", "Runner-up", "Margin", "Labels", "Evidence"]);
      rmSync(folder, { recursive: true });
    },
  );
});
