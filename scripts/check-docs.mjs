// Checks the docs: links land, option tables say what the cards say, examples print what pages say.
// With --write it puts the option tables and the printed lines into the pages instead.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { methods as byId } from "../dist/index.js";
import {
  learners as learnersById,
  numericLearners,
  pairwiseLearners,
  similarityLearners,
} from "../dist/public/learn.js";

const methods = Object.values(byId);
const others = Object.values({ ...numericLearners, ...pairwiseLearners, ...similarityLearners });
const learners = [...Object.values(learnersById), ...others];

const root = join(import.meta.dirname, "..");
const write = process.argv.includes("--write");
// Inside the package, so that "consilience" means this one.
const scratch = join(root, "dist/.docs");
const pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", ...list("docs")].map((name) =>
  join(root, name),
);
const wrong = [];
let examples = 0;
let links = 0;

rmSync(scratch, { recursive: true, force: true });
mkdirSync(scratch, { recursive: true });
for (const page of pages) {
  const name = relative(root, page);
  const before = readFileSync(page, "utf8");
  let text = fillOptions(fillTables(before, page), page);
  text = runExamples(text, name);
  checkLinks(text, page, name);
  if (text === before) continue;
  if (write) writeFileSync(page, text);
  else
    wrong.push(`${name} is out of date; run: npm run build && node scripts/check-docs.mjs --write`);
}
rmSync(scratch, { recursive: true, force: true });
for (const each of wrong) console.error(each);
console.log(
  `docs: ${pages.length} pages, ${links} links, ${examples} examples, ${wrong.length} wrong`,
);
process.exitCode = wrong.length > 0 ? 1 : 0;

function list(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name))
    .sort();
}

/** The tables of methods and learners, from the cards, and the numbers of the last benchmark. */
function fillTables(text, page) {
  const path = join(root, "bench/RESULTS.md");
  const results = existsSync(path) ? readFileSync(path, "utf8") : "";
  const link = (file) => relative(dirname(page), join(root, "docs", file));
  const tables = {
    methods: methodTable,
    learners: learnerTable,
    "other-learners": otherLearnerTable,
    numbers: budgetTable,
  };
  return Object.entries(tables).reduce(
    (filled, [name, table]) =>
      filled.includes(`<!-- ${name} -->`) ? between(filled, name, table(results, link)) : filled,
    text,
  );
}

