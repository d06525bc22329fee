import { describe, expect, it } from "vitest";
import { fromRows } from "../data/from-rows.ts";
import { type AttributeTable, joinAttributes } from "../data/join-attributes.ts";
import { attributesTable } from "./attributes.ts";
import { tableFromBytes } from "./from-bytes.ts";
import type { TableOptions } from "./table.ts";

const read = (text: string, options: TableOptions = {}, name = "groups.csv") =>
  tableFromBytes(attributesTable, { name, bytes: new TextEncoder().encode(text) }, options);

describe("tables of facts", () => {
  it("are about workers or tasks, under any of their usual names", async () => {
    const { of, names, columns } = await read(
      "Annotator ID;Gender;Age\nann;woman;25-29\nbob;man;\n",
    );
    expect({ of, names }).toEqual({ of: "worker", names: ["ann", "bob"] });
    expect([...columns]).toEqual([
      ["Gender", ["woman", "man"]],
      ["Age", ["25-29", ""]],
    ]);
    expect(await read('{"doc":"d1","dialect":"south"}\n', {}, "g.jsonl")).toMatchObject({
      of: "task",
      names: ["d1"],
    });
  });

  it("may name a worker again if nothing contradicts, and fill what was empty", async () => {
    const { names, columns } = await read("worker,site\na,\nb,x\na,y\n a ,y\n");
    expect([names, columns.get("site")]).toEqual([
      ["a", "b"],
      ["y", "x"],
    ]);
  });

  it("name the row that contradicts an earlier one", async () => {
    await expect(read("worker,site\na,x\nb,x\na,y\n")).rejects.toThrow(
      'groups.csv:4: worker "a" has "site" "y", but "x" in line 2.',
    );
    const dropped = await read("worker,site\na,x\nb,x\na,y\n", { badRows: "drop" });
    expect(dropped.columns.get("site")).toEqual(["x", "x"]);
    expect(dropped.notes.join()).toContain("1 row with problems dropped");
  });

  it("say that they have neither tasks nor workers, or both, and how to choose", async () => {
    await expect(read("who,gender\na,x\n")).rejects.toThrow(
      /no column is recognised as the task or the worker. The columns are: "who", "gender". Name it: groupColumns: "task=…"/,
    );
    await expect(read("task,worker,label\nt,a,x\n")).rejects.toThrow(
      /about tasks or about workers, but there are "task" for the task and "worker" for the worker/,
    );
    const mapped = await read("task,worker,site\nt,a,x\n", {
      columns: { worker: "worker" },
      only: ["site"],
    });
    expect(mapped).toMatchObject({ of: "worker", names: ["a"] });
    expect([...mapped.columns.keys()]).toEqual(["site"]);
    expect(mapped.unread).toEqual(["task"]);
  });

  it("take a column called task or worker before one with another word for it", async () => {
    expect((await read("task,model\nt,gpt\n")).of).toBe("task");
    expect((await read("id,worker,site\n1,a,x\n")).of).toBe("worker");
    // A column that is asked for as a fact is not the name of anything.
    expect((await read("user,document\nt,d\n", { only: ["document"] })).of).toBe("worker");
  });

  it("refuse to be without facts, and two columns of one name", async () => {
    await expect(read("worker\na\n")).rejects.toThrow(
      "groups.csv: there is no column besides that of the worker. Add a column that says which group each worker belongs to.",
    );
    await expect(read("worker,site,site\na,x,y\n")).rejects.toThrow("two columns are named");
  });

  it("count rows without a name", async () => {
    expect((await read("worker,site\n,x\na,y\n")).notes).toContain(
      "groups.csv: rows without a worker left out: 1.",
    );
  });
});

describe("joining", () => {
  const data = fromRows(
    Array.from({ length: 24 }, (_, i) => ({ task: `t${i % 6}`, worker: `w${i % 8}`, label: "a" })),
  );
  const table = (
    values: Readonly<Record<string, readonly string[]>>,
    of: "task" | "worker" = "worker",
  ): AttributeTable => {
    const columns = new Map(Object.entries(values));
    const [first] = columns.values();
    return { name: "f.csv", of, names: first.map((_, i) => `${of[0]}${i}`), columns };
  };
  const two = ["x", "x", "x", "x", "y", "y", "y", "y"];

  it("gives one value per worker in the order of the data, and notes who is missing on either side", () => {
    const { workerAttributes, notes } = joinAttributes(data, [
      table({ site: ["", ...two.slice(1), "z", "z"] }),
    ]);
    expect(workerAttributes?.get("site")).toEqual(["", ...two.slice(1)]);
    expect(notes).toEqual([
      'f.csv: not in the data: 2 of 10 workers, such as "w8".',
      'No value of "site": 1 of 8 workers in the data. They are left out of its groups.',
    ]);
  });

  it("refuses a table that shares no name", () => {
    const strange = { ...table({ site: ["x"] }), names: ["worker 1"] };
    expect(() => joinAttributes(data, [strange])).toThrow(
      'f.csv: no worker of this file is in the data. The file names "worker 1", the data "w0". Do both name workers the same way?',
    );
  });

  it("leaves out what makes no groups, and says why; refuses it if it was asked for", () => {
    const ids = data.workers.length;
    const many = table({
      site: two,
      name: Array.from({ length: ids }, (_, i) => `person ${i}`),
      age: Array.from({ length: ids }, (_, i) => String(20 + i)),
      same: Array.from({ length: ids }, () => "k"),
    });
    const { workerAttributes, notes } = joinAttributes(data, [many]);
    expect([...(workerAttributes?.keys() ?? [])]).toEqual(["site"]);
    expect(notes.join("\n")).toMatch(
      /"name" of workers is left out: 8 workers with a value have 8 different ones, such as "person 0"/,
    );
    expect(notes.join("\n")).toMatch(
      /"age" .* all of them numbers. Write ranges instead, such as 18-29/,
    );
    expect(notes.join("\n")).toMatch(/"same" .* every worker with a value has "k"/);
    expect(() => joinAttributes(data, [many], { by: ["age"] })).toThrow(/Write ranges instead/);
    const unread = { ...table({ site: two }), unread: ["shift"] };
    expect(() => joinAttributes(data, [unread], { by: ["shifts"] })).toThrow('"shift" (workers)');
    expect(() => joinAttributes(data, [many], { by: ["sites"] })).toThrow(
      /There is no attribute "sites". The attributes are: "site" \(workers\), "name"/,
    );
  });

  it("adds to what the data have, from several tables, and keeps only what is asked for", () => {
    const had = { ...data, workerAttributes: new Map([["team", two]]) };
    const tasks = table({ topic: ["p", "p", "q", "q", "q", "p"] }, "task");
    const part = { ...table({ site: two.slice(0, 4) }), name: "a.csv" };
    const rest = { ...table({ site: two.slice(4) }), names: ["w4", "w5", "w6", "w7"] };
    const all = joinAttributes(had, [tasks, part, rest]);
    expect([...(all.workerAttributes ?? [])]).toEqual([
      ["team", two],
      ["site", two],
    ]);
    expect(all.taskAttributes?.get("topic")).toHaveLength(6);
    expect(all.notes).toEqual([]);
    const one = joinAttributes(had, [tasks, part, rest], { by: ["topic"] });
    expect(one.taskAttributes?.size).toBe(1);
    expect(one.workerAttributes?.size).toBe(0);
    expect(() => joinAttributes(had, [table({ team: two.toReversed() })])).toThrow(
      'f.csv: worker "w0" has "team" "y" here and "x" in another table.',
    );
  });
});
