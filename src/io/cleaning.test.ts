import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CategoricalData } from "../data/categorical.ts";
import { fromBytes, fromCsv } from "../jobs/from-bytes.ts";
import { featuresFromBytes } from "./features.ts";
import { tableFromBytes } from "./from-bytes.ts";
import { goldTable } from "./gold.ts";
import { createNameInterner } from "./name-interners.ts";

const decomposed = "cafe\u0301";

function namesOf(data: CategoricalData) {
  return [data.tasks, data.workers, data.classes].map((names) => [...names]);
}

const file = (name: string, text: string) => ({ name, bytes: new TextEncoder().encode(text) });

describe("cleaning", () => {
  const text = `task,worker,label\na ,ana,cat\n a, ana,"cat "\nb\u00a0,bob ,dog\n${decomposed},ana,caf\u00e9\ncaf\u00e9,bob,${decomposed}\n`;

  it("trims spaces and unifies Unicode, and says how often", () => {
    const data = fromCsv(text, { repeats: "all" });
    expect(namesOf(data)).toEqual([
      ["a", "b", "caf\u00e9"],
      ["ana", "bob"],
      ["caf\u00e9", "cat", "dog"],
    ]);
    expect(data.notes).toEqual([
      'Spaces at the ends of 6 cells were trimmed, in 6 names such as "a ". To keep them, use keepSpaces: true.',
      'Unicode was unified (NFC) in 2 cells, in 2 names such as "cafe\\u0301". To keep it, use keepUnicode: true.',
    ]);
  });

  it("does neither when told not to", () => {
    const data = fromCsv(text, { keepSpaces: true, keepUnicode: true, repeats: "all" });
    expect(namesOf(data)[0]).toEqual(["a ", " a", "b\u00a0", decomposed, "caf\u00e9"]);
    expect(namesOf(fromCsv(text, { keepSpaces: true }))[0]).toEqual([
      "a ",
      " a",
      "b\u00a0",
      "caf\u00e9",
    ]);
    expect(namesOf(fromCsv(text, { keepUnicode: true }))[0]).toEqual([
      "a",
      "b",
      decomposed,
      "caf\u00e9",
    ]);
  });

  it("counts each cell, and each name once", () => {
    const rows = Array.from({ length: 1000 }, (_, i) => `t${i},worker-number-one ,x`).join("\n");
    const data = fromCsv(`task,worker,label\n${rows}\n`);
    expect([...data.workers]).toEqual(["worker-number-one"]);
    expect(data.notes[0]).toContain(
      '1,000 cells were trimmed, in 1 name such as "worker-number-one ".',
    );
  });

  it("takes a cell of nothing but spaces for an empty one, in quotes as well", () => {
    const data = fromCsv('task,worker,label\na,w,"  "\nb,w,x\n');
    expect([...data.tasks]).toEqual(["b"]);
    expect(data.notes).toContain("1 row dropped: the label is empty.");
    expect(() => fromCsv('task,worker,label\n" ",w,x\n')).toThrow(
      "labels.csv:2: the task is empty.",
    );
  });

  it("folds the case of labels, and of nothing else", () => {
    const data = fromCsv("task,worker,label\nA,Ana,Cat\na,ana,CAT\nB,Ana,dog\n", {
      foldCase: true,
    });
    expect(namesOf(data)).toEqual([
      ["A", "a", "B"],
      ["Ana", "ana"],
      ["cat", "dog"],
    ]);
    expect(data.notes).toEqual(['Case was folded in 2 labels, such as "Cat" to "cat".']);
  });

  it("maps labels, also to each other and to nothing", () => {
    const map = { x: "y", y: "x", "n/a": "", Katze: "cat" };
    const rows = "a,v,x\na,w,y\nb,v,Katze \nb,w,cat\nc,v,n/a\n";
    const data = fromCsv(`task,worker,label\n${rows}`, { map });
    expect(Array.from(data.label, (l) => data.classes.at(l))).toEqual(["y", "x", "cat", "cat"]);
    expect(data.notes).toContain("1 row dropped: the label is empty.");
    expect(data.notes).toContain('4 labels were mapped, such as "x" to "y"; 1 of them to nothing.');
    const folded = fromCsv("task,worker,label\na,v,KATZE\n", { map, foldCase: true });
    expect([...folded.classes]).toEqual(["cat"]);
  });

  it("leaves out labels that are missing, however they are written", () => {
    const data = fromCsv("task,worker,label\na,v,NA \na,w,x\nb,w,na\n", {
      missing: ["NA"],
      foldCase: true,
    });
    expect([...data.classes]).toEqual(["x"]);
  });

  it("is done to gold, features and the names of files' own gold alike", async () => {
    const gold = await tableFromBytes(goldTable, file("g.csv", "task,label\na ,Cat \n"), {
      foldCase: true,
    });
    expect(gold.gold).toEqual([["a", "cat"]]);
    expect(gold.notes.join()).toContain("g.csv: Spaces at the ends of 2 cells were trimmed");
    const features = await featuresFromBytes(file("f.csv", `task,x\na ,1\n${decomposed},2\n`));
    expect([...features.tasks]).toEqual(["a", "caf\u00e9"]);
    const data = await fromBytes([file("l.csv", "task,worker,label\na,w,CAT\nb,w,DOG\n")], {
      goldFile: file("g.csv", "task,label\n a,Cat\n"),
      foldCase: true,
    });
    expect(data.classes.at(data.gold[0])).toBe("cat");
    const wide = await fromBytes([file("m.csv", "task,ana ,bob,gold\na,x,x,x \nb,y,x,y\n")]);
    expect([...wide.workers]).toEqual(["ana", "bob"]);
    expect(wide.classes.at(wide.gold[0])).toBe("x");
  });

  it("numbers cleaned names as a Map would", () => {
    const name = fc.string({
      unit: fc.constantFrom(..." \u00a0abe\u0301\u00e9\t"),
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.array(name, { maxLength: 200 }), (names) => {
        const interner = createNameInterner({});
        const map = new Map<string, number>();
        const encoder = new TextEncoder();
        for (const text of names) {
          const clean = text.trim().normalize("NFC");
          if (clean !== "" && !map.has(clean)) map.set(clean, map.size);
          const bytes = encoder.encode(text);
          expect(interner.add(bytes, 0, bytes.length)).toBe(map.get(clean) ?? -1);
          expect(interner.addText(text)).toBe(map.get(clean) ?? -1);
        }
        expect(interner.names()).toEqual([...map.keys()]);
      }),
    );
  });

  it("keeps thousands of names that were cleaned", () => {
    const interner = createNameInterner({});
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 20_000; i++) expect(interner.addText(` a long name ${i} `)).toBe(i);
    }
    expect(interner.size).toBe(20_000);
    expect(interner.name(19_999)).toBe("a long name 19999");
  });
});

