import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { version } from "../src/version.ts";

const root = join(import.meta.dirname, "..");
const work = mkdtempSync(join(tmpdir(), "consilience-package-"));
const npm = (args: string[], cwd: string) =>
  execFileSync("npm", args, { cwd, encoding: "utf8", stdio: "pipe" });
const { version: declared } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

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
    expect(files).toContain(join("dist", "kernels", "wasm-bytes.js"));
    expect(files).toContain(join("docs", "schema", "result.json"));
    expect(files.filter((name) => /\.test\.|\.map$|^src|^test|^bench/.test(name))).toEqual([]);
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

  it("type-checks, and knows a misspelt option", () => {
    writeFileSync(
      join(work, "use.ts"),
      `import { type CategoricalData, fromRows } from "consilience";
       import { dawidSkene } from "consilience/methods";
       import { readData } from "consilience/node";
       const data: CategoricalData = fromRows([]);
       export const prior: Float64Array = dawidSkene(data, { smoothing: 0.1, start: "hard-votes" }).confusion;
       // @ts-expect-error: there is no such option
       dawidSkene(data, { smothing: 0.1 });
       export const read: Promise<CategoricalData> = readData(["labels.csv"]);`,
    );
    const compilerOptions = {
      noEmit: true,
      strict: true,
      module: "nodenext",
      target: "es2023",
      types: [],
      skipLibCheck: true,
    };
    writeFileSync(
      join(work, "tsconfig.json"),
      JSON.stringify({ compilerOptions, include: ["use.ts"] }),
    );
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", "."], {
      cwd: work,
      encoding: "utf8",
    });
    expect(stdout).toBe("");
    expect(status).toBe(0);
  });

  it("runs the command", () => {
    const command = join(work, "node_modules/.bin/consilience");
    expect(execFileSync(command, ["--version"], { encoding: "utf8" })).toBe(`${declared}\n`);
    execFileSync(command, ["simulate", "one-coin", "--tasks", "50", "--out", "crowd", "--quiet"], {
      cwd: work,
    });
    const args = ["aggregate", "crowd/labels.csv", "--out", "result", "--quiet"];
    execFileSync(command, args, { cwd: work });
    expect(readdirSync(join(work, "result"))).toContain("report.html");
  });
});

function bytes(path: string): number {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
