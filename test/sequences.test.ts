/** Sequences through the commands and against gold. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, describe, expect, it } from "vitest";
import { fromRows } from "../src/data/from-rows.ts";
import { sequenceAgreement } from "../src/diagnose/sequence-agreement.ts";
import { evaluateTags } from "../src/evaluate/sequence.ts";
import { loadSequences, withSet } from "./datasets.ts";
import { randomTags } from "./random-answers.ts";
import { cli } from "./world.ts";

const work = mkdtempSync(join(tmpdir(), "consilience-sequences-"));
const at = (name: string) => join(work, name);
afterAll(() => rmSync(work, { recursive: true, force: true }));
const file = (name: string, lines: readonly (readonly (string | number)[])[]) => {
  writeFileSync(at(name), lines.map((line) => `${line.join(",")}\n`).join(""));
  return at(name);
};
const valid = new Ajv2020({ allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(join(import.meta.dirname, "../docs/schema/result.json"), "utf8")),
);

const data = randomTags(7);
const { task, position } = data.tokens;
const answers = file("tags.csv", [
  ["task", "worker", "position", "label"],
  ...Array.from(data.label, (k, i) => [
    data.tasks.at(data.task[i]),
    data.workers.at(data.worker[i]),
    position[data.token[i]],
    data.classes.at(k),
  ]),
]);
const gold = file("gold.csv", [
  ["task", "position", "label"],
  ...Array.from(data.gold, (k, t) => [data.tasks.at(task[t]), position[t], data.classes.at(k)]),
]);

describe("the command", () => {
  it("recognises, scores and writes sequences", async () => {
    const out = at("out");
    const { code, said } = await cli(["aggregate", answers, "--gold", gold, "--out", out]);
    expect(code).toBe(0);
    expect(said).toContain("taken for sequence answers, since there is a column for a position");
    expect(said).toContain("288 tags, 96 positions, 12 tasks, 5 workers, 12 tasks with gold");
    expect(said).toMatch(/Span F1 [\d.]+ % \[.*\], [\d.]+ % \[.*\] of 96 tokens right/);
    const read = (name: string) => readFileSync(join(out, name), "utf8");
    expect(read("truth.csv")).toMatch(/^task,position,label,confidence\nt0,0,[BO]/);
    expect(read("spans.csv")).toMatch(/^task,start,end,type,probability\nt0,\d,\d,X,[\d.]+\n/);
    expect(read("workers.csv")).toMatch(/^worker,answers,accuracy,/);
    expect(read("report.html")).toContain("The least certain spans");
    const document = JSON.parse(read("result.json"));
    expect(valid(document), JSON.stringify(valid.errors)).toBe(true);
    expect(document).toMatchObject({ kind: "sequence", method: "auto" });
    const evaluated = await cli(["evaluate", join(out, "truth.csv"), "--gold", gold]);
    expect(evaluated.out).toContain(
      `span F1             ${document.metrics.spanF1.value.toFixed(4)}`,
    );
  });

  it("prints JSON that fits the schema, with gold used to fit", async () => {
    const { out } = await cli(["aggregate", answers, "--gold", gold, "--use-gold", "--json"]);
    const document = JSON.parse(out);
    expect(valid(document), JSON.stringify(valid.errors)).toBe(true);
    const known = Array.from(data.gold, (k) => data.classes.at(k));
    expect(document.answers.map(({ label }: { label: string }) => label)).toEqual(known);
    // Scored by fits that did not see the gold they are scored on.
    expect(document.metrics.spanF1.value).toBeLessThan(1);
  });

  it("compares and diagnoses them", async () => {
    const compared = await cli(["compare", answers, "--gold", gold, "--json"]);
    const { methods } = JSON.parse(compared.out);
    expect(methods.map(({ method }: { method: string }) => method).sort()).toEqual([
      "auto",
      "bsc-seq",
      "hmm-crowd",
      "token-vote",
    ]);
    const diagnosed = await cli(["diagnose", answers]);
    expect(diagnosed.out).toContain("span F1, pooled over pairs");
  });

  it("refuses a position that is no whole number, and says where", async () => {
    const header = ["task", "worker", "position", "label"];
    for (const wrong of ["first", "1.5", "-1"]) {
      const bad = file("bad.csv", [header, ["a", "x", 0, "O"], ["a", "x", wrong, "O"]]);
      const { code, said } = await cli(["aggregate", bad]);
      expect(code).toBe(1);
      expect(said).toContain("bad.csv:3: the position should be a whole number from 0 upwards");
    }
    const labels = await cli(["aggregate", at("bad.csv"), "--kind", "categorical"]);
    expect(labels.code).toBe(0);
  });
});

describe("data", () => {
  const row = (position: number, label: string, worker = "w") => ({
    task: "a",
    worker,
    position,
    label,
  });

  it("has chains that gaps cut, in order of position", () => {
    const { tokens, notes } = fromRows([row(7, "O"), row(2, "B-X"), row(1, "O")], {
      kind: "sequence",
    });
    expect([...tokens.position]).toEqual([1, 2, 7]);
    expect([...tokens.chains]).toEqual([0, 2, 3]);
    expect(notes.join()).toContain("1 gap in the positions");
  });

  it("counts tags that break BIO, and keeps them", () => {
    const rows = [row(0, "I-X"), row(1, "B-X"), row(2, "I-X"), row(4, "I-X"), row(5, "O")];
    const made = fromRows(rows, { kind: "sequence" });
    expect(made.notes.join()).toContain("2 of 5 tags break BIO");
    expect(made.label).toHaveLength(5);
  });

  it("has a beginning for every tag that goes on", () => {
    const made = fromRows([row(0, "B-X"), row(1, "I-Y")], { kind: "sequence" });
    expect([...made.classes]).toEqual(["B-X", "B-Y", "I-Y"]);
  });

  it("follows the policy of repeats, position by position", () => {
    const rows = [row(0, "O"), row(0, "B-X"), row(1, "O"), row(1, "O")];
    const labels = (repeats: "first" | "last" | "distinct" | "all") =>
      fromRows(rows, { kind: "sequence", repeats }).label.length;
    expect([labels("first"), labels("last"), labels("distinct"), labels("all")]).toEqual([
      2, 2, 3, 4,
    ]);
    expect(() => fromRows(rows, { kind: "sequence", repeats: "error" })).toThrow(/position "0"/);
  });
});

describe("scores", () => {
  const classes = ["B-X", "I-X", "O"];
  const scored = (path: string, known: string, chains = [0, path.length]) => {
    const tags = (text: string) => Int32Array.from(text, (c) => "BIO".indexOf(c));
    return evaluateTags({
      classes: Object.assign(classes, { at: (i: number) => classes[i] }) as never,
      tokens: { task: new Int32Array(path.length), chains: Int32Array.from(chains) },
      path: tags(path),
      gold: tags(known),
    });
  };

  it("count spans with the same ends and type", () => {
    const { spans, precision, recall, f1, tokenAccuracy } = scored("BIOBIOB", "BIOBOOO");
    expect(spans).toEqual({ found: 3, gold: 2, right: 1 });
    expect([precision, recall, f1.value]).toEqual([1 / 3, 1 / 2, 0.4]);
    expect(tokenAccuracy.value).toBeCloseTo(5 / 7, 12);
  });

  it("take two beginnings side by side for two spans", () => {
    expect(scored("BB", "BI").spans).toEqual({ found: 2, gold: 1, right: 0 });
  });

  it("take a tag without a beginning for one, cut at gaps, and have no F1 without spans", () => {
    expect(scored("OIIO", "OBIO").spans.right).toBe(1);
    expect(scored("BIIO", "BIIO", [0, 2, 4]).spans).toEqual({ found: 2, gold: 2, right: 2 });
    expect(scored("OO", "OO").f1.value).toBeNaN();
  });
});

withSet("seq_conll", "agreement: span F1 .5627 pooled, .5246 on average, alpha .6267", () => {
  const { pooled, mean, pairs, alpha } = sequenceAgreement(loadSequences("seq_conll").data);
  expect(pooled).toBeCloseTo(0.5627, 4);
  expect(mean).toBeCloseTo(0.5246, 4);
  expect(pairs).toBe(638);
  expect(alpha.value).toBeCloseTo(0.6267, 4);
});
