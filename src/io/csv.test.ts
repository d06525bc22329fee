import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CategoricalData } from "../data/categorical.ts";
import { CrowdError } from "../error.ts";
import { fromCsv } from "../jobs/from-bytes.ts";
import { csv } from "./csv.ts";
import { rowText } from "./csv-dialect.ts";
import { createCsvParser } from "./csv-parser.ts";
import type { ReadOptions } from "./format.ts";
import { createLabelReader } from "./read.ts";

function rowsOf(data: CategoricalData): string[][] {
  return Array.from(data.task, (t, i) => [
    data.tasks.at(t),
    data.workers.at(data.worker[i]),
    data.classes.at(data.label[i]),
  ]);
}

const expected = [
  ["a", "ana", "cat"],
  ["a", "bob", "dog"],
  ["b", "ana", "dog"],
];

/** The same three labels, written in the ways of the world. */
const dialects: Record<string, string | Uint8Array> = {
  "comma and LF": "task,worker,label\na,ana,cat\na,bob,dog\nb,ana,dog\n",
  CRLF: "task,worker,label\r\na,ana,cat\r\na,bob,dog\r\nb,ana,dog\r\n",
  "lone CR": "task,worker,label\ra,ana,cat\ra,bob,dog\rb,ana,dog",
  "no line ending at the end": "task,worker,label\na,ana,cat\na,bob,dog\nb,ana,dog",
  semicolons: "task;worker;label\na;ana;cat\na;bob;dog\nb;ana;dog\n",
  tabs: "task\tworker\tlabel\na\tana\tcat\na\tbob\tdog\nb\tana\tdog\n",
  bars: "task|worker|label\na|ana|cat\na|bob|dog\nb|ana|dog\n",
  "Excel's separator line": "sep=;\r\ntask;worker;label\r\na;ana;cat\r\na;bob;dog\r\nb;ana;dog\r\n",
  "blank lines": "\n\ntask,worker,label\n\na,ana,cat\n\n\na,bob,dog\nb,ana,dog\n\n",
  "quoted cells": '"task","worker","label"\n"a","ana","cat"\n"a","bob","dog"\n"b","ana","dog"\n',
  "separators behind": "task,worker,label,\na,ana,cat,\na,bob,dog,\nb,ana,dog\n",
  "blanks behind the header": "task,worker,label, ,\na,ana,cat, ,\na,bob,dog\nb,ana,dog,\n",
  "more separators behind": "task,worker,label\na,ana,cat,,\na,bob,dog\nb,ana,dog,\n",
  "another order": "label,x,worker,y,task\ncat,,ana,1,a\ndog,q,bob,2,a\ndog,,ana,3,b\n",
  "UTF-8 with a mark": "\ufefftask,worker,label\na,ana,cat\na,bob,dog\nb,ana,dog\n",
  "UTF-16 little-endian": utf16("\ufefftask,worker,label\na,ana,cat\na,bob,dog\nb,ana,dog\n", true),
  "UTF-16 big-endian": utf16("\ufefftask,worker,label\na,ana,cat\na,bob,dog\nb,ana,dog\n", false),
  "UTF-16 without a mark": utf16("task,worker,label\na,ana,cat\na,bob,dog\nb,ana,dog\n", true),
  "UTF-16 big-endian without a mark": utf16(
    "task,worker,label\na,ana,cat\na,bob,dog\nb,ana,dog\n",
    false,
  ),
};

function utf16(text: string, little: boolean): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < text.length; i++) view.setUint16(i * 2, text.charCodeAt(i), little);
  return bytes;
}

function readInPieces(
  text: string | Uint8Array,
  size: number,
  options: ReadOptions = {},
): CategoricalData {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const reader = createLabelReader({ ...options, repeats: "all" });
  const file = reader.open("labels.csv", csv);
  for (let at = 0; at < bytes.length; at += size) file.push(bytes.slice(at, at + size));
  void file.finish();
  return reader.finish();
}

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof CrowdError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "no error";
}