function methodTable(results, link) {
  const rows = methods
    .filter(({ kind }) => kind === "categorical")
    .map(({ id, title, family, summary, probabilistic, cost }) => {
      const { mean, best, seconds } = onPublicSets(results, id);
      return `| [${title}](${link(`aggregate/${id}.md`)}) | ${family} | ${summary} | ${probabilistic ? "probability" : "share"} | ${cost} | ${mean} | ${best} | ${seconds} |`;
    });
  return [
    "| Method | Family | What it assumes and learns | Posterior | Cost | Mean accuracy | Best on | CPU s |",
    "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

function otherLearnerTable(_, link) {
  const rows = others.map(
    ({ id, kind, title, summary, cost }) =>
      `| [${title}](${link(`learn/${id}.md`)}) | ${kind} | ${summary} | ${cost} |`,
  );
  return [
    "| Learner | Kind | What it assumes and learns | Cost |",
    "| --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

function learnerTable(results, link) {
  const rows = Object.values(learnersById).map(
    ({ id, title, summary, cost }) =>
      `| [${title}](${link(`learn/${id}.md`)}) | ${summary} | ${cost} | ${onLabelme(results, id)} |`,
  );
  return [
    "| Learner | What it assumes and learns | Cost | Test accuracy on LabelMe, % |",
    "| --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

function budgetTable(results) {
  return /### Budgets\n\n([\s\S]*?)\n\n?(?=<!--|##|$)/.exec(results)?.[1]?.trim() ?? "";
}

/** How a method did on the public crowds, from the last benchmark. */
function onPublicSets(results, id) {
  const [, summary = ""] = /### Which to take\n([\s\S]*?)\n### /.exec(results) ?? [];
  const row = summary.split("\n").find((line) => line.startsWith(`| ${id} |`));
  const [, , mean = "", , , best = "", seconds = ""] = (row ?? "").split("|");
  return { mean: mean.trim(), best: best.trim(), seconds: seconds.trim() };
}

/** The mean over seeds of a learner in its usual form, from the last benchmark. */
function onLabelme(results, id) {
  const usual = { "two-stage": "two-stage, majority-vote", "crowd-layer": "crowd-layer, MW" };
  const [, labelme = ""] =
    /### Every learner on LabelMe[^\n]*\n([\s\S]*?)\n## /.exec(results) ?? [];
  const row = labelme.split("\n").find((line) => line.startsWith(`| ${usual[id] ?? id} |`));
  return row?.split("|")[2]?.trim() ?? "";
}

function between(text, name, content) {
  const marks = new RegExp(`<!-- ${name} -->[\\s\\S]*?<!-- /${name} -->`);
  return text.replace(marks, () => `<!-- ${name} -->\n${content}\n<!-- /${name} -->`);
}

/** The table between the markers, made from the card of the method whose page this is. */
function fillOptions(text, page) {
  const list = /docs.aggregate/.test(page) ? methods : /docs.learn/.test(page) ? learners : [];
  const method = list.find(({ id }) => id === basename(page, ".md"));
  if (!method) return text;
  const rows = Object.entries(method.options).map(
    ([option, { default: usual, help, unit, choices, min, max, wants }]) => {
      const range = choices
        ? choices.join(", ")
        : wants
          ? wants
          : typeof usual === "boolean"
            ? "true, false"
            : bounds(min, max);
      return `| \`${option}\` | \`${usual}\` | ${range}${unit ? ` ${unit}` : ""} | ${help} |`;
    },
  );
  const table = [
    "| Option | Default | Values | What it is |",
    "| --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
  return between(text, "options", table);
}

function bounds(min, max) {
  if (min !== undefined && max !== undefined) return `${min} to ${max}`;
  if (min !== undefined) return `${min} or more`;
  return max === undefined ? "any number" : `up to ${max}`;
}

/** Every js block that a text block follows is run; the text block is what it prints. */
function runExamples(text, name) {
  return text.replace(
    /```js\n([\s\S]*?)```(\s*)```text\n([\s\S]*?)```/g,
    (all, code, gap, printed) => {
      examples++;
      const file = join(scratch, `${examples}.mjs`);
      writeFileSync(file, code);
      const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
        encoding: "utf8",
        cwd: root,
        timeout: 120_000,
      });
      if (status !== 0) {
        wrong.push(`${name}: an example fails:\n${stderr}`);
        return all;
      }
      if (stdout.trimEnd() !== printed.trimEnd() && !write) {
        wrong.push(`${name}: an example prints\n${stdout}instead of\n${printed}`);
        return all;
      }
      return `\`\`\`js\n${code}\`\`\`${gap}\`\`\`text\n${stdout.trimEnd()}\n\`\`\``;
    },
  );
}

function checkLinks(text, page, name) {
  const prose = text.replace(/```[\s\S]*?```|`[^`\n]*`/g, "");
  for (const [, target] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^(https?|mailto):/.test(target)) continue;
    links++;
    const [path, anchor] = target.split("#");
    const file = path === "" ? page : join(dirname(page), path);
    if (!existsSync(file)) {
      wrong.push(`${name}: the link ${target} leads nowhere`);
      continue;
    }
    if (anchor && file.endsWith(".md") && !anchors(readFileSync(file, "utf8")).has(anchor)) {
      wrong.push(`${name}: ${target} has no such heading`);
    }
  }
}

function anchors(text) {
  const slug = (heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s-]/gu, "")
      .trim()
      .replace(/\s/g, "-");
  return new Set([...text.matchAll(/^#+\s+(.*)$/gm)].map(([, heading]) => slug(heading)));
}
