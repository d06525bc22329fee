// Exports whose answers are not single classes: ratings, numbers, comparisons, sets and spans.
import { describe, expect, it } from "vitest";
import { exportBytes, readText, rowsOf } from "../../../test/tool-exports.ts";
import type { CategoricalData } from "../../data/categorical.ts";
import type { MultiLabelData } from "../../data/multi-label.ts";
import type { NumericData } from "../../data/numeric.ts";
import type { PairwiseData } from "../../data/pairwise.ts";
import type { SequenceData } from "../../data/sequence.ts";
import { type BytesOptions, fromBytes } from "../../jobs/from-bytes.ts";
import type { AnyData } from "../../kinds.ts";

type Options = Omit<BytesOptions<"auto">, "kind"> & { readonly kind?: string };

/** Reads files, by default of the kind that they show; what was said comes along. */
async function read(files: Readonly<Record<string, string | Uint8Array>>, options: Options = {}) {
  const said: string[] = [];
  const given = Object.entries(files).map(([name, text]) => ({
    name,
    bytes: typeof text === "string" ? new TextEncoder().encode(text) : text,
  }));
  const data: AnyData = await fromBytes(given, {
    kind: "auto",
    ...options,
    onUnderstood: (line: string) => said.push(line),
  } as BytesOptions<"auto"> & { kind: "auto" });
  return { data, said: said.join("\n"), notes: data.notes.join("\n") };
}

/** The tags of each worker on each task, in the order of tokens: `task worker: B-X O O`. */
function tagsOf(data: AnyData): string[] {
  const { tasks, workers, classes, task, worker, token, label } = data as SequenceData;
  const found = new Map<string, string[]>();
  const order = Array.from(task.keys()).sort((i, j) => token[i] - token[j]);
  for (const i of order) {
    const key = `${tasks.at(task[i])} ${workers.at(worker[i])}`;
    found.set(key, [...(found.get(key) ?? []), classes.at(label[i])]);
  }
  return [...found].map(([key, tags]) => `${key}: ${tags.join(" ")}`).sort();
}

const goldTags = (data: AnyData) => {
  const { gold, classes } = data as SequenceData;
  return Array.from(gold, (k) => (k < 0 ? "?" : classes.at(k))).join(" ");
};

const one = (type: string, value: object, from = "q", to = "text") => ({
  from_name: from,
  to_name: to,
  type,
  value,
});
const by = (who: string, ...result: object[]) => ({ completed_by: who, result });
const task = (id: number, data: object, ...annotations: object[]) => ({ id, data, annotations });
const tasks = (...all: object[]) => ({ "x.json": JSON.stringify(all) });
const span = (start: unknown, end: unknown, label: unknown, more: object = {}) =>
  one("labels", { start, end, labels: [label], ...more });

