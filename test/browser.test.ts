import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { build, type Rollup } from "vite";
import { describe, expect } from "vitest";
import { dawidSkene } from "../src/aggregate/categorical/dawid-skene.ts";
import { ibcc } from "../src/aggregate/categorical/ibcc.ts";
import { inBrowser } from "./browser.ts";
import { randomCrowd } from "./random-crowd.ts";

interface Results {
  readonly engine: string;
  readonly dawidSkene: number[];
  readonly ibcc: number[];
  readonly auto: number;
  readonly note: boolean;
}

const root = join(import.meta.dirname, "..");

/** The built library as one file, as an application's bundler would make it. */
async function bundle(): Promise<string> {
  const result = (await build({
    root,
    logLevel: "silent",
    configFile: false,
    build: {
      write: false,
      minify: false,
      lib: { entry: join(root, "dist/index.js"), formats: ["es"], fileName: "consilience" },
      rollupOptions: { output: { codeSplitting: false } } as object,
    },
  })) as Rollup.RollupOutput[];
  const [chunk] = result[0].output;
  return chunk.code;
}

/** Serves the bundle and an empty page from this machine, with the given policy. */
async function serve(code: string, policy: string): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const script = request.url?.endsWith(".js");
    response.setHeader("content-type", script ? "text/javascript" : "text/html");
    response.setHeader("content-security-policy", policy);
    response.end(script ? code : "<!doctype html><title>test</title>");
  });
  await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => server.close(),
  };
}

describe("in Chromium", () => {
  const crowd = randomCrowd(1, { tasks: 300, workers: 15 });
  const plain = {
    ...{ tasks: crowd.tasks, workers: crowd.workers, classes: crowd.classes, notes: [] },
    ...{ task: [...crowd.task], worker: [...crowd.worker], label: [...crowd.label] },
  };

  for (const [kernel, policy] of [
    ["wasm", "script-src 'self' 'unsafe-eval' 'wasm-unsafe-eval'"],
    ["typescript", "script-src 'self' 'unsafe-inline'"],
  ] as const) {
    inBrowser(`the bundle gives Node's numbers to 1e-9 (kernels in ${kernel})`, async (browser) => {
      const { url, close } = await serve(await bundle(), policy);
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
