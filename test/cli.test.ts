import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commands } from "../src/cli/main.ts";
import { folder as dataFolder, hasSet } from "./datasets.ts";
import { onLinux, onPosix } from "./platform.ts";
import { cli } from "./world.ts";

const work = mkdtempSync(join(tmpdir(), "consilience-cli-"));
const at = (name: string) => join(work, name);
const bin = join(import.meta.dirname, "../dist/cli/bin.js");
const schema = JSON.parse(
  readFileSync(join(import.meta.dirname, "../docs/schema/result.json"), "utf8"),
);
const valid = new Ajv2020({ allowUnionTypes: true }).compile(schema);
const crowd = ["aggregate", at("crowd/labels.csv"), "--gold", at("crowd/gold.csv")];
const files = [
  "confusion.csv",
  "posterior.csv",
  "report.html",
  "result.json",
  "review.csv",
  "truth.csv",
  "workers.csv",
];

beforeAll(async () => {
  const made = await cli([
    "simulate",
    "mixed",
    "--tasks",
    "150",
    "--workers",
    "30",
    "--out",
    at("crowd"),
  ]);
  expect(made).toMatchObject({ code: 0, out: "" });
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

describe("help", () => {
  it("lists the commands", async () => {
    const { code, out } = await cli([]);
    expect(code).toBe(0);
    for (const { id } of commands) expect(out).toContain(`  ${id} `);
  });

  it.each(commands.map(({ id }) => id))("of %s shows an example and its options", async (id) => {
    const { code, out } = await cli([id, "--help"]);
    expect(code).toBe(0);
    expect(out).toContain(`Example: consilience ${id}`);
    expect(out).toContain("--help");
  });

  it("of a method shows its own options", async () => {
    expect((await cli(["aggregate", "--method", "glad", "--help"])).out).toContain(
      "Options of glad",
    );
    expect((await cli(["methods", "zencrowd"])).out).toContain("--start-skill");
    const { out } = await cli(["methods"]);
    expect(out).toContain("bayes-gc");
    // Every family of a kind stands together, under one heading.
    const parts = out.split(/^(?=\S)/m);
    expect(parts.length).toBeGreaterThan(6);
    for (const part of parts) {
      const headings = part.match(/^ \S.*$/gm) ?? [];
      if (part.startsWith("categorical")) expect(headings).toContain(" moments");
      expect(new Set(headings).size, part).toBe(headings.length);
    }
  });
});

describe("wrong usage ends with 2 and says what to do", () => {
  it.each([
    [["agregate"], /Did you mean aggregate\?/],
    [
      ["aggregate", "x.csv", "--metod", "ibcc"],
      /There is no option --metod. Did you mean --method\?/,
    ],
    [["aggregate", "x.csv", "--method", "david-skene"], /Did you mean dawid-skene\?/],
    [["aggregate"], /Name a file of labels/],
    [["aggregate", "x.csv", "--seed", "abc"], /--seed takes a number, not "abc"/],
    [["simulate", "hospital"], /Did you mean hospitals\?/],
    [["evaluate", "x.csv"], /--gold FILE/],
    [["convert", "x.csv"], /a file to read and a file to write/],
  ])("%j", async (args, message) => {
    const { code, said, out } = await cli(args);
    expect(said).toMatch(message);
    expect(code).toBe(2);
    expect(out).toBe("");
  });

  it("options of methods out of range", async () => {
    const { code, said } = await cli([...crowd, "--method", "dawid-skene", "--smoothing", "-1"]);
    expect(said).toContain("dawid-skene: smoothing must be at least 0, not -1.");
    expect(code).toBe(2);
  });
});

describe("aggregate", () => {
  it("writes all files, prints accuracy, and gives the same bytes twice", async () => {
    const first = await cli([...crowd, "--method", "dawid-skene", "--out", at("one")]);
    expect(first.code).toBe(0);
    expect(first.said).toMatch(/Accuracy \d\d\.\d\d % \[.*\] on 150 gold tasks.*majority vote/);
    expect(readdirSync(at("one")).sort()).toEqual(files);
    await cli([...crowd, "--method", "dawid-skene", "--out", at("two")]);
    for (const name of files) {
      const [a, b] = ["one", "two"].map((dir) => readFileSync(join(work, dir, name), "utf8"));
      const timeless = (text: string) => text.replace(/"timings": \{[^}]*\}/, "");
      expect(name === "result.json" ? timeless(a) : a).toBe(
        name === "result.json" ? timeless(b) : b,
      );
    }
    const head = (name: string) => readFileSync(at(`one/${name}`), "utf8").split("\n")[0];
    expect(head("truth.csv")).toBe("task,label,confidence");
    expect(head("posterior.csv")).toBe("task,c0,c1,c2,c3");
    expect(head("workers.csv")).toBe(
      "worker,labels,skill,skill_low,skill_high,informativeness,standing,flags",
    );
    expect(head("confusion.csv")).toBe("worker,true,given,probability");
    expect(head("review.csv")).toBe("task,label,confidence,runner_up,margin,labels,reason");
  });

  it("prints JSON that fits the schema, and nothing else", async () => {
    for (const method of ["auto", "majority-vote", "ibcc"]) {
      const { code, out, said } = await cli([...crowd, "--method", method, "--json"]);
      expect(code).toBe(0);
      expect(said).toBe("");
      const document = JSON.parse(out);
      expect(valid(document), JSON.stringify(valid.errors)).toBe(true);
      expect(document.answers).toHaveLength(150);
    }
    expect(valid(JSON.parse(readFileSync(at("one/result.json"), "utf8")))).toBe(true);
  });

  it("refuses a folder that is not empty, but for --force, and keeps what is not ours", async () => {
    const refused = await cli([...crowd, "--out", at("one")]);
    expect(refused.code).toBe(2);
    expect(refused.said).toMatch(/--force/);
    writeFileSync(at("one/mine.txt"), "mine");
    expect((await cli([...crowd, "--out", at("one"), "--force"])).code).toBe(0);
    expect(readFileSync(at("one/mine.txt"), "utf8")).toBe("mine");
  });

  it("repeats a run from its result.json", async () => {
    await cli([
      ...crowd,
      "--method",
      "ibcc",
      "--diagonal",
      "3",
      "--seed",
      "5",
      "--out",
      at("first"),
    ]);
    const { code } = await cli([
      "aggregate",
      "--rerun",
      at("first/result.json"),
      "--out",
      at("again"),
    ]);
    expect(code).toBe(0);
    expect(readFileSync(at("again/posterior.csv"), "utf8")).toBe(
      readFileSync(at("first/posterior.csv"), "utf8"),
    );
    const [a, b] = ["first", "again"].map((dir) =>
      JSON.parse(readFileSync(at(`${dir}/result.json`), "utf8")),
    );
    expect(b.options).toEqual(a.options);
    expect(b.options.diagonal).toBe(3);
    writeFileSync(at("bad.json"), "[]");
    expect((await cli(["aggregate", "--rerun", at("bad.json")])).code).toBe(1);
  });

  it("says when the labels have changed since the run that is repeated", async () => {
    const rows = readFileSync(at("crowd/labels.csv"), "utf8");
    writeFileSync(at("moving.csv"), rows);
    await cli(["aggregate", at("moving.csv"), "--method", "ibcc", "--out", at("before")]);
    const again = ["aggregate", "--rerun", at("before/result.json")];
    expect((await cli(again)).said).not.toMatch(/changed/);
    writeFileSync(at("moving.csv"), `${rows}t0,w-new,c1\n`);
    const { code, said } = await cli(again);
    expect(code).toBe(0);
    expect(said).toMatch(
      /note: The data have changed since .*result\.json was written: 750 labels then, 751 now\./,
    );
  });

  it("takes no output, code, address or secret from a result.json", async () => {
    const file = at("foreign.json");
    const document = JSON.parse(readFileSync(at("one/result.json"), "utf8"));
    const evil = ["--out", at("evil"), "--force", "--plugin", at("evil.mjs"), "--quiet"];
    writeFileSync(file, JSON.stringify({ ...document, command: [...document.command, ...evil] }));
    const { code, said, out } = await cli(["aggregate", "--rerun", file]);
    expect(code, said).toBe(0);
    expect(out).toMatch(/^task,label/);
    expect(existsSync(at("evil"))).toBe(false);
    for (const flag of ["--token=abc", "--url=http://example.org", "--key", "--master=local"]) {
      writeFileSync(file, JSON.stringify({ ...document, command: [...document.command, flag] }));
      expect((await cli(["aggregate", "--rerun", file])).code).not.toBe(0);
    }
    writeFileSync(file, JSON.stringify({ ...document, command: ["http://example.org/x.csv"] }));
    const address = await cli(["aggregate", "--rerun", file]);
    expect(address.said).toMatch(
      /foreign\.json.*http:\/\/example\.org\/x\.csv.*on the command line/,
    );
    expect(address.code).toBe(1);
  });

  it("finds the columns of gold by --gold-columns", async () => {
    const gold = readFileSync(at("crowd/gold.csv"), "utf8");
    writeFileSync(at("odd-gold.csv"), gold.replace("task,label", "Frage,Antwort"));
    const args = [at("crowd/labels.csv"), "--gold", at("odd-gold.csv")];
    const columns = ["--gold-columns", "task=Frage,label=Antwort"];
    const vote = ["--method", "majority-vote"];
    expect((await cli(["aggregate", ...args, ...vote])).code).toBe(1);
    const found = await cli(["aggregate", ...args, ...columns, ...vote]);
    expect(found.said).toMatch(/Accuracy .* on 150 gold tasks/);
    const some = ["--methods", "majority-vote", "--folds", "0"];
    expect((await cli(["compare", ...args, ...columns, ...some])).out).toMatch(
      /majority-vote,,0\./,
    );
    const few = ["--methods", "majority-vote", "--shares", "0"];
    expect((await cli(["robustness", ...args, ...columns, ...few])).code).toBe(0);
    const scored = ["evaluate", at("crowd/gold.csv"), "--gold", at("odd-gold.csv"), ...columns];
    expect((await cli(scored)).out).toMatch(/accuracy +1\.0000/);
    expect((await cli(["aggregate", ...args, "--gold-columns", "worker=x"])).said).toMatch(
      /--gold-columns takes task=…,label=…/,
    );
  });

  it("in a pipe prints CSV, on a terminal a summary", async () => {
    const piped = await cli([...crowd, "--method", "majority-vote"]);
    expect(piped.out.split("\n")).toHaveLength(152);
    expect(piped.out).toMatch(/^task,label,confidence\nt0,c\d,/);
    const seen = await cli([...crowd, "--method", "majority-vote"], { terminal: true });
    expect(seen.out).toMatch(/class\s+tasks/);
  });

  it("reads standard input, several files and gzip", async () => {
    const text = readFileSync(at("crowd/labels.csv"), "utf8");
    const rows = text.trim().split("\n");
    const whole = (await cli([...crowd, "--method", "ibcc"])).out;
    expect((await cli(["aggregate", "-", "--method", "ibcc"], { stdin: text })).out).toBe(whole);
    writeFileSync(at("half1.csv"), `${rows.slice(0, 300).join("\n")}\n`);
    writeFileSync(at("half2.csv.gz"), gzipSync(`${[rows[0], ...rows.slice(300)].join("\n")}\n`));
    expect(
      (await cli(["aggregate", at("half1.csv"), at("half2.csv.gz"), "--method", "ibcc"])).out,
    ).toBe(whole);
  });

  it("uses gold to fit and scores on gold not used", async () => {
    const { out } = await cli([...crowd, "--method", "ibcc", "--use-gold", "--json"]);
    const { metrics } = JSON.parse(out);
    expect(metrics.folds).toBe(5);
    expect(metrics.accuracy.value).toBeLessThan(1);
    expect((await cli(["aggregate", at("crowd/labels.csv"), "--use-gold"])).code).toBe(2);
  });

  it("takes priors, history, weights, confusions and priors of tasks", async () => {
    const prior = await cli([...crowd, "--method", "ibcc", "--prior", "0.4,0.3,0.2,0.1", "--json"]);
    expect(JSON.parse(prior.out).prior).toEqual([0.4, 0.3, 0.2, 0.1]);
    expect((await cli([...crowd, "--prior", "0.9,0.9"])).code).toBe(2);
    const oracle = await cli([
      ...crowd,
      "--method",
      "oracle",
      "--confusion",
      at("crowd/confusion.csv"),
      "--json",
    ]);
    expect(JSON.parse(oracle.out).metrics.accuracy.value).toBeGreaterThan(0.8);
    writeFileSync(
      at("weights.csv"),
      `worker,weight\n${Array.from({ length: 30 }, (_, w) => `w${w},1`).join("\n")}\n`,
    );
    const weighted = await cli([
      ...crowd,
      "--method",
      "weighted-vote",
      "--weights",
      at("weights.csv"),
      "--json",
    ]);
    const vote = await cli([...crowd, "--method", "majority-vote", "--json"]);
    expect(JSON.parse(weighted.out).metrics.accuracySplit).toBe(
      JSON.parse(vote.out).metrics.accuracySplit,
    );
    writeFileSync(
      at("history.csv"),
      "worker,true,given,count\nw0,c0,c0,1000\nw0,c1,c1,1000\nw0,c2,c2,1000\nw0,c3,c3,1000\n",
    );
    await cli([
      ...crowd,
      "--method",
      "dawid-skene",
      "--history",
      at("history.csv"),
      "--out",
      at("past"),
    ]);
    expect(
      Number(
        readFileSync(at("past/workers.csv"), "utf8")
          .split("\n")
          .find((row) => row.startsWith("w0,"))
          ?.split(",")[2],
      ),
    ).toBeGreaterThan(0.95);
    const tasks = await cli([
      ...crowd,
      "--method",
      "ibcc",
      "--task-prior",
      at("one/posterior.csv"),
      "--json",
    ]);
    expect(tasks.code).toBe(0);
    expect(
      (await cli([...crowd, "--method", "ibcc", "--task-prior", at("one/truth.csv")])).said,
    ).toMatch(/a column for each class/);
  });

  it("takes a classifier's predictions for crowdlab, which is refused without", async () => {
    const lab = [...crowd, "--method", "crowdlab"];
    expect((await cli(lab)).said).toMatch(/crowdlab needs --predictions FILE/);
    const found = await cli([...lab, "--predictions", at("one/posterior.csv"), "--json"]);
    expect(found.code).toBe(0);
    expect(JSON.parse(found.out).method).toBe("crowdlab");
  });

  it("takes predictions one per row as well, with the same result", async () => {
    const [header, first, ...rest] = readFileSync(at("one/posterior.csv"), "utf8")
      .trim()
      .split("\n");
    const [, ...classes] = header.split(",");
    // One task that is certain: it has a row for one class only.
    const rows = [
      [first.split(",")[0], ...classes.map((_, k) => (k === 0 ? 1 : 0))].join(","),
      ...rest,
    ];
    writeFileSync(at("wide.csv"), [header, ...rows, ""].join("\n"));
    const long = rows.flatMap((row) => {
      const [task, ...shares] = row.split(",");
      return shares.flatMap((p, k) => (Number(p) > 0 ? [`${task},${classes[k]},${p}`] : []));
    });
    const written = (name: string, lines: readonly string[]) => {
      writeFileSync(at(name), `task,label,probability\n${lines.join("\n")}\n`);
      return cli([...crowd, "--method", "crowdlab", "--quiet", "--predictions", at(name)]);
    };
    const wide = [...crowd, "--method", "crowdlab", "--quiet", "--predictions"];
    const found = await written("long.csv", long.toReversed());
    expect(found).toMatchObject({
      code: 0,
      out: (await cli([...wide, at("wide.csv")])).out,
    });
    expect((await written("twice.csv", [...long, long[0]])).said).toMatch(
      /task "t0" has two rows for "c0"/,
    );
    expect((await written("odd.csv", ["t0,c0,much"])).said).toMatch(
      /odd.csv:2: the probability should be a number from 0 to 1, but is "much"/,
    );
    expect((await written("less.csv", ["t0,c0,0.5"])).said).toMatch(
      /of task t0 sum to 0.5, not to 1/,
    );
  });

  it("anonymises workers in everything it writes", async () => {
    await cli([...crowd, "--method", "dawid-skene", "--anonymise", "--out", at("anonymous")]);
    for (const name of ["workers.csv", "confusion.csv", "review.csv", "report.html"]) {
      const text = readFileSync(at(`anonymous/${name}`), "utf8");
      expect(text).not.toMatch(/(?<![\w-])w\d+(?![\w-])/);
    }
    expect(readFileSync(at("anonymous/workers.csv"), "utf8")).toContain("worker-07");
  });
});

describe("bad input ends with 1, one clear message and no output", () => {
  const header = "task,worker,label\n";
  const cases: [string, string | Uint8Array, RegExp][] = [
    ["empty.csv", "", /empty\.csv/],
    ["header.csv", header, /header\.csv/],
    ["column.csv", "task,who,what\na,b,c\n", /column\.csv.*worker/s],
    [
      "distinct.csv",
      header +
        Array.from({ length: 60_000 }, (_, i) => `t${i},w${i % 9},text number ${i}`).join("\n"),
      /distinct\.csv.*label/s,
    ],
    ["binary.csv", Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256), /binary\.csv/],
    ["cut.csv.gz", gzipSync(header + "a,b,c\n".repeat(50_000)).subarray(0, 200), /cut\.csv\.gz/],
    ["nul.csv", `${header}a,b\0,c\n\0\0\0\n`, /nul\.csv/],
    ["long.csv", `${header}${"x".repeat(10_000_000)}`, /long\.csv:2/],
    ["ragged.csv", `${header}a,b,c\na,b\n`, /ragged\.csv:3/],
  ];
  it.each(cases)("%s", async (name, content, message) => {
    writeFileSync(at(name), content);
    const { code, said, out } = await cli(["aggregate", at(name), "--out", at(`out-${name}`)]);
    expect(said).toMatch(message);
    expect(said).not.toMatch(/\n\s+at /);
    expect(code).toBe(1);
    expect(out).toBe("");
    expect(existsSync(at(`out-${name}`))).toBe(false);
  });

  it("a gzip bomb", async () => {
    const inner = gzipSync(Buffer.alloc(2 ** 28, "\n"), { level: 9 });
    writeFileSync(at("bomb.csv.gz"), Buffer.concat(new Array(6).fill(inner)));
    const { code, said } = await cli([
      "aggregate",
      at("bomb.csv.gz"),
      "--repeats",
      "all",
      "--no-header",
    ]);
    expect(code).toBe(1);
    expect(said).toMatch(/bomb\.csv\.gz/);
  }, 120_000);

  it("gold none of whose tasks has labels, a missing file, a folder", async () => {
    writeFileSync(at("alien.csv"), "task,label\nzzz,c0\n");
    const alien = await cli(["aggregate", at("crowd/labels.csv"), "--gold", at("alien.csv")]);
    expect(alien).toMatchObject({ code: 1, out: "" });
    expect(alien.said).toMatch(/None of the 1 gold tasks has labels/);
    expect((await cli(["aggregate", at("nowhere.csv")])).said).toMatch(/nowhere\.csv/);
    expect((await cli(["aggregate", work])).code).toBe(1);
  });
});

