import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../test/random-crowd.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { auto } from "../auto/auto.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { fromRows } from "../data/from-rows.ts";
import { namesOf } from "../data/names.ts";
import { agreement } from "../diagnose/agreement.ts";
import { skillIntervals } from "../diagnose/skill-intervals.ts";
import { evaluate } from "../evaluate/index.ts";
import { createSvgDocument } from "../node/svg-document.ts";
import { toHtml } from "./html.ts";
import { toMarkdown } from "./markdown.ts";
import type { Report } from "./model.ts";
import { aggregationReport } from "./report.ts";

const hostile = [
  "<img src=x onerror=alert(1)>",
  "</script><script>alert(1)</script>",
  "</title></style></svg><svg onload=alert(1)>",
  "\"><b x='",
  "__proto__",
  "constructor",
  "=cmd()",
  "a|b`c*d_[e](javascript:alert(1))",
  "nul\u0000 and bell\u0007",
  "evil\u202egpj.exe",
  "\ud800",
  "שלום",
  "",
];

const page = (report: Report) => toHtml(report, createSvgDocument());

function fullReport(data: CategoricalData, method: typeof dawidSkene = dawidSkene): Report {
  const result = method(data);
  return aggregationReport({
    data,
    result,
    majorityVote: 0.5,
    agreement: agreement(data),
    intervals: skillIntervals(data, result),
    metrics: evaluate({ ...result, gold: data.gold }),
    scores: Array.from(data.workers, (_, w) => ({
      informativeness: 0.1,
      flags: w === 0 ? ["spammer"] : [],
    })),
  });
}

/** Every name hostile: tasks, workers, classes. */
function hostileCrowd(): CategoricalData {
  const rows = hostile.flatMap((task, t) =>
    hostile.map((worker, w) => ({
      task,
      worker,
      label: hostile[(t * 3 + (w % 4)) % hostile.length],
    })),
  );
  const data = fromRows(rows, { gold: hostile.map((name) => [name, name] as const) });
  return { ...data, notes: hostile };
}

/** Tags with their attributes as a browser would see them, and whether they nest. */
function parse(html: string) {
  const body = html.replace(/<(style|script)>[\s\S]*?<\/\1>/g, "<$1></$1>");
  const tags = new Set<string>();
  const attributes = new Set<string>();
  const open: string[] = [];
  const ids: string[] = [];
  const wrong: string[] = [];
  for (const [tag, close, name, rest, self] of body.matchAll(
    /<(\/?)([a-zA-Z][\w-]*)((?:\s+[\w:-]+="[^"<>]*")*)\s*(\/?)>/g,
  )) {
    if (close) {
      if (open.pop() !== name) wrong.push(tag);
      continue;
    }
    tags.add(name);
    for (const [, key, value] of rest.matchAll(/([\w:-]+)="([^"]*)"/g)) {
      attributes.add(key);
      if (key === "id") ids.push(value);
    }
    if (!self && name !== "meta") open.push(name);
  }
  // What is left over must hold no bracket at all.
  const text = body.replace(
    /<!doctype html>|<\/?[a-zA-Z][\w-]*(?:\s+[\w:-]+="[^"<>]*")*\s*\/?>/g,
    "",
  );
  return {
    tags,
    attributes,
    ids,
    wrong: [...wrong, ...open],
    stray: text.match(/[<>].{0,40}/g) ?? [],
  };
}

