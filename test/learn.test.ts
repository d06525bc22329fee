import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, describe, expect, it } from "vitest";
import { readNpy, writeNpy } from "../src/io/npy.ts";
import { loadCheckpoint } from "../src/learn/checkpoint.ts";
import { writeCrowd } from "./crowd-files.ts";
import { onPosix } from "./platform.ts";
import { cli } from "./world.ts";

const root = join(import.meta.dirname, "..");
const scratch = mkdtempSync(join(tmpdir(), "consilience-learn-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const crowd = writeCrowd(scratch, { tasks: 400, dimensions: 20 });
const base = ["learn", crowd.labels, "--features", crowd.features];
const small = ["--epochs", "6", "--hidden", "8", "--batch", "32"];
const out = (name: string) => join(scratch, name);

describe("learn", () => {
  it("writes model, answers and report, and the same bytes twice", async () => {
    const tests = ["--test-features", crowd.test, "--test-gold", crowd.gold, "--gold", crowd.gold];
    for (const name of ["one", "two"]) {
      const { code, said } = await cli([...base, ...tests, ...small, "--out", out(name)]);
      expect(said).toMatch(/Test accuracy \d\d\.\d\d % \[.*\] on 400 tasks/);
      expect(code).toBe(0);
    }
    for (const file of [
      "model.onnx",
      "model.json",
      "test-predictions.csv",
      "truth.csv",
      "posterior.csv",
      "workers.csv",
      "confusion.csv",
      "review.csv",
      "report.html",
    ]) {
      expect(
        readFileSync(join(out("one"), file)).equals(readFileSync(join(out("two"), file))),
        file,
      ).toBe(true);
    }
    expect(existsSync(`${out("one")}.checkpoint`)).toBe(false);
    const model = JSON.parse(readFileSync(join(out("one"), "model.json"), "utf8"));
    expect(model).toMatchObject({
      method: "auto-learner",
      input: { name: "features", shape: [20] },
    });
    expect(readFileSync(join(out("one"), "test-predictions.csv"), "utf8")).toMatch(
      /^task,label,confidence\nt0,c\d,/,
    );
  });

  it("joins gold to test and validation rows by name, not by order", async () => {
    const gold = readFileSync(crowd.gold, "utf8").trim().split("\n");
    const turned = out("turned.csv");
    writeFileSync(turned, `${[gold[0], ...gold.slice(1).reverse()].join("\n")}\n`);
    const x = readNpy(readFileSync(crowd.test));
    const rows = gold.slice(1).map((line, t) => {
      const numbers = Array.from({ length: 20 }, (_, d) => Number(x.data[20 * t + d]));
      return [line.split(",")[0], ...numbers].join();
    });
    const table = out("table.csv");
    const header = ["task", ...Array.from({ length: 20 }, (_, d) => `x${d}`)].join();
    writeFileSync(table, `${[header, ...rows].join("\n")}\n`);
    const accuracies = [];
    for (const [features, classes] of [
      [crowd.test, crowd.gold],
      [table, turned],
    ]) {
      const tests = ["--test-features", features, "--test-gold", classes];
      const valid = ["--valid-features", features, "--valid-gold", classes];
      const { out: text } = await cli([...base, ...tests, ...valid, ...small, "--json"]);
      const { learning } = JSON.parse(text);
      accuracies.push([learning.test.accuracy.value, learning.history[0].at(-1).validation]);
    }
    expect(accuracies[1]).toEqual(accuracies[0]);
  });

  it("prints JSON that fits the schema", async () => {
    const tests = ["--test-features", crowd.test, "--test-gold", crowd.gold, "--gold", crowd.gold];
    const valid = ["--valid-features", crowd.test, "--valid-gold", crowd.gold];
    const { out: text, said } = await cli([...base, ...tests, ...valid, ...small, "--json"]);
    expect(said).toBe("");
    const fits = new Ajv2020({ allowUnionTypes: true }).compile(
      JSON.parse(readFileSync(join(root, "docs/schema/result.json"), "utf8")),
    );
    fits(JSON.parse(text));
    expect(fits.errors).toBeNull();
    expect(JSON.parse(text).learning.history[0]).toHaveLength(6);
  });

  it("gives a model that predict and attack take", async () => {
    await cli([...base, ...small, "--method", "aggnet", "--epochs", "20", "--out", out("model")]);
    const features = ["--features", crowd.test, "--tasks", crowd.gold];
    const alone = await cli(["predict", out("model"), ...features]);
    expect(alone.code).toBe(0);
    expect(alone.out.trim().split("\n")).toHaveLength(401);
    const right = (text: string) => {
      const gold = new Map(
        readFileSync(crowd.gold, "utf8")
          .trim()
          .split("\n")
          .map((line) => line.split(",") as [string, string]),
      );
      const rows = text
        .trim()
        .split("\n")
        .slice(1)
        .map((line) => line.split(","));
      return rows.filter(([task, label]) => gold.get(task) === label).length / rows.length;
    };
    const joined = await cli(["predict", out("model"), ...features, "--labels", crowd.labels]);
    expect(right(joined.out)).toBeGreaterThan(right(alone.out));
    const table = await cli(["predict", out("model"), ...features, "--probabilities"]);
    expect(table.out).toMatch(/^task,c0,c1,c2\nt0,/);
    const attacked = await cli([
      "attack",
      out("model"),
      "--features",
      crowd.test,
      "--gold",
      crowd.gold,
      "--attack",
      "pgd,fgsm",
      "--epsilon",
      "0,0.5",
      "--out",
      out("attack"),
    ]);
    expect(attacked.code, attacked.said).toBe(0);
    const curves = readFileSync(join(out("attack"), "attack.csv"), "utf8");
    expect(curves).toMatch(/^attack,box,epsilon,right,tasks,accuracy\npgd,white,0,\d+,400,/);
    expect(readFileSync(join(out("attack"), "report.html"), "utf8")).toContain(
      "Accuracy by distance",
    );
  });

  it("predict refuses what is no model, and features that do not fit", async () => {
    writeFileSync(out("bad.onnx"), "not a model");
    const bad = await cli([
      "predict",
      out("bad.onnx"),
      "--features",
      crowd.test,
      "--tasks",
      crowd.gold,
    ]);
    expect(bad.code).toBe(1);
    expect(bad.said).toContain("bad.onnx");
    const none = await cli(["predict", out("nowhere"), "--features", crowd.test]);
    expect(none.said).toMatch(/there is no such file or folder/);
    const narrow = out("narrow.npy");
    writeFileSync(narrow, writeNpy([400, 2], new Float32Array(800)));
    const shape = await cli(["predict", out("one"), "--features", narrow, "--tasks", crowd.gold]);
    expect(shape.said).toMatch(/rows have the shape \[2\], the model wants \[20\]/);
  });

  it("binds model.json to its model, and refuses that of another", async () => {
    const features = ["--features", crowd.test, "--tasks", crowd.gold, "--labels", crowd.labels];
    const two = ["--seed", "5", "--method", "aggnet"];
    await cli([...base, ...small, ...two, "--out", out("first")]);
    await cli([...base, ...small, ...two, "--seed", "6", "--out", out("second")]);
    const document = JSON.parse(readFileSync(join(out("first"), "model.json"), "utf8"));
    expect(document.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect((await cli(["predict", out("first"), ...features])).code).toBe(0);
    const write = (fields: object) =>
      writeFileSync(join(out("second"), "model.json"), JSON.stringify(fields));
    write(document);
    const foreign = await cli(["predict", out("second"), ...features]);
    expect(foreign.code).toBe(1);
    expect(foreign.said).toMatch(/model\.json belongs to another model than .*model\.onnx/);
    const { sha256: _, ...old } = document;
    write(old);
    const accepted = await cli(["predict", out("second"), ...features]);
    expect(accepted.code).toBe(0);
    expect(accepted.said).toMatch(/note: .*model\.json does not say which model it belongs to/);
    write({ ...old, classes: ["c0", "c2", "c1"] });
    const other = await cli(["predict", out("second"), ...features]);
    expect(other.code).toBe(1);
    expect(other.said).toMatch(/model\.json: its classes are c0, c2, c1.*those of .*c0, c1, c2/);
    const attack = ["attack", out("second"), "--features", crowd.test, "--gold", crowd.gold];
    expect((await cli(attack)).said).toMatch(/its classes are/);
  });

  it("cleans the names of features as those of the labels", async () => {
    const rows = Array.from({ length: 12 }, (_, t) => `"t${t} "`);
    const labels = rows.flatMap((task, t) => ["ana", "ben"].map((w) => `${task},${w},${t % 2}`));
    writeFileSync(out("spaced.csv"), ["task,worker,label", ...labels].join("\n"));
    const features = rows.map((task, t) => `${task},${t % 2},${t}`);
    writeFileSync(out("spaced-features.csv"), ["task,a,b", ...features].join("\n"));
    const learn = ["learn", out("spaced.csv"), "--features", out("spaced-features.csv")];
    for (const keep of [[], ["--keep-spaces"]]) {
      const { code, out: printed } = await cli([...learn, "--epochs", "1", ...keep]);
      expect(code).toBe(0);
      expect(printed.includes('"t0 "') || printed.includes("t0 ,")).toBe(keep.length > 0);
    }
  });

  it("says that training diverged", async () => {
    for (const method of ["max-mig", "aggnet", "crowd-layer"]) {
      const rate = ["--rate", "1e30", "--method", method, "--dropout", "0"];
      const { code, said } = await cli([...base, ...small, ...rate]);
      expect(said).toMatch(
        /Training diverged: the loss is (NaN|-?Infinity) at epoch \d+\. Lower --rate or set --clip\./,
      );
      expect(code).toBe(1);
    }
  });

  it("without --out prints a summary on a terminal, and CSV in a pipe", async () => {
    const tests = ["--test-features", crowd.test, "--test-gold", crowd.gold];
    const seen = await cli([...base, ...small, ...tests], { terminal: true });
    expect(seen.out).not.toMatch(/^task,label/m);
    expect(seen.out).toMatch(/test accuracy +\d\d\.\d\d %/);
    expect(seen.out).toMatch(/class +tasks\nc0 +\d+/);
    expect(seen.out).toMatch(/auto-learner, 24 epochs/s);
    expect(seen.out.split("\n").length).toBeLessThan(25);
    expect(seen.said).toMatch(/--out FOLDER/);
    const piped = await cli([...base, ...small, ...tests]);
    expect(piped.out).toMatch(/^task,label,confidence\n/);
    expect(piped.out.trim().split("\n")).toHaveLength(401);
  });

  it("finds the columns of test gold by --gold-columns", async () => {
    const gold = readFileSync(crowd.gold, "utf8").replace("task,label", "id,kind of thing");
    writeFileSync(out("odd.csv"), gold);
    const tests = ["--test-features", crowd.test, "--test-gold", out("odd.csv")];
    const columns = ["--gold-columns", "task=id", "--gold-columns", "label=kind of thing"];
    const { said } = await cli([...base, ...small, ...tests, ...columns, "--gold", out("odd.csv")]);
    expect(said).toMatch(/Test accuracy \d\d\.\d\d % .* on 400 tasks/);
  });

  it("hides workers' names where asked to", async () => {
    const { code } = await cli([
      ...base,
      ...small,
      "--method",
      "aggnet",
      "--anonymise",
      "--out",
      out("hidden"),
    ]);
    expect(code).toBe(0);
    for (const file of ["workers.csv", "confusion.csv", "model.json", "report.html"]) {
      expect(readFileSync(join(out("hidden"), file), "utf8"), file).not.toMatch(/\bw7\b/);
    }
  });

  it.each([
    ["no features named", [crowd.labels], /Name the features: --features FILE/, 2],
    ["an unknown method", [...base.slice(1), "--method", "max-mg"], /Did you mean max-mig/, 2],
    ["an unknown engine", [...base.slice(1), "--engine", "gpu"], /--engine is one of/, 2],
    ["a bad size", [...base.slice(1), "--hidden", "many"], /hidden must be sizes such as 128/, 2],
    [
      "nothing to resume",
      [...base.slice(1), "--resume", "--out", out("none")],
      /there is no checkpoint/,
      2,
    ],
    [
      "gold without features",
      [...base.slice(1), "--test-gold", crowd.gold],
      /--test-gold needs --test-features/,
      2,
    ],
  ] as const)("says what is wrong: %s", async (_, args, words, code) => {
    const outcome = await cli(["learn", ...args]);
    expect(outcome.said).toMatch(words);
    expect(outcome.code).toBe(code);
  });

  it("says what is wrong with features", async () => {
    const tasks = readFileSync(join(scratch, "tasks.csv"), "utf8").trim().split("\n").slice(1);
    const write = (name: string, rows: number, fill: (i: number) => number) => {
      const path = out(`${name}.npy`);
      writeFileSync(
        path,
        writeNpy(
          [rows, 2],
          Float32Array.from({ length: 2 * rows }, (_, i) => fill(i)),
        ),
      );
      return path;
    };
    const attempt = (path: string) =>
      cli([
        "learn",
        crowd.labels,
        "--features",
        path,
        "--tasks",
        join(scratch, "tasks.csv"),
        ...small,
      ]);
    const holes = await attempt(
      write("holes", 400, (i) => (i === 7 ? Number.NaN : i === 9 ? Infinity : i)),
    );
    expect(holes.said).toMatch(/2 numbers.*t3|t3.*t4/s);
    expect(holes.code).toBe(1);
    const short = await attempt(write("short", 300, (i) => i));
    expect(short.said).toMatch(/300.*400|400.*300/);
    expect(short.code).toBe(1);
    writeFileSync(
      out("few.csv"),
      `task,a,b\n${tasks
        .slice(20)
        .map((t, i) => `${t},${i},1`)
        .join("\n")}\n`,
    );
    const table = (name: string, id: string) => {
      const rows = tasks.map((t, i) => `${i},${t},${i % 7}`);
      writeFileSync(out(name), `a,${id},b\n${rows.join("\n")}\n`);
      return out(name);
    };
    const odd = ["learn", crowd.labels, "--features", table("odd.csv", "Input.id"), ...small];
    expect((await cli(odd)).said).toMatch(/no column.*task=/s);
    const renamed = readFileSync(crowd.labels, "utf8").replace("task", "Input.id");
    writeFileSync(out("renamed.csv"), renamed);
    for (const id of ["Input.id", "task"]) {
      const args = ["learn", out("renamed.csv"), "--columns", "task=Input.id", ...small];
      expect((await cli([...args, "--features", table("named.csv", id)])).code).toBe(0);
    }
    const missing = await cli(["learn", crowd.labels, "--features", out("few.csv"), ...small]);
    expect(missing.said).toMatch(/20 of 400 labelled tasks have no features: t0, t1, .*, …/);
    expect(missing.code).toBe(1);
  });
});

describe("a training that is stopped", () => {
  const long = [
    "--epochs",
    "400",
    "--hidden",
    "64",
    "--batch",
    "16",
    "--method",
    "aggnet",
    "--seed",
    "3",
  ];

  /** Starts the built command; resolves when a checkpoint is there or it has ended. */
  async function start(name: string, more: readonly string[] = []) {
    const child = spawn(process.execPath, [
      join(root, "dist/cli/bin.js"),
      ...base,
      ...long,
      "--out",
      out(name),
      ...more,
    ]);
    let said = "";
    child.stderr.on("data", (piece) => {
      said += piece;
    });
    const ended = once(child, "exit") as Promise<[number | null, string | null]>;
    return { child, ended, said: () => said };
  }
  const checkpoint = async (name: string, ended: Promise<unknown>) => {
    let over = false;
    void ended.then(() => {
      over = true;
    });
    while (!existsSync(`${out(name)}.checkpoint`) && !over) {
      await new Promise((resume) => setTimeout(resume, 20));
    }
  };

  onPosix("by SIGINT, SIGTERM or SIGKILL goes on to the same bits", async () => {
    const whole = await start("whole");
    expect((await whole.ended)[0], whole.said()).toBe(0);
    const model = readFileSync(join(out("whole"), "model.onnx"));
    for (const signal of ["SIGINT", "SIGTERM", "SIGKILL"] as const) {
      const first = await start(signal, ["--checkpoint-every", "0"]);
      await checkpoint(signal, first.ended);
      first.child.kill(signal);
      const [code, by] = await first.ended;
      if (signal === "SIGKILL") expect(by).toBe("SIGKILL");
      else {
        expect(code, first.said()).toBe(130);
        expect(first.said()).toMatch(/--resume goes on from it/);
      }
      const state = loadCheckpoint(readFileSync(`${out(signal)}.checkpoint`));
      expect(state.runs[0].history.length).toBeGreaterThan(0);
      expect(state.runs[0].history.length).toBeLessThan(400);
      expect(existsSync(out(signal))).toBe(false);
      const second = await start(signal, ["--resume"]);
      expect((await second.ended)[0], second.said()).toBe(0);
      expect(readFileSync(join(out(signal), "model.onnx")).equals(model), signal).toBe(true);
      expect(existsSync(`${out(signal)}.checkpoint`)).toBe(false);
    }
  });

  it("refuses a checkpoint of another run, or one that is damaged", async () => {
    const stopped = await start("other", ["--checkpoint-every", "0"]);
    await checkpoint("other", stopped.ended);
    stopped.child.kill("SIGINT");
    await stopped.ended;
    const again = [...base, "--method", "aggnet", "--out", out("other"), "--resume"];
    const other = await cli([...again, "--seed", "4"]);
    expect(other.said).toMatch(/belongs to another run/);
    expect(other.code).toBe(1);
    writeFileSync(`${out("other")}.checkpoint`, "nothing");
    const damaged = await cli(again);
    expect(damaged.said).toMatch(/This checkpoint cannot be read/);
    expect(damaged.code).toBe(1);
  });
});