describe("evaluate, compare, diagnose, convert", () => {
  it("evaluate scores answers with and without probabilities", async () => {
    const soft = await cli([
      "evaluate",
      at("one/posterior.csv"),
      "--gold",
      at("crowd/gold.csv"),
      "--json",
    ]);
    const hard = await cli([
      "evaluate",
      at("one/truth.csv"),
      "--gold",
      at("crowd/gold.csv"),
      "--json",
    ]);
    expect(JSON.parse(soft.out).accuracy.value).toBe(JSON.parse(hard.out).accuracy.value);
    expect(
      (await cli(["evaluate", at("one/posterior.csv"), "--gold", at("crowd/gold.csv")])).out,
    ).toMatch(/balanced accuracy/);
  });

  it("forecast tells what more labels would buy, by gold and without, and writes a page", async () => {
    const labels = at("crowd/labels.csv");
    const files = [labels, "--gold", at("crowd/gold.csv"), "--draws", "4"];
    const { code, out, said } = await cli(["forecast", ...files, "--out", at("buys")]);
    expect(code, said).toBe(0);
    expect(out).toMatch(/^labels,labels_per_task,accuracy,low,high,gain,gain_low,gain_high\n/);
    expect(out.trim().split("\n")).toHaveLength(7);
    expect(said).toMatch(/of the answers are right by gold\.\s+With [\d,]+ labels/);
    expect(readFileSync(at("buys/forecast.csv"), "utf8")).toBe(out);
    expect(readFileSync(at("buys/report.html"), "utf8")).toContain("Expected accuracy");
    const alone = ["forecast", labels, "--draws", "4"];
    expect((await cli(alone)).said).toContain("rests on labels alone");
    const json = await cli([...alone, "--json"]);
    expect(JSON.parse(json.out)).toMatchObject({ basis: "labels", goldTasks: 0 });
    expect(json.said).not.toContain("rests on labels alone");
    const bad = await cli(["forecast", labels, "--goal", "95"]);
    expect([bad.code, bad.said]).toEqual([2, expect.stringContaining("between 0 and 1, not 95")]);
  });

  it("robustness tells what bad workers would do, and writes a page", async () => {
    const files = [at("crowd/labels.csv"), "--gold", at("crowd/gold.csv")];
    const some = ["--methods", "majority-vote", "--corruptions", "colluding", "--draws", "2"];
    const { code, out, said } = await cli([
      "robustness",
      ...files,
      ...some,
      "--shares",
      "0,0.5",
      "--out",
      at("robust"),
    ]);
    expect(code, said).toBe(0);
    expect(out).toMatch(
      /^corruption,method,share,score,low,high\ncolluding,majority-vote,0,0\.\d+/,
    );
    expect(readFileSync(at("robust/robustness.csv"), "utf8")).toBe(out);
    expect(readFileSync(at("robust/report.html"), "utf8")).toContain("Colluding workers");
    const bad = await cli(["robustness", ...files, "--shares", "0.2,x"]);
    expect(bad.said).toMatch(/--shares takes numbers from 0 to 1/);
    expect(bad.code).toBe(2);
  });

  it("assign lists questions within its budget, none asked before and few per worker", async () => {
    const args = ["assign", at("crowd/labels.csv"), "--confident", "1"];
    const { code, out, said } = await cli([...args, "--budget", "12", "--per-worker", "3"]);
    expect(code, said).toBe(0);
    expect(said).toMatch(/12 questions; of \d+ tasks \d+ are open/);
    const [header, ...rows] = out.trim().split("\n");
    expect(header).toBe("task,worker,purpose,gain");
    expect(rows).toHaveLength(12);
    const labelled = readFileSync(at("crowd/labels.csv"), "utf8");
    const asked = rows.map((row) => row.split(","));
    for (const [task, worker] of asked) expect(labelled).not.toContain(`\n${task},${worker},`);
    expect(new Set(asked.map(([task, worker]) => `${task},${worker}`)).size).toBe(12);
    for (const [, worker] of asked) {
      expect(asked.filter((row) => row[1] === worker).length).toBeLessThanOrEqual(3);
    }
    const { out: json } = await cli([...args, "--budget", "2", "--json"]);
    expect(JSON.parse(json).questions).toHaveLength(2);
    const bad = await cli([...args, "--policy", "best"]);
    expect(bad.code).toBe(2);
    expect(bad.said).toMatch(/--policy is one of cover-gain/);
  });

  it("assign begins without labels, with costs, gold questions and what a classifier says, and says why it stops", async () => {
    const folder = at("campaign");
    mkdirSync(folder);
    const file = (name: string, lines: readonly string[]) => {
      writeFileSync(join(folder, name), `${lines.join("\n")}\n`);
      return join(folder, name);
    };
    const names = Array.from({ length: 10 }, (_, t) => `t${t}`);
    const start = [
      "assign",
      "--classes",
      "cat,dog",
      "--tasks",
      file("tasks.csv", ["task", ...names]),
    ];
    const workers = ["--workers", file("workers.txt", ["ann", "bob", "cy"])];
    const first = await cli([...start, ...workers, "--most-per-task", "2"]);
    expect(first.code, first.said).toBe(0);
    expect(first.out.trim().split("\n")).toHaveLength(21);
    expect(first.said).toMatch(/20 questions; of 10 tasks 10 are open/);
    expect(first.said).toMatch(/No more questions: No task is open: 0 of 10 are sure enough/);
    const costs = file("costs.csv", ["worker,cost", "ann,2", "bob,2", "cy,2"]);
    const money = await cli([...start, ...workers, "--costs", costs, "--money", "7"]);
    expect(money.out.trim().split("\n")).toHaveLength(4);
    expect(money.said).toMatch(/costs 2, which is more than is left/);
    const gold = file("gold.csv", ["task,label", "g1,cat", "g2,dog", "g3,cat", "g4,dog"]);
    const asked = await cli([...start, ...workers, "--gold", gold]);
    expect(asked.out).toMatch(/^g\d,\w+,gold,0$/m);
    const prior = file("prior.csv", [
      "task,cat,dog",
      ...names.map((t, i) => `${t},${i === 3 ? ".5,.5" : ".9,.1"}`),
    ]);
    const informed = await cli([
      ...start,
      ...workers,
      "--task-prior",
      prior,
      "--policy",
      "entropy",
    ]);
    expect(informed.out.split("\n")[1]).toMatch(/^t3,/);
    const nothing = await cli(["assign"]);
    expect(nothing.said).toMatch(/To begin without labels, give --tasks FILE/);
    expect(nothing.code).toBe(2);
    const wrong = await cli([
      ...start,
      ...workers,
      "--costs",
      file("bad.csv", ["worker,cost", "ann,x"]),
    ]);
    expect(wrong.said).toMatch(/the cost of ann is "x"; expected a number above 0/);
  });

  it("assign --replay compares policies on labels with gold, with a report", async () => {
    const files = [at("crowd/labels.csv"), "--gold", at("crowd/gold.csv")];
    const args = ["assign", ...files, "--replay", "cover-gain,random", "--seeds", "2"];
    const { code, out, said } = await cli([...args, "--out", at("replay")]);
    expect(code, said).toBe(0);
    expect(said).toMatch(/For an accuracy of [\d.]+ %:/);
    expect(said).toMatch(/cover-gain needs [\d,]+ labels/);
    const [header, ...rows] = out.trim().split("\n");
    expect(header).toMatch(/^policy,labels,accuracy,accuracy_low,accuracy_high,live/);
    expect(rows).toHaveLength(40);
    expect(readFileSync(at("replay/campaign.csv"), "utf8")).toBe(out);
    const page = readFileSync(at("replay/report.html"), "utf8");
    expect(page).toContain("What a policy of asking would save");
    expect(page).toContain("<svg");
    const arriving = await cli([...args, "--mode", "arrive", "--seeds", "1", "--json"]);
    expect(JSON.parse(arriving.out).curves).toHaveLength(2);
    expect((await cli([...args, "--mode", "never"])).said).toMatch(/--mode is both or arrive/);
    const wrong = await cli(["assign", ...files, "--replay", "best"]);
    expect(wrong.said).toMatch(/--replay takes policies with commas between/);
  });

  it("compare shows all methods, or says why not, and writes tables", async () => {
    const { code, out } = await cli([
      "compare",
      at("crowd/labels.csv"),
      "--gold",
      at("crowd/gold.csv"),
      "--folds",
      "2",
      "--seeds",
      "2",
      "--methods",
      "majority-vote,mace,oracle,zencrowd",
      "--out",
      at("compared"),
    ]);
    expect(code).toBe(0);
    expect(out).toMatch(/oracle\s+skipped: needs the true confusions/);
    expect(readdirSync(at("compared")).sort()).toEqual([
      "agreement.csv",
      "comparison.csv",
      "comparison.json",
      "comparison.tex",
      "report.html",
    ]);
    const page = readFileSync(at("compared/report.html"), "utf8");
    expect(page).toContain("Accuracy against time");
    expect(page).toMatch(/zencrowd: \d+\.\d % in \d+\.\d+ s<\/title>/);
    expect(page).toMatch(/oracle.*needs the true confusions/);
    expect(readFileSync(at("compared/comparison.tex"), "utf8")).toContain("\\begin{tabular}");
    const { methods } = JSON.parse(readFileSync(at("compared/comparison.json"), "utf8"));
    expect(methods[0].gain.value).toBe(0);
    expect(methods[1].heldOut).toBeLessThan(0);
  });

  it("compare goes on where one method refuses labels that are too many for it", async () => {
    const rows = Array.from({ length: 300 }, (_, i) => `t${i % 5},w${Math.floor(i / 5)},c${i}`);
    writeFileSync(at("many-classes.csv"), `task,worker,label\n${rows.join("\n")}\n`);
    const { code, out } = await cli([
      "compare",
      at("many-classes.csv"),
      "--folds",
      "0",
      "--methods",
      "cnmf,majority-vote",
    ]);
    expect(code).toBe(0);
    expect(out).toMatch(/^cnmf,.*the moments of \d+ pairs .* would take \d+ MB/m);
    expect(out).toMatch(/^majority-vote,.*,true,$/m);
  });

  it("compare gives up what takes too long, and shows what it has when interrupted", async () => {
    const asked = ["compare", at("crowd/labels.csv"), "--methods", "majority-vote,ibcc-gibbs"];
    const late = await cli([...asked, "--folds", "0", "--limit", "0.001"]);
    expect(late.code).toBe(0);
    expect(late.out).toMatch(/^ibcc-gibbs,.*was given up after 0.001 seconds/m);
    expect(late.out).toMatch(/^majority-vote,.*,true,$/m);
    const stopped = await cli(asked, { interruptAt: "ibcc-gibbs" });
    expect(stopped.code).toBe(130);
    expect(stopped.said).toMatch(/majority-vote +-\d\.\d+/);
    expect((await cli([...asked, "--limit", "0"])).said).toMatch(/--limit takes seconds/);
  });

  it("diagnose tells agreement, workers and identifiability", async () => {
    const { code, out } = await cli(["diagnose", at("crowd/labels.csv"), "--json"]);
    expect(code).toBe(0);
    const document = JSON.parse(out);
    expect(document.agreement.krippendorff.value).toBeLessThan(1);
    expect(document.workers).toHaveLength(30);
    expect(document.identifiability.checks.length).toBeGreaterThan(5);
    expect(document.method).toBe("auto");
    expect(document.sharedErrors.labelsPerTask).toBe(5);
    expect(document.effective).toMatchObject({ route: "labels", upperEstimate: true });
    expect(document.excess.compared).toBeGreaterThan(100);
    expect(document.workers[0].capacityInterval).toHaveLength(2);
    const { out: text } = await cli(["diagnose", at("crowd/labels.csv")]);
    expect(text).toMatch(/^Verdict: (trust|use with care|do not trust yet)\.\n/);
    for (const part of [
      /Krippendorff/,
      /Workers, worst first: \d+ good, \d+ cannot be told from guessing, \d+ worse than/,
      /\n {6}(spammer|adversary|one-class): \d+ /,
      /\nWorkers who agree more than their skills explain\n/,
      /\nWorkers who err together\n/,
      /are worth about \d+(\.\d)? independent\s+ones \(upper\s+estimate\)/,
      /labels per\s+task are\s+worth/,
    ]) {
      expect(text).toMatch(part);
    }
  });

  it("diagnose takes gold for the verdict and the effective number", async () => {
    const gold = ["--gold", at("crowd/gold.csv"), "--method", "dawid-skene"];
    const { out } = await cli(["diagnose", at("crowd/labels.csv"), ...gold, "--json"]);
    const { verdict, effective, metrics } = JSON.parse(out);
    expect(verdict.reasons.join()).toMatch(/tasks with gold \d+ % of the answers are right/);
    expect(effective.route).toBe("known-truth");
    expect(metrics.accuracy.value).toBeGreaterThan(0);
  });

  it("aggregate says its verdict, and nothing of it with --quiet", async () => {
    const asked = [...crowd, "--method", "dawid-skene"];
    const { said } = await cli(asked);
    expect(said).toMatch(/^Verdict: (trust|use with care|do not trust yet)\.$/m);
    expect((await cli([...asked, "--quiet"])).said).not.toContain("Verdict");
    const { verdict } = JSON.parse((await cli([...asked, "--json"])).out);
    expect(said).toContain(`Verdict: ${verdict.level}.`);
  });

  it("aggregate drops spammers and allows for groups where it is asked to", async () => {
    const dropped = await cli([...crowd, "--method", "mv", "--drop-spammers-anyway", "--json"]);
    expect(dropped.code, dropped.said).toBe(0);
    const document = JSON.parse(dropped.out);
    expect(valid(document), JSON.stringify(valid.errors)).toBe(true);
    expect(document.pruning.labels).toBeGreaterThan(0);
    expect(document.command).toContain("--drop-spammers-anyway");
    const both = await cli([...crowd, "--group-aware", "--method", "mv"]);
    expect(both.code).toBe(2);
    expect(both.said).toContain("--group-aware is the method group-dawid-skene");
    const aware = await cli([...crowd, "--group-aware", "--json"]);
    expect(JSON.parse(aware.out).method).toBe("group-dawid-skene");
  });

  it("diagnose calls unknown what too few labels leave open, in text and in JSON", async () => {
    const few = "task,worker,label\nt1,a,x\nt1,b,y\nt2,a,y\nt2,b,y\n";
    const { out } = await cli(["diagnose", "-"], { stdin: few });
    expect(out).toMatch(/^ {2}unknown {2}Do two starts end alike\?/m);
    expect(out).toContain("unknown: too few labels to tell, which is not the same as ok.");
    const json = await cli(["diagnose", "-", "--json"], { stdin: few });
    const { identifiability, workers } = JSON.parse(json.out);
    expect(new Set(identifiability.checks.map(({ status }: { status: string }) => status))).toEqual(
      new Set(["warn", "unknown"]),
    );
    expect(workers.map(({ standing }: { standing: string }) => standing)).toEqual([
      "unknown",
      "unknown",
    ]);
  });

  it("convert keeps every label through every format", async () => {
    const original = (await cli([...crowd, "--method", "majority-vote"])).out;
    for (const name of ["a.jsonl", "a.parquet", "a.arrow", "a.tsv", "a.csv.gz"]) {
      const { code, said } = await cli(["convert", at("crowd/labels.csv"), at(name)]);
      expect(said).toMatch(/Wrote 750 labels/);
      expect(code).toBe(0);
      expect((await cli(["aggregate", at(name), "--method", "majority-vote"])).out).toBe(original);
    }
    expect((await cli(["convert", at("crowd/labels.csv"), at("a.jsonl")])).code).toBe(2);
    const studio = ["convert", at("crowd/labels.csv"), at("ls.json"), "--to", "label-studio"];
    expect((await cli(studio)).code).toBe(0);
    const again = await cli(["aggregate", at("ls.json"), "--method", "majority-vote"]);
    expect(again.out).toBe(original);
    expect(readFileSync(at("a.tsv"), "utf8")).toMatch(/^task\tworker\tlabel\n/);
  });
});

