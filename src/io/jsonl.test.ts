import { describe, expect, it } from "vitest";
import type { CategoricalData } from "../data/categorical.ts";
import { jsonl } from "./jsonl.ts";
import type { ReaderOptions } from "./read.ts";
import { createLabelReader } from "./read.ts";

function read(
  text: string | Uint8Array,
  options: ReaderOptions = {},
  size = 1 << 20,
): CategoricalData {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const reader = createLabelReader(options);
  const file = reader.open("labels.jsonl", jsonl);
  for (let at = 0; at < bytes.length; at += size) file.push(bytes.subarray(at, at + size));
  void file.finish();
  return reader.finish();
}

describe("jsonl", () => {
  it("reads text, numbers, booleans and big numbers as names", () => {
    const data = read(
      [
        '{"task": 1.0, "worker": "ana", "label": true}',
        '{"task": "1", "worker": 0.5, "label": "true"}',
        '{"task": -0, "worker": 1e-7, "label": false}',
        "",
      ].join("\n"),
    );
    expect([...data.tasks]).toEqual(["1", "0"]);
    expect([...data.workers]).toEqual(["ana", "0.5", "1e-7"]);
    expect([...data.classes]).toEqual(["false", "true"]);
  });

  it("recognises columns by their words, and finds those that come later", () => {
    const data = read(
      '{"item": "a", "rater": "w", "answer": "x"}\r\n\r\n{"weight": 2, "created_at": "2024-01-01", "answer": "y", "rater": "v", "item": "a"}',
    );
    expect([...data.classes]).toEqual(["x", "y"]);
    expect([...(data.weight ?? [])]).toEqual([1, 2]);
    expect(data.time?.[1]).toBe(Date.UTC(2024, 0, 1));
  });

  it("drops and counts labels that are null, missing or empty", () => {
    const data = read(
      '{"task":"a","worker":"w","label":null}\n{"task":"a","worker":"w"}\n{"task":"b","worker":"w","label":""}\n{"task":"c","worker":"w","label":"x"}\n',
    );
    expect([...data.tasks]).toEqual(["c"]);
    expect(data.notes).toEqual(["3 rows dropped: the label is empty."]);
  });

  it("says what is wrong with each line", () => {
    expect(() =>
      read(
        [
          '{"task":"a","worker":"w","label":"x"}',
          "nonsense",
          '{"task":["a"],"worker":"w","label":"x"}',
          '{"task":{"id":1},"worker":"w","label":"x"}',
          '{"task":12345678901234567890,"worker":"w","label":"x"}',
          '{"task":"\\ud800","worker":"w","label":"x"}',
          '{"worker":"w","label":"x"}',
          '["a","w","x"]',
        ].join("\n"),
      ),
    ).toThrow(
      [
        "7 rows have problems:",
        '  labels.jsonl:2: the line should be a JSON object, but is "nonsense".',
        '  labels.jsonl:3: "task" should be text or a number, but is a list.',
        '  labels.jsonl:4: "task" should be text or a number, but is an object.',
        '  labels.jsonl:5: "task" should be text or a number, but is a number too large to be exact; write it in quotes.',
        '  labels.jsonl:6: "task" should be text or a number, but is text with half a character.',
        "  labels.jsonl:7: the task is empty.",
        '  labels.jsonl:8: the line should be a JSON object, but is "[\\"a\\",\\"w\\",\\"x\\"]".',
      ].join("\n"),
    );
  });

  it("does not mistake what every object has for columns", () => {
    const data = read(
      '{"task":"constructor","worker":"__proto__","label":"toString","__proto__":"x"}\n',
    );
    expect([data.tasks, data.workers, data.classes].map((names) => [...names])).toEqual([
      ["constructor"],
      ["__proto__"],
      ["toString"],
    ]);
    const lacking = read(
      '{"task":"a","worker":"w","constructor":"x"}\n{"task":"b","worker":"w"}\n',
      { columns: { label: "constructor" } },
    );
    expect(lacking.notes).toEqual(["1 row dropped: the label is empty."]);
    expect(() =>
      read('{"task":"a","worker":"w"}\n', { columns: { label: "constructor" } }),
    ).toThrow('there is no column "constructor"');
  });

  it("reads lines that are not UTF-8 as Latin-1, and says so", () => {
    const line =
      '{"task":"caf\xe9","worker":"w","label":"x"}\n{"task":"b","worker":"w","label":"x"}\n';
    const data = read(Uint8Array.from(line, (c) => c.charCodeAt(0)));
    expect([...data.tasks]).toEqual(["café", "b"]);
    expect(data.notes.join()).toContain("1 line not in UTF-8");
  });

  it("reads the same in pieces of one byte, past the head as well", () => {
    const rows = Array.from(
      { length: 3000 },
      (_, i) => `{"task":"é${i}","worker":"w","label":"x"}\n`,
    ).join("");
    expect([...read(rows, {}, 1).tasks]).toEqual([...read(rows).tasks]);
    expect([...read(rows).tasks]).toHaveLength(3000);
  });

  it("refuses a line of 10 MB", () => {
    expect(() => read(`{"task":"a"}\n{"x":"${"y".repeat(10 * 2 ** 20)}`)).toThrow(
      "labels.jsonl:2: the line is longer than 8 MB",
    );
  });

  const many = Array.from({ length: 3000 }, (_, i) => ({ task: `t${i}`, worker: "w", label: "x" }));
  const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

  it("uses a key that first appears far behind the head, and says where", () => {
    const late = { task: "z", weight: 3, time: "2024-05-31", worker: "w", label: "y" };
    for (const size of [7, 1 << 20]) {
      const data = read(
        lines([...many, { ...late, comment: "c" }, late]),
        { repeats: "all" },
        size,
      );
      expect(data.weight?.[2999]).toBe(1);
      expect(data.weight?.[3000]).toBe(3);
      expect(data.time?.[3001]).toBe(Date.UTC(2024, 4, 31));
      expect(data.notes.filter((note) => note.includes("first appears"))).toEqual([
        'labels.jsonl:3001: the key "weight" first appears here and is read as the weight; the rows before have none.',
        'labels.jsonl:3001: the key "time" first appears here and is read as the time; the rows before have none.',
      ]);
    }
  });

  it("refuses a late key that would change which key is what", () => {
    const rows = many.map(({ task, ...rest }) => ({ item: task, ...rest }));
    const late = { task: "z", item: "z", worker: "w", label: "y" };
    expect(() => read(lines([...rows, late]))).toThrow(
      'labels.jsonl:3001: the key "task" first appears here and would be the task, which is "item" in the rows before. Choose one: columns: { task: "item" }.',
    );
    const data = read(lines([...rows, late]), { columns: { task: "item" } });
    expect(data.tasks.at(3000)).toBe("z");
  });
});