describe("a page", () => {
  const report = fullReport(randomCrowd(1, { tasks: 50 }));

  it("is the same twice", async () => {
    expect(await page(report)).toBe(await page(report));
    expect(await page(fullReport(randomCrowd(1, { tasks: 50 })))).toBe(await page(report));
  });

  it("nests, and names nothing twice", async () => {
    const { wrong, stray, ids } = parse(await page(report));
    expect({ wrong, stray }).toEqual({ wrong: [], stray: [] });
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("points only at what is there", async () => {
    const html = await page(report);
    const { ids } = parse(html);
    const targets = [...html.matchAll(/(?:href="#|aria-labelledby=")([^"]*)"/g)];
    expect(targets.length).toBeGreaterThan(20);
    for (const [, list] of targets) {
      for (const id of list.split(" ")) expect(ids).toContain(id);
    }
  });

  it("allows its own style and script by their hashes, and asks for nothing", async () => {
    const html = await page(report);
    const hash = (tag: string) => {
      const [, text] = html.match(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`)) ?? [];
      return createHash("sha256").update(text).digest("base64");
    };
    expect(html).toContain(
      `content="default-src &#39;none&#39;; style-src &#39;sha256-${hash("style")}&#39;; ` +
        `script-src &#39;sha256-${hash("script")}&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;"`,
    );
    expect(html.match(/<(style|script)\b/g)).toHaveLength(2);
    expect(html).not.toMatch(/\s(src|style|srcset)=|href="(?!#)|url\(|@import/);
  });

  it("can be read by those who do not see it", async () => {
    const html = await page(report);
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(html.match(/<h[1-6]/g)?.filter((tag) => tag === "<h1")).toHaveLength(1);
    expect(html).not.toContain("<h3");
    for (const part of ["<header>", "<nav ", "<main ", "<footer>", 'class="skip"']) {
      expect(html).toContain(part);
    }
    const tables = html.match(/<table>/g)?.length ?? 0;
    expect(html.match(/<table><caption id=/g)).toHaveLength(tables);
    expect(html.match(/<svg (?![^>]*role="img")/g)).toBe(null);
  });

  it("has buttons to sort by, and numbers to sort", async () => {
    const html = await page(report);
    expect(html).toContain(
      '<th scope="col" class="n"><button type="button">Confidence</button></th>',
    );
    expect(html).toMatch(
      /<tr><th scope="row" class="t"><bdi>cat|<tr><th scope="row" class="t"><bdi>c0<\/bdi><\/th><td class="n" data-v="\d+">/,
    );
  });
});

describe("checks", () => {
  const check = (status: "ok" | "warn" | "unknown") => ({
    id: status,
    status,
    serious: false,
    title: `Is it ${status}?`,
    finding: "Found.",
    advice: status === "ok" ? "" : "Do it.",
    facts: {},
  });

  it("have three states, what is wrong first", async () => {
    const data = randomCrowd(1, { tasks: 20 });
    const checks = [check("ok"), check("unknown"), check("warn")];
    const report = aggregationReport({ data, result: majorityVote(data), checks });
    const states = [...(await page(report)).matchAll(/data-state="(\w+)">\1</g)];
    expect(states.map(([, state]) => state)).toEqual(["warn", "unknown", "ok"]);
    const section = report.sections.find(({ id }) => id === "checks");
    expect(section?.text[0]).toContain("1 ok, 1 with a warning, 1 unknown");
    expect(section?.text[0]).toContain("not the same as ok");
    expect(toMarkdown(report)).toContain("| Is it unknown? | unknown | Found. | Do it. |");
  });
});

describe("hostile names", () => {
  it("do nothing in a page", async () => {
    const { tags, attributes, wrong, stray } = parse(await page(fullReport(hostileCrowd())));
    expect({ wrong, stray }).toEqual({ wrong: [], stray: [] });
    for (const tag of ["img", "b", "iframe"]) expect(tags).not.toContain(tag);
    expect([...attributes].filter((name) => /^on|^src$|^style$/.test(name))).toEqual([]);
  });

  it("are shown as they are, isolated, with what cannot be seen made visible", async () => {
    const html = await page(fullReport(hostileCrowd()));
    expect(html).toContain("<bdi>&lt;img src=x onerror=alert(1)&gt;</bdi>");
    expect(html).toContain("<bdi>__proto__</bdi>");
    expect(html).toContain("<bdi>=cmd()</bdi>");
    expect(html).toContain("<bdi>evil⟨U+202E⟩gpj.exe</bdi>");
    expect(html).toContain("<bdi>nul␀ and bell␇</bdi>");
    expect(html).not.toMatch(/[\u202a-\u202e\u2066-\u2069]|(?!\n)\p{Cc}|\p{Cs}/u);
  });

  it("of columns do nothing in the style sheet that labels cards", async () => {
    const table = {
      id: "t",
      caption: "t",
      columns: ["first", ...hostile, 'x"; } * { display: none', "y\\", "*/"].map((name) => ({
        name,
        kind: "text" as const,
      })),
      rows: [],
    };
    const section = { id: "s", title: "s", text: [], charts: [], tables: [table] };
    const html = await page({ title: "", subtitle: "", facts: [], notes: [], sections: [section] });
    const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? [];
    const labels = style.slice(style.indexOf(".k0"));
    expect(labels.match(/content: "(?:[A-Za-z0-9]|\\[0-9a-f]+ )*"; \}/g)).toHaveLength(17);
    expect(labels.match(/"/g)).toHaveLength(2 * 17);
    expect(parse(html).stray).toEqual([]);
  });

  it("do nothing in Markdown", () => {
    const text = toMarkdown(fullReport(hostileCrowd()));
    expect(text.match(/[<>]|(?<!\\)\]\(|\u202e/g)).toBe(null);
    expect(text).toContain("a\\|b\\`c\\*d\\_\\[e\\](javascript:alert(1))");
    const [head, ...rest] = text.split("\n").filter((line) => line.startsWith("| "));
    expect(head).toContain("| Labels |");
    const cells = (line: string) => line.split(/(?<!\\)\|/).length;
    for (const line of rest) expect(cells(line)).toBeGreaterThan(3);
  });
});

describe("Markdown", () => {
  it("has tables and charts in words", () => {
    const crowd = fromRows([
      { task: "t", worker: "ann", label: "cat" },
      { task: "t", worker: "bob", label: "dog" },
      { task: "t", worker: "eve", label: "dog" },
    ]);
    const text = toMarkdown(aggregationReport({ data: crowd, result: majorityVote(crowd) }));
    expect(text.slice(0, text.indexOf("## Tasks"))).toMatchInlineSnapshot(`
      "# Answers from 3 labels

      Majority vote on 1 task, 3 workers and 2 classes

      - **Labels:** 3
      - **Tasks:** 1
      - **Workers:** 3
      - **Classes:** 2
      - **Labels per task, median:** 3
      - **Unanimous tasks:** 0.0 %
      - **Answered with ≥ 90 %:** 0.0 %
      - **Worth another look:** 1

      ## Answers

      0 of 1 task (0.0 %) have an answer that is at least 90 % probable. The most frequent answer is dog, with 100.0 % of the tasks.

      *How common each class is among labels and answers.* Share of the labels and share of the answers: cat 33.3 % and 0.0 %; dog 66.7 % and 100.0 %.

      *How sure the answers are.* Tasks by the probability of their answer: 60 % to 65 %: 1.

      ### Classes

      | Class | Labels | Share of labels | Answers | Share of answers |
      | --- | ---: | ---: | ---: | ---: |
      | cat | 1 | 33.3 % | 0 | 0.0 % |
      | dog | 2 | 66.7 % | 1 | 100.0 % |

      "
    `);
  });
});

describe("limits", () => {
  it.each([majorityVote, dawidSkene, auto])("$id: copes with next to nothing", async (method) => {
    const crowds = [
      fromRows([]),
      fromRows([{ task: "t", worker: "w", label: "x" }]),
      fromRows([{ task: "t", worker: "w", label: "x" }], { classes: ["x", "y"] }),
      randomCrowd(2, { workers: 1 }),
      randomCrowd(3, { classes: 1 }),
      randomCrowd(4, { classes: 30, tasks: 100 }),
    ];
    for (const data of crowds) {
      const html = await page(aggregationReport({ data, result: method(data) }));
      const { wrong, stray } = parse(html);
      expect({ wrong, stray }).toEqual({ wrong: [], stray: [] });
      const main = html.slice(html.indexOf("<body>"), html.indexOf("<script>"));
      expect(main.match(/NaN|undefined|Infinity|⚠/g)).toBe(null);
    }
  });

  it("stays below 5 MB for 100 000 tasks, long names and all", async () => {
    const [T, W, K] = [100_000, 5000, 30];
    const names = (n: number, what: string) =>
      Array.from({ length: n }, (_, i) => `${what}-${"<&>".repeat(40)}-${i}`);
    const N = 3 * T;
    const mix = (i: number, n: number) => (Math.imul(i, 2654435761) >>> 0) % n;
    const data: CategoricalData = {
      kind: "categorical",
      tasks: namesOf(names(T, "task")),
      workers: namesOf(names(W, "worker")),
      classes: namesOf(names(K, "class")),
      task: Int32Array.from({ length: N }, (_, i) => Math.floor(i / 3)),
      worker: Int32Array.from({ length: N }, (_, i) => mix(i, W)),
      label: Int32Array.from({ length: N }, (_, i) => mix(i + 7, K)),
      gold: Int32Array.from({ length: T }, (_, t) => t % K),
      notes: [],
    };
    const result = majorityVote(data);
    const report = aggregationReport({
      data,
      result,
      majorityVote: 0.5,
      metrics: evaluate({ ...result, gold: data.gold }),
      intervals: {
        low: result.skill.map((x) => x / 2),
        high: result.skill,
        deviation: result.skill,
      },
      scores: Array.from(data.workers, () => ({
        informativeness: 0.1,
        capacityBits: 1,
        flags: ["spammer"],
      })),
    });
    const html = await page(report);
    expect(new TextEncoder().encode(html).length).toBeLessThan(5e6);
  });
});
