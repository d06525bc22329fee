/** Links between tasks and types of judges through the commands. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, describe, expect, it } from "vitest";
import { judgeKinds, simulatedJudges } from "./comparisons.ts";
import { cli } from "./world.ts";

const work = mkdtempSync(join(tmpdir(), "consilience-links-"));
const at = (name: string) => join(work, name);
afterAll(() => rmSync(work, { recursive: true, force: true }));
const file = (name: string, text: string) => {
  writeFileSync(at(name), text);
  return at(name);
};

describe("links", () => {
  const rows = [..."abcdefgh"].map((task, i) => `${task},w${i % 3},${"yynynnyn"[i]}\n`);
  const labels = file("labels.csv", `task,worker,label\n${rows.join("")}`);
  const pairs = "ab bc ca ad bd cd ef fg ge eh fh gh ax".split(" ");
  const table = (header: string, weight = "") =>
    `${header}\n${pairs.map(([x, y]) => `${x},${y}${weight}\n`).join("")}`;
  const graph = (links: string) =>
    cli(["aggregate", labels, "--method", "graph-dawid-skene", "--links", links]);

  it.each([
    ["task,task", ""],
    ["task_a,task_b", ""],
    ["source,target,weight", ",2"],
  ])("are read with the header %s", async (header, weight) => {
    const { code, out: printed, said } = await graph(file("links.csv", table(header, weight)));
    expect(code, said).toBe(0);
    expect(printed).toMatch(/\nc,y,/);
    expect(printed).toMatch(/\ng,n,/);
    expect(said).toMatch(/1 link names something that is no task of the labels/);
  });

  it.each([
    ["a,b\nx,y\n", /there are no two columns of tasks. It has: a, b/],
    ["task_a,task_b\na,a\n", /row 1 has a, a; expected two different tasks/],
    ["task_a,task_b,weight\na,b,-1\n", /row 1 has a, b, -1; expected .* a number from 0 up/],
    ["task_a,task_b,weight\na,b,\n", /row 1 has a, b, ; expected/],
  ])("are refused: %j", async (text, words) => {
    const { code, said } = await graph(file("wrong.csv", text));
    expect(code).not.toBe(0);
    expect(said.replace(/\s+/g, " ")).toMatch(words);
  });

  it("are asked for, and `compare` passes the method over without them", async () => {
    const alone = await cli(["aggregate", labels, "--method", "graph-dawid-skene"]);
    expect(alone.said).toContain("graph-dawid-skene needs --links FILE");
    const methods = ["compare", labels, "--methods", "majority-vote,graph-dawid-skene"];
    const without = await cli(methods);
    expect(without.out).toContain("needs links between tasks (--links FILE)");
    const links = file("links.csv", table("task_a,task_b"));
    const given = await cli([...methods, "--links", links]);
    expect(given.out).not.toContain("needs links");
    expect(given.out).toMatch(/graph-dawid-skene,-?[\d.]+/);
  });
});

it("writes types of judges", async () => {
  const { honest, adversary } = judgeKinds;
  const judges = Array.from({ length: 30 }, (_, u) => (u < 20 ? honest : adversary));
  const data = simulatedJudges(1, judges, { items: 6, answers: 40, sd: 1.5 });
  const rows = Array.from(data.label, (l, i) => {
    const [left, right] = [data.items.at(data.left[i]), data.items.at(data.right[i])];
    return `${data.workers.at(data.worker[i])},${left},${right},${l === 0 ? left : right}\n`;
  });
  const answers = file("pairs.csv", `worker,left,right,label\n${rows.join("")}`);
  const out = at("out");
  const { code, said } = await cli([
    "aggregate",
    answers,
    "--method",
    "annotator-types",
    "--out",
    out,
  ]);
  expect(code, said).toBe(0);
  expect(said).toContain("2 types of workers rank the items differently: see types.csv.");
  const read = (name: string) => readFileSync(join(out, name), "utf8");
  expect(read("types.csv").split("\n")).toHaveLength(14);
  expect(read("types.csv")).toMatch(/^type,item,score\n1,i\d,[\d.]+\n/);
  expect(read("workers.csv")).toMatch(/standing,type,type_probability\n/);
  expect(read("report.html")).toContain("Types of workers");
  const valid = new Ajv2020({ allowUnionTypes: true }).compile(
    JSON.parse(readFileSync(join(import.meta.dirname, "../docs/schema/result.json"), "utf8")),
  );
  const document = JSON.parse(read("result.json"));
  expect(valid(document), JSON.stringify(valid.errors)).toBe(true);
  expect(document.types.map(({ workers }: { workers: number }) => workers)).toEqual([20, 10]);
  const diagnosed = await cli(["diagnose", answers, "--method", "annotator-types"]);
  expect(diagnosed.out).toContain("2 types of workers rank the items differently");
});
