/** The jobs and the library in a browser: the same walk as in Node, with the same numbers. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { createSvgDocument } from "../src/node/svg-document.ts";
import { inBrowser } from "./browser.ts";
import { bundle, pages, serve } from "./browser-bundle.ts";

/** What walk.mjs returns, as far as it is looked at by name. */
interface Walked {
  readonly stopped: string;
  readonly report: boolean;
  readonly answers: readonly object[];
  readonly losses: readonly number[];
}

const POLICY = "script-src 'self' 'unsafe-eval' 'wasm-unsafe-eval'";

it("nothing of Node is in the bundle", async () => {
  const { modules, imports } = await bundle();
  expect(modules.filter((path) => /\/dist\/jobs\//.test(path)).length).toBeGreaterThan(8);
  expect(modules.filter((path) => /\/dist\/(node|cli)\//.test(path))).toEqual([]);
  expect([...modules, ...imports].filter((name) => /node:|browser-external/.test(name))).toEqual(
    [],
  );
  expect(imports.filter((name) => name !== "consilience.js")).toEqual([]);
});

inBrowser("aggregates, compares, diagnoses and learns as Node does", async (browser) => {
  const all = await Promise.all(pages().map((file) => import(pathToFileURL(file).href)));
  const library = Object.assign({}, ...all);
  const { walk } = await import(pathToFileURL(join(import.meta.dirname, "walk.mjs")).href);
  const here: Walked = await walk(library, library.interpreter, createSvgDocument());
  const { url, close } = await serve((await bundle()).code, POLICY);
  try {
    const page = await browser.newPage({ bypassCSP: false });
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    await page.goto(url);
    const there = (await page.evaluate(`(async () => {
      const library = await import("${url}consilience.js");
      const { walk } = await import("${url}walk.mjs");
      return walk(library, library.interpreter, document);
    })()`)) as Walked;
    expect(errors).toEqual([]);
    expect(here.stopped).toBe("cancelled");
    expect(here.report).toBe(true);
    expect(here.answers).toHaveLength(60);
    expect(here.losses[5]).toBeLessThan(here.losses[0]);
    expectAlike(there, here);
  } finally {
    close();
  }
});

/** The same words, and numbers that differ by rounding only. */
function expectAlike(there: unknown, here: unknown, at = "walk"): void {
  if (typeof here === "number" && typeof there === "number") {
    expect(Math.abs(there - here), at).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(here)));
  } else if (typeof here === "object" && here !== null) {
    expect(Object.keys(there as object), at).toEqual(Object.keys(here));
    for (const [key, value] of Object.entries(here)) {
      expectAlike((there as Record<string, unknown>)[key], value, `${at}.${key}`);
    }
  } else expect(there, at).toBe(here);
}
