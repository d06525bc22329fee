import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { version } from "../src/version.ts";

const root = join(import.meta.dirname, "..");
const work = mkdtempSync(join(tmpdir(), "consilience-package-"));
// On Windows npm and installed commands are scripts, which need a shell.
const shell = process.platform === "win32";
const npm = (args: string[], cwd: string) =>
  execFileSync("npm", args, { cwd, encoding: "utf8", stdio: "pipe", shell });
const { version: declared, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

it("says the version that package.json declares", () => {
  expect(version).toBe(declared);
});

describe("the packed tarball, installed in an empty folder", () => {
  beforeAll(() => {
    const [{ filename }] = JSON.parse(npm(["pack", "--json", "--pack-destination", work], root));
    writeFileSync(
      join(work, "package.json"),
      '{ "name": "user", "type": "module", "private": true }\n',
    );
    npm(["install", "--no-audit", "--no-fund", "--ignore-scripts", join(work, filename)], work);
  }, 300_000);
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  it("takes at most 40 MB", () => {
    expect(bytes(join(work, "node_modules")) / 1e6).toBeLessThan(40);
  });

  it("holds what is needed and nothing else", () => {
    const files = readdirSync(join(work, "node_modules/consilience"), {
      recursive: true,
      encoding: "utf8",
    });
    expect(files).toContain("LICENSE");
    expect(files).toContain("THIRD-PARTY-NOTICES.md");
    expect(files).toContain(join("dist", "kernels", "wasm-bytes.js"));
    expect(files).toContain(join("docs", "schema", "result.json"));
    expect(
      files.filter((name) =>
        /\.test\.|\.map$|\.html$|^src|^test|^bench|^site|vitepress/.test(name),
      ),
    ).toEqual([]);
  });

  it("imports and runs", () => {
    writeFileSync(
      join(work, "use.mjs"),
      `import { fromRows } from "consilience";
       import { majorityVote } from "consilience/methods";
       import { readData } from "consilience/node";
       const data = fromRows([["a", "x", "1"], ["a", "y", "1"], ["b", "x", "0"]].map(([task, worker, label]) => ({ task, worker, label })));
       console.log(majorityVote(data).consensus.join(), typeof readData);`,
    );
    expect(execFileSync(process.execPath, ["use.mjs"], { cwd: work, encoding: "utf8" })).toBe(
      "1,0 function\n",
    );
  });

  it("knows a misspelt option", () => {
    const misspelt = `import { type CategoricalData, fromRows } from "consilience";
      import { dawidSkene } from "consilience/methods";
      import { readData } from "consilience/node";
      const data: CategoricalData = fromRows([]);
      export const prior: Float64Array = dawidSkene(data, { smoothing: 0.1, start: "hard-votes" }).confusion;
      // @ts-expect-error: there is no such option
      dawidSkene(data, { smothing: 0.1 });
      export const read: Promise<CategoricalData> = readData(["labels.csv"]);`;
    expect(compile({ "misspelt.ts": misspelt })).toBe("");
  });

  it.each([
    ["with the types of a browser", { lib: ["es2023", "dom"] }],
    ["with those of a worker", { lib: ["es2023", "webworker"] }],
    ["with neither, nor those of Node", { lib: ["es2023"] }],
    ["for a bundler", { lib: ["es2023"], module: "esnext", moduleResolution: "bundler" }],
  ])("compiles the README's example and every page %s", (_, options) => {
    const pages = Object.entries(exports)
      .filter(([, target]) => Object.hasOwn(Object(target), "types"))
      .map(([path], i) => `export * as page${i} from "${posix.join("consilience", path)}";\n`);
    const printing =
      options.lib.length > 1 ? "" : "declare const console: { log(text: string): void };";
    const files = { "pages.ts": pages.join(""), "example.ts": `${readmeExample()}${printing}` };
    expect(pages.length).toBeGreaterThan(10);
    expect(compile(files, options)).toBe("");
  });

  it("lets a library that builds on it declare what it returns", () => {
    const front = `import { aggregate, fromRows, methods } from "consilience";
      const data = fromRows([]);
      export const fit = aggregate(data, { method: "glad" });
      export const blend = aggregate(data);
      export const table = { methods, own: methods["dawid-skene"], mean: methods.mean };`;
    const pages = `import { learners, maxMig } from "consilience/learn";
      import { dawidSkene } from "consilience/methods";
      import { oneCoinCrowd, scenarios } from "consilience/simulate";
      export const crowd = oneCoinCrowd({ tasks: 10 });
      export const fit = dawidSkene(crowd.data);
      export const parts = { dawidSkene, maxMig, oneCoinCrowd, learners, scenarios };`;
    const options = { noEmit: false, declaration: true, lib: ["es2023"] };
    expect(compile({ "front.ts": front }, options)).toBe("");
    expect(compile({ "more.ts": pages }, options)).toBe("");
    const declared = readFileSync(join(work, "front.d.ts"), "utf8");
    expect(declared).toContain('Aggregation<import("consilience/methods").Glad>');
  });

  it("takes a method of one's own into a comparison, with types and at work", () => {
    const own = `import { createRandom, defineMethod, fromRows } from "consilience";
      import { compareJob } from "consilience/jobs";
      const chance = defineMethod(
        { id: "chance", options: { floor: { default: 0.1, min: 0, max: 1, help: "Least probability." } } },
        (data, { floor, seed, ties }) => {
          const random = createRandom(seed).split(ties);
          const K: number = data.classes.length;
          const posterior = new Float64Array(data.tasks.length * K);
          for (let t = 0; t < data.tasks.length; t++) {
            const first = floor + (1 - 2 * floor) * random.next();
            posterior.set([first, 1 - first], t * K);
          }
          return { posterior };
        },
      );
      const data = fromRows(
        [["a", "x"], ["a", "y"], ["b", "x"], ["b", "z"]].map(([task, worker], i) => ({ task, worker, label: i % 2 })),
      );
      const methods = ["majority-vote", "chance"];
      const { rows } = await compareJob({ data, methods, plugins: [chance], folds: 0 });
      declare const console: { log(text: string): void };
      console.log(rows.map(({ method }) => method).join());`;
    expect(compile({ "own.ts": own }, { noEmit: false, lib: ["es2023"] })).toBe("");
    expect(execFileSync(process.execPath, ["own.js"], { cwd: work, encoding: "utf8" })).toBe(
      "majority-vote,chance\n",
    );
  });

  it("runs the command", () => {
    const command = join(work, "node_modules/.bin/consilience");
    expect(execFileSync(command, ["--version"], { encoding: "utf8", shell })).toBe(`${declared}\n`);
    execFileSync(command, ["simulate", "one-coin", "--tasks", "50", "--out", "crowd", "--quiet"], {
      cwd: work,
      shell,
    });
    const args = ["aggregate", "crowd/labels.csv", "--out", "result", "--quiet"];
    execFileSync(command, args, { cwd: work, shell });
    expect(readdirSync(join(work, "result"))).toContain("report.html");
  });
});

/** Compiles files in the folder of the installed package; returns what the compiler finds wrong. */
function compile(files: Readonly<Record<string, string>>, options: object = {}): string {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(work, name), text);
  const compilerOptions = {
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    types: [],
    module: "nodenext",
    target: "es2023",
    ...options,
  };
  const config = JSON.stringify({ compilerOptions, files: Object.keys(files) });
  writeFileSync(join(work, "tsconfig.json"), config);
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, "-p", "."], {
    cwd: work,
    encoding: "utf8",
  });
  return status === 0 ? "" : stdout || stderr || `exit ${status}`;
}

/** The code that the README shows for the library. */
function readmeExample(): string {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const [, code] = /As a library:\s+```[jt]s\n(.*?)```/s.exec(readme) ?? [];
  if (!code) throw new Error("The README has no example of the library.");
  return code;
}

function bytes(path: string): number {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
