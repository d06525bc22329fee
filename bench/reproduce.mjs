// Reruns published tables and figures with all seeds, and keeps what was found in REPRODUCED.md.
//   npm run reproduce                    everything (about two hours)
//   npm run reproduce -- max-mig-e2      one or some; the others keep what was found last
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { halfWidth, mean } from "../dist/reproduce/experiment.js";
import { experiments } from "../dist/reproduce/index.js";
import { dataFolder, say, table } from "./shared.mjs";

const path = join(import.meta.dirname, "REPRODUCED.md");
const wanted = process.argv.slice(2);
const unknown = wanted.filter((id) => !experiments.some((each) => each.id === id));
if (unknown.length > 0) {
  say(`There is nothing called ${unknown.join(", ")}. See: consilience reproduce`);
  process.exit(2);
}
for (const { id } of experiments) {
  if (wanted.length > 0 && !wanted.includes(id)) continue;
  say(id);
  const finding = run(id);
  if (finding) write(id, section(finding));
}

function run(id) {
  const command = [join(import.meta.dirname, "../dist/cli/bin.js"), "reproduce", id, "--json"];
  const { stdout, stderr } = spawnSync(process.execPath, [...command, "--data", dataFolder], {
    ...{ encoding: "utf8", maxBuffer: 2 ** 28 },
  });
  try {
    return JSON.parse(stdout)[0];
  } catch {
    say(`failed: ${stderr.split("\n").slice(-3).join(" ")}`);
    return undefined;
  }
}

/** Replaces the section of one entry; the others stay as they are, in the order of the list. */
function write(id, text) {
  const before = new Map(
    [...read().matchAll(/<!-- ([\w-]+) -->\n([\s\S]*?)<!-- \/\1 -->/g)].map(([, name, body]) => [
      name,
      body,
    ]),
  );
  before.set(id, `${text.trim()}\n`);
  const sections = experiments.flatMap(({ id: name }) =>
    before.has(name) ? [`<!-- ${name} -->\n${before.get(name)}<!-- /${name} -->\n`] : [],
  );
  writeFileSync(
    path,
    `# Published tables and figures, rerun

Made by \`npm run reproduce\`. Numbers are means over seeds ± half of the 99 % interval, in brackets the paper's where it
prints one. What an entry does is said by \`consilience reproduce\`; why a claim was not found, by the method's page.

${sections.join("\n")}`,
  );
}

function read() {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** What was claimed, and the numbers: a table for each part of the settings, that is up to the last comma. */
function section({ id, title, about, rows, checks, notes }) {
  // What is measured on a public set has one seed; what is drawn has all.
  const seeds = rows.reduce((most, { ours }) => Math.max(most, ours.length), 0);
  const found = checks.filter(({ passed }) => passed).length;
  const parts = new Map();
  for (const row of rows) {
    const cut = row.setting.lastIndexOf(", ");
    const part = cut < 0 ? "" : row.setting.slice(0, cut);
    const column = cut < 0 ? row.setting : row.setting.slice(cut + 2);
    parts.set(part, [...(parts.get(part) ?? []), { ...row, column }]);
  }
  return [
    `## ${id}: ${title}`,
    "",
    about,
    "",
    `${seeds} ${seeds === 1 ? "seed" : "seeds"}; ${found} of ${checks.length} claims found.`,
    "",
    table(
      ["claim", "found", "measured"],
      checks.map(({ claim, passed, measured }) => [claim, passed ? "yes" : "**no**", measured]),
    ),
    ...[...parts].flatMap(([part, some]) => ["", ...(part ? [`${part}:`, ""] : []), pivot(some)]),
    ...notes.flatMap((note) => ["", note]),
  ].join("\n");
}

function pivot(rows) {
  const columns = [...new Set(rows.map(({ column }) => column))];
  const names = [...new Set(rows.map(({ name }) => name))];
  const cell = (name, column) => {
    const row = rows.find((each) => each.name === name && each.column === column);
    return row ? number(row) : "";
  };
  return table(
    ["", ...columns],
    names.map((name) => [name, ...columns.map((column) => cell(name, column))]),
  );
}

function number({ ours, theirs }) {
  const half = ours.length > 1 ? ` ± ${halfWidth(ours).toFixed(3)}` : "";
  const paper = theirs === undefined ? "" : ` [${theirs.toFixed(3)}]`;
  return `${mean(ours).toFixed(3)}${half}${paper}`;
}