describe("dialects", () => {
  it.each(Object.entries(dialects))("reads %s", (_, text) => {
    expect(rowsOf(fromCsv(text))).toEqual(expected);
  });

  it.each(Object.entries(dialects))("reads %s a byte at a time", (_, text) => {
    expect(rowsOf(readInPieces(text, 1))).toEqual(expected);
  });

  it("keeps quotes, separators and line endings inside quoted cells", () => {
    const data = fromCsv('task,worker,label\n"a, ""b""","x\r\ny","c\nd"\nt,w,"c\nd"\n');
    expect(rowsOf(data)).toEqual([
      ['a, "b"', "x\r\ny", "c\nd"],
      ["t", "w", "c\nd"],
    ]);
  });

  it("is not led astray by separators inside quotes", () => {
    const data = fromCsv('task,"the\tworker",label\n"a\tb","w;x","c|d"\n"b\tc","w;x","c|d"\n', {
      columns: { worker: "the\tworker" },
    });
    expect([...data.tasks]).toEqual(["a\tb", "b\tc"]);
  });

  it("takes a quote inside an unquoted cell for a letter", () => {
    expect(rowsOf(fromCsv('task,worker,label\n5" disk,w,a"b\n'))).toEqual([
      ['5" disk', "w", 'a"b'],
    ]);
  });

  it("takes all quotes for letters when told that they mean nothing", () => {
    const data = fromCsv('task\tworker\tlabel\n"a\tw\tcat"\n', { quotes: false });
    expect(rowsOf(data)).toEqual([['"a', "w", 'cat"']]);
  });

  it("reads bytes that are not UTF-8 as Latin-1, and says so", () => {
    const text = Uint8Array.from("task,worker,label\na,Ren\xe9,\x80uro\nb,Ren\xe9,x\n", (c) =>
      c.charCodeAt(0),
    );
    const data = fromCsv(text);
    expect(rowsOf(data)).toEqual([
      ["a", "René", "€uro"],
      ["b", "René", "x"],
    ]);
    expect(data.notes.join()).toContain("3 cells not in UTF-8 and read as Latin-1");
  });

  it("joins a name in Latin-1 with the same name in UTF-8", () => {
    const both = Uint8Array.from([
      ...new TextEncoder().encode("task,worker,label\na,René,x\nb,Ren"),
      0xe9,
      0x2c,
      0x78,
      0x0a,
    ]);
    expect([...fromCsv(both).workers]).toEqual(["René"]);
  });

  it("agrees with a parser written the stupid way, on any text in any pieces", () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab,"\n\r ;é'), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 70 }), (text, size) => {
        const rows: string[][] = [];
        const parser = createCsvParser({ separator: 44, quotes: true }, (row) => {
          rows.push([...rowText(row), `line ${row.line}`, ...(row.broken ? ["broken"] : [])]);
        });
        let bytes = new Uint8Array(0);
        const all = new TextEncoder().encode(text);
        for (let at = 0; at <= all.length; at += size) {
          const last = at + size > all.length;
          bytes = Uint8Array.from([...bytes, ...all.subarray(at, at + size)]);
          bytes = bytes.slice(parser.parse(bytes, 0, bytes.length, last));
        }
        expect(rows).toEqual(stupid(text));
      }),
      { numRuns: 500 },
    );
  });
});

