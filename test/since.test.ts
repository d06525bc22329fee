import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cli } from "./world.ts";

const root = mkdtempSync(join(tmpdir(), "consilience-since-"));
const at = (name: string) => join(root, name);
const schema = join(import.meta.dirname, "../docs/schema/result.json");
const validate = new Ajv2020({ allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(schema, "utf8")),
);

/** Labels of three workers: two who agree, and one who says what `odd` says. */
function labels(tasks: number, odd: string, turned = -1): string {
  const rows = Array.from({ length: tasks }, (_, t) => {
    const label = (t % 2 === 0) === (t !== turned) ? "x" : "y";
    return `${["ann", "bob"].map((worker) => `t${t},${worker},${label}\n`).join("")}t${t},${odd},x\n`;
  });
  return `task,worker,label\n${rows.join("")}`;
}

beforeAll(async () => {
  writeFileSync(at("old.csv"), labels(30, "cid"));
  writeFileSync(at("new.csv"), labels(31, "dan", 4));
  await cli(["aggregate", at("old.csv"), "--method", "dawid-skene", "--out", at("old")]);
});
afterAll(() => rmSync(root, { recursive: true }));

const since = (...more: string[]) =>
  cli(["aggregate", at("new.csv"), "--method", "dawid-skene", "--since", ...more]);

describe("--since", () => {
  it("says what changed, in words, in result.json and in the report", async () => {
    const { code, said } = await since(at("old/result.json"), "--out", at("new"));
    expect(code).toBe(0);
    expect(said).toContain(`Since ${at("old/result.json")}:`);
    expect(said).toContain("1 of 30 answers changed (3.3 %).");
    expect(said).toContain("1 new task or item: t30.");
    expect(said).toContain("1 new worker: dan.");
    expect(said).toContain("1 worker is gone: cid.");
    expect(said).toContain("The data changed: 90 labels then, 93 now.");
    const document = JSON.parse(readFileSync(at("new/result.json"), "utf8"));
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
    expect(document.since).toMatchObject({
      sameData: false,
      answers: { compared: 30, changed: 1, first: [{ name: "t4", before: "x", after: "y" }] },
    });
    // The flag is about this run only: it is not repeated.
    expect(document.command.join(" ")).not.toContain("--since");
    const page = readFileSync(at("new/report.html"), "utf8");
    expect(page).toContain('<section id="since"');
    expect(page).toContain("Answers that changed, the most confident first");
  });

  it("takes a folder, finds nothing where nothing changed, and prints it with --json", async () => {
    const same = ["aggregate", at("old.csv"), "--method", "dawid-skene", "--since", at("old")];
    const { out } = await cli([...same, "--json"]);
    const document = JSON.parse(out);
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
    expect(document.since).toMatchObject({
      sameData: true,
      answers: { compared: 30, changed: 0, first: [] },
      workers: { compared: 3, skill: { count: 0 }, standing: { count: 0 } },
    });
    // What --json printed has its answers with it.
    writeFileSync(at("printed.json"), out);
    expect((await since(at("printed.json"))).said).toContain("1 of 30 answers changed");
  });

  it("names no worker where none may be named", async () => {
    const { said } = await since(at("old"), "--anonymise", "--out", at("anonymous"));
    expect(said).toContain("1 new worker.");
    for (const file of ["result.json", "report.html"]) {
      const text = readFileSync(at(`anonymous/${file}`), "utf8");
      expect(text).not.toMatch(/\b(ann|bob|cid|dan)\b/);
    }
  });

  it("compares numbers and comparisons too", async () => {
    const table = (rows: readonly string[]) => `${rows.join("\n")}\n`;
    const values = Array.from({ length: 12 }, (_, i) => `t${i % 4},w${i % 3},${i}`);
    writeFileSync(at("values.csv"), table(["task,worker,value", ...values]));
    const plain = ["--method", "mean"];
    await cli(["aggregate", at("values.csv"), ...plain, "--out", at("values")]);
    writeFileSync(at("values.csv"), table(["task,worker,value", ...values, "t0,w2,999"]));
    const numbers = await cli(["aggregate", at("values.csv"), ...plain, "--since", at("values")]);
    expect(numbers.said).toContain("1 of 4 answers changed (25.0 %), 0 of them beyond");
    const games = ["w,a,b,a", "w,b,c,b", "v,a,c,a", "v,b,a,b", "v,c,a,c"];
    writeFileSync(at("games.csv"), table(["worker,left,right,label", ...games]));
    await cli(["aggregate", at("games.csv"), "--out", at("games")]);
    const again = await cli(["aggregate", at("games.csv"), "--since", at("games")]);
    expect(again.said).toContain("0 of 3 answers changed");
    expect(again.said).toContain("The data are the same.");
  });

  it.each([
    ["not-json", "{", /is not JSON/],
    ["list", "[]", /no result\.json of a run/],
    ["other", '{"tool":{"name":"x"}}', /there is no tool consilience/],
    ["future", '{"tool":{"name":"consilience"},"schema":99}', /its schema is 99/],
    [
      "kind",
      '{"tool":{"name":"consilience"},"schema":2,"kind":7,"method":"m"}',
      /kind or method is no text/,
    ],
    [
      "notes",
      '{"tool":{"name":"consilience"},"schema":1,"method":"m","notes":[1]}',
      /notes is no list of texts/,
    ],
    [
      "no-truth",
      '{"tool":{"name":"consilience"},"schema":1,"method":"m"}',
      /truth\.csv: there is no such file/,
    ],
    [
      "bad-answers",
      '{"tool":{"name":"consilience"},"schema":1,"method":"m","answers":[3]}',
      /an answer is no object/,
    ],
    [
      "numeric",
      '{"tool":{"name":"consilience"},"schema":2,"kind":"numeric","method":"m","answers":[]}',
      /earlier run is of numeric answers, but these are categorical/,
    ],
  ])("refuses what is no earlier run: %s", async (name, text, message) => {
    mkdirSync(at(name));
    writeFileSync(at(`${name}/result.json`), text);
    const { code, said } = await since(at(`${name}/result.json`));
    expect(said.replaceAll("\n", " ")).toMatch(message);
    expect(code).toBe(1);
  });

  it("copes with hostile names and numbers in an old run", async () => {
    const document = {
      tool: { name: "consilience", version: "<script>" },
      schema: 1,
      method: "</style><img src=x>",
      notes: ["<b>"],
      answers: [
        { task: "__proto__", label: "<img src=x onerror=alert(1)>" },
        { task: "t0", label: "=cmd()", confidence: "NaN" },
        { task: "t1", label: { toString: 1 } },
      ],
    };
    writeFileSync(at("hostile.json"), JSON.stringify(document));
    const { code } = await since(at("hostile.json"), "--out", at("hostile-out"));
    expect(code).toBe(0);
    const page = readFileSync(at("hostile-out/report.html"), "utf8");
    expect(page).not.toMatch(/<img|<b>|<script>(?=<)/);
    expect(page).toContain("=cmd()");
    const written = JSON.parse(readFileSync(at("hostile-out/result.json"), "utf8"));
    expect(validate(written), JSON.stringify(validate.errors)).toBe(true);
  });
});
