import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readDamaged } from "../../../test/damage.ts";
import { exportBytes, goldOf, readExports, readText, rowsOf } from "../../../test/tool-exports.ts";
import { CrowdError } from "../../error.ts";
import { fromBytes } from "../../jobs/from-bytes.ts";
import { formats, sniff, writableNamed } from "../index.ts";
import { parquet } from "../parquet.ts";
import { openTable, plainTable } from "../table.ts";

const encode = (text: string) => new TextEncoder().encode(text);

const said = (first: string, second: string, prefix = "") => [
  `${prefix}11 ${first} positive`,
  `${prefix}11 ${second} negative`,
  `${prefix}12 ${second} negative`,
  `${prefix}13 ${first} neutral`,
  `${prefix}13 ${second} neutral`,
];

const samples = [
  ["label-studio", ["label-studio.json"], said("ana@example.org", "bob@example.org")],
  ["label-studio", ["label-studio-min.json"], ["11 1 positive", "11 2 negative", "13 1 neutral"]],
  ["label-studio", ["label-studio.csv"], ["11 1 positive", "11 2 negative", "13 1 neutral"]],
  ["doccano", ["doccano/ana.jsonl", "doccano/bob.jsonl"], said("ana", "bob")],
  ["doccano", ["doccano-csv/ana.csv", "doccano-csv/bob.csv"], said("ana", "bob")],
  ["argilla", ["argilla.json"], said("ana", "bob")],
  ["argilla", ["argilla-flat.jsonl"], said("ana", "bob")],
  ["prodigy", ["prodigy.jsonl"], said("ana", "bob")],
  ["mturk", ["mturk.csv"], said("ana", "bob", "3H")],
  ["toloka", ["toloka.tsv"], said("ana", "bob", "t-")],
  ["zooniverse", ["zooniverse.csv"], said("ana", "not-logged-in-f0e1")],
] as const;

/** What no tool would write: deep, long, of another type, or named like what all objects have. */
const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
const hostile: readonly string[] = [
  "null",
  "true",
  "1e999",
  "12345678901234567890",
  "[]",
  "{}",
  '""',
  '"\\ud800"',
  deep,
  '"__proto__"',
  '"constructor"',
  '{"toString": 1}',
  '[{"toString": 1, "valueOf": 2}]',
  '{"__proto__": {"x": 1}}',
  '[["__proto__"]]',
  JSON.stringify("x".repeat(20_000)),
];

const isTable = (text: string) => !/^\ufeff?\s*[[{]/.test(text);

/** A key of JSON, or a value that is no list or object. */
const PARTS = /"(?:[^"\\]|\\.)*"\s*:|("(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b|-?\d[\d.eE+-]*)/g;
const cellsOf = (text: string) => text.split(/([,\t\n])/);

function valuesIn(text: string): number {
  return isTable(text)
    ? cellsOf(text).length
    : [...text.matchAll(PARTS)].filter(([, value]) => value).length;
}

/** The text with other values in some places; in a table they stand in quotes. */
function changed(text: string, values: ReadonlyMap<number, string>): string {
  if (isTable(text)) {
    return cellsOf(text)
      .map((cell, i) => {
        const value = values.get(i);
        return value === undefined || i % 2 === 1 ? cell : `"${value.replaceAll('"', '""')}"`;
      })
      .join("");
  }
  let i = 0;
  return text.replaceAll(PARTS, (part, value) => values.get(value && i++) ?? part);
}

