/** Groups of tasks and workers from files, through the command: fairness, answers from a file, report and tables. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scenarios } from "../src/simulate/index.ts";
import { cli } from "./world.ts";

const work = mkdtempSync(join(tmpdir(), "consilience-groups-"));
const at = (name: string) => join(work, name);
afterAll(() => rmSync(work, { recursive: true, force: true }));

const HOSTILE = '<img src=x onerror="alert(1)">';
const FORMULA = '=HYPERLINK("http://evil","x")';

/** Writes a crowd in which four of 24 workers are biased in the south, and what is known of tasks and workers. */
beforeAll(() => {
  const { data, roles } = scenarios.drifting({
    tasks: 240,
    workers: 24,
    labelsPerTask: 8,
    seed: 2,
  });
  const south = (t: number) => t % 2 === 1;
  const rows = Array.from(data.label, (k, i) => {
    const biased = south(data.task[i]) && data.worker[i] >= 20;
    const label = data.classes.at(biased ? 0 : k);
    const time = new Date(data.time?.[i] ?? 0).toISOString();
    return `${data.tasks.at(data.task[i])},${data.workers.at(data.worker[i])},${label},${time}`;
  });
  const write = (name: string, header: string, lines: readonly string[]) =>
    writeFileSync(at(name), `${header}\n${lines.join("\n")}\n`);
  write("labels.csv", "task,worker,label,time", rows);
  const tasks = Array.from(data.tasks, (name, t) => ({ name, t }));
  write(
    "gold.csv",
    "task,label",
    tasks.map(({ name, t }) => `${name},${data.classes.at(data.gold[t])}`),
  );
  write(
    "tasks.csv",
    "item_id;dialect;text",
    tasks.map(({ name, t }) => ` ${name} ;${south(t) ? "south" : "north"};text ${t}`),
  );
  write(
    "workers.csv",
    "annotator,team,role",
    Array.from(
      data.workers,
      (name, w) => `${name},${w < 12 ? "in-house" : "agency"},"${roles[w]}"`,
    ),
  );
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  write(
    "hostile.csv",
    `task,${quoted(HOSTILE)}`,
    tasks.map(({ name, t }) => `${name},${quoted(south(t) ? HOSTILE : FORMULA)}`),
  );
});

const labels = () => [at("labels.csv"), "--method", "majority-vote"];
const by = (...files: string[]) => files.flatMap((file) => ["--groups", at(file)]);

