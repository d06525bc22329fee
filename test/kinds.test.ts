/** Numbers and comparisons through the commands, and a new kind with nothing but new files. */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, describe, expect, it } from "vitest";
import { randomLevels } from "./ordinal-checks.ts";
import { randomComparisons, randomNumbers } from "./random-answers.ts";
import { cli } from "./world.ts";

const root = join(import.meta.dirname, "..");
const work = mkdtempSync(join(tmpdir(), "consilience-kinds-"));
const at = (name: string) => join(work, name);
afterAll(() => rmSync(work, { recursive: true, force: true }));
const valid = new Ajv2020({ allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(join(root, "docs/schema/result.json"), "utf8")),
);
const file = (name: string, lines: readonly (string | readonly (string | number)[])[]) => {
  writeFileSync(at(name), lines.map((line) => `${[line].flat().join(",")}\n`).join(""));
  return at(name);
};

describe("numbers", () => {
  const data = randomNumbers(1);
  const values = file("values.csv", [
    "task,worker,value",
    ...Array.from(data.value, (value, i) => [
      data.tasks.at(data.task[i]),
      data.workers.at(data.worker[i]),
      value,
    ]),
  ]);
  const gold = file("gold-values.csv", [
    "task,value",
    ...Array.from(data.gold, (value, t) => [data.tasks.at(t), value]),
  ]);

  it("are recognised, scored and written", async () => {
    const out = at("numbers");
    const { code, said } = await cli(["aggregate", values, "--gold", gold, "--out", out]);
    expect(code).toBe(0);
    expect(said).toContain('taken for numeric answers, since there is a column "value"');
    expect(said).toContain("120 values, 30 tasks, 6 workers, 30 tasks with gold");
    expect(said).toMatch(/Mean absolute error 0\.\d+ \[0\.\d+, 0\.\d+\] on 30 gold tasks/);
    expect(readFileSync(join(out, "truth.csv"), "utf8")).toMatch(
      /^task,value,sd,low,high\nt0,-?[\d.]+,[\d.]+,-?[\d.]+,-?[\d.]+\n/,
    );
    const page = readFileSync(join(out, "report.html"), "utf8");
    for (const words of ["Values", "Against gold", "Workers", "How this was made"]) {
      expect(page).toContain(words);
    }
    const document = JSON.parse(readFileSync(join(out, "result.json"), "utf8"));
    expect(valid(document), JSON.stringify(valid.errors)).toBe(true);
    expect(document).toMatchObject({ schema: 2, kind: "numeric", method: "auto" });
  });

  it("print JSON that fits the schema, with and without gold", async () => {
    for (const more of [[], ["--gold", gold, "--use-gold"]]) {
      const { out } = await cli(["aggregate", values, "--json", ...more]);
      const document = JSON.parse(out);
      expect(valid(document), JSON.stringify(valid.errors)).toBe(true);
      expect(document.answers).toHaveLength(30);
    }
  });

  it("do not score themselves where gold was used to fit", async () => {
    const run = async (...more: string[]) => {
      const flags = ["--method", "mean", "--gold", gold, "--json", ...more];
      return JSON.parse((await cli(["aggregate", values, ...flags])).out);
    };
    const [plain, used] = [await run(), await run("--use-gold")];
    expect(used.metrics.mae).toEqual(plain.metrics.mae);
    expect(used.answers[0].value).toBeCloseTo(data.gold[0], 12);
  });

  it("are compared, diagnosed and evaluated", async () => {
    // With longer names of methods the last metric has no room in 80 columns.
    const two = ["--methods", "mean,median"];
    const compared = await cli(["compare", values, "--gold", gold, ...two], { terminal: true });
    expect(compared.out).toMatch(/method\s+held-out\s+MAE\s+RMSE\s+spearman\s+gain over mean/);
    expect(compared.out).toMatch(/\nmedian /);
    const diagnosed = await cli(["diagnose", values]);
    expect(diagnosed.out).toContain("Krippendorff's alpha (interval)");
    expect(diagnosed.out).toContain("Workers, worst first");
    await cli(["aggregate", values, "--out", at("scored")]);
    const evaluated = await cli(["evaluate", at("scored/truth.csv"), "--gold", gold]);
    expect(evaluated.out).toMatch(/^gold tasks\s+30\nMAE\s+0\.\d+/);
  });

  it("refuse text, and say what is meant", async () => {
    const bad = file("bad.csv", ["task,worker,value", "a,x,1", "a,y,high"]);
    const { code, said } = await cli(["aggregate", bad]);
    expect(code).toBe(1);
    expect(said).toContain('bad.csv:3: the value should be a finite number, but is "high".');
    expect(said).toContain("--drop-bad-rows");
    const labels = await cli(["aggregate", bad, "--kind", "categorical"]);
    expect(labels).toMatchObject({ code: 0, out: "task,label,confidence\na,1,0.5\n" });
  });

  it("say which kind a method is for", async () => {
    const { code, said } = await cli(["aggregate", values, "--method", "dawid-skene"]);
    expect(code).toBe(2);
    expect(said).toContain("dawid-skene takes categorical answers, but these are numeric.");
    expect(said).toContain("--kind categorical");
  });
});

