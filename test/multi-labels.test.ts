/** Several labels per task through the commands, from files and rows, and against gold. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, describe, expect, it } from "vitest";
import { setVote } from "../src/aggregate/multi-label/set-vote.ts";
import { sharedWorkers } from "../src/aggregate/multi-label/shared-workers.ts";
import { meanOfKnown } from "../src/auto/hidden-answers.ts";
import { hiddenSets } from "../src/auto/multi-label.ts";
import { fromRows, type LabelSetRow } from "../src/data/from-rows.ts";
import { type MultiLabelData, setsOf } from "../src/data/multi-label.ts";
import { namesOf } from "../src/data/names.ts";
import { masi, multiLabelAgreement } from "../src/diagnose/multi-label-agreement.ts";
import { multiLabelWorkers } from "../src/diagnose/multi-label-workers.ts";
import { evaluateSets } from "../src/evaluate/multi-label.ts";
import { fromBytes, fromCsv } from "../src/jobs/from-bytes.ts";

import { createRandom } from "../src/math/random.ts";
import { drain } from "../src/method.ts";
import { near, rowsOf } from "./multi-label-checks.ts";
import { randomSets } from "./random-answers.ts";
import { cli } from "./world.ts";

const work = mkdtempSync(join(tmpdir(), "consilience-multi-labels-"));
const at = (name: string) => join(work, name);
afterAll(() => rmSync(work, { recursive: true, force: true }));
const file = (name: string, lines: readonly (readonly (string | number)[])[]) => {
  writeFileSync(at(name), lines.map((line) => `${line.join(",")}\n`).join(""));
  return at(name);
};
const valid = new Ajv2020({ allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(join(import.meta.dirname, "../docs/schema/result.json"), "utf8")),
);

const data = randomSets(7);
const header = ["task", "worker", "label"];
const L = data.classes.length;
const rows = rowsOf(data).map(({ task, worker, label }) => ({
  task: String(task),
  worker: String(worker),
  labels: label as string[],
}));
const answers = file("answers.csv", [
  header,
  ...rows.flatMap(({ task, worker, labels }) =>
    (labels.length > 0 ? labels : [""]).map((label) => [task, worker, label]),
  ),
]);
const cells = file("cells.csv", [
  header,
  ...rows.map(({ task, worker, labels }) => [task, worker, labels.join("|")]),
]);
const gold = file("gold.csv", [
  ["task", "label"],
  ...Array.from(data.tasks, (task, t) => {
    const own = [...data.classes].filter((_, l) => data.gold[t * L + l] === 1);
    return (own.length > 0 ? own : [""]).map((label) => [task, label]);
  }).flat(),
]);
const kind = ["--kind", "multi-label"];

describe("the command", () => {
  it("scores and writes sets", async () => {
    const out = at("out");
    const { code, said } = await cli(["aggregate", answers, ...kind, "--gold", gold, "--out", out]);
    expect(code, said).toBe(0);
    expect(said).toContain(
      `120 answers, ${data.label.length} chosen labels, 30 tasks, 6 workers, 4 labels, 30 tasks with gold`,
    );
    expect(said).toMatch(/note: \d+ answers of 120 chose no label\./);
    expect(said).toMatch(
      /Micro F1 [\d.]+ % \[.*\], [\d.]+ % \[.*\] of whole sets right, on 30 gold tasks/,
    );
    const read = (name: string) => readFileSync(join(out, name), "utf8");
    expect(read("truth.csv")).toMatch(/^task,label,probability,chosen\nt0,[a-d],[\d.]+,[01]\n/);
    expect(read("sets.csv")).toMatch(/^task,label,probability\nt0,"?[a-d|]*"?,[\d.]+\n/);
    expect(read("workers.csv")).toMatch(/^worker,answers,skill,skill_low,skill_high,sensitivity,/);
    const page = read("report.html");
    for (const words of ["The least certain sets", "Against gold", "Workers", "Agreement"]) {
      expect(page).toContain(words);
    }
    const document = JSON.parse(read("result.json"));
    expect(valid(document), JSON.stringify(valid.errors)).toBe(true);
    expect(document).toMatchObject({ kind: "multi-label", method: "auto" });
    const truth = await cli(["evaluate", join(out, "truth.csv"), "--gold", gold]);
    expect(truth.out).toContain(`micro F1            ${document.metrics.microF1.value.toFixed(4)}`);
    const sets = await cli(["evaluate", join(out, "sets.csv"), ...kind, "--gold", gold]);
    expect(sets.out).toContain(
      `whole sets right    ${document.metrics.setAccuracy.value.toFixed(4)}`,
    );
  });

  it("prints JSON that fits the schema, with gold used to fit", async () => {
    const plain = await cli(["aggregate", answers, ...kind, "--gold", gold, "--json"]);
    const { out } = await cli([
      "aggregate",
      answers,
      ...kind,
      "--gold",
      gold,
      "--use-gold",
      "--json",
      "--method",
      "shared-workers",
      "--kappa",
      "1e9",
    ]);
    for (const text of [plain.out, out]) {
      expect(valid(JSON.parse(text)), JSON.stringify(valid.errors)).toBe(true);
    }
    const document = JSON.parse(out);
    const known = Array.from(data.tasks, (_, t) =>
      [...data.classes].filter((_, l) => data.gold[t * L + l] === 1),
    );
    expect(document.answers.map(({ labels }: { labels: string[] }) => labels)).toEqual(known);
    // Scored by fits that did not see the gold they are scored on.
    expect(document.metrics.setAccuracy.value).toBeLessThan(1);
  });

  it("compares and diagnoses them", async () => {
    const compared = await cli(["compare", answers, ...kind, "--gold", gold, "--json"]);
    const { methods } = JSON.parse(compared.out);
    expect(methods.map(({ method }: { method: string }) => method).sort()).toEqual([
      "auto",
      "set-vote",
      "shared-workers",
    ]);
    const diagnosed = await cli(["diagnose", answers, ...kind]);
    expect(diagnosed.out).toContain("Krippendorff's alpha of sets (MASI)");
    const document = JSON.parse((await cli(["diagnose", answers, ...kind, "--json"])).out);
    expect(document.agreement.labels).toHaveLength(4);
  });

  it("says what changed since an earlier run", async () => {
    const out = at("before");
    await cli(["aggregate", answers, ...kind, "--method", "set-vote", "--out", out]);
    const same = await cli([
      "aggregate",
      answers,
      ...kind,
      "--method",
      "set-vote",
      "--since",
      out,
      "--out",
      at("same"),
    ]);
    expect(same.said).toMatch(/None of the 30 answers changed|0 of 30 answers/);
    const model = ["--method", "shared-workers"];
    const other = await cli(["aggregate", answers, ...kind, ...model, "--since", out, "--json"]);
    const { since } = JSON.parse(other.out);
    expect(since.answers).toMatchObject({ compared: 30 });
    const vote = setVote(data);
    const found = sharedWorkers(data);
    const changed = Array.from(data.tasks.length ? data.tasks : []).filter(
      (_, t) =>
        vote.chosen.subarray(t * L, (t + 1) * L).join() !==
        found.chosen.subarray(t * L, (t + 1) * L).join(),
    );
    expect(since.answers.changed).toBe(changed.length);
  });

  it("is suggested where workers give several labels to a task, but not one after another", async () => {
    expect((await cli(["aggregate", answers])).said).toContain("use --kind multi-label");
    const changes = rows.flatMap(({ task, worker, labels }) =>
      labels.map((label, i) => [task, worker, label, `2024-01-0${i + 1}`]),
    );
    const timed = file("timed.csv", [[...header, "time"], ...changes]);
    expect((await cli(["aggregate", timed])).said).not.toContain("--kind multi-label");
    const single = file("single.csv", [
      header,
      ...rows.map(({ task, worker }) => [task, worker, "a"]),
    ]);
    expect((await cli(["aggregate", single])).said).not.toContain("--kind multi-label");
  });

  it("refuses what it cannot read, and says where", async () => {
    const refused = async (name: string, lines: (string | number)[][], ...more: string[]) => {
      const { code, said } = await cli(["aggregate", file(name, lines), ...kind, ...more]);
      expect(code).not.toBe(0);
      return said;
    };
    expect(await refused("no-worker.csv", [header, ["a", "", "x"]])).toContain(
      "no-worker.csv:2: the worker is empty.",
    );
    expect(await refused("none.csv", [header, ["a", "u", ""], ["b", "u", ""]])).toContain(
      "No answer chooses a label",
    );
    expect(
      await refused("classes.csv", [header, ["a", "u", "x"], ["a", "u", "z"]], "--classes", "x,y"),
    ).toContain('not in the list of classes ("x", "y"): "z"');
    expect(await refused("ok.csv", [header, ["a", "u", "x"]], "--exclusive", "w")).toContain(
      "exclusive must be auto, off or one of the labels",
    );
    const bad = file("bad-truth.csv", [
      ["task", "label", "chosen"],
      ["t0", "a", "maybe"],
    ]);
    expect((await cli(["evaluate", bad, "--gold", gold])).said).toContain(
      'bad-truth.csv:2: chosen should be 1 or 0, but is "maybe".',
    );
  });
});

describe("files", () => {
  const sameSets = (made: MultiLabelData) => {
    expect([...made.tasks]).toEqual([...data.tasks]);
    expect(Array.from(setsOf(made), (set) => [...set])).toEqual(
      Array.from(setsOf(data), (set) => [...set]),
    );
  };

  it("hold a row per label, cells with a separator, or lists", async () => {
    sameSets(fromCsv(readFileSync(answers), { kind: "multi-label" }));
    const split = fromCsv(readFileSync(cells), { kind: "multi-label" });
    sameSets(split);
    expect(split.notes.join()).toContain('Label cells are split at "|"');
    const json = rows.map(({ task, worker, labels }) =>
      JSON.stringify({ task, worker, label: labels }),
    );
    const bytes = new TextEncoder().encode(json.join("\n"));
    sameSets(await fromBytes([{ name: "rows.jsonl", bytes }], { kind: "multi-label" }));
    const slashes = readFileSync(cells, "utf8").replaceAll("|", " / ");
    sameSets(fromCsv(slashes, { kind: "multi-label", labelSeparator: "/" }));
  });

  it("are split only where it is clear, and say so", () => {
    const read = (labels: readonly string[], options: object = {}) => {
      const lines = labels.map((label, i) => `t${i},u,${label}`);
      return fromCsv(`task,worker,label\n${lines.join("\n")}\n`, {
        kind: "multi-label",
        ...options,
      });
    };
    // "c" occurs nowhere else.
    const whole = read(["a|b", "a", "b|c"]);
    expect([...whole.classes]).toEqual(["a", "a|b", "b|c"]);
    expect(whole.notes.join()).toContain('2 labels of 3 hold "|" and are taken whole');
    expect([...read(["a|b", "a", "b|c"], { labelSeparator: "|" }).classes]).toEqual([
      "a",
      "b",
      "c",
    ]);
    expect([...read(["a|b", "a", "b"], { labelSeparator: "" }).classes]).toEqual(["a", "a|b", "b"]);
    expect([...read(["a;b", "a", "b"]).classes]).toEqual(["a", "b"]);
    expect(read(["a", "b"], { labelSeparator: "|" }).notes.join()).toContain(
      'No label cell holds "|"',
    );
    // Several rows of a worker on a task already are sets.
    const rowEach = fromCsv("task,worker,label\nt,u,a|b\nt,u,a\nt,u,b\n", { kind: "multi-label" });
    expect([...rowEach.classes]).toEqual(["a", "a|b", "b"]);
  });

  it("clean each label of a cell", () => {
    const text = "task,worker,label\nt,u,Cat | dog\nt,v,cat|n/a\n";
    const made = fromCsv(text, {
      kind: "multi-label",
      labelSeparator: "|",
      foldCase: true,
      missing: ["n/a"],
    });
    expect([...made.classes]).toEqual(["cat", "dog"]);
    expect(Array.from(setsOf(made), (set) => [...set])).toEqual([[0, 1], [0]]);
  });
});

describe("data", () => {
  const row = (label: LabelSetRow["label"], more: object = {}): LabelSetRow => ({
    task: "a",
    worker: "w",
    label,
    ...more,
  });
  const read = (list: readonly LabelSetRow[], options: object = {}) =>
    fromRows(list, { kind: "multi-label", ...options });
  const sets = (made: MultiLabelData) =>
    Array.from(setsOf(made), (set) => Array.from(set, (l) => made.classes.at(l)).join(""));

  it("joins the rows of a worker on a task, and counts what is odd", () => {
    const made = read([
      row("x"),
      row(["y", "x"]),
      row(""),
      row([], { task: "b" }),
      row("z", { worker: "v" }),
    ]);
    expect(sets(made)).toEqual(["xy", "", "z"]);
    const notes = made.notes.join("\n");
    expect(notes).toContain("1 label chosen twice");
    expect(notes).toContain("1 row without a label beside rows of the same worker and task");
    expect(notes).toContain("1 answer of 3 chose no label.");
  });

  it("follows the policy of repeats", () => {
    const list = [row("x", { time: 1 }), row("y", { time: 1 }), row("z", { time: 2 })];
    const by = (repeats: string) => sets(read(list, { repeats }));
    expect([by("distinct"), by("all"), by("first"), by("last")]).toEqual([
      ["xyz"],
      ["x", "y", "z"],
      ["xy"],
      ["z"],
    ]);
    expect(() => read([row("x"), row("x")], { repeats: "error" })).toThrow(
      /chose a label of task "a" twice/,
    );
    expect(sets(read([row(["x"]), row(["y", "z"])], { repeats: "last" }))).toEqual(["yz"]);
  });

  it("keeps weights and times, leaves out those who did not know, and knows gold whole", () => {
    const made = read(
      [
        row(["x", "y"], { weight: 2, time: 5 }),
        row(["?"], { worker: "v" }),
        row("y", { task: "b" }),
      ],
      {
        abstentions: ["?"],
        gold: [
          ["a", "x"],
          ["b", ""],
        ],
      },
    );
    expect([...(made.weight ?? [])]).toEqual([2, 1]);
    expect([...(made.time ?? [])]).toEqual([5, Number.NaN]);
    expect(made.notes.join()).toContain("1 row left out: the worker did not know");
    expect([...made.gold]).toEqual([1, 0, 0, 0]);
    expect(() => read([row("x")], { gold: [["q", "x"]] })).toThrow(
      /None of the 1 gold tasks has answers/,
    );
    expect(
      read([row("x")], {
        gold: [
          ["a", "q"],
          ["c", "x"],
        ],
      }).notes.join(),
    ).toMatch(/1 label that no worker chose: "q".*1 of 2 gold tasks have no answers/);
    expect(() => read([row({} as never)])).toThrow(/"label" should be text or a number/);
    expect(() => read([row("x")], { classes: ["y"] })).toThrow(/not in the list of classes/);
  });
});

describe("scores", () => {
  it("count labels over all tasks, and whole sets", () => {
    const gold = Int8Array.of(1, 0, 1, 0, 1, 0, 0, 0, -1, 1, 0, 0);
    const chosen = Uint8Array.of(1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0);
    const found = evaluateSets({ classes: namesOf(["a", "b", "c"]), chosen, gold });
    expect(found.labels).toEqual({ found: 4, gold: 4, right: 3 });
    expect([found.precision, found.recall, found.microF1.value]).toEqual([0.75, 0.75, 0.75]);
    // a: 2 of 2, b: 1 right of 2 and 1, c: none of 0 and 1.
    expect(found.macroF1).toBeCloseTo((1 + 2 / 3 + 0) / 3, 12);
    expect(found.setAccuracy.value).toBe(0.75);
    expect(found.hamming).toBeCloseTo(2 / 11, 12);
    const mean = found.credits.reduce((a, b) => a + b, 0) / found.credits.length;
    expect(mean).toBeCloseTo(0.75, 12);
  });

  it("say whether probabilities mean what they say", () => {
    const random = createRandom(3);
    const posterior = Float64Array.from({ length: 4000 }, () => random.next());
    const gold = Int8Array.from(posterior, (q) => (random.next() < q ? 1 : 0));
    const score = (q: Float64Array) =>
      evaluateSets({
        classes: namesOf(["a", "b"]),
        chosen: new Uint8Array(4000),
        posterior: q,
        gold,
      }).calibration?.ece.value ?? 1;
    expect(score(posterior)).toBeLessThan(0.04);
    expect(score(posterior.map((q) => 1 - q))).toBeGreaterThan(0.4);
  });

  it("of hidden answers are their log-probability, better for a method that knows the workers", () => {
    const crowd = randomSets(3, { tasks: 150, workers: 10, answers: 4 });
    const settings = { folds: 5, seed: 0 };
    const [vote, model] = [setVote, sharedWorkers].map((method) =>
      meanOfKnown(drain(hiddenSets(method, {}, crowd, {}, settings))),
    );
    expect(model).toBeGreaterThan(vote);
    expect(vote).toBeLessThan(0);
  });
});

describe("agreement", () => {
  it("has MASI's distance between sets", () => {
    const far = (a: number[], b: number[]) => masi(Int32Array.from(a), Int32Array.from(b));
    expect(far([0, 1], [0, 1])).toBe(0);
    expect(far([], [])).toBe(0);
    expect(far([], [1])).toBe(1);
    expect(far([0], [1])).toBe(1);
    expect(far([0, 1], [0])).toBeCloseTo(1 - (1 / 2) * (2 / 3), 12);
    expect(far([0, 1], [1, 2])).toBeCloseTo(1 - (1 / 3) * (1 / 3), 12);
  });

  it("is alpha by its definition, of sets and of labels", () => {
    const units = Array.from(data.tasks, (_, t) =>
      [...setsOf(data)].filter((_, i) => data.task[i] === t),
    );
    const alpha = (distance: (a: Int32Array, b: Int32Array) => number) => {
      const all = units.flat();
      const pairs = (list: readonly Int32Array[]) =>
        list.reduce((sum, a) => list.reduce((total, b) => total + distance(a, b), sum), 0);
      const within = units.reduce((sum, list) => sum + pairs(list) / (list.length - 1), 0);
      return 1 - within / (pairs(all) / (all.length - 1));
    };
    const found = multiLabelAgreement(data);
    expect(found.alpha.value).toBeCloseTo(alpha(masi), 12);
    expect([...found.labels]).toEqual(
      near(
        Array.from(data.classes, (_, l) =>
          alpha((a, b) => (a.includes(l) === b.includes(l) ? 0 : 1)),
        ),
        12,
      ),
    );
    expect(found.alpha.low).toBeLessThan(found.alpha.value);
    const one = multiLabelAgreement(
      fromRows([{ task: 1, worker: 1, label: "x" }], { kind: "multi-label" }),
    );
    expect([one.alpha.defined, one.mean, one.same]).toEqual([false, Number.NaN, Number.NaN]);
  });
});

describe("workers", () => {
  it("who guess are told from those who know", () => {
    const crowd = randomSets(11, {
      tasks: 120,
      workers: 5,
      answers: 5,
      labels: ["a", "b", "c", "d", "e"],
    });
    const random = createRandom(1);
    const drawn = rowsOf(crowd).map((row) =>
      row.worker === "w2"
        ? { ...row, label: [...crowd.classes].filter(() => random.next() < 0.3) }
        : row,
    );
    const noisy = fromRows(drawn, { kind: "multi-label", classes: crowd.classes });
    const judged = multiLabelWorkers(noisy, sharedWorkers(noisy));
    const standing = new Map(judged.map((each, w) => [noisy.workers.at(w), each.standing]));
    expect(standing.get("w2")).toBe("guessing");
    for (const w of ["w0", "w1", "w3", "w4"]) expect(standing.get(w)).toBe("better");
    const guess = judged[noisy.workers.indexOf("w2")];
    expect(Math.abs(guess.informativeness)).toBeLessThan(0.15);
  });
});