/** One letter at a time, with a state; RFC 4180 and what we forgive. */
function stupid(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let [cell, state, broken, line, start] = ["", "start", false, 1, 1];
  const endCell = () => {
    row.push(cell.replace(/^'(?='*[=+\-@\t\r])/, ""));
    cell = "";
    state = "start";
  };
  const endRow = (blank: boolean) => {
    if (!blank) {
      endCell();
      rows.push([...row, `line ${start}`, ...(broken ? ["broken"] : [])]);
    }
    [row, cell, state, broken] = [[], "", "start", false];
  };
  for (let i = 0; i < text.length; i++) {
    const letter = text[i];
    const newline = letter === "\n" || letter === "\r";
    if (letter === "\n" || (letter === "\r" && text[i + 1] !== "\n")) line++;
    if (state === "quoted") {
      if (letter !== '"') cell += letter;
      else if (text[i + 1] === '"') cell += text[++i];
      else state = "closed";
    } else if (letter === '"' && state === "start") state = "quoted";
    else if (letter === ",") endCell();
    else if (newline) {
      if (letter === "\r" && text[i + 1] === "\n") {
        i++;
        line++;
      }
      endRow(row.length === 0 && cell === "" && state === "start");
      start = line;
    } else if (state === "closed") broken = true;
    else {
      cell += letter;
      state = "plain";
    }
  }
  if (state === "quoted") broken = true;
  if (text.length > 0) endRow(row.length === 0 && cell === "" && state === "start");
  return rows;
}

describe("columns", () => {
  it.each([
    "task,worker,label",
    "Item ID,Rater,Answer",
    "question_id,annotatorId,response",
    "HITId,WorkerId,Judgement",
    "image,user,category",
    "unit,performer,rating",
    "id,model,class",
    "id,document,coder,value",
    "\ufeffTASK , WORKER,LABEL ",
  ])("recognises %s", (header) => {
    const width = header.split(",").length;
    const data = fromCsv(`${header}\n${width === 4 ? "99," : ""}a,ana,cat\n`);
    expect(rowsOf(data)).toEqual([["a", "ana", "cat"]]);
  });

  it("takes the columns it is told to", () => {
    const data = fromCsv("item,who,task,label,truth\na,ana,z,x,cat\n", {
      columns: { task: "item", worker: "who", label: "truth" },
    });
    expect(rowsOf(data)).toEqual([["a", "ana", "cat"]]);
  });

  it("says what it understood", () => {
    const said: string[] = [];
    fromCsv("item;who;answer;comment\na;ana;cat;\n", {
      columns: { worker: "who" },
      onUnderstood: (text) => said.push(text),
    });
    expect(said).toEqual([
      'labels.csv: CSV or TSV, one label per row, separated by semicolons, task = "item", ' +
        'worker = "who", label = "answer"; not used: "comment"; 1 row',
    ]);
  });

  it("says which column is missing, what there is, and how to map it", () => {
    expect(messageOf(() => fromCsv("task,who,label\na,b,c\n"))).toBe(
      'bad-data: labels.csv:1: no column is recognised as the worker. The columns are: "task", "who", "label".' +
        ' A column with another name can be mapped: columns: { worker: "…" }.' +
        " If the first row already holds labels, use header: false." +
        ' If each worker has a column, use format: "wide-matrix".',
    );
  });

  it("names every missing column in one message", () => {
    expect(messageOf(() => fromCsv("a,b,c\n1,2,3\n"))).toContain(
      'labels.csv:1: no column is recognised as the task, the worker or the label. The columns are: "a", "b", "c". ' +
        'Columns with other names can be mapped: columns: { task: "…", worker: "…", label: "…" }.',
    );
    const columns = { task: "x", worker: "y" };
    expect(messageOf(() => fromCsv("a,b,c\n1,2,3\n", { columns }))).toContain(
      'labels.csv:1: there is no column "x" for the task, and there is no column "y" for the worker, and no column is ' +
        'recognised as the label. The columns are: "a", "b", "c". A column with another name can be mapped: columns: { label: "…" }.',
    );
  });

  it("says that there is no column of a name it was told", () => {
    expect(
      messageOf(() => fromCsv("task,worker,label\na,b,c\n", { columns: { label: "truth" } })),
    ).toContain(
      'labels.csv:1: there is no column "truth" for the label. The columns are: "task", "worker", "label".',
    );
  });

  it("does not choose between two columns of the same name", () => {
    expect(messageOf(() => fromCsv("task,worker,label,Label\na,b,c,d\n"))).toContain(
      'two columns are named like "label", so the label is not clear',
    );
  });

  it("knows a file of comparisons when it sees one", () => {
    expect(messageOf(() => fromCsv("worker,left,right,label\nw,a,b,a\n"))).toContain(
      'Columns left and right are those of comparisons: kind: "pairwise".',
    );
  });

  it("reads three columns without a header only when told to", () => {
    const text = "a,ana,cat\na,bob,dog\nb,ana,dog\n";
    expect(messageOf(() => fromCsv(text))).toContain("use header: false");
    expect(rowsOf(fromCsv(text, { header: false }))).toEqual(expected);
    const swapped = fromCsv("ana,x,a,cat\n", {
      header: false,
      columns: { task: "3", worker: "1", label: "4" },
    });
    expect(rowsOf(swapped)).toEqual([["a", "ana", "cat"]]);
    expect(messageOf(() => fromCsv("a,b,c,d\n", { header: false }))).toContain("there are 4");
  });

  it("leaves 007, blanks and look-alikes as they are, and speaks of the look-alikes", () => {
    const data = fromCsv("task,worker,label\n007,ana,Cat\n7,ana ,cat \n,,\nb,bob,CAT\n", {
      keepSpaces: true,
    });
    expect([...data.tasks]).toEqual(["007", "7", "b"]);
    expect([...data.classes]).toEqual(["CAT", "Cat", "cat "]);
    expect(data.notes).toEqual([
      "1 row dropped: every cell is empty.",
      '1 worker name looks like another and is kept apart, such as "ana ".',
      'The classes "CAT", "Cat", "cat " look alike but are kept apart. If they mean the same, fold their case or map them.',
    ]);
  });
});

