/** Learners side by side on the command line. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { writeCrowd } from "./crowd-files.ts";
import { cli } from "./world.ts";

const scratch = mkdtempSync(join(tmpdir(), "consilience-compare-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const at = (name: string) => join(scratch, name);
const crowd = writeCrowd(scratch, { tasks: 60, dimensions: 4 });
const base = ["compare", crowd.labels, "--features", crowd.features];
const small = ["--epochs", "3", "--hidden", "4", "--engine", "typescript", "--folds", "0"];
const gold = ["--gold", crowd.gold];
const test = ["--test-features", crowd.test, "--test-gold", crowd.gold];
const some = ["--methods", "majority-vote,ccem,two-stage", "--seeds", "2"];

describe("compare --features", () => {
  it("shows learners and methods over seeds, and writes every format", async () => {
    const { code, out, said } = await cli(
      [...base, ...gold, ...test, ...small, ...some, "--out", at("compared")],
      { terminal: true, width: 80 },
    );
    expect(code, said).toBe(0);
    expect(out).toMatch(/^method +test accuracy +difference +better /);
    expect(out).toMatch(/\nccem +0\.\d{4} ±0\.\d{4} /);
    expect(out).toMatch(
      /difference: test accuracy minus that of (ccem|two-stage) with the same seed/,
    );
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    // Each training opens the same files, and this is said once.
    expect(said.match(/engine: /g)).toHaveLength(1);
    const { methods, measure } = JSON.parse(readFileSync(at("compared/comparison.json"), "utf8"));
    expect(measure).toBe("test");
    expect(methods[0]).toMatchObject({ method: "majority-vote", deterministic: true });
    expect(methods[1].runs.map(({ seed }: { seed: number }) => seed)).toEqual([0, 1]);
    expect(methods[1].learner).toBe(true);
    const page = readFileSync(at("compared/report.html"), "utf8");
    expect(page).toMatch(
      /<td class="n" data-v="[\d.]+"><strong>\d+\.\d ± \d+\.\d %<\/strong><\/td>/,
    );
    expect(page).toContain("Differences from");
    expect(readFileSync(at("compared/comparison.tex"), "utf8")).toMatch(
      /\\mathbf\{0\.\d{4}\} \\pm/,
    );
    expect(readFileSync(at("compared/comparison.csv"), "utf8")).toMatch(
      /^method,test_accuracy,test_accuracy_sd,.*,difference_from,difference,.*,seconds,seconds_sd,/,
    );
  });

  it("gives the same numbers for the same seeds", async () => {
    const runs = [];
    for (let i = 0; i < 2; i++) {
      const { out } = await cli([...base, ...gold, ...small, ...some, "--json"]);
      runs.push(
        JSON.parse(out).methods.map(({ scores, spreads, difference }: Record<string, unknown>) => ({
          scores,
          spreads,
          difference,
        })),
      );
    }
    expect(runs[1]).toEqual(runs[0]);
  });

  it("says which numbers need gold", async () => {
    const { code, out, said } = await cli([...base, ...small, ...some]);
    expect(code, said).toBe(0);
    expect(said).toMatch(/note: Accuracy, log-loss and ECE need gold\./);
    expect(out).toMatch(/\nccem,/);
  });

  it("refuses flags and names that fit nothing", async () => {
    const alone = await cli(["compare", crowd.labels, "--epochs", "3"]);
    expect(alone.code).toBe(2);
    expect(alone.said).toContain("--epochs is for learners, which need --features FILE.");
    const learner = await cli(["compare", crowd.labels, "--methods", "ccem"]);
    expect(learner.said).toContain(
      "ccem is a learner, which needs features of the tasks: --features",
    );
    const typo = await cli([...base, "--methods", "max-mgi"]);
    expect(typo.said).toContain("Did you mean max-mig?");
    const against = await cli([...base, ...small, ...some, "--against", "glad"]);
    expect(against.said).toMatch(/--against names one of the methods that are compared/);
    const missing = await cli([...base.slice(0, 3), at("nowhere.npy"), ...some]);
    expect(missing.said).toMatch(/There is no file or folder .*nowhere\.npy/);
    expect(missing.code).toBe(1);
  });

  it("tells a training that diverged in its row, with the flag that helps", async () => {
    const { code, out } = await cli(
      [...base, ...gold, ...small, "--methods", "majority-vote,ccem", "--rate", "1e300"],
      { terminal: true },
    );
    expect(code).toBe(0);
    expect(out).toMatch(/majority-vote +[01]\.\d{4}/);
    expect(out).toMatch(/ccem +failed: Training diverged.*--rate/s);
  });

  it("shows what is done when interrupted, and writes nothing", async () => {
    const { code, said } = await cli(
      [...base, ...gold, ...small, ...some, "--out", at("stopped")],
      { interruptAt: "two-stage" },
    );
    expect(code).toBe(130);
    expect(said).toMatch(/\nccem +0\.\d{4} ±/);
    expect(existsSync(at("stopped"))).toBe(false);
  });
});
