/** Pages of help and tables fit the width of the terminal. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commands } from "../src/cli/main.ts";
import { kinds } from "../src/kinds.ts";
import { allLearners } from "../src/learn/index.ts";
import { cli } from "./world.ts";

const work = mkdtempSync(join(tmpdir(), "consilience-width-"));
const at = (name: string) => join(work, name);
const crowd = [at("crowd/labels.csv"), "--gold", at("crowd/gold.csv")];

beforeAll(async () => {
  await cli(["simulate", "mixed", "--tasks", "150", "--workers", "30", "--out", at("crowd")]);
  const rows = Array.from({ length: 300 }, (_, i) => {
    const label = `a rather long name for a class of labels, number ${i % 3}`;
    return `a task with a long name ${i % 60},somebody.with.a.very.long.address.${i % 7}@an-institution-with-a-long-name.example.org,"${label}"`;
  });
  writeFileSync(at("long.csv"), `task,worker,label\n${rows.join("\n")}\n`);
  const gold = Array.from(
    { length: 60 },
    (_, t) =>
      `a task with a long name ${t},"a rather long name for a class of labels, number ${t % 3}"`,
  );
  writeFileSync(at("long-gold.csv"), `task,label\n${gold.join("\n")}\n`);
}, 60_000);
afterAll(() => rmSync(work, { recursive: true, force: true }));

/** Lines that are longer than the terminal, but for addresses and paths, which cannot be broken. */
function tooLong(text: string, width: number): string[] {
  return text
    .split("\n")
    .filter((line) => [...line].length > width)
    .filter(
      (line) =>
        !line
          .trim()
          .split(/\s+/)
          .some((word) => /[/\\]/.test(word) && word.length > 40),
    );
}

describe.each([80, 120, 60])("%i columns", (width) => {
  it.each(commands.map(({ id }) => id))("hold the help of %s", async (id) => {
    const { out } = await cli([id, "--help"], { width });
    expect(out).toContain(`consilience ${id}`);
    expect(tooLong(out, width)).toEqual([]);
  });

  it("hold the help of every method and learner", async () => {
    const methods = kinds.flatMap((kind) => kind.methods);
    for (const { id } of methods)
      expect(
        tooLong((await cli(["aggregate", "--method", id, "--help"], { width })).out, width),
      ).toEqual([]);
    for (const { id } of allLearners)
      expect(
        tooLong((await cli(["learn", "--method", id, "--help"], { width })).out, width),
      ).toEqual([]);
    for (const { id } of [...methods, ...allLearners])
      expect(tooLong((await cli(["methods", id], { width })).out, width)).toEqual([]);
  });

  it("hold the overview and the lists", async () => {
    for (const args of [[], ["methods"], ["reproduce"], ["simulate", "hospitals", "--help"]])
      expect(tooLong((await cli(args, { width })).out, width)).toEqual([]);
  });

  const seen = { terminal: true, width };
  it("hold tables of aggregate, compare, diagnose and evaluate", async () => {
    const gold = ["--gold", at("crowd/gold.csv")];
    const long = [at("long.csv"), "--gold", at("long-gold.csv")];
    const some = ["--methods", "majority-vote,dawid-skene,crowdlab,weighted-vote,sml"];
    for (const args of [
      ["aggregate", ...crowd, "--method", "dawid-skene"],
      ["compare", ...crowd, ...some],
      ["compare", ...crowd, ...some, "--seeds", "2", "--folds", "0"],
      ["diagnose", at("crowd/labels.csv")],
      ["evaluate", at("crowd/gold.csv"), ...gold],
      ["aggregate", ...long, "--method", "dawid-skene"],
      ["diagnose", at("long.csv")],
      ["evaluate", at("long-gold.csv"), "--gold", at("long-gold.csv")],
    ]) {
      const { code, out, said } = await cli(args, seen);
      expect(code, said).toBe(0);
      expect(tooLong(out, width), args.join(" ")).toEqual([]);
    }
  }, 60_000);
});

it("tables keep their columns one below the other", async () => {
  const { out } = await cli(["methods"], { width: 80 });
  // What does not fit goes on below the text, not at the margin.
  expect(out).toMatch(/\n {2}dawid-skene +\S.*\n {20,}\S/);
});
