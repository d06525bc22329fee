import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { ibcc } from "../src/aggregate/categorical/bayesian/ibcc.ts";
import { dawidSkene } from "../src/aggregate/categorical/em/dawid-skene.ts";
import { fromRows } from "../src/data/from-rows.ts";
import { evaluate } from "../src/evaluate/index.ts";
import { createSvgDocument } from "../src/node/svg-document.ts";
import { reviewTasks } from "../src/report/csv-files.ts";
import { toHtml } from "../src/report/html.ts";
import { aggregationReport } from "../src/report/report.ts";
import { inBrowser } from "./browser.ts";
import { bundle, serve } from "./browser-bundle.ts";
import { randomCrowd } from "./random-crowd.ts";

interface Results {
  readonly engine: string;
  readonly dawidSkene: number[];
  readonly ibcc: number[];
  readonly auto: number;
  readonly note: boolean;
}

describe("the report in Chromium", () => {
  const names = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "__proto__",
    "=cmd()",
    "\u202egnp",
  ];
  const rows = names.flatMap((task, t) =>
    names.map((worker, w) => ({ task, worker, label: names[(t + (w === 0 ? 1 : 0)) % 3] })),
  );
  const data = fromRows(rows, { gold: names.map((task, t) => [task, names[t % 3]] as const) });

  inBrowser("hostile names are text, and do nothing", async (browser) => {
    const result = dawidSkene(data);
    const metrics = evaluate({ ...result, gold: data.gold });
    const report = aggregationReport({ data, result, metrics, review: reviewTasks(result) });
    const html = await toHtml(report, createSvgDocument());
    const page = await browser.newPage();
    const seen: string[] = [];
    page.on("dialog", (dialog) => {
      seen.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      if (!request.url().startsWith("file:")) seen.push(`request ${request.url()}`);
    });
    page.on("pageerror", (error) => seen.push(`error ${error}`));
    page.on("console", (message) => {
      if (message.type() === "error") seen.push(`console ${message.text()}`);
    });
    const folder = mkdtempSync(join(tmpdir(), "consilience-report-"));
    writeFileSync(join(folder, "report.html"), html);
    await page.goto(`file://${join(folder, "report.html")}`);
    expect(seen).toEqual([]);
    const text = await page.evaluate("document.body.innerText");
    for (const name of names) expect(text).toContain(name.replace("\u202e", ""));
    expect(await page.evaluate("document.images.length")).toBe(0);
    expect(await page.evaluate("({}).polluted")).toBeUndefined();

    // Sorting by keyboard: the first column's button, twice.
    const sorted = async () => {
      await page.evaluate("document.querySelector('th button').focus()");
      await page.keyboard.press("Enter");
      return page.evaluate("document.querySelector('th').getAttribute('aria-sort')");
    };
    const [first, second] = [await sorted(), await sorted()];
    expect([first, second].sort()).toEqual(["ascending", "descending"]);
    const charts = await page.evaluate(
      "[...document.querySelectorAll('svg')].every((svg) => svg.querySelector('title'))",
    );
    expect(charts).toBe(true);
    rmSync(folder, { recursive: true, force: true });
  });
});

describe("in Chromium", () => {
  const crowd = randomCrowd(1, { tasks: 300, workers: 15 });
  const plain = {
    tasks: crowd.tasks,
    workers: crowd.workers,
    classes: crowd.classes,
    notes: [],
    task: [...crowd.task],
    worker: [...crowd.worker],
    label: [...crowd.label],
  };

  for (const [kernel, policy] of [
    ["wasm", "script-src 'self' 'unsafe-eval' 'wasm-unsafe-eval'"],
    ["typescript", "script-src 'self' 'unsafe-inline'"],
  ] as const) {
    inBrowser(`the bundle gives Node's numbers to 1e-9 (kernels in ${kernel})`, async (browser) => {
      const { url, close } = await serve((await bundle()).code, policy);
      try {
        const page = await browser.newPage({ bypassCSP: false });
        const errors: string[] = [];
        page.on("pageerror", (error) => errors.push(String(error)));
        await page.goto(url);
        // As text, so that it is not rewritten for Node on its way to the page.
        const results: Results = await page.evaluate(`(async (data) => {
          const library = await import("${url}consilience.js");
          const input = {
            ...data,
            task: Int32Array.from(data.task),
            worker: Int32Array.from(data.worker),
            label: Int32Array.from(data.label),
            gold: new Int32Array(data.tasks.length).fill(-1),
          };
          return {
            engine: library.createEngine().name,
            dawidSkene: Array.from(library.dawidSkene(input).posterior),
            ibcc: Array.from(library.ibcc(input).posterior),
            auto: library.auto(input).posterior.length,
            note: library.dawidSkene(input).notes.some((note) => note.includes("plain TypeScript")),
          };
        })(${JSON.stringify(plain)})`);
        expect(errors).toEqual([]);
        expect(results.engine).toBe(kernel);
        expect(results.note).toBe(kernel === "typescript");
        for (const [name, method] of [
          ["dawidSkene", dawidSkene] as const,
          ["ibcc", ibcc] as const,
        ]) {
          const here = method(crowd).posterior;
          results[name].forEach((p, at) => {
            expect(Math.abs(p - here[at])).toBeLessThan(1e-9);
          });
        }
        expect(results.auto).toBe(900);
      } finally {
        close();
      }
    });
  }
});