it("reads quotes as ordinary characters if told to", async () => {
  writeFileSync(at("quoted.csv"), 'task,worker,label\n1,"ana,cat\n1,bob,cat\n');
  expect((await cli(["aggregate", at("quoted.csv")])).said).toMatch(/a quoted cell begins here/);
  const dropped = await cli(["aggregate", at("quoted.csv"), "--drop-bad-rows"]);
  expect(dropped.said).toContain("use --no-quotes.");
  const { code, out } = await cli(["aggregate", at("quoted.csv"), "--no-quotes", "--quiet"]);
  expect(code).toBe(0);
  expect(out).toMatch(/^1,cat,/m);
});

it("convert gives answers back to tools", async () => {
  const folder = at("answers");
  expect((await cli([...crowd, "--out", folder, "--quiet"])).code).toBe(0);
  const back = (name: string, ...to: string[]) =>
    cli(["convert", join(folder, "truth.csv"), at(name), "--answers", ...to]);
  expect((await back("back.json", "--to", "label-studio")).said).toMatch(/Wrote 150 answers/);
  const predictions = ["aggregate", at("back.json"), "--with-predictions"];
  const one = await cli([...predictions, "--method", "majority-vote", "--quiet"]);
  const first = readFileSync(join(folder, "truth.csv"), "utf8").split("\n")[1].split(",");
  expect(one.out).toContain(`${first[0]},${first[1]},0.6`);
  expect((await back("back.parquet")).code).toBe(0);
  expect((await back("back.npy")).said).toMatch(/takes no answers back. Try --to parquet/);
});

