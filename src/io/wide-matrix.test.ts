import { describe, expect, it } from "vitest";
import { fromRows } from "../data/from-rows.ts";
import { sniff } from "./index.ts";
import { createLabelReader, type ReaderOptions } from "./read.ts";
import { wideMatrix } from "./wide-matrix.ts";

function read(text: string, options: ReaderOptions = {}) {
  const reader = createLabelReader(options);
  const file = reader.open("matrix.csv", wideMatrix);
  file.push(new TextEncoder().encode(text));
  void file.finish();
  return reader.finish();
}

const sniffed = (text: string) => sniff(new TextEncoder().encode(text), "x.csv").id;

describe("wide-matrix", () => {
  it("takes each cell for a label, and an empty one for none", () => {
    const data = read("task,ana,bob,cyd\na,cat,,dog\nb,,dog,\nc,cat,cat,cat\n");
    expect([...data.workers]).toEqual(["ana", "bob", "cyd"]);
    expect([...data.task]).toEqual([0, 0, 1, 2, 2, 2]);
    expect([...data.worker]).toEqual([0, 2, 1, 0, 1, 2]);
    expect([...data.label]).toEqual([0, 1, 1, 0, 0, 0]);
  });

  it("leaves out tasks and workers without labels, and says how many tasks", () => {
    const data = read("task,ana,bob\na,cat,\nb,,\nc,NA,\n", { missing: ["NA"] });
    expect([data.tasks, data.workers, data.classes].map((names) => [...names])).toEqual([
      ["a"],
      ["ana"],
      ["cat"],
    ]);
    expect(data.notes).toEqual(["matrix.csv: 2 tasks without any label left out."]);
  });

  it("takes a column gold or truth for known classes, not for a worker", () => {
    for (const name of ["gold", "Truth", "ground_truth"]) {
      const data = read(`task,ana,${name},bob\na,cat,dog,cat\nb,dog,,dog\n,,cat,\n`);
      expect([...data.workers]).toEqual(["ana", "bob"]);
      expect(Array.from(data.gold, (k) => data.classes.at(k))).toEqual(["dog", ""]);
    }
  });

  it("finds the task in another column when told", () => {
    const data = read("ana,item,bob\ncat,a,dog\n", { columns: { task: "item" } });
    expect([data.tasks, data.workers].map((names) => [...names])).toEqual([["a"], ["ana", "bob"]]);
  });

  it("needs a name for each worker, and each name once", () => {
    expect(() => read("task,ana,,bob\na,x,y,z\n")).toThrow("matrix.csv:1: column 3 has no name");
    expect(() => read("task,ana,ana\na,x,y\n")).toThrow(
      'matrix.csv:1: two columns are named "ana"',
    );
    expect(() => read("task\na\n")).toThrow("there is only one column");
    expect(() => read("task,ana\n,x\n")).toThrow("matrix.csv:2: the task is empty.");
  });

  it("does not write two labels into one cell", () => {
    const twice = fromRows([
      { task: "a", worker: "w", label: "x" },
      { task: "a", worker: "w", label: "y" },
    ]);
    expect(() => [...(wideMatrix.write(twice) as Iterable<string>)]).toThrow(
      'one cell for worker "w" and task "a"',
    );
  });

  it("is told from a long file and from other tables by what its columns share", () => {
    expect(sniffed("task,ana,bob\n1,x,y\n2,y,x\n3,x,x\n")).toBe("wide-matrix");
    expect(sniffed(",r1,r2,r3\n1,0,1,\n2,1,1,0\n")).toBe("wide-matrix");
    expect(sniffed("task,worker,label\n1,x,y\n2,y,x\n")).toBe("csv");
    expect(sniffed("id,text,length\n1,hello,5\n2,bye,3\n")).toBe("csv");
    expect(sniffed("x,y,z\n1,1,1\n")).toBe("csv");
  });
});