describe("several numbers per task", () => {
  it("are read from columns, aggregated, scored and fit the schema", async () => {
    const boxes = file("boxes.csv", [
      "task,worker,value_left,value_right",
      ...["a", "b", "c"].flatMap((task, t) =>
        ["u", "v", "w"].map(
          (worker, k) => `${task},${worker},${10 * t + k},${50 + 20 * t + 2 * k}`,
        ),
      ),
    ]);
    const sides = file("sides.csv", [
      "task,value_left,value_right",
      "a,1,52",
      "b,11,72",
      "c,21,92",
    ]);
    const run = async (...more: string[]) => cli(["aggregate", boxes, "--method", "mean", ...more]);
    const { out } = await run("--gold", sides, "--json");
    const document = JSON.parse(out);
    expect(valid(document), JSON.stringify(valid.errors)).toBe(true);
    expect(document.metrics.outputs.right.mae).toBe(0);
    expect((await run()).out.split("\n").slice(0, 3)).toEqual([
      "task,output,value,sd,low,high",
      expect.stringMatching(/^a,left,1,/),
      expect.stringMatching(/^a,right,52,/),
    ]);
  });

  it("refuse a cell that is no number, and say which", async () => {
    const bad = file("bad-boxes.csv", ["task,worker,value_1,value_2", "a,u,1,2", "a,v,1,wide"]);
    const { code, said } = await cli(["aggregate", bad]);
    expect(code).toBe(1);
    expect(said).toContain(
      'bad-boxes.csv:3: the number of value_2 should be a finite number, but is "wide"',
    );
  });
});