describe("spans", () => {
  const both = ["B-PER O O B-LOC I-LOC O", "O O O B-LOC I-LOC O"];

  it("of Label Studio are tags; an annotation without spans found none", async () => {
    const { data, said, notes } = await read({ "s.json": exportBytes("label-studio-spans.json") });
    expect(tagsOf(data)).toEqual([
      `1 ana@example.org: ${both[0]}`,
      "1 bob@example.org: O O O B-LOC O O",
      "2 ana@example.org: O O O O O O O",
      "2 bob@example.org: O O O O O B-PER O",
    ]);
    expect(said).toBe(
      's.json: Label Studio export, taken for sequence answers, since its results are spans of text (type "labels"), label = "ner"; 26 rows',
    );
    expect(notes).toContain("s.json: 1 answer left out: the worker skipped the task.");
    expect((data as SequenceData).time?.[0]).toBe(Date.UTC(2025, 4, 31, 12, 30, 15, 250));
  });

  it("of Prodigy are tags of its own tokens", async () => {
    const { data, notes } = await read({ "news.jsonl": exportBytes("prodigy-spans.jsonl") });
    expect(tagsOf(data)).toEqual([
      `11 ana: ${both[0]}`,
      `11 bob: ${both[1]}`,
      "12 ana: O O O O O O O",
      "12 bob: O O O O O B-PER O",
    ]);
    expect(notes).toContain("1 answer left out: the worker rejected the spans.");
    expect(notes).toContain("1 answer left out: the worker ignored the task.");
  });

  it("of doccano are tags, as lists and as entities, by file or by user", async () => {
    const files = ["ana", "bob"].map((name) => [
      `${name}.jsonl`,
      exportBytes(`doccano-spans/${name}.jsonl`),
    ]);
    const { data, notes } = await read(Object.fromEntries(files));
    expect(tagsOf(data)).toEqual([
      `1 ana: ${both[0]}`,
      `1 bob: ${both[1]}`,
      "2 bob: O O O O O B-PER O",
    ]);
    expect(notes).toContain("ana.jsonl: 1 answer left out: nothing was labelled yet.");
    const lines = ["ana", "bob"].map((user) =>
      JSON.stringify({ id: 1, text: "in Rome", user, label: [[3, 7, "LOC"]] }),
    );
    const named = await read({ "all.jsonl": lines.join("\n") });
    expect(tagsOf(named.data)).toEqual(["1 ana: O B-LOC", "1 bob: O B-LOC"]);
  });

  it("of JSON-MIN and CSV are told by their values", async () => {
    const label = [{ start: 3, end: 7, text: "Rome", labels: ["LOC"] }];
    const row = { text: "in Rome", id: 4, label, annotator: 1, annotation_id: 9, lead_time: 1 };
    const { data } = await read({ "x.json": JSON.stringify([row]) });
    expect(tagsOf(data)).toEqual(["4 1: O B-LOC"]);
    const cell = JSON.stringify(label).replaceAll('"', '""');
    const csv = `text,id,label,annotator,annotation_id,lead_time\nin Rome,4,"${cell}",1,9,1\n`;
    expect(tagsOf((await read({ "x.csv": csv })).data)).toEqual(["4 1: O B-LOC"]);
  });

  it("are about the field that says what they say, in either unit of offsets", async () => {
    const data = { title: "Rome 🙂", body: "🙂 Rome" };
    const text = tasks(
      task(1, data, by("ana"), by("bob", { ...span(2, 6, "LOC", { text: "Rome" }), to_name: "t" })),
    );
    expect(tagsOf((await read(text)).data)).toEqual(["1 ana: O O", "1 bob: O B-LOC"]);
    const chosen = await read(text, { columns: { text: "title" } });
    expect(chosen.notes).toContain("1 annotation with spans that say another text");
    const unclear = tasks(task(1, data, by("ana", { ...span(0, 2, "X"), to_name: "t" })));
    await expect(read(unclear)).rejects.toThrow(
      /x\.json:1: the text that spans are about is not clear; fields with text: "title", "body"\. Choose one: .*text: "FIELD"/,
    );
  });

  it("marked as ground truth are gold, unless nobody else answered", async () => {
    const known = { ...by("eve", span(3, 7, "LOC")), ground_truth: true };
    const { data, notes } = await read(
      tasks(
        task(1, { text: "in Rome" }, by("ana", span(0, 2, "LOC")), known),
        task(2, { text: "in Rome" }, known),
      ),
    );
    expect(tagsOf(data)).toEqual(["1 ana: B-LOC O"]);
    expect(goldTags(data)).toBe("O B-LOC");
    expect(notes).toContain("1 task with known answers in the answers' own files.");
    expect(notes).toContain(
      "1 answer left out: a known answer of a task that nobody else answered",
    );
  });

  it.each([
    [span(0, 99, "X"), /x\.json:1: task "1": a span goes from 0 to 99, but the text has 7/],
    [span(5, 2, "X"), /x\.json:1: task "1": a span should end behind its start/],
    [span(null, 2, "X"), /x\.json:1: task "1": a span should have a start and an end/],
  ])("outside the text are an error that names the task: %j", async (wrong, words) => {
    await expect(read(tasks(task(1, { text: "in Rome" }, by("ana", wrong))))).rejects.toThrow(
      words,
    );
    const right = by("bob", span(0, 2, "X"));
    const text = tasks(task(1, { text: "in Rome" }, by("ana", wrong), right));
    const { data, notes } = await read(text, { badRows: "drop" });
    expect(tagsOf(data)).toEqual(["1 bob: B-X O"]);
    expect(notes).toContain("1 row with problems dropped");
  });

  it("of other kinds are refused, and judgements of one span are no tags", async () => {
    const text = { "s.json": exportBytes("label-studio-spans.json") };
    await expect(read(text, { kind: "numeric" })).rejects.toThrow(
      /s\.json: this file holds no numeric answers: its results are spans of text .*kind: "auto"/,
    );
    const line = { text: "in Rome", spans: [], answer: "accept", _input_hash: 1 };
    const lines = [
      { ...line, _annotator_id: "d-ana" },
      { ...line, _annotator_id: "d-bob", _view_id: "ner" },
    ].map((each) => JSON.stringify(each));
    const { data, notes } = await read({ "d.jsonl": lines.join("\n") });
    expect(tagsOf(data)).toEqual(["1 ana: O O"]);
    expect(notes).toContain("1 answer left out: the worker judged one suggested span");
  });

  it("of tokens that are none are an error", async () => {
    const line = {
      text: "ab",
      answer: "accept",
      _input_hash: 1,
      _annotator_id: "d-ana",
      spans: [],
    };
    const token = { text: "ab", start: 0, end: 2 };
    for (const tokens of [[token, token], [null], [{ ...token, end: 0 }], "x"]) {
      const text = JSON.stringify({ ...line, tokens });
      await expect(read({ "d.jsonl": text })).rejects.toThrow(/"tokens" should be a list/);
    }
  });
});

