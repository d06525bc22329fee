import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { majorityVote } from "../src/aggregate/categorical/votes/majority-vote.ts";
import { fromRows } from "../src/data/from-rows.ts";
import { createSvgDocument } from "../src/node/svg-document.ts";
import { toHtml } from "../src/report/html.ts";
import { toMarkdown } from "../src/report/markdown.ts";
import { aggregationReport } from "../src/report/report.ts";
import { cli } from "./world.ts";

const root = mkdtempSync(join(tmpdir(), "consilience-content-"));
const at = (name: string) => join(root, name);
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const page = (name: string) => readFileSync(at(`${name}/report.html`), "utf8");
let runs = 0;

async function report(files: readonly string[], ...flags: string[]) {
  const out = `out${runs++}`;
  const { code, said } = await cli([
    "aggregate",
    ...files.map(at),
    "--method",
    "majority-vote",
    "--out",
    at(out),
    ...flags,
  ]);
  return { code, said: said.replaceAll("\n", " "), html: code === 0 ? page(out) : "", out };
}

beforeAll(() => {
  mkdirSync(at("img"));
  writeFileSync(at("img/a.png"), png);
  writeFileSync(at("img/large.png"), Buffer.concat([png, Buffer.alloc(300 * 1024)]));
  writeFileSync(at("img/fake.png"), "<svg onload=alert(1)>");
  writeFileSync(
    at("labels.csv"),
    [
      "task,worker,label,text,image",
      "t1,ann,x,,img/a.png",
      't1,bob,y,"first <b>text</b>",',
      "t1,cid,x,second,",
      "t2,ann,x,plain,img/large.png",
      "t2,bob,y,,",
      "t3,ann,x,other,https://example.org/a?b=1&c=<i>",
      "t4,ann,x,more,javascript:alert(1)",
      "t5,ann,x,more,img/fake.png",
      "t6,ann,x,more,../../../../etc/hostname",
      "",
    ].join("\n"),
  );
});
afterAll(() => rmSync(root, { recursive: true }));