describe("diagnose --groups", () => {
  it("tells of answers, workers and groups of workers in words that fit 80 columns", async () => {
    const { code, out, said } = await cli([
      "diagnose",
      ...labels(),
      ...["--gold", at("gold.csv")],
      ...by("tasks.csv", "workers.csv"),
    ]);
    expect(code, said).toBe(0);
    expect(said).toContain('task = "item_id", groups by "dialect", "text"');
    expect(said).toMatch(/note: The attribute "text" of tasks is left out: 240 tasks/);
    expect(out).toContain("Answers by dialect, tasks in each group: north (120) and south (120)");
    expect(out).toMatch(/ {2}equal opportunity {2,}\d\.\d\d \[.*\] {2,}chance \d\.\d\d {2}p /);
    expect(out).toMatch(/Workers who differ from the others between these groups: \d of 24/);
    expect(out).toContain("Dawid–Skene with one matrix per worker and group has a parity gap of");
    expect(out).toContain(
      "Workers by team: errors against gold, compared with others on the same tasks",
    );
    expect(out).toMatch(/p is corrected for the \d+ comparisons of this run/);
    for (const line of out.split("\n")) expect([...line].length, line).toBeLessThanOrEqual(80);
  });

  it("has all numbers in --json, by the attributes that were asked for", async () => {
    const { code, out, said } = await cli([
      ...["diagnose", ...labels(), "--json", "--by", "dialect"],
      ...by("tasks.csv", "workers.csv"),
    ]);
    expect(code, said).toBe(0);
    const { fairness } = JSON.parse(out);
    expect(fairness.workers).toEqual([]);
    expect(fairness.tasks[0].attribute).toBe("dialect");
    // Honest workers may be flagged beside biased ones, but not before them.
    const clearest = fairness.tasks[0].workers
      .toSorted(
        (a: { relative: { value: number } }, b: { relative: { value: number } }) =>
          b.relative.value - a.relative.value,
      )
      .slice(0, 4);
    expect(clearest.map(({ name }: { name: string }) => name).sort()).toEqual(
      [20, 21, 22, 23].map((w) => `w${w}`),
    );
    for (const { relative } of clearest) expect(relative.corrected).toBeLessThan(0.05);
    expect(fairness.tasks[0].answers.equalOpportunity).toEqual({
      estimated: false,
      reason: "No task has gold: without it only parity can be measured.",
    });
  });

  it.each([
    [["--by", "dialect"], 2, /--by needs --groups FILE/],
    [["--groups", "gold.csv", "--group-columns", "label=x"], 2, /task=NAME or worker=NAME/],
    [
      ["--groups", "tasks.csv", "--by", "dialects"],
      1,
      /no attribute "dialects".*"dialect" \(tasks\), "text" \(tasks\)/,
    ],
    [["--groups", "tasks.csv", "--by", "text"], 1, /"text" of tasks makes no groups/],
    [
      ["--groups", "labels.csv"],
      1,
      /labels.csv:1: a table of groups is about tasks or about workers/,
    ],
  ] as const)("%j says what to do", async (args, status, message) => {
    const paths = args.map((arg) => (arg.endsWith(".csv") ? at(arg) : arg));
    const { code, said } = await cli(["diagnose", ...labels(), ...paths, "--quiet"]);
    expect(code).toBe(status);
    expect(said).toMatch(message);
  });

  it("of comparisons and numbers compares groups of workers only", async () => {
    const judges = Array.from({ length: 24 }, (_, w) => `w${w}`);
    const pairs = judges.flatMap((name, w) =>
      Array.from({ length: 40 }, (_, i) => {
        const [a, b] = [i % 5, (i + 1 + (i % 4)) % 5];
        const likes = (x: number) => (w < 12 && x === 0 ? 9 : x) + ((i * 7 + w * 3) % 5) / 2;
        return `${name},a${a},a${b},${likes(a) > likes(b) ? "left" : "right"}`;
      }),
    );
    writeFileSync(at("pairs.csv"), `worker,left,right,label\n${pairs.join("\n")}\n`);
    const teams = judges.map((name, w) => `${name},${w < 12 ? "x" : "y"}`).join("\n");
    writeFileSync(at("teams.csv"), `worker,team\n${teams}\n`);
    const compared = await cli([
      ...["diagnose", at("pairs.csv"), "--groups", at("teams.csv"), "--out", at("judges")],
    ]);
    expect(compared.code, compared.said).toBe(0);
    expect(compared.out).toContain("Workers by team: scores of items");
    expect(compared.out).toMatch(/x – y, "a0" +12 +.*0\.001/);
    expect(readFileSync(at("judges/fairness.csv"), "utf8")).toMatch(
      /worker group,team,scores,,a0,x,y,\d/,
    );
    const tags = Array.from({ length: 720 }, (_, i) => {
      const [t, w] = [Math.floor(i / 24), i % 24];
      return `t${t},w${w},0,${w < 12 || i % 3 === 0 ? "O" : "B-x"}`;
    });
    writeFileSync(at("tags.csv"), `task,worker,position,label\n${tags.join("\n")}\n`);
    const tagged = await cli([
      ...["diagnose", at("tags.csv"), "--groups", at("teams.csv"), "--quiet"],
    ]);
    expect(tagged.code, tagged.said).toBe(0);
    expect(tagged.out).toContain("Workers by team: agreement with the others");
    const values = Array.from({ length: 800 }, (_, i) => `t${i % 40},v${(i * 7) % 24},${i % 11}`);
    writeFileSync(at("values.csv"), `task,worker,value\n${values.join("\n")}\n`);
    const halves = Array.from({ length: 24 }, (_, w) => `v${w},${w < 12 ? "x" : "y"}`);
    writeFileSync(at("halves.csv"), `worker,half\n${halves.join("\n")}\n`);
    const told = await cli([
      ...["diagnose", at("values.csv"), "--groups", at("halves.csv"), "--out", at("numbers")],
    ]);
    expect(told.code, told.said).toBe(0);
    expect(told.out).toContain("Workers by half: ratings, compared with others on the same tasks");
    expect(readdirSync(at("numbers")).sort()).toEqual([
      "fairness.csv",
      "report.html",
      "workers.csv",
    ]);
  });
});

it("names with escape sequences do not steer the terminal", async () => {
  const tasks = readFileSync(at("gold.csv"), "utf8").trim().split("\n").slice(1);
  const rows = tasks.map((row, t) => `${row.split(",")[0]},${t % 2 ? "\u001b[2Jx" : "y"}`);
  writeFileSync(at("escapes.csv"), `task,site\n${rows.join("\n")}\n`);
  const { out, code } = await cli(["diagnose", ...labels(), ...by("escapes.csv")]);
  expect(code).toBe(0);
  expect(out).toContain("␛[2Jx (120)");
  expect(out).not.toContain("\u001b");
});