describe("look-alikes", () => {
  it("are noted where they are numbers or differ by what cannot be seen", () => {
    const data = fromCsv(
      "task,worker,label\na,w,1\nb,w,1.0\nc,w,cat\nd,w,ca\u200bt\ne,w,2.50\nf,w,2.5\ng,w,007\nh,w,7\n",
    );
    expect(data.notes).toEqual([
      'The classes "1", "1.0" look alike but are kept apart. If they mean the same, fold their case or map them.',
      'The classes "2.5", "2.50" look alike but are kept apart. If they mean the same, fold their case or map them.',
      'The classes "cat", "ca\\u200bt" look alike but are kept apart. If they mean the same, fold their case or map them.',
    ]);
  });

  it("are noted among tasks and workers", () => {
    const data = fromCsv("task,worker,label\na,7,x\na\u200b,7.0,y\nb ,ana,x\nb,ana\ufeff!,y\n", {
      keepSpaces: true,
    });
    expect(data.notes).toEqual([
      '2 task names look like another and are kept apart, such as "a\\u200b".',
      '1 worker name looks like another and is kept apart, such as "7.0".',
    ]);
  });
});

describe("labels that look like no answer", () => {
  it.each(["N/A", "null", "None", "-", "?", '""""""', "#N/A", "NaN", "''"])(
    "are noted: %s",
    (label) => {
      const data = fromCsv(`task,worker,label\na,v,${label}\nb,v,${label}\na,w,x\n`);
      expect(data.notes.join()).toContain(
        `The class ${JSON.stringify(label === '""""""' ? '""' : label)} (2 labels) looks like "no answer" but counts as a class.`,
      );
      expect(data.notes.join()).toContain("use missing: [");
    },
  );

  it("are not, where they are said to be classes, abstentions or missing", () => {
    const text = "task,worker,label\na,v,none\nb,v,none\na,w,x\n";
    for (const options of [
      { classes: ["none", "x"] },
      { abstentions: ["none"] },
      { missing: ["none"] },
    ]) {
      expect(fromCsv(text, options).notes.join()).not.toContain("no answer");
    }
    expect(fromCsv(text).notes).toEqual([
      'The class "none" (2 labels) looks like "no answer" but counts as a class. If it means that there is no label, use missing: ["none"].',
    ]);
  });
});