describe("content of tasks", () => {
  it("is found in columns beside the labels, said, escaped and shown with its task", async () => {
    const { said, html, out } = await report(["labels.csv"]);
    expect(said).toContain('tasks are shown with text = "text", image = "image"');
    expect(html).toContain('<bdi>t1</bdi><div class="content"><img src="data:image/png;base64,');
    expect(html).toContain("<p>first &lt;b&gt;text&lt;/b&gt;</p>");
    expect(html).not.toContain("<p>second</p>");
    expect(html).toContain("img-src data:;");
    // It is for the report only.
    expect(readFileSync(at(`${out}/truth.csv`), "utf8")).toMatch(/^task,label,confidence\n/);
  });

  it("links addresses of http and https, and nothing else", async () => {
    const { html } = await report(["labels.csv"]);
    expect(html).toContain(
      '<a href="https://example.org/a?b=1&amp;c=%3Ci%3E" rel="noreferrer noopener" target="_blank">',
    );
    expect(html).toContain("<code>javascript:alert(1)</code>");
    expect(html).not.toMatch(/href="(?!#|https:\/\/example\.org)/);
  });

  it("embeds small images beside the labels only, and says what it leaves out", async () => {
    const { html } = await report(["labels.csv"]);
    expect(html.match(/<img /g)).toHaveLength(1);
    expect(html).toContain("1 image left out: larger than 200 KB.");
    expect(html).toContain("1 image left out: neither PNG, JPEG, GIF nor WebP.");
    expect(html).toContain("1 image left out: not found beside the file that names them.");
    symlinkSync("/etc/hostname", at("img/link.png"));
    writeFileSync(at("link.csv"), "task,worker,label,image\nt,a,x,img/link.png\nt,b,y,\n");
    expect((await report(["link.csv"])).html).toContain("not found beside the file");
  });

  it("comes from a table of its own with --tasks, also for numbers and items", async () => {
    writeFileSync(at("bare.csv"), "task,worker,label\nt1,a,x\nt1,b,y\n");
    writeFileSync(at("tasks.csv"), "id,headline\nt1,What a day\n");
    const { html } = await report(
      ["bare.csv"],
      "--tasks",
      at("tasks.csv"),
      "--content",
      "text=headline",
    );
    expect(html).toContain("<p>What a day</p>");
    const out = ["--out", at("items")];
    writeFileSync(at("games.csv"), "worker,left,right,label\nw,a,b,a\nv,b,a,b\nv,a,b,a\n");
    writeFileSync(at("items.csv"), "item,text\na,The first\nb,The second\n");
    expect(
      (await cli(["aggregate", at("games.csv"), "--tasks", at("items.csv"), ...out])).code,
    ).toBe(0);
    expect(page("items")).toContain('<bdi>a</bdi><div class="content"><p>The first</p>');
    const values = ["--out", at("values")];
    writeFileSync(at("values.csv"), "task,worker,value,text\nt,a,1,How long?\nt,b,2,\nt,c,4,\n");
    expect((await cli(["aggregate", at("values.csv"), ...values])).code).toBe(0);
    expect(page("values")).toContain("<p>How long?</p>");
  });

  it("is not guessed where two columns fit, and is refused where a column is missing", async () => {
    writeFileSync(at("two.csv"), "task,worker,label,text,comment\nt,a,x,one,two\nt,b,y,,\n");
    const both = await report(["two.csv"]);
    expect(both.said).toMatch(
      /columns text and comment could each be the text.*--content text=text/,
    );
    expect(both.html).not.toContain('class="content"');
    expect((await report(["two.csv"], "--content", "text=comment")).html).toContain("<p>two</p>");
    const wrong = await report(["two.csv"], "--content", "text=nope");
    expect(wrong.code).toBe(1);
    expect(wrong.said).toContain('there is no column "nope" for the content of tasks');
    expect((await report(["two.csv"], "--content", "video=x")).said).toContain(
      "--content takes text=",
    );
    const alone = await cli(["aggregate", at("two.csv"), "--content", "text=comment"]);
    expect(alone.said).toContain("--content needs --out");
  });

  it("is repeated with the run, and left out where nothing is written", async () => {
    const { out } = await report(["two.csv"], "--content", "text=comment");
    const again = ["aggregate", "--rerun", at(`${out}/result.json`)];
    expect((await cli([...again, "--out", at("again")])).code).toBe(0);
    expect(page("again")).toContain("<p>two</p>");
    expect((await cli(again)).code).toBe(0);
  });

  it("does nothing where the text is the task itself", async () => {
    writeFileSync(at("sentences.csv"), "sentence,worker,label\nIt rains,a,x\nIt rains,b,y\n");
    const { html, code } = await report(["sentences.csv"]);
    expect(code).toBe(0);
    expect(html).not.toContain('class="content"');
  });
});

describe("the library", () => {
  const data = fromRows([
    { task: "t", worker: "a", label: "x" },
    { task: "t", worker: "b", label: "y" },
  ]);
  const made = (text: string, image?: string) =>
    aggregationReport({
      data,
      result: majorityVote(data),
      content: new Map([["t", { text, image }]]),
    });
  const html = (text: string, image?: string) => toHtml(made(text, image), createSvgDocument());

  it("takes content by task, clips long texts and opens the whole", async () => {
    const long = `${"word ".repeat(100)}end\nof <it>`;
    const text = await html(long);
    expect(text).toMatch(
      /<details><summary>(word )+word…<\/summary><p>(word )+end\nof &lt;it&gt;<\/p>/,
    );
    expect(await html("y".repeat(9000))).toContain("… (4,000 more characters)");
    expect(toMarkdown(made("a | b\nc"))).toContain("| t: a \\| b c |");
  });

  it.each([
    "data:text/html,<script>alert(1)</script>",
    "data:image/svg+xml;base64,PHN2Zz4=",
    'data:image/png;base64,AAAA" onerror="alert(1)',
    "javascript:alert(1)//https://x",
    "file:///etc/passwd",
    "  jAvAsCrIpT:alert(1)",
    "//example.org/x.png",
  ])("shows no hostile image: %s", async (image) => {
    const text = await html("</p><script>alert(1)</script>\u202e", image);
    const body = text.slice(text.indexOf("<body>"), text.lastIndexOf("<script>"));
    expect(body).not.toMatch(/<img|<script|href="(?!#)|\sonerror="/);
    expect(body).toContain("&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;⟨U+202E⟩");
    expect(text).not.toContain("img-src");
  });
});
