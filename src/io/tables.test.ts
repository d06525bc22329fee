import { describe, expect, it } from "vitest";
import { readTable } from "../../test/read-table.ts";
import { answersTable } from "./answers.ts";
import { goldTable } from "./gold.ts";
import { formatNamed } from "./index.ts";
import { jsonl } from "./jsonl.ts";
import { plainTable } from "./table.ts";

describe("goldTable", () => {
  it.each([
    "task,label\na,cat\nb,dog\n",
    "item_id;truth\na;cat\nb;dog\n",
    "gold,example,label\ncat,a,x\ndog,b,y\n",
    "question\tcorrect\tworker\na\tcat\t1\nb\tdog\t2\n",
  ])("reads %j", async (text) => {
    expect((await readTable(goldTable, text)).gold).toEqual([
      ["a", "cat"],
      ["b", "dog"],
    ]);
  });

  it("reads other formats, and files without a header", async () => {
    const lines = '{"task":1,"label":true}\n{"task":2,"label":false}\n';
    expect((await readTable(goldTable, lines, {}, jsonl)).gold).toEqual([
      ["1", "true"],
      ["2", "false"],
    ]);
    expect((await readTable(goldTable, "a,cat\n", { header: false })).gold).toEqual([["a", "cat"]]);
  });

  it("takes the columns it is told to", async () => {
    const { gold } = await readTable(goldTable, "x,y,task\n1,2,3\n", {
      columns: { task: "x", label: "y" },
    });
    expect(gold).toEqual([["1", "2"]]);
  });

  it("leaves out tasks without a label and says so; a label without a task is a problem", async () => {
    const { gold, notes } = await readTable(goldTable, "task,label\na,\nb,dog\n");
    expect(gold).toEqual([["b", "dog"]]);
    expect(notes).toEqual(["x.csv: 1 row without a label left out."]);
    await expect(readTable(goldTable, "task,label\n,dog\n")).rejects.toThrow(
      "x.csv:2: the task is empty.",
    );
  });

  it("says which column is missing", async () => {
    await expect(readTable(goldTable, "task,x\na,b\n")).rejects.toThrow(
      "x.csv:1: no column is recognised as the label",
    );
  });

  it("cannot be read from formats of labels only", async () => {
    await expect(readTable(goldTable, "", {}, formatNamed("wide-matrix"))).rejects.toMatchObject({
      code: "not-supported",
    });
  });
});

describe("answersTable", () => {
  it("reads labels with confidence", async () => {
    const answers = await readTable(answersTable, "task,label,confidence\na,cat,0.9\nb,0,1\n");
    expect([answers.tasks, answers.labels]).toEqual([
      ["a", "b"],
      ["cat", "0"],
    ]);
    expect([...(answers.confidence ?? [])]).toEqual([0.9, 1]);
    expect(answers.posterior).toBeUndefined();
  });

  it("reads what crowd-kit calls them", async () => {
    const { labels } = await readTable(answersTable, "task,agg_label\na,cat\n");
    expect(labels).toEqual(["cat"]);
  });

  it("reads labels alone, beside columns it does not need", async () => {
    const answers = await readTable(answersTable, "task,prediction,votes,note\na,1,0,hm\nb,0,1,\n");
    expect(answers.labels).toEqual(["1", "0"]);
    expect(answers.confidence).toBeUndefined();
  });

  it("does not take numbers for probabilities that do not sum to one", async () => {
    const answers = await readTable(answersTable, "task,label,labels\na,1,0\nb,0,5\n");
    expect(answers.labels).toEqual(["1", "0"]);
  });

  it("reads a column per class, and takes the most probable, the first of equals", async () => {
    const answers = await readTable(
      answersTable,
      "task,cat,dog,'=cow\na,0.1,0.7,0.2\nb,0.4,0.4,0.2\nc,0,0,1\n",
    );
    expect(answers.classes).toEqual(["cat", "dog", "=cow"]);
    expect(answers.labels).toEqual(["dog", "cat", "=cow"]);
    expect([...(answers.posterior ?? [])]).toEqual([0.1, 0.7, 0.2, 0.4, 0.4, 0.2, 0, 0, 1]);
    expect([...(answers.confidence ?? [])]).toEqual([0.7, 0.4, 1]);
  });

  it("knows classes that are called label or answer by their probabilities", async () => {
    const answers = await readTable(answersTable, "task,other,answer\na,0.25,0.75\nb,1,0\n");
    expect(answers.classes).toEqual(["other", "answer"]);
    expect(answers.labels).toEqual(["answer", "other"]);
  });

  it("reads numbers as answers", async () => {
    expect((await readTable(answersTable, "task,value,sd\na,3.5,0.2\n")).labels).toEqual(["3.5"]);
  });

  it.each([
    ["task,label\na,x\na,y\n", 'x.csv:3: task "a" is answered twice.'],
    [
      "task,cat,dog\na,0.5,x\n",
      'x.csv:2: the column "dog" should hold a probability, but holds "x".',
    ],
    ["task,cat,dog\na,0.5,0.9\n", "the probabilities of row 1 should be from 0 to 1 and sum to 1"],
    ["task,confidence\na,0.5\n", "there is a confidence, but no label column"],
    ["task,cat\na,1\n", "neither a label column nor a column for each class"],
    ["x,y\na,1\n", "no column is recognised as the task"],
  ])("refuses %j", async (text, message) => {
    await expect(readTable(answersTable, text)).rejects.toThrow(message);
  });

  it("leaves out tasks without an answer, and says so", async () => {
    const { tasks, notes } = await readTable(answersTable, "task,label\na,\nb,x\n");
    expect(tasks).toEqual(["b"]);
    expect(notes).toEqual(["x.csv: 1 row without a label left out."]);
  });
});

describe("plainTable", () => {
  it("reads every column as it stands", async () => {
    const table = await readTable(plainTable, "worker,left,right,label\n1,a,b,a\n2,a,,tie\n");
    expect(table.header).toEqual(["worker", "left", "right", "label"]);
    expect(table.rows).toBe(2);
    expect(table.columns.map(({ texts, code }) => [texts, [...code]])).toEqual([
      [
        ["1", "2"],
        [0, 1],
      ],
      [["a"], [0, 0]],
      [["b"], [0, -1]],
      [
        ["a", "tie"],
        [0, 1],
      ],
    ]);
  });

  it("reads only the columns it is asked for", async () => {
    const { columns } = await readTable(plainTable, "a,b,c\n1,2,3\n", { only: ["c", "a"] });
    expect(columns.map(({ name }) => name)).toEqual(["a", "c"]);
    await expect(readTable(plainTable, "a,b\n1,2\n", { only: ["z"] })).rejects.toThrow(
      'there is no column "z"',
    );
  });
});
