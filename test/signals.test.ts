/** Signals end every command within a second, whatever loop it is in, and leave nothing behind. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createRandom } from "../src/math/random.ts";
import { writeCrowd } from "./crowd-files.ts";
import { describeOnPosix } from "./platform.ts";
import { cli } from "./world.ts";

const work = mkdtempSync(join(tmpdir(), "consilience-signals-"));
const at = (name: string) => join(work, name);
const bin = join(import.meta.dirname, "../dist/cli/bin.js");

/** Longest time from the signal to the end, in milliseconds, on a machine that has nothing else to do. */
const LONGEST = 1000;

beforeAll(async () => {
  const simulate = (name: string, ...more: string[]) =>
    cli(["simulate", "mixed", "--out", at(name), ...more]);
  await simulate("large", "--tasks", "60000", "--workers", "1500");
  await simulate("wide", "--tasks", "4000", "--workers", "400", "--labels-per-task", "40");
  await simulate("huge", "--tasks", "400000", "--workers", "100000");
  manyClasses("classes", 40);
}, 300_000);
afterAll(() => rmSync(work, { recursive: true, force: true }));

/** A crowd of many classes, where most labels are right. */
function manyClasses(name: string, K: number): void {
  const random = createRandom(K);
  const rows = Array.from({ length: 60_000 }, (_, i) => {
    const task = i % 6000;
    const label = random.next() < 0.7 ? task % K : Math.floor(random.next() * K);
    return `t${task},w${Math.floor(random.next() * 97)},c${label}`;
  });
  writeFileSync(at(`${name}.csv`), `task,worker,label\n${rows.join("\n")}\n`);
}

/** How many times slower than alone this machine is now. */
function slowdown(): number {
  const start = performance.now();
  const before = process.cpuUsage();
  let used = 0;
  while (used < 60_000) {
    const { user, system } = process.cpuUsage(before);
    used = user + system;
  }
  return Math.max(1, ((performance.now() - start) * 1000) / used);
}

interface Ended {
  readonly code: number | null;
  readonly said: string;
  readonly milliseconds: number;
  readonly allowed: number;
}

/** Starts a command, waits until it says `ready` and some time more, signals, and waits for the end. */
function interrupt(
  args: readonly string[],
  signal: NodeJS.Signals,
  { ready, after = 600, input }: { ready?: RegExp; after?: number; input?: string } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [bin, ...args], {
    stdio: [input === undefined ? "ignore" : "pipe", "ignore", "pipe"],
  });
  child.stdin?.write(input ?? "");
  let said = "";
  let sent = 0;
  let waiting = false;
  const send = () => {
    if (waiting) return;
    waiting = true;
    setTimeout(() => {
      sent = performance.now();
      child.kill(signal);
      setTimeout(() => child.kill("SIGKILL"), 10 * LONGEST).unref();
    }, after);
  };
  if (!ready) send();
  child.stderr?.on("data", (piece) => {
    said += piece;
    if (ready?.test(said)) send();
  });
  return new Promise((resume) => {
    child.on("close", (code, by) => {
      const milliseconds = performance.now() - sent;
      resume({
        code,
        said: `${said}${by ? ` (ended by ${by})` : ""}`,
        milliseconds,
        allowed: LONGEST * Math.max(1.2, slowdown()) + 300,
      });
    });
  });
}

async function expectPrompt(ended: Promise<Ended>): Promise<void> {
  const { code, said, milliseconds, allowed } = await ended;
  expect(code, said).toBe(130);
  expect(said).toMatch(/Interrupted/);
  expect(milliseconds, said).toBeLessThan(allowed);
}

const signals = ["SIGTERM", "SIGINT"] as const;
const both = <Case extends readonly unknown[]>(cases: readonly Case[]) =>
  cases.flatMap((each) => signals.map((signal) => [signal, ...each] as const));
const read = /\d labels, /;

