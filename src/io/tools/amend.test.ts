import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exportText, readText } from "../../../test/tool-exports.ts";
import { CrowdError } from "../../error.ts";
import type { Answers } from "../answers.ts";
import type { ReadOptions } from "../format.ts";
import { formatNamed } from "../index.ts";
import { createProblems } from "../problems.ts";
import { createContext } from "../read.ts";

async function amend(format: string, text: string, answers: Answers, options: ReadOptions = {}) {
  const notes: string[] = [];
  const problems = createProblems();
  const context = createContext("export", options, problems, notes);
  const reader = formatNamed(format).amend?.(answers, context);
  if (!reader) throw new Error("It takes answers.");
  reader.push(new TextEncoder().encode(text));
  await reader.finish();
  problems.raise();
  return { written: [...reader.written()].join(""), notes };
}

const answersOf = (labels: Readonly<Record<string, string>>, sure = 0.75): Answers => ({
  tasks: Object.keys(labels),
  labels: Object.values(labels),
  notes: [],
  confidence: new Float64Array(Object.keys(labels).length).fill(sure),
});
const answers = answersOf({ 11: "negative", 12: "negative", 13: "neutral" });
const given = { 11: "negative", 12: "negative", 13: "neutral" } as Readonly<Record<string, string>>;

type Json = Record<string, unknown>;
const parse = (text: string) => JSON.parse(text) as Json[];
const without = (key: string) => (record: Json) => ({ ...record, [key]: undefined });

describe("Label Studio's export with answers", () => {
  const text = exportText("label-studio.json");

  it("has one more prediction per task, and all else as it was", async () => {
    const { written, notes } = await amend("label-studio", text, answers);
    const [before, after] = [parse(text), parse(written)];
    expect(after.map(without("predictions"))).toEqual(before.map(without("predictions")));
    expect(after.map((task) => Object.keys(task))).toEqual(before.map((task) => Object.keys(task)));
    expect(notes).toEqual([]);
    for (const [t, task] of after.entries()) {
      const old = before[t]["predictions"] as object[];
      expect(task["predictions"]).toEqual([
        ...old,
        {
          model_version: "consilience",
          score: 0.75,
          result: [
            {
              from_name: "sentiment",
              to_name: "text",
              type: "choices",
              value: { choices: [given[String(task["id"])]] },
            },
          ],
        },
      ]);
    }
  });

  it("keeps fields that nobody knows and numbers that the language cannot hold", async () => {
    const odd = text.replace(
      '"inner_id": 1',
      '"inner_id": 12345678901234567890, "__proto__": {"x": 1.0}',
    );
    const { written } = await amend("label-studio", odd, answers);
    expect(written).toContain('"inner_id": 12345678901234567890, "__proto__": {"x": 1.0}');
  });

  it("is the same when answers are added a second time", async () => {
    const once = (await amend("label-studio", text, answers)).written;
    const other = answersOf({ 11: "neutral" });
    expect((await amend("label-studio", once, answers)).written).toBe(once);
    const changed = parse((await amend("label-studio", once, other)).written);
    expect(changed[0]["predictions"]).toHaveLength(2);
    expect(JSON.stringify(changed[0]["predictions"])).toContain('"choices":["neutral"]');
  });

  it("leaves tasks without an answer alone, and says so", async () => {
    const some = answersOf({ 11: "negative", 99: "negative" });
    const { written, notes } = await amend("label-studio", text, some);
    expect(parse(written).slice(1)).toEqual(parse(text).slice(1));
    expect(notes).toEqual([
      "export: 2 tasks without an answer, left alone.",
      "1 answer for tasks that export does not hold, left out.",
    ]);
  });

  it.each([
    ["rating", "rating", { rating: 4 }, "4"],
    ["number", "number", { number: 2.5 }, "2.5"],
    ["pairwise", "pairwise", { selected: "left" }, "left"],
    ["taxonomy", "taxonomy", { taxonomy: [["animal", "cat / dog"]] }, "animal / cat / dog"],
  ])("speaks the words of a %s", async (_, type, value, label) => {
    const result = [{ from_name: "q", to_name: "img", type, value, id: "a" }];
    const task = { id: 1, data: { task: "x" }, annotations: [{ completed_by: 1, result }] };
    const { written } = await amend(
      "label-studio",
      JSON.stringify([task]),
      answersOf({ x: label }),
    );
    const [{ predictions }] = parse(written);
    expect(predictions).toEqual([
      {
        model_version: "consilience",
        score: 0.75,
        result: [{ from_name: "q", to_name: "img", type, value }],
      },
    ]);
    const back = await readText("x", written, { format: "label-studio", predictions: true });
    expect([...back.workers]).toContain("consilience");
    expect([...back.classes]).toEqual([label]);
  });

  it("asks which question is meant, and takes the one that is named", async () => {
    const result = ["a", "b"].map((name) => ({
      from_name: name,
      to_name: "t",
      type: "choices",
      value: { choices: ["x"] },
    }));
    const two = JSON.stringify([{ id: 1, data: {}, annotations: [{ completed_by: 1, result }] }]);
    const one = answersOf({ 1: "y" });
    await expect(amend("label-studio", two, one)).rejects.toThrow(/several questions: "a", "b"/);
    const { written } = await amend("label-studio", two, one, { columns: { label: "b" } });
    expect(JSON.stringify(parse(written)[0]["predictions"])).toContain('"from_name":"b"');
    await expect(amend("label-studio", two, one, { columns: { label: "c" } })).rejects.toThrow(
      /there is no question "c"; there are: "a", "b"/,
    );
  });

  it("refuses what has no place for them, no question, or other tasks", async () => {
    await expect(
      amend("label-studio", exportText("label-studio-min.json"), answers),
    ).rejects.toThrow("JSON-MIN has no place for predictions. Export the project as JSON.");
    const bare = amend("label-studio", '[{"id": 11, "data": {}}]', answers);
    await expect(bare).rejects.toThrow(/no annotation answers a question/);
    await expect(amend("label-studio", text, answersOf({ a: "x" }))).rejects.toThrow(
      /none of its tasks has an answer\. The first is called "11", the first answer is for "a"/,
    );
  });
});