describe("what is dropped", () => {
  it("drops rows without a label, counts them, and forgets names met only there", () => {
    const data = fromCsv("task,worker,label\na,ana,cat\nb,bob,\nc,cyd,  \na,dan,dog\n");
    expect([...data.tasks]).toEqual(["a"]);
    expect([...data.workers]).toEqual(["ana", "dan"]);
    expect(data.notes).toEqual(["2 rows dropped: the label is empty."]);
  });

  it("drops labels that are said to mean none", () => {
    const data = fromCsv("task,worker,label\na,ana,NA\na,bob,cat\n", { missing: ["NA"] });
    expect([...data.classes]).toEqual(["cat"]);
    expect(data.notes).toEqual(["1 row dropped: the label is one of those to treat as missing."]);
  });

  it("collects problems with their lines and raises them together", () => {
    expect(
      messageOf(() =>
        fromCsv('task,worker,label\n"a\nb",w,x\na,b\n,w,x\na,,x\na,b,c,d\n"a"b,c,d\n'),
      ),
    ).toBe(
      [
        "bad-data: 5 rows have problems:",
        "  labels.csv:4: the row has 2 cells, but the header has 3.",
        "  labels.csv:5: the task is empty.",
        "  labels.csv:6: the worker is empty.",
        "  labels.csv:7: the row has 4 cells, but the header has 3.",
        "  labels.csv:8: something follows the closing quote of a cell.",
        'To leave such rows out, use badRows: "drop".',
      ].join("\n"),
    );
  });

  it("shows twenty problems and counts the rest", () => {
    const message = messageOf(() => fromCsv(`task,worker,label\n${"a,b\n".repeat(1234)}`));
    expect(message).toContain("1,234 rows have problems:");
    expect(message).toContain("labels.csv:21:");
    expect(message).not.toContain("labels.csv:22:");
    expect(message).toContain("and 1,214 more");
  });

  it("drops rows with problems when told to, and says how many", () => {
    const data = fromCsv("task,worker,label\na,b\nc,,d\nx,y,z\n", { badRows: "drop" });
    expect([...data.tasks]).toEqual(["x"]);
    expect([...data.workers]).toEqual(["y"]);
    expect(data.notes).toEqual([
      "2 rows with problems dropped; the first: labels.csv:2: the row has 2 cells, but the header has 3.",
    ]);
  });

  it("counts lines as an editor does, after a separator line and blank lines", () => {
    expect(messageOf(() => fromCsv("sep=,\r\n\r\ntask,worker,label\r\n\r\na,b\r\n"))).toContain(
      "labels.csv:5:",
    );
  });
});