describe("ordered classes", () => {
  const data = randomLevels(4, { tasks: 40 });
  const levels = file("levels.csv", [
    "task,worker,label",
    ...Array.from(data.label, (k, i) => [
      data.tasks.at(data.task[i]),
      data.workers.at(data.worker[i]),
      k,
    ]),
  ]);
  const gold = file("gold-levels.csv", [
    "task,label",
    ...data.truth.map((level, t) => [`t${t}`, level]),
  ]);
  const ordinal = ["--kind", "ordinal", "--repeats", "all"];

  it("are decided by the order, and written with intervals", async () => {
    const out = at("levels");
    const { code, said } = await cli([
      "aggregate",
      levels,
      ...ordinal,
      "--gold",
      gold,
      "--out",
      out,
    ]);
    expect(code, said).toBe(0);
    expect(said).toMatch(/Mean absolute error [\d.]+ \[.*\] levels on 40 gold tasks/);
    expect(readFileSync(join(out, "truth.csv"), "utf8")).toMatch(
      /^task,label,confidence,low,high,expected_error\nt0,\d,[\d.]+,\d,\d,[\d.]+\n/,
    );
    const document = JSON.parse(readFileSync(join(out, "result.json"), "utf8"));
    expect(valid(document), JSON.stringify(valid.errors)).toBe(true);
    expect(document).toMatchObject({ kind: "ordinal", method: "auto" });
    expect(readFileSync(join(out, "report.html"), "utf8")).toContain("How far off in levels?");
    const evaluated = await cli([
      "evaluate",
      join(out, "truth.csv"),
      "--gold",
      gold,
      "--kind",
      "ordinal",
    ]);
    expect(evaluated.out).toMatch(/MAE in levels\s+0\.\d+/);
  });

  it("take the methods for labels, with a decision of choice", async () => {
    const run = async (...more: string[]) => {
      const { code, out, said } = await cli(["aggregate", levels, ...ordinal, "--json", ...more]);
      expect(code, said).toBe(0);
      return JSON.parse(out);
    };
    const votes = ["--method", "mv", "--decision"];
    const answersOf = (document: { answers: { label: string }[] }) =>
      document.answers.map(({ label }) => label);
    const median = await run(...votes, "median");
    expect(median.options).toMatchObject({ decision: "median" });
    expect(answersOf(await run(...votes, "mean"))).not.toEqual(answersOf(median));
    expect(await run("--decision", "mode")).toMatchObject({ method: "auto" });
  });

  it("are compared and diagnosed with distances that count", async () => {
    const compared = await cli(["compare", levels, ...ordinal, "--gold", gold, "--json"]);
    const { methods } = JSON.parse(compared.out) as { methods: { method: string }[] };
    expect(methods.map(({ method }) => method)).toContain("majority-vote");
    expect((await cli(["diagnose", levels, ...ordinal])).out).toMatch(/ordinal/);
  });

  it("are suggested where classes look like ratings or values", async () => {
    const saidOf = async (labels: readonly (string | number)[], ...more: string[]) => {
      const rows = labels.map((label, i) => [`t${i}`, "x", label]);
      const named = file("look.csv", ["task,worker,label", ...rows]);
      return (await cli(["aggregate", named, ...more])).said;
    };
    expect(await saidOf([1, 2, 3, 4, 5])).toContain("--kind ordinal");
    expect(await saidOf([0, 1, 2, 3, 4])).not.toContain("--kind");
    expect(await saidOf([1.5, 2, 3.25])).toContain("--kind numeric");
    expect(await saidOf([1, 2, 3, 4, 5], "--kind", "ordinal")).not.toContain("near miss");
    expect(await saidOf([1, 2, 3, 4, 5], "--classes", "1,2,3,4,5")).not.toContain("--kind");
  });

  it("need the order of levels that are words", async () => {
    const words = file("words.csv", ["task,worker,label", "a,x,low", "a,y,high"]);
    const refused = await cli(["aggregate", words, "--kind", "ordinal"]);
    expect(refused.code).toBe(1);
    expect(refused.said).toContain("--classes low,medium,high");
    const told = await cli(["aggregate", words, "--kind", "ordinal", "--classes", "low,high"]);
    expect(told.code, told.said).toBe(0);
  });
});