describeOnPosix("while a method fits", () => {
  it.each(
    both([
      ["crowd-svm", "large"],
      ["ibcc-gibbs", "large"],
      ["ebcc", "large"],
      ["m3v", "large"],
      ["minimax-entropy", "large"],
      ["nonparametric-clusters", "large"],
      ["glad", "large"],
      ["mace", "large"],
      ["cbcc", "large"],
      ["belief-propagation", "large"],
      ["auto", "large"],
      ["pg-tac", "wide"],
      ["coupled-cpd", "wide"],
      ["sml", "wide"],
    ]),
  )("%s ends %s", async (signal, method, set) => {
    const args = ["aggregate", at(`${set}/labels.csv`), "--method", method, "--out", at("none")];
    await expectPrompt(interrupt(args, signal, { ready: read, after: 500 }));
    expect(existsSync(at("none"))).toBe(false);
  });

  it.each(both([["coupled-cpd"], ["ebcc"]]))(
    "%s ends %s with 40 classes",
    async (signal, method) => {
      const args = ["aggregate", at("classes.csv"), "--method", method, "--force"];
      await expectPrompt(interrupt(args, signal, { ready: read, after: 500 }));
    },
  );
});

describeOnPosix("while a command", () => {
  it.each(
    both([
      ["simulate", ["mixed", "--workers", "3000000", "--tasks", "3000000", "--out", at("none")]],
      ["aggregate", [at("huge/labels.csv"), "--method", "majority-vote", "--out", at("none")]],
      ["diagnose", [at("large/labels.csv")]],
      ["robustness", [at("large/labels.csv"), "--methods", "glad"]],
      ["assign", [at("large/labels.csv"), "--budget", "1000000", "--confident", "1"]],
      ["forecast", [at("large/labels.csv"), "--draws", "10000"]],
      ["compare", [at("large/labels.csv"), "--methods", "glad,ebcc"]],
      ["convert", [at("huge/labels.csv"), at("none.parquet")]],
    ] as const),
  )("%s ends %s", async (signal, command, args) => {
    await expectPrompt(interrupt([command, ...args], signal, { after: 900 }));
    expect(readdirSync(work).filter((name) => /none|tmp-/.test(name))).toEqual([]);
  });

  it.each(both([["aggregate", [at("huge/labels.csv"), "--method", "majority-vote"]]] as const))(
    "writes its report, %s ends %s",
    async (signal, command, args) => {
      const ended = interrupt([command, ...args, "--out", at("report")], signal, {
        ready: /\d classes/,
        after: 1500,
      });
      await expectPrompt(ended);
      expect(readdirSync(work).filter((name) => /report/.test(name))).toEqual([]);
    },
  );

  it.each(both([["aggregate"]]))("reads standard input, %s ends %s", async (signal, command) => {
    const input = "task,worker,label\nt0,w0,a\n";
    await expectPrompt(interrupt([command, "-"], signal, { after: 900, input }));
  });
});

describeOnPosix("with features", () => {
  const crowd = (() => {
    const folder = mkdtempSync(join(work, "features-"));
    return writeCrowd(folder, { tasks: 3000, dimensions: 400 });
  })();
  const model = at("model");

  beforeAll(async () => {
    const small = ["--epochs", "1", "--hidden", "4000,4000", "--out", model];
    const made = await cli(["learn", crowd.labels, "--features", crowd.features, ...small]);
    expect(made.code, made.said).toBe(0);
  }, 300_000);

  it.each(
    both([
      ["learn", [crowd.labels, "--features", crowd.features, "--epochs", "1000"]],
      [
        "attack",
        [
          model,
          "--features",
          crowd.test,
          "--gold",
          crowd.gold,
          "--steps",
          "1000",
          "--engine",
          "typescript",
        ],
      ],
      [
        "predict",
        [model, "--features", crowd.test, "--tasks", crowd.gold, "--engine", "typescript"],
      ],
    ] as const),
  )("%s ends %s", async (signal, command, args) => {
    await expectPrompt(interrupt([command, ...args], signal, { ready: /engine: /, after: 300 }));
  });

  it.each(both([["identifiability"], ["max-mig-e2"]]))(
    "%s ends reproduce %s",
    async (signal, name) => {
      await expectPrompt(interrupt(["reproduce", name], signal, { ready: /engine: /, after: 300 }));
    },
  );
});
