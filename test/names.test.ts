/** Names that people type: aliases, other spellings, slips of the finger. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { nearestName } from "../src/jobs/nearest-name.ts";
import { writeCrowd } from "./crowd-files.ts";
import { cli } from "./world.ts";

const work = mkdtempSync(join(tmpdir(), "consilience-names-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));
const file = join(work, "labels.csv");
const rows = Array.from({ length: 60 }, (_, i) => `t${i % 12},w${i % 5},${i % 7 < 5 ? "a" : "b"}`);
writeFileSync(file, `task,worker,label\n${rows.join("\n")}\n`);
const crowd = writeCrowd(work, { tasks: 60, dimensions: 3 });

describe("methods", () => {
  it.each([
    ["ds", "dawid-skene"],
    ["mv", "majority-vote"],
    ["majority", "majority-vote"],
    ["vote", "majority-vote"],
    ["em", "dawid-skene"],
    ["DawidSkene", "dawid-skene"],
    ["dawid_skene", "dawid-skene"],
    ["dawidskene", "dawid-skene"],
    ["Majority_Vote", "majority-vote"],
    ["GLAD", "glad"],
  ])("%s is %s", async (typed, method) => {
    const { code, out, said } = await cli(["aggregate", file, "--method", typed, "--json"]);
    expect(code, said).toBe(0);
    expect(JSON.parse(out).method).toBe(method);
    expect((await cli(["methods", typed])).out).toContain(`(${method})`);
  });

  it("of learners too, with their options", async () => {
    const args = ["--epochs", "1", "--hidden", "2", "--method", "MaxMIG", "--json"];
    const { code, said, out } = await cli([
      "learn",
      crowd.labels,
      "--features",
      crowd.features,
      ...args,
    ]);
    expect(code, said).toBe(0);
    expect(JSON.parse(out).method).toBe("max-mig");
  });

  it.each([
    ["d-s", /Did you mean dawid-skene\?/],
    ["dawid-skeen", /Did you mean dawid-skene\?/],
    ["majorty", /Did you mean majority-vote\?/],
    ["ibbc", /Did you mean ibcc\?/],
  ])("a slip such as %s gets the nearest", async (typed, message) => {
    expect((await cli(["aggregate", file, "--method", typed])).said).toMatch(message);
  });

  it("an alias brings the options of its method", async () => {
    const { code, said } = await cli(["aggregate", file, "--method", "ds", "--smoothing", "0.5"]);
    expect(code, said).toBe(0);
  });
});

describe("options", () => {
  it.each([
    [["--lr", "0.01"], "rate", 0.01],
    [["--batch-size", "16"], "batch", 16],
    [["--weight-decay", "0.5"], "decay", 0.5],
    [["--learning-rate=0.01"], "rate", 0.01],
  ] as const)("%j sets %s", async (args, option, value) => {
    const small = ["--epochs", "1", "--hidden", "2", "--json"];
    const { code, said, out } = await cli([
      ...["learn", crowd.labels, "--features", crowd.features, ...small],
      ...args,
    ]);
    expect(code, said).toBe(0);
    expect(JSON.parse(out).options[option]).toBe(value);
  });

  it("--device chooses the engine, and says what there is", async () => {
    const learn = ["learn", crowd.labels, "--features", crowd.features, "--epochs", "1"];
    const cpu = await cli([...learn, "--hidden", "2", "--device", "cpu"]);
    expect(cpu.code, cpu.said).toBe(0);
    const gpu = await cli([...learn, "--device", "tpu"]);
    expect(gpu.code).toBe(2);
    expect(gpu.said).toMatch(/--device is .*cpu.*, not "tpu"/);
  });

  it("--force and --json keep their spelling with underscores and capitals", async () => {
    expect((await cli(["aggregate", file, "--drop_bad_rows", "--JSON"])).code).toBe(0);
  });

  it.each([
    ["--gold-file", "--gold"],
    ["--goldfile", "--gold"],
    ["--methd", "--method"],
    ["--output", "--out"],
    ["--ouptut", "--out"],
    ["--sede", "--seed"],
    ["--columms", "--columns"],
  ])("%s gets %s", async (typed, meant) => {
    const { said, code } = await cli(["aggregate", file, typed, "x"]);
    expect(said).toContain(`Did you mean ${meant}?`);
    expect(code).toBe(2);
  });
});

it("two letters swapped are one slip, and the start of a name counts more than chance letters", () => {
  expect(nearestName("golf", ["fold", "gold"])).toBe("gold");
  expect(nearestName("form", ["from", "forms", "norm"])).toBe("from");
  expect(nearestName("xyz", ["gold", "out"])).toBeUndefined();
});
