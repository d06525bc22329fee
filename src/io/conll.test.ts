import { describe, expect, it } from "vitest";
import { exportBytes, readText } from "../../test/tool-exports.ts";
import type { SequenceData } from "../data/sequence.ts";
import { fromBytes } from "../jobs/from-bytes.ts";
import { sniff } from "./index.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const kind = "sequence" as const;
const read = (text: string, name = "x.conll") =>
  fromBytes([{ name, bytes: encode(text) }], { kind, format: "conll" });

/** `task position token worker tag`, sorted. */
const rowsOf = ({ tasks, workers, classes, tokens, task, worker, token, label }: SequenceData) =>
  Array.from(task, (t, i) =>
    [
      tasks.at(t),
      tokens.position[token[i]],
      tokens.text?.[token[i]],
      workers.at(worker[i]),
      classes.at(label[i]),
    ].join(" "),
  ).sort();

describe("CoNLL columns", () => {
  it("are told by their content, and read with the names of their workers", async () => {
    const bytes = exportBytes("tags.conll");
    expect(sniff(bytes, "anything").id).toBe("conll");
    const said: string[] = [];
    const data = await fromBytes([{ name: "t", bytes }], {
      kind: "auto",
      onUnderstood: (text) => said.push(text),
    });
    expect(said).toEqual([
      "t: CoNLL columns, one tag per worker, taken for sequence answers, since its lines hold a token and tags; 16 rows",
    ]);
    const rows = rowsOf(data as SequenceData);
    expect(rows).toHaveLength(16);
    expect(rows).toContain("1 4 York bob I-LOC");
    expect(rows.filter((row) => row.startsWith("2 "))).toEqual([
      "2 0 Nobody bob O",
      "2 1 was bob O",
      "2 2 there bob B-LOC",
      "2 3 . bob O",
    ]);
    expect(data.notes).toContain("t: 4 of 20 cells hold no tag.");
  });

  it("may have tabs, CRLF, empty cells and no header", async () => {
    const data = await read(
      "\r\nNew York\tB-LOC\t\r\n.\tO\tO\r\n\r\n\r\n# sent_id = s-7\r\nHm\tO\t-",
    );
    expect(rowsOf(data)).toEqual([
      "1 0 New York worker-1 B-LOC",
      "1 1 . worker-1 O",
      "1 1 . worker-2 O",
      "s-7 0 Hm worker-1 O",
    ]);
  });

  it("of one worker are named by their file, and files may be of one worker each", async () => {
    const files = ["ana", "bob"].map((name) => ({
      name: `${name}.conll`,
      bytes: encode(`Rome B-LOC\n${name === "ana" ? "sleeps" : "slept"} O\n`),
    }));
    const data = await fromBytes(files, { kind });
    expect([...data.workers]).toEqual(["ana", "bob"]);
    expect(data.tokens.length).toBe(2);
    expect(data.notes.join()).toContain(
      '1 position with different tokens in different answers, such as position 1 of task "1", where one is "sleeps"',
    );
  });

  it("are the same wherever they are cut", async () => {
    const bytes = exportBytes("tags.conll");
    const { createReader } = await import("./read.ts");
    const { sequenceReading } = await import("./sinks/sequence.ts");
    const { conll } = await import("./conll.ts");
    const whole = rowsOf(await fromBytes([{ name: "t", bytes }], { kind }));
    for (const step of [1, 7]) {
      const reader = createReader([sequenceReading]);
      const file = reader.open("t", conll);
      for (let at = 0; at < bytes.length; at += step) file.push(bytes.subarray(at, at + step));
      await file.finish();
      expect(rowsOf(reader.finish() as SequenceData)).toEqual(whole);
    }
  });

  it("say what is wrong", async () => {
    await expect(read("a O O\nb O\n")).rejects.toThrow(
      "x.conll:2: the line has 2 cells, but the first has 3: a token and a tag of each worker.",
    );
    await expect(read("a\nb\n")).rejects.toThrow(/x\.conll:1: there should be a token and a tag/);
    await expect(read("token ana ana\nb O O\n")).rejects.toThrow(/two are "ana"/);
    await expect(read("\n\n")).rejects.toThrow(/there are no labels/);
    await expect(readText("x", "a O O\nb O O\n", { format: "conll" })).rejects.toThrow(
      "x: this file holds no categorical answers: its lines hold a token and tags.",
    );
    const { notes } = await read("Rome NNP B-LOC\nsleeps VBZ O\n");
    expect(notes.join()).toContain('"worker-1", "worker-2" share no tag with any other column');
  });

  it.each([
    ["task,worker,label\nt1,ana,B-PER\n", "csv"],
    ["task\tworker\tlabel\nt1\tana\tB-PER\nt2\tana\tO\n", "csv"],
    ["task\tana\tbob\nt1\tB-X\tO\nt2\tO\tB-X\n", "wide-matrix"],
    ["Rome NNP B-NP B-LOC\nsleeps VBZ B-VP O\n", "csv"],
    ["some words here\nand some more\n", "csv"],
  ])("are not found where there are none: %j", (text, id) => {
    expect(sniff(encode(text), "x").id).toBe(id);
  });
});
