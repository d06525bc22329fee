/** No command replaces a file that it reads, and none replaces a single file unasked. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { writeCrowd } from "./crowd-files.ts";
import { onPosix } from "./platform.ts";
import { cli } from "./world.ts";

const base = mkdtempSync(join(tmpdir(), "consilience-overwrite-"));
let work = "";
const at = (name: string) => join(work, name);
afterAll(() => rmSync(base, { recursive: true, force: true }));

const rows = Array.from({ length: 60 }, (_, i) => `t${i % 12},w${i % 5},${i % 7 < 5 ? "a" : "b"}`);
const labels = `task,worker,label\n${rows.join("\n")}\n`;

beforeEach(() => {
  work = mkdtempSync(join(base, "case-"));
});

/** Runs a command that must leave every file as it is. */
async function expectRefused(args: readonly string[], message = /is read by this command/) {
  const before = snapshot(work);
  const { code, said } = await cli(args);
  expect(said).toMatch(message);
  expect(code).toBe(2);
  expect(snapshot(work)).toEqual(before);
}

function snapshot(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    names
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, readFileSync(path, "latin1")]),
  );
}

describe("a folder of results", () => {
  const put = (name: string, text = labels) => {
    mkdirSync(at("x"), { recursive: true });
    writeFileSync(at(name), text);
    return at(name);
  };

  it("never replaces the labels, gold or history it is made from", async () => {
    const file = put("x/truth.csv");
    await expectRefused(["aggregate", file, "--out", at("x"), "--force"]);
    const other = put("labels.csv");
    const gold = put("x/posterior.csv", "task,label\nt0,a\n");
    await expectRefused(["aggregate", other, "--gold", gold, "--out", at("x"), "--force"]);
    const history = put("x/workers.csv", "worker,true,given,count\nw0,a,a,3\n");
    await expectRefused(["aggregate", other, "--history", history, "--out", at("x"), "--force"]);
  });

  onPosix("compares real paths, through links on either side", async () => {
    put("x/truth.csv");
    symlinkSync(at("x"), at("link"));
    symlinkSync(at("x/truth.csv"), at("labels.csv"));
    await expectRefused(["aggregate", at("labels.csv"), "--out", at("x"), "--force"]);
    await expectRefused(["aggregate", at("x/truth.csv"), "--out", at("link"), "--force"]);
    await expectRefused(["aggregate", at("link/truth.csv"), "--out", at("x"), "--force"]);
  });

  onPosix("never replaces a link that is an input", async () => {
    put("labels.csv");
    mkdirSync(at("x"), { recursive: true });
    symlinkSync(at("labels.csv"), at("x/truth.csv"));
    await expectRefused(["aggregate", at("x/truth.csv"), "--out", at("x"), "--force"]);
  });

  it("may lie beside its inputs, if no name is the same", async () => {
    const file = put("x/labels.csv");
    const { code, said } = await cli(["aggregate", file, "--out", at("x"), "--force"]);
    expect(code, said).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(labels);
  });

  it("of compare, robustness, forecast and simulate neither", async () => {
    const both = ["--out", at("x"), "--force"];
    const compared = put("x/comparison.csv");
    const few = ["--methods", "majority-vote", "--folds", "0"];
    await expectRefused(["compare", compared, ...few, ...both]);
    const spoilt = put("x/robustness.csv");
    await expectRefused(["robustness", spoilt, "--methods", "majority-vote", ...both]);
    await expectRefused(["forecast", put("x/forecast.csv"), ...both]);
    const gold = put("x/gold.csv", "task,label\nt0,a\nt1,b\n");
    const few2 = ["--workers", "5", "--labels-per-task", "3"];
    await expectRefused(["simulate", "one-coin", "--given-gold", gold, ...few2, ...both]);
  });

  it("of a rerun neither", async () => {
    const file = put("labels.csv");
    expect((await cli(["aggregate", file, "--out", at("x"), "--force"])).code).toBe(0);
    const again = ["aggregate", "--rerun", at("x/result.json")];
    await expectRefused([...again, "--out", at("x"), "--force"]);
  });
});

describe("convert", () => {
  onPosix("never replaces what it reads, and others only with --force", async () => {
    writeFileSync(at("labels.csv"), labels);
    writeFileSync(at("other.csv"), "mine");
    symlinkSync(at("labels.csv"), at("link.csv"));
    await expectRefused(["convert", at("labels.csv"), at("labels.csv"), "--force"]);
    await expectRefused(["convert", at("labels.csv"), at("link.csv"), "--force"]);
    await expectRefused(["convert", at("labels.csv"), at("other.csv")], /exists already.*--force/);
    expect((await cli(["convert", at("labels.csv"), at("other.csv"), "--force"])).code).toBe(0);
  });
});

describe("with a model", () => {
  let crowd: ReturnType<typeof writeCrowd>;
  let model = "";
  const folder = mkdtempSync(join(base, "model-"));
  beforeAll(async () => {
    crowd = writeCrowd(folder, { tasks: 80, dimensions: 4 });
    model = join(folder, "model");
    const small = ["--epochs", "1", "--hidden", "4", "--out", model];
    const made = await cli(["learn", crowd.labels, "--features", crowd.features, ...small]);
    expect(made.code, made.said).toBe(0);
  }, 60_000);

  it("predict never replaces features, labels or model", async () => {
    work = folder;
    const base = ["predict", model, "--features", crowd.test, "--tasks", crowd.gold];
    for (const out of [
      crowd.test,
      crowd.gold,
      join(model, "model.onnx"),
      join(model, "model.json"),
    ])
      await expectRefused([...base, "--out", out, "--force"]);
    await expectRefused([
      "predict",
      join(model, "model.onnx"),
      "--features",
      crowd.test,
      "--out",
      join(model, "model.json"),
      "--force",
    ]);
  });

  it("predict replaces other files only with --force", async () => {
    const base = ["predict", model, "--features", crowd.test, "--tasks", crowd.gold];
    writeFileSync(at("p.csv"), "mine");
    await expectRefused([...base, "--out", at("p.csv")], /exists already.*--force/);
    expect((await cli([...base, "--out", at("p.csv"), "--force"])).code).toBe(0);
    expect(readFileSync(at("p.csv"), "utf8")).toMatch(/^task,label/);
  });

  it("learn and attack never replace what they read", async () => {
    writeFileSync(at("truth.csv"), readFileSync(crowd.labels));
    const small = ["--epochs", "1", "--hidden", "4"];
    const learn = (file: string) => ["learn", file, "--features", crowd.features, ...small];
    await expectRefused([...learn(at("truth.csv")), "--out", work, "--force"]);
    const kept = ["--out", at("new"), "--checkpoint"];
    await expectRefused([...learn(at("truth.csv")), ...kept, at("truth.csv")]);
    writeFileSync(at("mine.txt"), "mine");
    await expectRefused([...learn(at("truth.csv")), ...kept, at("mine.txt")], /not a checkpoint/);
    writeFileSync(at("attack.csv"), readFileSync(crowd.gold));
    const attack = [
      "attack",
      model,
      "--features",
      crowd.test,
      "--attack",
      "fgsm",
      "--epsilon",
      "0",
    ];
    await expectRefused([...attack, "--gold", at("attack.csv"), "--out", work, "--force"]);
  });
});