describe("times and weights", () => {
  it("reads dates with and without zones, and numbers by their size", () => {
    const times = [
      "2024-05-31",
      "2024-05-31 12:30",
      "2024/05/31T12:30:15.25Z",
      "2024-05-31 12:30:15 UTC",
      "2024-05-31T12:30:15+02:00",
      "1717158615",
      "1717158615250",
      "1717158615250000",
      "",
    ];
    const data = fromCsv(
      `task,worker,label,created_at\n${times.map((time, i) => `${i},w,x,${time}\n`).join("")}`,
    );
    const noon = Date.UTC(2024, 4, 31, 12, 30, 15);
    expect([...(data.time ?? [])]).toEqual([
      Date.UTC(2024, 4, 31),
      Date.UTC(2024, 4, 31, 12, 30),
      noon + 250,
      noon,
      noon - 7_200_000,
      noon,
      noon + 250,
      noon + 250,
      Number.NaN,
    ]);
  });

  it("keeps labels whose time cannot be read, and says so", () => {
    const data = fromCsv("task,worker,label,time\na,w,x,yesterday\nb,w,x,2024-02-31\nc,w,x,12.5\n");
    expect(data.time).toBeUndefined();
    expect(data.task).toHaveLength(3);
    expect(data.notes.join()).toContain(
      '3 times could not be read and count as unknown; the first: labels.csv:2: "yesterday".',
    );
  });

  it("takes small numbers for times only when told that the column holds times", () => {
    const text = "task,worker,label,time\na,w,x,12.5\n";
    expect(fromCsv(text).time).toBeUndefined();
    expect([...(fromCsv(text, { columns: { time: "time" } }).time ?? [])]).toEqual([12_500]);
  });

  it("leaves out a column it is told to leave out", () => {
    const text = "task,worker,label,time,weight\na,w,x,2024-01-01,2\n";
    const data = fromCsv(text, { columns: { time: "", weight: "" } });
    expect(data.time).toBeUndefined();
    expect(data.weight).toBeUndefined();
  });

  it("reads decimal commas between semicolons", () => {
    const data = fromCsv("task;worker;label;weight\na;w;x;1,5\nb;w;x;2\nc;w;x;\n");
    expect([...(data.weight ?? [])]).toEqual([1.5, 2, 1]);
  });

  it.each(["-1", "many", "1e999", '"1,5"'])("refuses the weight %s", (weight) => {
    expect(messageOf(() => fromCsv(`task,worker,label,weight\na,w,x,${weight}\n`))).toContain(
      "labels.csv:2: the weight should be 0, or from 1e-9 to 1e9",
    );
  });

  it("has no weights where all are one", () => {
    expect(fromCsv("task,worker,label,count\na,w,x,1\nb,w,x,1\n").weight).toBeUndefined();
  });
});

describe("formulas", () => {
  it("are undone in names and in the header", () => {
    const data = fromCsv("'=task,worker,label\n'=1+1,'-x,-1\n", { columns: { task: "=task" } });
    expect(rowsOf(data)).toEqual([["=1+1", "-x", "-1"]]);
  });
});

