import { type ColumnSource, parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, it } from "vitest";
import { readDamaged } from "../../../test/damage.ts";
import { readText, rowsOf } from "../../../test/tool-exports.ts";
import { type BytesOptions, fromBytes } from "../../jobs/from-bytes.ts";

const read = (bytes: Uint8Array, options: BytesOptions = {}) =>
  fromBytes([{ name: "records.parquet", bytes }], options);

const readJson = (records: readonly object[]) =>
  readText("records.jsonl", records.map((one) => JSON.stringify(one)).join("\n"));

type Schema = NonNullable<Parameters<typeof parquetWriteBuffer>[0]["schema"]>;
const text = (name: string) => ({
  name,
  type: "BYTE_ARRAY",
  converted_type: "UTF8",
  repetition_type: "OPTIONAL",
});
const number = (name: string) => ({ name, type: "INT32", repetition_type: "OPTIONAL" });
const list = (name: string, ...element: object[]) => [
  { name, converted_type: "LIST", num_children: 1, repetition_type: "OPTIONAL" },
  { name: "list", repetition_type: "REPEATED", num_children: 1 },
  ...element,
];
const group = (name: string, count: number) => ({
  name,
  num_children: count,
  repetition_type: "OPTIONAL",
});

function parquet(columns: readonly [name: string, data: unknown[], schema: object[]][], more = {}) {
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: columns.map(([name, data]): ColumnSource => ({ name, data: data as never })),
      schema: [
        { name: "root", num_children: columns.length },
        ...columns.flatMap(([, , schema]) => schema),
      ] as Schema,
      ...more,
    }),
  );
}

const lists = (name: string, data: unknown[], leaf: object = text("element")) =>
  [name, data, list(name, leaf)] as [string, unknown[], object[]];
const texts = (name: string, data: unknown[]) =>
  [name, data, [text(name)]] as [string, unknown[], object[]];

/** As Argilla 2 has its data sets on the Hub; the third record has no responses, the fourth an empty list. */
const flat = (more = {}) =>
  parquet(
    [
      texts("id", ["11", "12", "13", "14"]),
      texts("text", ["good", "bad", "so", "so"]),
      lists("sentiment.responses", [["positive", "negative"], ["positive", "negative"], null, []]),
      lists("sentiment.responses.users", [["ana", "bob"], ["ana", "bob"], null, []]),
      lists("sentiment.responses.status", [
        ["submitted", "submitted"],
        ["draft", "submitted"],
        null,
        [],
      ]),
      texts("sentiment.suggestion", ["positive", null, null, null]),
      texts("sentiment.suggestion.agent", ["gpt", null, null, null]),
    ],
    more,
  );
const wanted = ["11 ana positive", "11 bob negative", "12 bob negative"];

const question = ["user_id", "value", "status"] as const;
const first = {
  user_id: ["ana", "bob"],
  value: ["positive", "negative"],
  status: ["submitted", "submitted"],
};
const second = {
  user_id: ["ana", "bob"],
  value: ["positive", "negative"],
  status: ["discarded", "submitted"],
};
const asList = (one: typeof first) =>
  one.value.map((value, i) => ({ user_id: one.user_id[i], value, status: one.status[i] }));