describe("comparisons", () => {
  const data = randomComparisons(2);
  const name = (item: number) => data.items.at(item);
  const comparisons = file("comparisons.csv", [
    "worker,left,right,label",
    ...Array.from(data.label, (label, i) => [
      data.workers.at(data.worker[i]),
      name(data.left[i]),
      name(data.right[i]),
      label === 2 ? "tie" : name(label === 0 ? data.left[i] : data.right[i]),
    ]),
  ]);
  const gold = file("gold-items.csv", [
    "item,score",
    ...Array.from(data.gold, (score, i) => [name(i), score]),
  ]);

  it("are recognised, ranked and written", async () => {
    const out = at("ranked");
    const { code, said } = await cli(["aggregate", comparisons, "--gold", gold, "--out", out]);
    expect(code).toBe(0);
    expect(said).toContain("taken for pairwise answers");
    expect(said).toMatch(/[\d.]+ % \[.*\] of 15 gold pairs in the right order/);
    expect(readFileSync(join(out, "truth.csv"), "utf8")).toMatch(
      /^item,score,low,high,rank\ni\d,[\d.]+,-?[\d.]+,[\d.]+,1\n/,
    );
    const document = JSON.parse(readFileSync(join(out, "result.json"), "utf8"));
    expect(valid(document), JSON.stringify(valid.errors)).toBe(true);
    expect(document).toMatchObject({ kind: "pairwise", method: "auto", components: 1 });
    expect(readFileSync(join(out, "report.html"), "utf8")).toContain(
      "Ranking from 120 comparisons",
    );
  });

  it("name the component where items are not connected", async () => {
    const parts = file("parts.csv", [
      "judge,model_a,model_b,winner",
      "u,a,b,a",
      "u,c,d,left",
      "v,a,b,tie",
      "v,d,c,d",
    ]);
    const { out, said } = await cli(["aggregate", parts]);
    expect(said).toContain("fall into 2 parts that share no item");
    expect(out.split("\n")[0]).toBe("item,score,low,high,rank,component");
    expect(out).toMatch(/a,[\d.]+,.*,1,1\n/);
  });

  it("are compared, diagnosed and evaluated", async () => {
    const compared = await cli(["compare", comparisons, "--gold", gold, "--json"]);
    expect(JSON.parse(compared.out)).toMatchObject({
      kind: "pairwise",
      methods: expect.arrayContaining([
        expect.objectContaining({
          method: "bradley-terry",
          gain: expect.objectContaining({ value: 0 }),
        }),
      ]),
    });
    expect((await cli(["diagnose", comparisons])).out).toContain("connected   all items");
    await cli(["aggregate", comparisons, "--out", at("scores")]);
    const evaluated = await cli(["evaluate", at("scores/truth.csv"), "--gold", gold]);
    expect(evaluated.out).toMatch(/gold pairs\s+15/);
  });

  it("refuse a winner that was not compared", async () => {
    const bad = file("bad-pairs.csv", ["worker,left,right,label", "u,a,b,c"]);
    const { code, said } = await cli(["aggregate", bad]);
    expect(code).toBe(1);
    expect(said).toContain(
      'the label should be the winner, "a" or "b", left, right or tie, but is "c".',
    );
  });
});

describe("a new kind", () => {
  it("is new files and one line in kinds.ts, and has command, report, compare and listing", () => {
    const copy = at("copy");
    mkdirSync(copy);
    cpSync(join(root, "dist"), join(copy, "dist"), { recursive: true });
    cpSync(join(root, "package.json"), join(copy, "package.json"));
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"), "junction");
    writeFileSync(join(copy, "dist/kinds/toy.js"), toyKind);
    const table = join(copy, "dist/kinds.js");
    const before = readFileSync(table, "utf8");
    writeFileSync(
      table,
      `import { toy } from "./kinds/toy.js";\n${before.replace(/\[\s*categorical,/, "[categorical, toy,")}`,
    );
    const run = (...args: string[]) => {
      const made = spawnSync(process.execPath, [join(copy, "dist/cli/bin.js"), ...args], {
        encoding: "utf8",
      });
      expect(made.status, made.stderr).toBe(0);
      return made;
    };
    const words = file("words.csv", ["task,worker,word", "a,x,hello", "a,y,hello", "b,x,hey"]);
    const { stderr } = run("aggregate", words, "--out", at("words"));
    expect(stderr).toContain('taken for toy answers, since there is a column "word"');
    expect(readFileSync(at("words/truth.csv"), "utf8")).toBe("task,letters\na,5\nb,3\n");
    expect(readFileSync(at("words/report.html"), "utf8")).toContain("Letters of 2 tasks");
    expect(JSON.parse(readFileSync(at("words/result.json"), "utf8"))).toMatchObject({
      kind: "toy",
      method: "count-letters",
    });
    expect(run("compare", words, "--folds", "0").stdout).toMatch(/^method,.*\ncount-letters,/);
    expect(run("methods", "--kind", "toy").stdout).toContain("count-letters");
    expect(run("aggregate", words, "--method", "count-letters", "--json").stdout).toContain(
      '"kind":"toy"',
    );
  });
});