describe("Argilla's records with answers", () => {
  it("have the answer as suggestion, by question, and all else as it was", async () => {
    const text = exportText("argilla.json");
    const { written, notes } = await amend("argilla", text, answers);
    const [before, after] = [parse(text), parse(written)];
    expect(after.map(without("suggestions"))).toEqual(before.map(without("suggestions")));
    for (const { id, suggestions } of after) {
      const value = given[String(id)];
      expect(suggestions).toEqual({ sentiment: { value, score: 0.75, agent: "consilience" } });
    }
    expect(notes.join()).toMatch(/1 suggestion of models replaced/);
    const again = await amend("argilla", written, answers);
    expect(again).toEqual({ written, notes: [] });
  });

  it("have it in columns, where they are flat, one record per line", async () => {
    const text = exportText("argilla-flat.jsonl");
    const { written } = await amend("argilla", text, answersOf({ 12: "negative" }));
    const lines = written.trimEnd().split("\n");
    expect([lines[0], lines[2]]).toEqual([text.split("\n")[0], text.split("\n")[2]]);
    const before = JSON.parse(text.split("\n")[1]) as Json;
    expect(JSON.parse(lines[1])).toEqual({
      ...before,
      "sentiment.suggestion": "negative",
      "sentiment.suggestion.score": 0.75,
      "sentiment.suggestion.agent": "consilience",
    });
  });

  it("keep ratings numbers; records of version 1 are refused", async () => {
    const record = { id: "1", fields: {}, responses: { stars: [{ value: 4, user_id: "a" }] } };
    const { written } = await amend("argilla", JSON.stringify([record]), answersOf({ 1: "4" }));
    expect(parse(written)[0]["suggestions"]).toMatchObject({ stars: { value: 4 } });
    const old = { external_id: "1", q: { user_id: ["a"], value: ["x"], status: ["submitted"] } };
    await expect(amend("argilla", JSON.stringify(old), answersOf({ 1: "x" }))).rejects.toThrow(
      /these are of Argilla 1/,
    );
  });
});

describe("Toloka's aggregated answers", () => {
  it("are a row per task with the confidence in per cent", async () => {
    const sure = { ...answersOf({ "t-11": "negative", "t-13": "a\tb" }) };
    const confidence = Float64Array.of(0.932512345, Number.NaN);
    const { written, notes } = await amend("toloka", exportText("toloka.tsv"), {
      ...sure,
      confidence,
    });
    expect(written).toBe(
      'INPUT:text\tOUTPUT:result\tCONFIDENCE:result\ngood film\tnegative\t93.2512%\na film\t"a\tb"\t\n',
    );
    expect(notes).toEqual(["export: 2 tasks without an answer, left out."]);
  });

  it("have no such column where nobody knows how sure they are", async () => {
    const bare = { tasks: ["t-11"], labels: ["positive"], notes: [] };
    const { written } = await amend("toloka", exportText("toloka.tsv"), bare);
    expect(written).toBe("INPUT:text\tOUTPUT:result\ngood film\tpositive\n");
  });
});

describe.each([
  ["label-studio", "label-studio.json"],
  ["argilla", "argilla.json"],
  ["argilla", "argilla-flat.jsonl"],
  ["toloka", "toloka.tsv"],
])("%s: %s", (format, name) => {
  it("throws nothing but CrowdError when it is damaged", async () => {
    const valid = exportText(name);
    const change = fc.tuple(fc.nat(valid.length - 1), fc.constantFrom(...'{}[],:"0x\n\t'));
    const any = answersOf({ 11: "negative", "t-11": "negative" });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 3 }), async (changes) => {
        const text = changes.reduce((t, [at, c]) => t.slice(0, at) + c + t.slice(at + 1), valid);
        try {
          await amend(format, text, any);
        } catch (error) {
          if (!(error instanceof CrowdError)) throw error;
          expect(error.message).toContain("export");
        }
      }),
      { numRuns: 100, seed: 1 },
    );
  });
});