describe("Argilla's data sets on the Hub", () => {
  it("are read from Parquet with lists for columns, in all sizes of pages and groups", async () => {
    for (const more of [{}, { codec: "UNCOMPRESSED" }, { rowGroupSize: 1 }, { pageSize: 1 }]) {
      const said: string[] = [];
      const data = await read(flat(more), { onUnderstood: (words) => said.push(words) });
      expect(rowsOf(data)).toEqual(wanted);
      expect(said).toEqual([
        'records.parquet: Parquet, Argilla records, label = "sentiment"; 3 rows',
      ]);
      expect(data.notes).toContain("1 row dropped: the response is draft.");
      expect(data.notes.join()).toContain("1 row dropped: a model said it");
    }
    expect(rowsOf(await read(flat(), { predictions: true }))).toContain("11 gpt positive");
    expect(rowsOf(await read(flat(), { columns: { task: "text" } }))).toContain("bad bob negative");
  });

  it("are read as version 1 wrote them: lists in a structure, or structures in a list", async () => {
    const inside = question.flatMap((key) => list(key, text("element")));
    const side = parquet([
      texts("external_id", ["11", "12"]),
      ["sentiment", [first, second], [group("sentiment", 3), ...inside]],
      texts("sentiment-suggestion", ["positive", null]),
      [
        "sentiment-suggestion-metadata",
        [{ agent: "gpt", type: null }, null],
        [group("sentiment-suggestion-metadata", 2), text("agent"), text("type")],
      ],
    ]);
    const row = parquet([
      texts("external_id", ["11", "12"]),
      [
        "sentiment",
        [asList(first), asList(second)],
        list("sentiment", group("element", 3), ...question.map(text)),
      ],
      texts("metadata", ['{"page": 3}', '{"page": 4}']),
    ]);
    expect(rowsOf(await read(side))).toEqual(wanted);
    expect(rowsOf(await read(side, { predictions: true }))).toContain("11 gpt positive");
    expect(rowsOf(await read(row))).toEqual(wanted);
    const pages = await read(row, { columns: { task: "page" } });
    expect(rowsOf(pages)).toContain("4 bob negative");
  });

  it("are read from JSON in the same two forms", async () => {
    const records = [first, second].map((one, i) => ({ external_id: `${11 + i}`, sentiment: one }));
    expect(rowsOf(await readJson(records))).toEqual(wanted);
    const inRows = records.map((one) => ({ ...one, sentiment: asList(one.sentiment) }));
    // A record that nobody has answered comes first.
    const all = [{ external_id: "10", sentiment: [] }, ...inRows];
    expect(rowsOf(await readJson(all))).toEqual(wanted);
  });

  it("may have ratings, and several questions, of which one is chosen", async () => {
    const two = parquet([
      texts("id", ["11"]),
      lists("stars.responses", [[4, 5]], number("element")),
      lists("stars.responses.users", [["ana", "bob"]]),
      lists("tone.responses", [["dry"]]),
      lists("tone.responses.users", [["ana"]]),
    ]);
    expect(rowsOf(await read(two, { columns: { label: "stars" } }))).toEqual([
      "11 ana 4",
      "11 bob 5",
    ]);
    await expect(read(two)).rejects.toThrow(
      /records\.parquet:1: there are several questions: "stars", "tone"/,
    );
    await expect(read(two, { columns: { label: "mood" } })).rejects.toThrow(
      /there is no question "mood"; there are: "stars", "tone"/,
    );
  });

  it("with a column for the worker are a table like any other", async () => {
    const table = parquet([
      texts("item", ["11"]),
      texts("who", ["ana"]),
      texts("label", ["x"]),
      lists("q.responses.users", [["bob"]]),
    ]);
    const data = await read(table, { columns: { task: "item", worker: "who", label: "label" } });
    expect(rowsOf(data)).toEqual(["11 ana x"]);
  });

  it("say where a response has no user", async () => {
    const short = parquet([
      texts("id", ["11"]),
      lists("q.responses", [["a", "b"]]),
      lists("q.responses.users", [["ana"]]),
    ]);
    await expect(read(short)).rejects.toThrow(
      'records.parquet:1: there should be a user for each response to "q", but there are ["a","b"] by ["ana"].',
    );
  });

  it("throw nothing but CrowdError when they are damaged or cut off", async () => {
    const said = new Set<string>();
    for (const valid of [flat(), flat({ codec: "UNCOMPRESSED" })]) {
      const messages = await readDamaged(valid, (bytes) => read(bytes, { format: "parquet" }), {
        changes: 3,
        numRuns: 150,
      });
      for (const message of messages) {
        expect(message).toContain("records.parquet");
        said.add(message);
      }
    }
    // Pages are looked over before they are trusted.
    expect([...said].join()).toContain("a page has too many nulls");
  });
});