describe("limits", () => {
  it("calls a file without rows what it is", () => {
    expect(messageOf(() => fromCsv(""))).toContain("no-labels: labels.csv is empty.");
    expect(messageOf(() => fromCsv("task,worker,label\n"))).toContain(
      "no-labels: labels.csv: there are no labels.",
    );
    expect(messageOf(() => fromCsv("task,worker,label\na,b,\n"))).toContain(
      "1 row dropped: the label is empty.",
    );
  });

  it("refuses a line of 10 MB, with its number", () => {
    const long = "x".repeat(10 * 2 ** 20);
    expect(messageOf(() => fromCsv(`task,worker,label\na,b,c\n${long}`))).toContain(
      "labels.csv:3: the row",
    );
    expect(messageOf(() => fromCsv(long))).toContain(
      "labels.csv:1: the first row is longer than 8 MB",
    );
  });

  it("points to the row in which a quote was left open", () => {
    const rest = "a,b,c\n".repeat(2 * 2 ** 20);
    expect(messageOf(() => fromCsv(`task,worker,label\na,b,"c\n${rest}`))).toContain(
      "labels.csv:2:",
    );
    expect(messageOf(() => fromCsv('task,worker,label\na,b,"c\nd'))).toContain(
      "labels.csv:2: a quoted cell begins here and never ends; the row spans 2 lines.",
    );
  });

  it("does not drop the rest of a file with a quote that was left open", () => {
    const rest = "d,e,f\n".repeat(1000);
    const open = `task,worker,label\nx,y,z\na,b,"c\n${rest}`;
    expect(messageOf(() => fromCsv(open, { badRows: "drop" }))).toBe(
      "bad-data: labels.csv:3: a quoted cell begins here and never ends, so 1,001 lines would be left out. " +
        "Close the quote. If quotes are ordinary characters, use quotes: false.",
    );
  });

  it("counts every line that a row with a misplaced quote spans", () => {
    const rest = "d,e,f\n".repeat(1000);
    const data = fromCsv(`task,worker,label\nx,y,z\na,b,"c\n${rest}g,"h",i\nj,k,l\n`, {
      badRows: "drop",
    });
    expect([...data.tasks]).toEqual(["x", "j"]);
    expect(data.notes).toEqual([
      "1,002 rows with problems dropped; the first: labels.csv:3: something follows the closing quote of a cell; the row spans 1,002 lines.",
    ]);
  });

  it("refuses a NUL, with its line", () => {
    expect(messageOf(() => fromCsv("task,worker,label\na,b,c\nd,e\0,f\n"))).toContain(
      "labels.csv:3: there is a NUL",
    );
  });

  it("refuses too many different labels, and says which column and what to do", () => {
    const rows = Array.from({ length: 10_001 }, (_, i) => `t,w${i},${i}\n`).join("");
    expect(
      messageOf(() =>
        fromCsv(`task,worker,text_class\n${rows}`, { columns: { label: "text_class" } }),
      ),
    ).toBe(
      'too-large: labels.csv:10002: the column "text_class" holds 10,001 different labels in the first ' +
        "10,001 rows; more than 10,000 are taken for a mistake. Choose another column with columns: " +
        '{ label: "…" }, or raise maxClasses.',
    );
    expect([...fromCsv(`task,worker,label\n${rows}`, { maxClasses: 20_000 }).classes]).toHaveLength(
      10_001,
    );
  });

  it("refuses a separator of two letters", () => {
    expect(messageOf(() => fromCsv("a", { separator: "::" }))).toContain(
      "bad-option: separator must be one ASCII",
    );
  });

  it("reads half a million rows in one go, in the order of first appearance", () => {
    const rows = Array.from({ length: 500_000 }, (_, i) => `t${i >> 2},w${i % 700},${i % 3}\n`);
    const data = fromCsv(`task,worker,label\n${rows.join("")}`, { repeats: "all" });
    expect(data.task).toHaveLength(500_000);
    expect(data.tasks.at(124_999)).toBe("t124999");
    expect(data.workers.at(699)).toBe("w699");
    expect([...data.classes]).toEqual(["0", "1", "2"]);
    for (let i = 0; i < 500_000; i += 997) {
      expect([data.task[i], data.worker[i], data.label[i]]).toEqual([i >> 2, i % 700, i % 3]);
    }
  });
});