describe("ratings and numbers", () => {
  const stars = () => ({ "r.json": exportBytes("label-studio-rating.json") });

  it("are ordered classes, numbers or classes, as one likes", async () => {
    const { data, said } = await read(stars());
    expect(data.kind).toBe("ordinal");
    expect(said).toContain("taken for ordinal answers, since its results are ratings");
    const asLabels = rowsOf(data as unknown as CategoricalData);
    expect(asLabels).toEqual(["1 ana 4", "1 bob 5", "2 ana 1", "2 bob 2", "3 ana 3", "3 bob 3"]);
    const { value } = (await read(stars(), { kind: "numeric" })).data as NumericData;
    expect([...value]).toEqual([4, 5, 1, 2, 3, 3]);
    const { data: classes } = await read(stars(), { kind: "categorical" });
    expect(rowsOf(classes as CategoricalData)).toEqual(asLabels);
  });

  it("are numbers where they are not whole, or of the type", async () => {
    const half = tasks(task(1, {}, by("ana", one("rating", { rating: 3.5 }))));
    expect((await read(half)).data.kind).toBe("numeric");
    const known = { ...by("eve", one("number", { number: 7 })), ground_truth: true };
    const { data, notes } = await read(
      tasks(task(1, {}, by("ana", one("number", { number: 2.5 })), by("bob"), known)),
    );
    expect([...(data as NumericData).value]).toEqual([2.5]);
    expect([...(data as NumericData).gold]).toEqual([7]);
    expect(notes).toContain("1 answer left out: the question has no answer.");
  });

  it("are asked for by name where there are several, and others are counted", async () => {
    const two = by("ana", one("rating", { rating: 2 }, "a"), one("rating", { rating: 3 }, "b"));
    await expect(read(tasks(task(1, {}, two)))).rejects.toThrow(/several questions: "a", "b"/);
    const mixed = tasks(
      task(1, { text: "x" }, by("ana", span(0, 1, "X"), one("rating", { rating: 2 }))),
    );
    const { data, notes } = await read(mixed);
    expect(data.kind).toBe("ordinal");
    expect(notes).toContain(
      "results of type labels are answers of another kind (kind); 1 left out",
    );
    expect((await read(mixed, { kind: "sequence" })).data.kind).toBe("sequence");
  });
});