it("convert adds answers to the export of a tool, and says what it left alone", async () => {
  const source = join(import.meta.dirname, "fixtures/exports/label-studio.json");
  const folder = at("studio");
  expect((await cli(["aggregate", source, "--out", folder, "--quiet"])).code).toBe(0);
  const truth = join(folder, "truth.csv");
  const add = (name: string, ...more: string[]) => cli(["convert", truth, at(name), ...more]);
  const added = await add("tasks.json", "--answers", "--into", source);
  expect(added).toMatchObject({ code: 0, said: expect.stringContaining("with answers to") });
  const models = await cli(["aggregate", at("tasks.json"), "--with-predictions"]);
  expect(models.said).toContain("9 labels, 3 tasks, 4 workers, 3 classes");
  writeFileSync(at("some.csv"), "task,label\n11,positive\n");
  const some = ["convert", at("some.csv"), "-", "--answers", "--into", source];
  const { out, said } = await cli(some);
  expect(JSON.parse(out)[0].predictions[1]).toMatchObject({ model_version: "consilience" });
  expect(said).toContain("2 tasks without an answer, left alone");
  expect(await add("no.json", "--into", source)).toMatchObject({ code: 2 });
  expect((await add("no.json", "--answers", "--into", at("crowd/labels.csv"))).said).toMatch(
    /answers cannot be added to CSV.*only to: Label Studio export, Argilla records, Toloka results/,
  );
  const two = ["convert", truth, source, at("no.json"), "--answers"];
  expect((await cli(two)).said).toMatch(/say --into EXPORT/);
});

