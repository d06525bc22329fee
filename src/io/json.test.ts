import { describe, expect, it } from "vitest";
import { fromBytes } from "../jobs/from-bytes.ts";
import { tableFromBytes } from "./from-bytes.ts";
import { goldTable } from "./gold.ts";
import { sniff } from "./index.ts";
import { json } from "./json.ts";
import { createLabelReader } from "./read.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

function read(text: string, size = 1 << 20) {
  const reader = createLabelReader();
  const file = reader.open("labels.json", json);
  const bytes = bytesOf(text);
  for (let at = 0; at < bytes.length; at += size) file.push(bytes.slice(at, at + size));
  void file.finish();
  return reader.finish();
}

const rows = [
  { task: "a", worker: "ana", label: "cat" },
  { task: "a", worker: "bob", label: "dog", weight: 2 },
  { task: "é", worker: 7, label: true },
];

describe("a JSON list of rows", () => {
  it.each([undefined, 2])("is read like JSON lines, indented or not", (indent) => {
    for (const size of [1, 1 << 20]) {
      const data = read(JSON.stringify(rows, null, indent), size);
      expect([...data.tasks]).toEqual(["a", "é"]);
      expect([...data.workers]).toEqual(["ana", "bob", "7"]);
      expect([...data.classes]).toEqual(["cat", "dog", "true"]);
      expect([...(data.weight ?? [])]).toEqual([1, 2, 1]);
    }
  });

  it("is recognised by its first bytes, also as gold", async () => {
    const bytes = bytesOf(`\ufeff ${JSON.stringify(rows)}`);
    expect(sniff(bytes, "labels").id).toBe("json");
    const data = await fromBytes([{ name: "labels.json", bytes }]);
    expect(data.label).toHaveLength(3);
    const gold = { name: "gold.json", bytes: bytesOf('[{"task":"a","gold":"cat"}]') };
    expect((await tableFromBytes(goldTable, gold, {})).gold).toEqual([["a", "cat"]]);
  });

  it("names the line of a problem", () => {
    expect(() =>
      read('[\n{"task":"a","worker":"w","label":"x"},\n{"worker":"w","label":"x"}]'),
    ).toThrow("labels.json:3: the task is empty.");
    expect(() => read('[{"task":"a","worker":"w","label":"x"},\n7]')).toThrow(
      'labels.json:2: there should be a JSON object, but there is "7]".',
    );
    expect(() => read('[{"task":"a","worker":"w","label":"x"}')).toThrow(
      "the file ends within its list",
    );
    expect(() => read("[]")).toThrow("labels.json: there are no labels.");
  });

  it("says all that is missing from a list of something else", async () => {
    const bytes = bytesOf('[{"id":1,"text":"x"}]');
    await expect(fromBytes([{ name: "x.json", bytes }])).rejects.toThrow(
      'x.json:1: no column is recognised as the worker or the label. The columns are: "id", "text". ' +
        'Columns with other names can be mapped: columns: { worker: "…", label: "…" }.',
    );
  });
});
