/** Sizes beyond reason end with a message: no stack, no abort, no machine that hangs. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createRandom } from "../src/math/random.ts";
import { writeCrowd } from "./crowd-files.ts";
import { cli } from "./world.ts";

const work = mkdtempSync(join(tmpdir(), "consilience-limits-"));
const at = (name: string) => join(work, name);
const bin = join(import.meta.dirname, "../dist/cli/bin.js");
afterAll(() => rmSync(work, { recursive: true, force: true }));
const crowd = writeCrowd(work, { tasks: 60, dimensions: 3 });
const learn = ["learn", crowd.labels, "--features", crowd.features];

/** The built command, since a mistake here would end this process. */
function start(args: readonly string[]) {
  return spawnSync(process.execPath, [bin, ...args], { encoding: "utf8", timeout: 60_000 });
}

describe("sizes beyond reason are refused", () => {
  it.each([
    [[...learn, "--hidden", "1000000000"], /hidden.*1000000000/],
    [[...learn, "--hidden", "100000,100000"], /GB of memory/],
    [[...learn, "--epochs", "1e300"], /epochs must be at most/],
    [["simulate", "mixed", "--tasks", "1e12", "--out", at("no")], /tasks must be at most/],
    [["simulate", "mixed", "--workers", "1e9", "--out", at("no")], /at most|GB of memory/],
    [
      [
        "simulate",
        "mixed",
        "--tasks",
        "1e8",
        "--workers",
        "1e6",
        "--labels-per-task",
        "1000",
        "--out",
        at("no"),
      ],
      /GB of memory/,
    ],
    [["simulate", "one-coin", "--classes", "1e9", "--out", at("no")], /at most/],
    [
      ["simulate", "mixed", "--features", "gauss", "--dimensions", "1e12", "--out", at("no")],
      /dimensions.*at most/,
    ],
    [["compare", crowd.labels, "--seeds", "1e12"], /--seeds/],
    [["aggregate", crowd.labels, "--method", "ibcc-gibbs", "--samples", "1e12"], /at most|GB/],
    [["aggregate", crowd.labels, "--method", "ebcc", "--subtypes", "1e9"], /at most/],
  ])("%j", (args, message) => {
    const { status, stdout, stderr, signal } = start(args);
    expect(signal, stderr).toBeNull();
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at |RangeError|bug/);
    expect(status).toBe(2);
    expect(stdout).toBe("");
  });
});

describe("threads", () => {
  it("are capped at the machine's cores, with a note", async () => {
    const note = new RegExp(`note: --threads 1000000000 .* ${availableParallelism()} `);
    const labels = ["aggregate", crowd.labels, "--method", "dawid-skene", "--threads", "1e9"];
    const found = start(labels);
    expect(found.stderr).toMatch(note);
    expect(found.status).toBe(0);
    const trained = start([...learn, "--epochs", "1", "--hidden", "2", "--threads", "1e9"]);
    expect(trained.stderr).toMatch(note);
    expect(trained.status).toBe(0);
  });

  it.each(["0", "-1", "1.5"])("are not %s", async (threads) => {
    for (const args of [["aggregate", crowd.labels], learn]) {
      const { code, said } = await cli([...args, "--threads", threads]);
      expect(said).toMatch(/--threads .*whole number from 1/);
      expect(code).toBe(2);
    }
  });
});

describe("many classes", () => {
  const classes = (K: number) => {
    const random = createRandom(K);
    const rows = Array.from({ length: 20_000 }, (_, i) => {
      const task = i % 2000;
      const label = random.next() < 0.7 ? task % K : Math.floor(random.next() * K);
      return `t${task},w${Math.floor(random.next() * 97)},c${label}`;
    });
    writeFileSync(at(`classes-${K}.csv`), `task,worker,label\n${rows.join("\n")}\n`);
    return at(`classes-${K}.csv`);
  };

  it.each([
    ["coupled-cpd", 40],
    ["ibcc-gibbs", 200],
    ["ebcc", 200],
    ["worker-clusters", 200],
    ["cbcc", 200],
  ] as const)("%s with %i says what it will cost before it begins", async (method, K) => {
    const { said } = await cli(["aggregate", classes(K), "--method", method], {
      interruptAt: "step",
    });
    expect(said).toMatch(new RegExp(`note: ${method} .*(minutes|hours|days).*${K} classes.*Try `));
  });

  it("is silent where it is quick", async () => {
    const { said } = await cli(["aggregate", crowd.labels, "--method", "ebcc"]);
    expect(said).not.toMatch(/minutes|hours|days/);
  });
});