describe.each(samples)("%s: %j", (id, files, wanted) => {
  it("is told by its first bytes, and read as it was meant", async () => {
    expect(sniff(exportBytes(files[0]), "export").id).toBe(id);
    expect(rowsOf(await readExports(files))).toEqual([...wanted].sort());
  });

  it("is the same wherever it is cut", async () => {
    const bytes = exportBytes(files[0]);
    const format = formats.find((each) => each.id === id);
    const whole = await fromBytes([{ name: files[0], bytes }]);
    const { createLabelReader } = await import("../read.ts");
    for (const step of [1, 7, 64]) {
      const reader = createLabelReader();
      if (!format) throw new Error("It is in the list.");
      const file = reader.open(files[0], format);
      for (let at = 0; at < bytes.length; at += step) file.push(bytes.subarray(at, at + step));
      await file.finish();
      expect(rowsOf(reader.finish())).toEqual(rowsOf(whole));
    }
  });

  it("is the same with a byte order mark, with CRLF, and packed", async () => {
    const whole = rowsOf(await readExports(files));
    const text = (name: string) => new TextDecoder().decode(exportBytes(name));
    const marked = files.map((name) => ({ name, bytes: encode(`\ufeff${text(name)}`) }));
    const windows = files.map((name) => ({
      name,
      bytes: encode(text(name).replaceAll(/\r?\n/g, "\r\n")),
    }));
    const packed = files.map((name) => ({
      name: `${name}.gz`,
      bytes: gzipSync(exportBytes(name)),
    }));
    for (const same of [marked, windows, packed]) {
      expect(rowsOf(await fromBytes(same))).toEqual(whole);
    }
  });

  it("throws nothing but CrowdError whatever stands in it, with the file's name", async () => {
    const valid = new TextDecoder().decode(exportBytes(files[0]));
    async function survives(values: ReadonlyMap<number, string>, predictions: boolean) {
      try {
        const bytes = encode(changed(valid, values));
        await fromBytes([{ name: files[0], bytes }], { format: id, predictions });
      } catch (error) {
        if (!(error instanceof CrowdError)) throw error;
        expect(error.message).toContain(files[0]);
      }
    }
    const places = valuesIn(valid);
    for (let at = 0; at < places && !isTable(valid); at++) {
      for (const value of hostile) await survives(new Map([[at, value]]), true);
    }
    const change = fc.tuple(fc.nat(places - 1), fc.constantFrom(...hostile));
    const changes = fc.array(change, { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(changes, fc.boolean(), (several, predictions) =>
        survives(new Map(several), predictions),
      ),
      { seed: 1 },
    );
  });

  it("throws nothing but CrowdError when it is damaged or cut off, with the file's name", async () => {
    const said = await readDamaged(exportBytes(files[0]), (bytes) =>
      fromBytes([{ name: files[0], bytes }], { format: id } as object),
    );
    for (const message of said) expect(message).toContain(files[0]);
    expect(said.size).toBeGreaterThan(0);
  });
});

describe("what tools know besides labels", () => {
  it.each([
    ["label-studio.json", "12 negative"],
    ["toloka.tsv", "t-12 negative"],
    ["zooniverse.csv", "12 negative"],
  ])("%s: a known class is gold and no vote", async (name, wanted) => {
    const data = await readExports([name]);
    expect(goldOf(data)).toEqual([wanted]);
    expect([...data.workers]).not.toContain("expert@example.org");
    expect(data.notes.join()).toContain("1 task with a known class");
  });

  it.each([
    ["label-studio.json", Date.UTC(2025, 4, 31, 12, 30, 15, 250)],
    ["prodigy.jsonl", 1748694615e3],
    ["mturk.csv", Date.UTC(2025, 9, 9, 7, 30, 20)],
    ["toloka.tsv", Date.UTC(2025, 4, 31, 12, 30, 15, 250)],
    ["zooniverse.csv", Date.UTC(2025, 4, 31, 12, 30, 15)],
  ])("%s: when it was said", async (name, first) => {
    expect((await readExports([name])).time?.[0]).toBe(first);
  });

  it.each([
    ["label-studio.json", /1 row dropped: the worker skipped the task/],
    ["label-studio.json", /1 row dropped: a model said it/],
    ["doccano/ana.jsonl", /1 row dropped: nothing was labelled yet/],
    ["argilla-flat.jsonl", /1 row dropped: the response is draft/],
    ["argilla.json", /does not say which responses are drafts/],
    ["prodigy.jsonl", /1 row dropped: the worker ignored the task/],
    ["mturk.csv", /1 row dropped: the assignment was rejected/],
    ["toloka.tsv", /1 row dropped: nobody has labelled the task/],
    ["zooniverse.csv", /1 row dropped: the question was not asked/],
  ])("%s: says what it left out", async (name, words) => {
    expect((await readExports([name])).notes.join("\n")).toMatch(words);
  });

  it.each(["label-studio.json", "argilla.json", "argilla-flat.jsonl"])(
    "%s: models are workers where that is wanted",
    async (name) => {
      expect(rowsOf(await readExports([name], { predictions: true }))).toContain("11 gpt positive");
      expect([...(await readExports([name])).workers]).not.toContain("gpt");
    },
  );
});

describe("broken exports", () => {
  const task = (result: object, more = "") =>
    `[{"id": 1, "data": {}, "annotations": [{"completed_by": 1, "result": [${JSON.stringify(result)}]}]}${more}]`;
  const choice = (name: string, ...choices: string[]) => ({
    from_name: name,
    type: "choices",
    value: { choices },
  });

  it.each([
    ["ls.json", task(choice("a", "x", "y")), /ls\.json:1: there are several answers: .*x.*y/],
    [
      "ls.json",
      task(
        choice("a", "x"),
        `,\n{"id":2,"data":{},"annotations":[{"completed_by":1,"result":[${JSON.stringify(choice("b", "y"))}]}]}`,
      ),
      /ls\.json:2: there are several questions: "a", "b"\. Choose one: .*label: "a"/,
    ],
    [
      "ls.json",
      '[{"id": 1, "data": {}, "annotations": [{"completed_by"',
      /ls\.json:1: the file ends within this object/,
    ],
    [
      "ls.json",
      '[\n\n{"id": 1, "data": {}, "annotations": [tru]}]',
      /ls\.json:3: this is not JSON/,
    ],
    ["all.jsonl", '{"id": 1, "text": "x", "label": ["a"]}', /does not say who gave which label/],
    [
      "ana.jsonl",
      '{"id": 1, "text": "x", "label": [[0, 1, "a"]]}',
      /ana\.jsonl: this file holds no categorical answers: its labels are spans of text/,
    ],
    [
      "p.jsonl",
      '{"_input_hash": 1, "answer": "perhaps", "accept": ["a"]}',
      /p\.jsonl:1: "answer" should be accept, reject or ignore/,
    ],
    ["m.csv", "HITId,WorkerId,Input.x\n1,w,x\n", /m\.csv:1: there is no column "Answer\.…"/],
    ["m.csv", "HITId,WorkerId,Answer.a,Answer.b\n1,w,x,y\n", /several questions: "a", "b"/],
    [
      "m.csv",
      "HITId,WorkerId,Answer.taskAnswers\n1,w,[}\n",
      /m\.csv:2: Answer\.taskAnswers is not JSON/,
    ],
    [
      "z.csv",
      "classification_id,annotations,subject_ids,workflow_id\n1,nothing,3,1\n",
      /z\.csv:2: "annotations" is not a JSON list/,
    ],
  ])("%s: %s", async (name, text, words) => {
    await expect(readText(name, text)).rejects.toThrow(words);
  });

  it("a JSON list of no known tool is a list of rows, and says which columns are missing", async () => {
    await expect(readText("x.json", '[{"a": 1}]')).rejects.toThrow(
      "no column is recognised as the task, the worker or the label",
    );
  });
});

describe("what is written", () => {
  it("what is written comes back, gold and times too", async () => {
    const data = await readExports(["toloka.tsv"]);
    const pieces = [...(await writableNamed("label-studio").write(data))].join("");
    const again = await readText("out.json", pieces);
    expect(rowsOf(again)).toEqual(rowsOf(data));
    expect([...again.gold]).toEqual([...data.gold]);
    expect([...(again.time ?? [])]).toEqual([...(data.time ?? [])]);
  });

  it("takes answers as predictions, doccano as lines", async () => {
    const answers = {
      tasks: ["a", "2"],
      labels: ["x", "y"],
      confidence: Float64Array.of(0.9, 0.6),
      notes: [],
    };
    const written = async (id: string) => {
      const format = formats.find((each) => each.id === id);
      return [...((await format?.writeAnswers?.(answers)) ?? [])].join("");
    };
    const back = await readText("x.json", await written("label-studio"), { predictions: true });
    expect(rowsOf(back)).toEqual(["2 consilience y", "a consilience x"]);
    const lines = await readText("consilience.jsonl", await written("doccano"));
    expect(rowsOf(lines)).toEqual(["2 consilience y", "a consilience x"]);
    expect(await written("doccano")).toContain('"confidence":0.9');
  });

  it("Parquet for Hugging Face has classes as numbers with their names", async () => {
    const answers = { tasks: ["a", "b", "c"], labels: ["x", "y", "x"], notes: [] };
    const [bytes] = [...((await parquet.writeAnswers?.(answers)) ?? [])];
    const table = openTable(plainTable, "t.parquet", parquet, {});
    table.push(bytes as Uint8Array);
    await table.finish();
    const { columns } = table.result();
    expect(columns.map(({ name }) => name)).toEqual(["task", "label"]);
    expect(Array.from(columns[1].code, (code) => columns[1].texts[code])).toEqual(["x", "y", "x"]);
    const { parquetMetadata } = await import("hyparquet");
    const metadata = parquetMetadata((bytes as Uint8Array).slice().buffer as ArrayBuffer);
    expect(metadata.key_value_metadata?.[0]).toMatchObject({
      key: "huggingface",
      value: expect.stringContaining('"label":{"names":["x","y"],"_type":"ClassLabel"}'),
    });
  });

  it("can be written by nobody else, where it is a tool's own", () => {
    expect(() => writableNamed("mturk")).toThrow(
      "Mechanical Turk results can be read, not written",
    );
  });
});