/** A kind that counts letters: the least that a record needs. */
const toyKind = `
import { createNames } from "../data/rows.js";
import { namesOf } from "../data/names.js";
import { labelsPerWorker } from "../data/crowd-data.js";
import { crowdMethod } from "../aggregate/result.js";
import { nameCell } from "../io/cell.js";
import { createInterner } from "../io/interner.js";
import { isCalled } from "../io/column-names.js";

const countLetters = crowdMethod(
  { id: "count-letters", kind: "toy", title: "Letters", summary: "Counts letters.", family: "toy",
    paper: { authors: "-", year: 2000, title: "-", url: "https://example.org" }, options: {}, cost: "O(N)" },
  function* (data) {
    const letters = new Float64Array(data.tasks.length);
    data.task.forEach((t, i) => { letters[t] = Math.max(letters[t], data.word[i].length); });
    return { tasks: data.tasks, letters, trace: [], converged: true };
  },
);

function sink() {
  const [tasks, workers] = [createNames(), createNames()];
  const rows = { task: [], worker: [], word: [] };
  return {
    target: () => {
      const cells = { task: nameCell(createInterner()), worker: nameCell(createInterner()), word: nameCell(createInterner()) };
      return {
        columns: (header) => header.map((name) => cells[name]),
        row() {
          rows.task.push(tasks.add(cells.task.names.name(cells.task.code)));
          rows.worker.push(workers.add(cells.worker.names.name(cells.worker.code)));
          rows.word.push(cells.word.names.name(cells.word.code));
        },
        problem() {},
      };
    },
    labels() { throw new Error("none"); },
    rows: () => rows.task.length, byteLength: () => 0, names: () => 0, latin1: () => 0, dropped: () => [],
    finish: ({ notes }) => ({
      kind: "toy", tasks: namesOf(tasks.names), workers: namesOf(workers.names),
      task: Int32Array.from(rows.task), worker: Int32Array.from(rows.worker), word: rows.word, notes,
    }),
  };
}

const truth = ({ tasks, letters }) => ["task,letters\\n" + Array.from(tasks, (t, i) => t + "," + letters[i] + "\\n").join("")];

export const toy = {
  id: "toy", title: "Toy", methods: [countLetters], defaultMethod: "count-letters",
  baseline: "count-letters", judgeMethod: "count-letters",
  reading: { id: "toy", recognise: (header) => (isCalled(header, "word") ? 'there is a column "word"' : undefined),
    sink, gold: () => { throw new Error("none"); }, example: "task,worker,word", goldExample: "none" },
  size: (data) => ({ labels: data.task.length, tasks: data.tasks.length, workers: data.workers.length, classes: 1 }),
  counts: (data) => [data.task.length + " words"], goldCount: () => 0, fingerprint: () => "0".repeat(16),
  describe: () => ({}), document: () => ({}),
  answers: (data, result) => Array.from(data.tasks, (task, t) => ({ task, letters: result.letters[t] })),
  workers: (data) => Array.from(data.workers, (worker, w) => ({ worker, words: labelsPerWorker(data)[w] })),
  metrics: [{ id: "letters", title: "Letters", digits: 1, better: "higher" }],
  score: async () => { throw new Error("none"); }, credits: () => new Float64Array(0), alike: () => 1,
  *judge() { return {}; }, files: ({ result }) => new Map([["truth.csv", truth(result)]]), attention: () => [],
  report: ({ data }) => ({ title: "Letters of " + data.tasks.length + " tasks", subtitle: "", facts: [], notes: [], sections: [] }),
  summary: () => "", truth, *diagnose() { return { document: {}, lines: [] }; },
  answersTable: () => { throw new Error("none"); }, recogniseAnswers: () => undefined,
  scoreAnswers: () => { throw new Error("none"); },
};
`;