describe("diagnose --answers", () => {
  const predictions = () => {
    const rows = readFileSync(at("gold.csv"), "utf8").trim().split("\n").slice(1);
    // Every fifth prediction in the south is wrong.
    return rows.map((row, t) => {
      const [task, label] = row.split(",");
      return [task, t % 2 === 1 && t % 5 === 0 ? (label === "c0" ? "c1" : "c0") : label];
    });
  };
  beforeAll(() => {
    const text = predictions().map((row) => row.join(","));
    writeFileSync(at("predictions.csv"), `task,label\n${text.join("\n")}\n`);
  });

  it("measures a classifier against gold by group, without labels or a method", async () => {
    const args = ["--answers", at("predictions.csv"), "--gold", at("gold.csv"), "--by", "dialect"];
    const { code, out, said } = await cli(["diagnose", ...args, ...by("tasks.csv"), "--json"]);
    expect(code, said).toBe(0);
    const { fairness, metrics, verdict } = JSON.parse(out);
    expect(verdict).toBeUndefined();
    expect(metrics.accuracy.value).toBeCloseTo(0.9, 6);
    expect(fairness.tasks[0].answers.errorGap).toMatchObject({
      estimated: true,
      groups: ["south", "north"],
    });
    // 24 of 120 and 0 of 120, smoothed.
    expect(fairness.tasks[0].answers.errorGap.value).toBeCloseTo(24.5 / 121 - 0.5 / 121, 5);
    expect(fairness.tasks[0].answers.errorGap.corrected).toBeLessThan(0.01);
    expect(fairness.tasks[0].workers).toEqual([]);
  });

  it("takes the place of a method beside labels, and gets no verdict", async () => {
    const args = [at("labels.csv"), "--answers", at("predictions.csv"), ...by("tasks.csv")];
    const { code, out, said } = await cli(["diagnose", ...args, "--by", "dialect", "--json"]);
    expect(code, said).toBe(0);
    const { method, verdict, workers, fairness } = JSON.parse(out);
    expect([method, verdict]).toEqual(["given-answers", undefined]);
    expect(workers).toHaveLength(24);
    expect(fairness.tasks[0].workers).toHaveLength(24);
  });

  it.each([
    [[], 2, /Name what to judge the answers by/],
    [["--method", "ds", "--gold", "gold.csv"], 2, /--answers takes the place of a method/],
    [["--time", "--gold", "gold.csv"], 2, /--time is about labels/],
    [["--gold", "other.csv"], 1, /No task with gold has an answer. Gold names "nobody"/],
  ] as const)("%j says what to do", async (args, status, message) => {
    writeFileSync(at("other.csv"), "task,label\nnobody,c0\n");
    const paths = args.map((arg) => (arg.endsWith(".csv") ? at(arg) : arg));
    const { code, said } = await cli(["diagnose", "--answers", at("predictions.csv"), ...paths]);
    expect(code).toBe(status);
    expect(said).toMatch(message);
  });

  it("refuses answers of other tasks or classes than the labels have", async () => {
    writeFileSync(at("strange.csv"), "task,label\nnobody,c0\n");
    const other = await cli([
      "diagnose",
      at("labels.csv"),
      "--answers",
      at("strange.csv"),
      "--quiet",
    ]);
    expect(other.said).toContain(
      'No answer is about a task of the labels: the answers name "nobody"',
    );
    writeFileSync(at("strange.csv"), "task,label\nt0,zebra\n");
    const class_ = await cli([
      "diagnose",
      at("labels.csv"),
      "--answers",
      at("strange.csv"),
      "--quiet",
    ]);
    expect(class_.said).toContain('The answers have a class "zebra" that the labels do not have');
  });
});

describe("diagnose --out", () => {
  it("writes a report and the tables that apply, and nothing over other files unless told", async () => {
    const args = ["diagnose", ...labels(), "--time", "--out", at("out"), ...by("workers.csv")];
    const { code, said } = await cli(args);
    expect(code, said).toBe(0);
    expect(said).toContain("Wrote workers.csv, drift.csv, fairness.csv, report.html into");
    expect(readdirSync(at("out")).sort()).toEqual([
      "drift.csv",
      "fairness.csv",
      "report.html",
      "workers.csv",
    ]);
    const page = readFileSync(at("out/report.html"), "utf8");
    for (const id of ["workers", "dependence", "drift", "worker-groups", "checks", "agreement"]) {
      expect(page, id).toContain(`<section id="${id}"`);
    }
    expect(page).not.toContain('<section id="task-groups"');
    expect(readFileSync(at("out/drift.csv"), "utf8")).toMatch(
      /^worker,from,to,labels,skill,low,high,flags\nw\d+,2026-/,
    );
    expect((await cli(args)).said).toContain("is not empty");
    expect((await cli([...args, "--force", "--quiet"])).code).toBe(0);
    // What a later run does not have does not stay behind.
    expect((await cli(["diagnose", ...labels(), "--out", at("out"), "--force"])).code).toBe(0);
    expect(readdirSync(at("out")).sort()).toEqual(["report.html", "workers.csv"]);
  });

  it("keeps names of attributes and groups as data, in the page and in the table", async () => {
    const args = ["diagnose", ...labels(), "--out", at("hostile"), ...by("hostile.csv")];
    const { code, said } = await cli(args);
    expect(code, said).toBe(0);
    const page = readFileSync(at("hostile/report.html"), "utf8");
    expect(page).toContain('<section id="task-groups"');
    expect(page).not.toContain("<img");
    expect(page).toContain("&lt;img src=x");
    const table = readFileSync(at("hostile/fairness.csv"), "utf8");
    expect(table).toContain(`"'=HYPERLINK(""http://evil"",""x"")"`);
    expect(table).not.toMatch(/(^|,)"?=HYPERLINK/m);
  });
});