describe("comparisons of Label Studio", () => {
  const pairsOf = (data: AnyData) => {
    const { items, left, right, label } = data as PairwiseData;
    return Array.from(label, (k, i) => `${items.at(left[i])} ${items.at(right[i])} ${k}`);
  };

  it("take their items from the fields that the question is about", async () => {
    const { data, said } = await read({ "p.json": exportBytes("label-studio-pairwise.json") });
    expect(said).toContain("taken for pairwise answers, since its results say which of two items");
    expect([...(data as PairwiseData).items].sort()).toEqual([
      "first summary",
      "second summary",
      "third summary",
    ]);
    expect(pairsOf(data).slice(0, 3)).toEqual([
      "first summary second summary 0",
      "first summary second summary 0",
      "second summary third summary 1",
    ]);
  });

  it("take fields that are called so or named, else say what there is", async () => {
    const said = by("ana", one("pairwise", { selected: "right" }, "pw", "x,y"));
    const sides = await read(tasks(task(1, { model_a: "m", model_b: "n", prompt: "?" }, said)));
    expect(pairsOf(sides.data)).toEqual(["m n 1"]);
    const fields = tasks(task(1, { one: "m", two: "n", prompt: "?" }, said));
    await expect(read(fields)).rejects.toThrow(
      /x\.json:1: the two items are not clear among the fields of the task \("one", "two", "prompt"\)/,
    );
    const named = await read(fields, { columns: { left: "one", right: "two" } });
    expect(pairsOf(named.data)).toEqual(["m n 1"]);
  });
});

describe("several choices", () => {
  const setsOf = (data: AnyData) => {
    const { start, label, classes } = data as MultiLabelData;
    return Array.from({ length: start.length - 1 }, (_, i) =>
      Array.from(label.subarray(start[i], start[i + 1]), (k) => classes.at(k)).join("+"),
    );
  };
  const choices = (...list: string[]) => one("choices", { choices: list });

  it("of Label Studio are sets by --kind multi-label, and an error else that says so", async () => {
    const text = tasks(
      task(1, {}, by("ana", choices("a", "b; c")), by("bob", choices("a")), by("cyd")),
    );
    const { data, notes } = await read(text, { kind: "multi-label" });
    expect(setsOf(data)).toEqual(["a+b; c", "a", ""]);
    expect(notes).toContain("x.json: 1 annotation without a choice: the worker chose no label.");
    await expect(read(text)).rejects.toThrow(
      /several answers: \["a","b; c"\]\. Methods choose one class; kind: "multi-label" reads several/,
    );
  });

  it("of Prodigy and doccano are sets too", async () => {
    const line = { text: "x", answer: "accept", _input_hash: 1, _annotator_id: "d-ana" };
    const prodigy = JSON.stringify({ ...line, accept: ["a", "b"] });
    const kind = "multi-label";
    expect(setsOf((await read({ "d.jsonl": prodigy }, { kind })).data)).toEqual(["a+b"]);
    const record = JSON.stringify({ id: 1, text: "x", label: ["a", "b"] });
    expect(setsOf((await read({ "ana.jsonl": record }, { kind })).data)).toEqual(["a+b"]);
  });
});

it("a label of classes in a file of spans is an error with its line", async () => {
  const lines = [
    { id: 1, text: "ab", label: [[0, 2, "X"]] },
    { id: 2, text: "ab", label: ["X"] },
  ];
  const text = lines.map((line) => JSON.stringify(line)).join("\n");
  await expect(read({ "ana.jsonl": text }, { kind: "sequence" })).rejects.toThrow(
    'ana.jsonl:2: a span should be [start, end, label] or an object, but is "X".',
  );
  await expect(readText("ana.jsonl", text)).rejects.toThrow(/ana\.jsonl:1: the label is places/);
});
