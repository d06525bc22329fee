/** Similarities through the commands and against gold. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, describe, expect, it } from "vitest";
import { crowdClusters } from "../src/aggregate/similarity/crowd-clusters.ts";
import { fromRows } from "../src/data/from-rows.ts";
import { similarityWorkers } from "../src/diagnose/similarity-workers.ts";
import { compareRuns } from "../src/diagnose/since.ts";
import { evaluateClusters } from "../src/evaluate/similarity.ts";
import { plantedBlocks } from "./similarity-checks.ts";
import { cli } from "./world.ts";

const work = mkdtempSync(join(tmpdir(), "consilience-similarities-"));
const at = (name: string) => join(work, name);
afterAll(() => rmSync(work, { recursive: true, force: true }));
const file = (name: string, lines: readonly (readonly (string | number)[])[]) => {
  writeFileSync(at(name), lines.map((line) => `${line.join(",")}\n`).join(""));
  return at(name);
};
const valid = new Ajv2020({ allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(join(import.meta.dirname, "../docs/schema/result.json"), "utf8")),
);

const data = plantedBlocks(3, { items: 36, perItem: 20 });
const header = ["worker", "left", "right", "label"];
const pairs = Array.from(data.label, (said, i) => [
  data.workers.at(data.worker[i]),
  data.items.at(data.left[i]),
  data.items.at(data.right[i]),
  said ? "same" : "different",
]);
const answers = file("pairs.csv", [header, ...pairs]);
const gold = file("gold.csv", [
  ["item", "cluster"],
  ...Array.from(data.gold, (c, i) => [data.items.at(i), data.clusters.at(c)]),
]);

describe("the command", () => {
  it("recognises, scores and writes similarities", async () => {
    const out = at("out");
    const { code, said } = await cli(["aggregate", answers, "--gold", gold, "--out", out]);
    expect(code, said).toBe(0);
    expect(said).toMatch(
      /taken for similarity answers, since there are columns for a left and a right item and every label says same or different \(--kind\s+pairwise changes that\)/,
    );
    expect(said).toContain("360 answers, 36 items, 10 workers, 36 items with gold");
    expect(said).toMatch(/Adjusted Rand index [\d.]+ \[.*\] on 36 gold items/);
    const read = (name: string) => readFileSync(join(out, name), "utf8");
    expect(read("truth.csv")).toMatch(/^item,cluster,confidence\ni\d+,[123],[\d.]+\n/);
    expect(read("workers.csv")).toMatch(
      /^worker,answers,skill,skill_low,skill_high,same_within,same_across,standing\n/,
    );
    const html = read("report.html");
    for (const title of ["Items that deserve a look", "How many clusters?", "Against gold"]) {
      expect(html).toContain(title);
    }
    const document = JSON.parse(read("result.json"));
    expect(valid(document), JSON.stringify(valid.errors)).toBe(true);
    expect(document).toMatchObject({ kind: "similarity", method: "auto", clusters: 3 });
    const evaluated = await cli(["evaluate", join(out, "truth.csv"), "--gold", gold]);
    expect(evaluated.out).toContain(
      `adjusted Rand index  ${document.metrics.adjustedRand.value.toFixed(4)}`,
    );
    const again = await cli(["aggregate", answers, "--since", join(out, "result.json")]);
    expect(again.code, again.said).toBe(0);
    expect(again.said).toMatch(/no answer changed|0 of 36/i);
    const rerun = await cli(["aggregate", "--rerun", join(out, "result.json"), "--json", answers]);
    expect(rerun.code, rerun.said).toBe(0);
    expect(JSON.parse(rerun.out).answers).toHaveLength(36);
  });

  it("prints JSON that fits the schema", async () => {
    const { out } = await cli([
      "aggregate",
      answers,
      "--clusters",
      "2",
      "--method",
      "crowd-clusters",
      "--json",
    ]);
    const document = JSON.parse(out);
    expect(valid(document), JSON.stringify(valid.errors)).toBe(true);
    expect(document.answers).toHaveLength(36);
    expect(document.options.clusters).toBe(2);
  });

  it("compares and diagnoses them", async () => {
    const compared = await cli(["compare", answers, "--gold", gold, "--json"]);
    const { methods } = JSON.parse(compared.out);
    expect(methods.map(({ method }: { method: string }) => method).sort()).toEqual([
      "auto",
      "crowd-clusters",
      "soft-clusters",
      "spectral-clusters",
    ]);
    const diagnosed = await cli(["diagnose", answers]);
    expect(diagnosed.code, diagnosed.said).toBe(0);
    expect(diagnosed.out).toContain("Do same and different mean what they say?");
  });
});

describe("reading", () => {
  const kindOf = async (rows: readonly (readonly (string | number)[])[], ...more: string[]) => {
    const { out, said, code } = await cli(["aggregate", file("look.csv", rows), "--json", ...more]);
    return code === 0 ? JSON.parse(out).kind : said;
  };
  const row = (label: string | number, left = "a", right = "b") => ["w", left, right, label];

  it("takes all words for same and different, and only them", async () => {
    const words = [
      "Same",
      "different",
      "yes",
      "NO",
      "1",
      0,
      "true",
      "False",
      "match",
      "must-link",
      "cannot link",
    ];
    expect(await kindOf([header, ...words.map((word) => row(word))])).toBe("similarity");
    expect(await kindOf([["worker", "left", "right", "same"], row(1), row(0)])).toBe("similarity");
  });

  it("takes winners for comparisons, even where items are called 1 and 0, and ties beside them", async () => {
    expect(await kindOf([header, row("a"), row("b"), row("tie")])).toBe("pairwise");
    expect(await kindOf([header, row("same"), row("b")])).toBe("pairwise");
    expect(await kindOf([header, row(1, "1", "0"), row(0, "1", "0")])).toBe("pairwise");
  });

  it("says where labels are mixed, and lets --kind decide", async () => {
    const mixed = [header, row("same"), row("different"), row("a")];
    expect(await kindOf(mixed)).toMatch(/look\.csv:3: the label should be the winner, "a" or "b"/);
    expect(await kindOf(mixed, "--kind", "similarity")).toMatch(
      /look\.csv:4: the label should be same or different .* but is "a".*--map/s,
    );
    expect(await kindOf([header, row("smae"), row("same")])).toMatch(
      /look\.csv:2: .*same or different/s,
    );
    expect(await kindOf([header, row("same"), row("same")], "--kind", "pairwise")).toBe("pairwise");
    expect(await kindOf(mixed, "--drop-bad-rows")).toBe("pairwise");
  });

  it("drops an item beside itself, counted, and refuses nothing else", () => {
    const pair = { worker: "w", left: "a", right: "b", label: true };
    const made = fromRows([pair, { ...pair, right: "a" }], { kind: "similarity" });
    expect(made.label).toHaveLength(1);
    expect(made.notes.join()).toContain("1 answer about an item and itself dropped");
    expect(() => fromRows([{ ...pair, right: "a" }], { kind: "similarity" })).toThrow(
      /item and itself/,
    );
    expect(() => fromRows([pair, { ...pair, label: "maybe" }], { kind: "similarity" })).toThrow(
      /Row 2/,
    );
  });
});

describe("scores", () => {
  const scored = (found: string, known: string) =>
    evaluateClusters({
      cluster: Int32Array.from(found, Number),
      gold: Int32Array.from(known, Number),
    });

  it("are those of pairs counted one by one", () => {
    const [found, known] = ["0011122", "0001122"];
    const tally = { both: 0, found: 0, known: 0, all: 0 };
    for (let i = 0; i < 7; i++) {
      for (let j = 0; j < i; j++) {
        const [a, b] = [found[i] === found[j], known[i] === known[j]];
        tally.all++;
        tally.found += Number(a);
        tally.known += Number(b);
        tally.both += Number(a && b);
      }
    }
    const chance = (tally.found * tally.known) / tally.all;
    const { adjustedRand, pairF1, pairPrecision, accuracy, credits } = scored(found, known);
    expect(adjustedRand.value).toBeCloseTo(
      (tally.both - chance) / ((tally.found + tally.known) / 2 - chance),
      12,
    );
    expect(pairPrecision).toBeCloseTo(tally.both / tally.found, 12);
    expect(pairF1).toBeCloseTo((2 * tally.both) / (tally.found + tally.known), 12);
    expect(accuracy).toBeCloseTo(6 / 7, 12);
    expect(credits.reduce((a, b) => a + b, 0) / 7).toBeCloseTo(adjustedRand.value, 12);
  });

  it("do not depend on the numbers of clusters, and are 1 for the same partition", () => {
    const same = scored("001122", "220011");
    expect([same.adjustedRand.value, same.nmi, same.pairF1, same.accuracy]).toEqual([
      1,
      expect.closeTo(1, 12),
      1,
      1,
    ]);
    expect(scored("000000", "001122").nmi).toBe(0);
    expect(scored("000000", "001122").adjustedRand.value).toBe(0);
    expect(scored("000", "000").adjustedRand.value).toBe(1);
    expect(scored("0120", "0011").items).toBe(4);
    expect(() => evaluateClusters({ cluster: Int32Array.of(0), gold: Int32Array.of(-1) })).toThrow(
      /gold/,
    );
  });
});

it("tells guessing workers from those who know", () => {
  const planted = plantedBlocks(6, {
    items: 60,
    perItem: 60,
    workers: 10,
    poor: 3,
    poorRight: 0.5,
  });
  const judged = similarityWorkers(planted, crowdClusters(planted, { clusters: 3 }));
  judged.forEach(({ standing, skill, low, high }, w) => {
    const poor = Number(planted.workers.at(w).slice(1)) < 3;
    expect(standing === "better").toBe(!poor);
    expect(low).toBeLessThan(skill);
    expect(high).toBeGreaterThan(skill);
  });
});

it("compares runs by clusters, whatever their numbers", () => {
  const run = (clusters: readonly number[]) => ({
    kind: "similarity",
    method: "crowd-clusters",
    notes: [],
    answers: clusters.map((cluster, i) => ({ item: `i${i}`, cluster })),
  });
  const columns = { name: "item", answer: "cluster" } as const;
  expect(compareRuns(run([1, 1, 2, 2]), run([2, 2, 1, 1]), columns).answers.changed).toBe(0);
  const { changed, first } = compareRuns(
    run([1, 1, 2, 2, 2]),
    run([2, 2, 1, 1, 2]),
    columns,
  ).answers;
  expect(changed).toBe(1);
  expect(first[0]).toMatchObject({ name: "i4", before: "1", after: "2" });
});
