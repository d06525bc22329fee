// The log that learn writes while it trains: a row per epoch, whatever is learnt, whenever it is stopped.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadCheckpoint } from "../src/learn/checkpoint.ts";
import { writeCrowd } from "./crowd-files.ts";
import { onPosix } from "./platform.ts";
import { cli } from "./world.ts";

const root = join(import.meta.dirname, "..");
const scratch = mkdtempSync(join(tmpdir(), "consilience-learn-log-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const at = (name: string) => join(scratch, name);
const text = (name: string) => readFileSync(at(name), "utf8");

const crowd = writeCrowd(scratch, { tasks: 120, dimensions: 5 });
const base = [
  "learn",
  crowd.labels,
  "--features",
  crowd.features,
  "--batch",
  "16",
  "--hidden",
  "8",
];
/** One learner, where auto would train several. */
const single = [...base, "--method", "max-mig"];

const HEADER = "run,stage,epoch,epochs,loss,validation,rate,seconds";

/** The rows of a log by column; the cells of these have no commas. */
function rows(name: string): Readonly<Record<string, string>>[] {
  const [header, ...lines] = text(name).split("\n");
  expect(header).toBe(HEADER);
  expect(lines.pop()).toBe("");
  const columns = header.split(",");
  return lines.map((line) =>
    Object.fromEntries(line.split(",").map((cell, i) => [columns[i], cell])),
  );
}

/** A log without what another run cannot repeat. */
const repeatable = (name: string) => rows(name).map(({ seconds: _, ...row }) => row);

describe("learn --log", () => {
  it("writes a row for every epoch, with what the result says of it and the rate of the schedule", async () => {
    const valid = ["--valid-features", crowd.test, "--valid-gold", crowd.gold];
    const args = [...single, ...valid, "--epochs", "8", "--schedule", "cosine", "--rate", "0.01"];
    const { code, out, said } = await cli([...args, "--log", at("one.csv"), "--json"]);
    expect(code, said).toBe(0);
    const { learning } = JSON.parse(out);
    const log = rows("one.csv");
    expect(
      log.map(({ epoch, loss, validation }) => ({
        epoch: Number(epoch) - 1,
        loss: Number(loss),
        validation: Number(validation),
      })),
    ).toEqual(learning.history[0]);
    expect(log.map(({ run, stage, epochs }) => [run, stage, epochs])).toEqual(
      log.map(() => ["1", "", "8"]),
    );
    const rates = log.map(({ rate }) => Number(rate));
    expect(rates[0]).toBeLessThan(0.01);
    expect(rates).toEqual([...rates].sort((a, b) => b - a));
    expect(rates[7]).toBeLessThan(0.001);
    expect(log.every(({ seconds }) => Number(seconds) >= 0 && seconds !== "")).toBe(true);
    expect(JSON.parse(out).command.join(" ")).not.toContain("--log");
  });

  it("names runs and stages of methods that train several times, as lines of JSON too", async () => {
    const args = [...base, "--method", "mbem", "--rounds", "1", "--folds", "2", "--epochs", "3"];
    const { code, said } = await cli([...args, "--log", at("mbem.jsonl")]);
    expect(code, said).toBe(0);
    const log = text("mbem.jsonl")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(log.map(({ run, stage, epoch }) => [run, stage, epoch])).toEqual([
      ...[1, 2, 3].map((epoch) => [1, "round 1", epoch]),
      ...[1, 2, 3].map((epoch) => [2, "round 1", epoch]),
      ...[1, 2, 3].map((epoch) => [3, "last", epoch]),
    ]);
    expect(Object.keys(log[0])).toEqual([
      "run",
      "stage",
      "epoch",
      "epochs",
      "loss",
      "rate",
      "seconds",
    ]);
  });

  it("writes numbers as numbers, and nothing where a method has no rate", async () => {
    await cli([...single, "--epochs", "20", "--rate", "0.01", "--log", at("gain.csv")]);
    // Max-MIG maximises: its losses are negative, and no spreadsheet may take them for formulas.
    expect(Number(rows("gain.csv")[19]["loss"])).toBeLessThan(0);
    const raykar = ["learn", crowd.labels, "--features", crowd.features, "--method", "raykar"];
    await cli([...raykar, "--epochs", "3", "--log", at("raykar.csv")]);
    expect(rows("raykar.csv")[0]["rate"]).toBe("");
  });

  it.each([
    ["numeric", "task,worker,value", (t: number) => `t${t % 120},w${t % 4},${t % 7}`, []],
    [
      "pairwise",
      "worker,left,right,label",
      (t: number) => `w${t % 4},t${t % 120},t${(t + 7) % 120},t${t % 120}`,
      [],
    ],
    [
      "similarity",
      "worker,left,right,label",
      (t: number) => `w${t % 4},t${t % 120},t${(t + 7) % 120},${t % 3 ? "same" : "different"}`,
      ["--clusters", "2", "--starts", "2"],
    ],
  ])("takes %s answers", async (kind, header, row, more) => {
    const answers = at(`${kind}.csv`);
    const lines = Array.from({ length: 300 }, (_, t) => row(t));
    writeFileSync(answers, `${[header, ...lines].join("\n")}\n`);
    const args = ["learn", answers, "--kind", kind, "--features", crowd.features, ...more];
    const log = `${kind}-log.csv`;
    const { code, said, out } = await cli([...args, "--epochs", "10", "--log", at(log), "--json"]);
    expect(code, said).toBe(0);
    const { history } = JSON.parse(out).learning as { history: { loss: number }[][] };
    expect(rows(log).map(({ run, loss }) => [Number(run), Number(loss)])).toEqual(
      history.flatMap((run, r) => run.map(({ loss }) => [r + 1, loss])),
    );
  });
});

describe("a training that was stopped and goes on", () => {
  // One batch per epoch: the stop is asked for after the last step of the epoch, when it is as good as done.
  const whole = ["--method", "aggnet", "--epochs", "9", "--batch", "1000"];
  const args = [...base, ...whole, "--schedule", "cosine", "--rate", "0.01"];
  const log = (name: string) => ["--out", at(name), "--log", at(`${name}.csv`)];

  it("has the log of one that was not", async () => {
    await cli([...args, ...log("whole")]);
    expect(rows("whole.csv")).toHaveLength(9);
    const stopped = await cli([...args, ...log("part")], { interruptAt: "epoch 4 of" });
    expect(stopped.code).toBe(130);
    const { runs } = loadCheckpoint(readFileSync(at("part.checkpoint")));
    const done = runs[0].history.length;
    expect(done).toBe(4);
    expect(rows("part.csv")).toHaveLength(done);
    const before = text("part.csv");
    // Rows of epochs that the checkpoint does not know, and half a row: as after a crash.
    appendFileSync(at("part.csv"), `${before.trim().split("\n").at(-1)}\n1,,5,9,0.`);
    const { code, said } = await cli([...args, ...log("part"), "--resume"]);
    expect(code, said).toBe(0);
    expect(text("part.csv").startsWith(before)).toBe(true);
    expect(repeatable("part.csv")).toEqual(repeatable("whole.csv"));
  });

  it("fills in what the log lacks from the checkpoint", async () => {
    await cli([...args, "--out", at("late")], { interruptAt: "epoch 4 of" });
    const { code, said } = await cli([...args, ...log("late"), "--resume"]);
    expect(code, said).toBe(0);
    const known = (name: string) =>
      repeatable(name).map(({ run, epoch, loss }) => [run, epoch, loss]);
    expect(known("late.csv")).toEqual(known("whole.csv"));
    expect(rows("late.csv")[0]).toMatchObject({ rate: "", seconds: "" });
    expect(rows("late.csv")[8]["rate"]).not.toBe("");
  });

  it("has it as lines of JSON too", async () => {
    const lines = [...args, "--out", at("json"), "--log", at("json.jsonl")];
    await cli(lines, { interruptAt: "epoch 4 of" });
    // The last row of an epoch that the checkpoint holds is cut short.
    writeFileSync(at("json.jsonl"), text("json.jsonl").slice(0, -9));
    await cli([...lines, "--resume"]);
    const epochs = text("json.jsonl").trim().split("\n");
    expect(epochs.map((line) => JSON.parse(line).loss)).toEqual(
      rows("whole.csv").map(({ loss }) => Number(loss)),
    );
  });

  onPosix("has whole rows when it is killed, and all of them in the end", async () => {
    const long = [...args, "--epochs", "300", "--checkpoint-every", "0", ...log("killed")];
    const start = (more: readonly string[] = []) => {
      const child = spawn(process.execPath, [join(root, "dist/cli/bin.js"), ...long, ...more]);
      return { child, ended: once(child, "exit") };
    };
    const { child, ended } = start();
    const there = () => existsSync(at("killed.csv")) && existsSync(at("killed.checkpoint"));
    while (!there() && child.exitCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    child.kill("SIGKILL");
    await ended;
    const found = rows("killed.csv");
    expect(found.length).toBeLessThan(300);
    for (const row of found) expect(Object.keys(row)).toHaveLength(8);
    const [code] = await start(["--resume"]).ended;
    expect(code).toBe(0);
    const epochs = Array.from({ length: 300 }, (_, i) => String(i + 1));
    expect(rows("killed.csv").map(({ epoch }) => epoch)).toEqual(epochs);
  });
});

describe("where a log is written", () => {
  const refused = async (more: readonly string[], message: RegExp) => {
    const { code, said } = await cli([...base, "--epochs", "2", ...more]);
    expect(said).toMatch(message);
    expect(code).not.toBe(0);
  };

  it("is a file that is not there yet, unless it is to be replaced", async () => {
    writeFileSync(at("old.csv"), "mine\n");
    await refused(["--log", at("old.csv")], /old\.csv exists already\. Use --force to replace it/);
    expect(text("old.csv")).toBe("mine\n");
    const { code } = await cli([...single, "--epochs", "2", "--log", at("old.csv"), "--force"]);
    expect(code).toBe(0);
    expect(rows("old.csv")).toHaveLength(2);
  });

  it("is never a file that is read, nor the checkpoint, nor in the folder that is written whole", async () => {
    await refused(["--log", crowd.labels, "--force"], /labels\.csv is read by this command/);
    const same = at("same.csv");
    writeFileSync(same, "CONSILIENCE CHECKPOINT 1\n");
    await refused(["--log", same, "--checkpoint", same, "--force"], /is read by this command/);
    const inside = ["--out", at("folder"), "--log", join(at("folder"), "log.csv")];
    await refused(inside, /lies in the folder of --out.*Write the log beside it/);
    expect(existsSync(at("folder"))).toBe(false);
  });

  it("ends in .csv or .jsonl, and its folder exists", async () => {
    await refused(["--log", at("log.txt")], /--log writes \.csv or \.jsonl, by the ending/);
    await refused(["--log", at("nowhere/log.csv")], /the folder it should go to does not exist/);
    mkdirSync(at("folder.csv"));
    await refused(["--log", at("folder.csv")], /folder\.csv could not be written/);
    await refused(["--log", at("new.csv"), "--hidden", "many"], /hidden must be sizes/);
    expect(existsSync(at("new.csv"))).toBe(false);
  });

  it("is a log, where a training goes on", async () => {
    writeFileSync(at("notes.csv"), "mine\n");
    const args = [...base, "--epochs", "6", "--out", at("on")];
    await cli(args, { interruptAt: "epoch 3 of" });
    const again = await cli([...args, "--resume", "--log", at("notes.csv")]);
    expect(again.said).toMatch(/notes\.csv exists already/);
    expect(text("notes.csv")).toBe("mine\n");
  });
});
