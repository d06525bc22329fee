// The command on answers that are no classes, from files to models and back.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, describe, expect, it } from "vitest";
import { normal } from "../src/math/distributions.ts";
import { createRandom } from "../src/math/random.ts";
import { cli } from "./world.ts";

const root = join(import.meta.dirname, "..");
const scratch = mkdtempSync(join(tmpdir(), "consilience-learn-kinds-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const at = (name: string) => join(scratch, name);
const write = (name: string, lines: readonly string[]) => {
  writeFileSync(at(name), `${lines.join("\n")}\n`);
  return at(name);
};
const lines = (path: string) => readFileSync(path, "utf8").trim().split("\n");

const random = createRandom(1).split("learn-kinds");
const D = 3;
const truth = ([a, b]: readonly number[]) => 5 + 2 * a - b;
const draw = (n: number) =>
  Array.from({ length: n }, () => Array.from({ length: D }, () => normal(random)));
const [seen, fresh] = [draw(60), draw(40)];
const table = (column: string, prefix: string, rows: readonly (readonly number[])[]) => [
  `${column},x,y,z`,
  ...rows.map((row, i) => [`${prefix}${i}`, ...row].join(",")),
];
const pick = () => {
  const i = Math.floor(random.next() * seen.length);
  return [i, (i + 1 + Math.floor(random.next() * (seen.length - 1))) % seen.length] as const;
};

const features = write("features.csv", table("task", "t", seen));
const items = write("items.csv", table("item", "t", seen));
const unseen = write("fresh.csv", table("task", "n", fresh));
const values = write("values.csv", [
  "task,worker,value",
  ...seen.flatMap((row, t) =>
    [0, 3, -3].map((b, w) => `t${t},w${w},${truth(row) + b + 0.2 * normal(random)}`),
  ),
]);
const pairs = write("pairs.csv", [
  "worker,left,right,label",
  ...Array.from({ length: 400 }, (_, k) => {
    const [i, j] = pick();
    const right = truth(seen[i]) > truth(seen[j]) === k % 8 > 0;
    return `judge${k % 8},t${i},t${j},t${right ? i : j}`;
  }),
]);
const cluster = ([a]: readonly number[]) => (a > 0 ? 1 : 0);
const same = write("same.csv", [
  "worker,left,right,label",
  ...Array.from({ length: 400 }, (_, k) => {
    const [i, j] = pick();
    const alike = cluster(seen[i]) === cluster(seen[j]);
    return `w${k % 4},t${i},t${j},${alike === random.next() < 0.85 ? "same" : "different"}`;
  }),
]);
const goldValues = write("gold.csv", [
  "task,value",
  ...seen.map((row, t) => `t${t},${truth(row)}`),
]);
const freshValues = write("fresh-values.csv", [
  "task,value",
  ...fresh.map((row, t) => `n${t},${truth(row)}`),
]);
const freshScores = write("fresh-scores.csv", [
  "item,score",
  ...fresh.map((row, t) => `n${t},${truth(row)}`),
]);
const quick = ["--epochs", "60", "--hidden", "16", "--rate", "0.01"];

describe("learn from other kinds of answers", () => {
  it("numbers: values without the workers' offsets, a model, and predictions of its own", async () => {
    const tests = ["--test-features", unseen, "--test-gold", freshValues, "--gold", goldValues];
    const args = ["learn", values, "--features", features, ...tests, ...quick, "--out", at("num")];
    const { code, said } = await cli(args);
    expect(code, said).toBe(0);
    expect(said).toContain("taken for numeric answers");
    const [, error] = /Test: Mean absolute error ([\d.]+) /.exec(said) ?? [];
    expect(Number(error)).toBeLessThan(0.5);
    expect(said).toContain("Without features (mean): Mean absolute error");
    expect(lines(join(at("num"), "test-predictions.csv"))[0]).toBe("task,value");
    const model = JSON.parse(readFileSync(join(at("num"), "model.json"), "utf8"));
    expect(model).toMatchObject({
      kind: "numeric",
      outputs: ["value"],
      method: "crowd-layer-regression",
    });
    const again = await cli(["predict", at("num"), "--features", unseen]);
    const tested = lines(join(at("num"), "test-predictions.csv")).slice(1);
    const predicted = again.out.trim().split("\n").slice(1);
    expect(predicted.length).toBe(40);
    predicted.forEach((line, i) => {
      const [[task, value], [name, before]] = [line.split(","), tested[i].split(",")];
      expect(task).toBe(name);
      expect(Number(value)).toBeCloseTo(Number(before), 4);
    });
  });

  it("a result that the schema knows, with the test and the plain method", () => {
    const schema = JSON.parse(readFileSync(join(root, "docs/schema/result.json"), "utf8"));
    const check = new Ajv2020({ strict: false }).compile(schema);
    const result = JSON.parse(readFileSync(join(at("num"), "result.json"), "utf8"));
    expect(check(result), JSON.stringify(check.errors)).toBe(true);
    expect(result.learning.baseline.method).toBe("mean");
  });

  it("comparisons: a judge who answers the wrong way round is found, and new items are ranked", async () => {
    const tests = ["--test-features", unseen, "--test-gold", freshScores];
    const args = ["learn", pairs, "--features", items, ...tests, ...quick, "--out", at("pairs")];
    const { code, said } = await cli(args);
    expect(code, said).toBe(0);
    const [, share] = /Test: ([\d.]+) % .* of 780 gold pairs/.exec(said) ?? [];
    expect(Number(share)).toBeGreaterThan(90);
    const [header, ...judges] = lines(join(at("pairs"), "workers.csv")).map((l) => l.split(","));
    const reliability = header.indexOf("reliability");
    expect(judges[0][0]).toBe("judge0");
    expect(Number(judges[0][reliability])).toBeLessThan(0.5);
    expect(Number(judges[1][reliability])).toBeGreaterThan(0.5);
    expect((await cli(["predict", at("pairs"), "--features", unseen])).out).toMatch(
      /^item,score\nn0,/,
    );
  });

  it("similarities: clusters that the model tells by features", async () => {
    const args = ["learn", same, "--features", items, "--clusters", "2", "--kind", "similarity"];
    const { code, said } = await cli([...args, "--out", at("same")]);
    expect(code, said).toBe(0);
    const found = new Map(
      lines(join(at("same"), "truth.csv"))
        .slice(1)
        .map((line) => line.split(",").slice(0, 2) as [string, string]),
    );
    const agree = seen.filter((row, t) => (found.get(`t${t}`) === "1") === (cluster(row) === 1));
    expect(Math.max(agree.length, seen.length - agree.length)).toBeGreaterThan(54);
  });

  it("prints CSV into a pipe", async () => {
    const { code, out } = await cli(["learn", values, "--features", features, ...quick]);
    expect(code).toBe(0);
    expect(out).toMatch(/^task,value,sd,low,high\nt0,/);
  });
});

describe("what cannot be", () => {
  it.each([
    [
      "a learner of another kind",
      ["learn", values, "--features", features, "--kind", "numeric", "--method", "max-mig"],
      /max-mig learns from labels, but these are numbers\. Learners for these: two-stage-regression/,
    ],
    [
      "a kind without learners",
      ["learn", values, "--features", features, "--kind", "sequence"],
      /There is no learner for .*\(sequence\)\. Learners take these kinds: categorical, numeric/,
    ],
    [
      "items without features",
      ["learn", pairs, "--features", unseen],
      /60 of 60 labelled items have no features: t\d/,
    ],
    [
      "labels beside a network of numbers",
      ["predict", at("num"), "--features", unseen, "--labels", values],
      /--labels is for classifiers/,
    ],
    [
      "an attack on a network of numbers",
      ["attack", at("num"), "--features", unseen, "--gold", freshValues],
      /takes classifiers/,
    ],
  ])("%s", async (_, args, words) => {
    const { code, said } = await cli(args);
    expect(code).not.toBe(0);
    expect(said).toMatch(words);
  });

  it("crowd-layer means that for numbers where they are numbers", async () => {
    const args = ["learn", values, "--features", features, "--method", "crowd-layer", ...quick];
    const { code, said } = await cli([...args, "--json"]);
    expect(code, said).toBe(0);
  });
});