describe("hostile names", () => {
  const names = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "__proto__",
    "=cmd()",
    'a,b"c\nd',
    "-1",
  ];

  it("survive every file that is written", async () => {
    const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const rows = names.flatMap((task) =>
      names.map((worker, w) => [task, worker, names[w % 3]].map(cell).join(",")),
    );
    writeFileSync(at("hostile.csv"), `task,worker,label\n${rows.join("\n")}\n`);
    expect(
      (
        await cli([
          "aggregate",
          at("hostile.csv"),
          "--method",
          "dawid-skene",
          "--out",
          at("hostile"),
        ])
      ).code,
    ).toBe(0);
    const { code, out } = await cli([
      "evaluate",
      at("hostile/truth.csv"),
      "--gold",
      at("hostile/truth.csv"),
      "--json",
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(out).tasks).toBe(names.length);
    expect(readFileSync(at("hostile/report.html"), "utf8")).not.toContain("<img src=x");
  });
});

describe("in a process of its own", () => {
  onPosix("ends quietly when nobody reads on", () => {
    const { status, stderr, stdout } = spawnSync(
      "bash",
      [
        "-c",
        `set -o pipefail; ${process.execPath} ${bin} aggregate ${at("crowd/labels.csv")} --method majority-vote --quiet | head -1`,
      ],
      { encoding: "utf8" },
    );
    expect(stdout).toBe("task,label,confidence\n");
    expect(stderr).toBe("");
    expect(status).toBe(0);
  });

  onLinux("says that its output has no room", () => {
    for (const args of [`aggregate ${at("crowd/labels.csv")}`, "methods", "--help"]) {
      const { status, stderr } = spawnSync(
        "bash",
        ["-c", `${process.execPath} ${bin} ${args} > /dev/full`],
        { encoding: "utf8" },
      );
      expect(stderr).toMatch(/Standard output could not be written: the disk is full\./);
      expect(stderr).not.toMatch(/\n\s+at |bug/);
      expect(status).toBe(1);
    }
  });

  onPosix.each(["SIGINT", "SIGTERM"] as const)(
    "%s ends with 130 and leaves the old output whole",
    async (signal) => {
      const big = at("big.csv");
      if (!existsSync(big)) {
        await cli([
          "simulate",
          "mixed",
          "--tasks",
          "40000",
          "--workers",
          "300",
          "--out",
          at("bigcrowd"),
        ]);
        writeFileSync(big, readFileSync(at("bigcrowd/labels.csv")));
      }
      const out = at(`signal-${signal}`);
      await cli([...crowd, "--method", "majority-vote", "--out", out]);
      const before = readdirSync(out).map((name) => [name, readFileSync(join(out, name), "utf8")]);
      for (const delay of [150, 500, 900]) {
        const child = spawn(
          process.execPath,
          [bin, "aggregate", big, "--method", "mace", "--out", out, "--force"],
          { stdio: ["ignore", "pipe", "pipe"] },
        );
        const ended = new Promise<{ code: number | null; said: string }>((resume) => {
          let said = "";
          child.stderr.on("data", (piece) => {
            said += piece;
          });
          child.on("close", (code) => resume({ code, said }));
        });
        await new Promise((resume) => setTimeout(resume, delay));
        child.kill(signal);
        const { code, said } = await ended;
        // Killed before Node could listen, the system ends it itself.
        if (code !== null) expect(code, said).toBe(130);
        expect(
          readdirSync(out).map((name) => [name, readFileSync(join(out, name), "utf8")]),
        ).toEqual(before);
      }
    },
    120_000,
  );
});

it("the example of the README's main job runs on a public set", async () => {
  if (!hasSet("web")) return;
  const web = join(dataFolder, "web");
  const { code, said } = await cli([
    "aggregate",
    join(web, "labels.csv"),
    "--gold",
    join(web, "gold.csv"),
    "--method",
    "dawid-skene",
    "--out",
    at("web"),
  ]);
  expect(code).toBe(0);
  expect(said).toMatch(/Accuracy 82\.\d\d %/);
  expect(readdirSync(at("web")).sort()).toEqual(files);
});
