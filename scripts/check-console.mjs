// Runs the commands that the docs show and compares what they print, or writes it with --write.
//
//   ```sh … ``` then ```console … ```   the commands, then what the last block of them printed
//   ```console with lines of $ …        a transcript: each command and what it printed
//   <!-- run: … -->                     commands to run first, without showing them
//
// A line of … stands for any lines, … within a line for any text. Each page has a folder of its own.
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const data = process.env["CONSILIENCE_DATA"] ?? join(root, "../shared/data");
const write = process.argv.includes("--write");
const only = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));
const scratch = join(root, "dist/.console");
const pages = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md") && !name.startsWith(".vitepress"))
  .map((name) => join("docs", name))
  .filter((name) => only.length === 0 || only.some((part) => name.includes(part)))
  .sort();
const wrong = [];
let blocks = 0;
let skipped = 0;

rmSync(scratch, { recursive: true, force: true });
mkdirSync(join(scratch, "bin"), { recursive: true });
writeFileSync(
  join(scratch, "bin/consilience"),
  `#!/bin/sh\nexec "${process.execPath}" "${join(root, "dist/cli/bin.js")}" "$@"\n`,
  { mode: 0o755 },
);
for (const page of pages) {
  const before = readFileSync(join(root, page), "utf8");
  const after = runPage(before, page);
  if (write && after !== before) writeFileSync(join(root, page), after);
}
rmSync(scratch, { recursive: true, force: true });
for (const each of wrong) console.error(each);
const left = skipped > 0 ? `, ${skipped} skipped (no data at ${data})` : "";
console.log(`console: ${pages.length} pages, ${blocks} blocks${left}, ${wrong.length} wrong`);
process.exitCode = wrong.length > 0 ? 1 : 0;

/** Runs the blocks of a page in their order, and returns the page with what they print. */
function runPage(text, page) {
  if (!text.includes("```console")) return text;
  const folder = join(scratch, page.replace(/\W/g, "-"));
  mkdirSync(folder, { recursive: true });
  if (existsSync(data)) symlinkSync(data, join(folder, "data"));
  const parts =
    /<!-- run:\s*([\s\S]*?)-->|```sh\n((?:(?!```)[\s\S])*)```\s*```console\n([\s\S]*?)```|```console\n([\s\S]*?)```/g;
  return text.replace(parts, (all, hidden, shown, printed, transcript) => {
    if (hidden !== undefined) {
      run(`set -e\n${hidden}\n`, folder, page, true);
      return all;
    }
    blocks++;
    if (/\bdata\//.test(shown ?? transcript) && !existsSync(data)) {
      skipped++;
      return all;
    }
    if (shown !== undefined) {
      const found = compare(printed, run(lastPrints(shown), folder, page), page);
      return all.replace(`\`\`\`console\n${printed}`, () => `\`\`\`console\n${found}`);
    }
    return `\`\`\`console\n${runTranscript(transcript, folder, page)}\`\`\``;
  });
}

/** Runs each command of a transcript and returns it with what they print. */
function runTranscript(transcript, folder, page) {
  return transcript
    .split(/^(?=\$ )/m)
    .map((part) => {
      if (!part.startsWith("$ ")) {
        wrong.push(`${page}: a console block without a command:\n${part}`);
        return part;
      }
      const [command, ...printed] = part.split("\n");
      return `${command}\n${compare(printed.join("\n"), run(command.slice(2), folder, page), page)}`;
    })
    .join("");
}

/** Silences all commands of a block but the last. */
function lastPrints(commands) {
  const lines = commands.replace(/\\\n/g, " ").trim().split("\n");
  return lines
    .map((line, at) => (at < lines.length - 1 ? `{ ${line} ; } >/dev/null 2>&1 || exit 99` : line))
    .join("\n");
}

function run(commands, folder, page, mustWork = false) {
  const { stdout, status, error } = spawnSync("bash", ["-c", `exec 2>&1\n${commands}`], {
    cwd: folder,
    encoding: "utf8",
    timeout: 300_000,
    env: { ...process.env, PATH: `${join(scratch, "bin")}:${process.env.PATH}`, COLUMNS: "80" },
  });
  if (error || status === null) wrong.push(`${page}: this does not end: ${commands}`);
  if (status === 99 || (mustWork && status !== 0))
    wrong.push(`${page}: this fails: ${commands}\n${stdout}`);
  return stdout;
}

/** Compares what is shown with what was printed; returns what the page should show. */
function compare(shown, printed, page) {
  const trimmed = (text) => text.replace(/[ \t]+$/gm, "").trimEnd();
  if (matches(trimmed(shown), trimmed(printed))) return shown;
  if (write && !shown.includes("…")) return `${trimmed(printed)}\n`;
  wrong.push(`${page}: a command prints\n${printed}\ninstead of\n${shown}`);
  return shown;
}

function matches(shown, printed) {
  const pattern = shown
    .split("\n")
    .map((line) => (line.trim() === "…" ? "(?:.*\\n)*?" : `${escaped(line)}\\n`))
    .join("");
  return new RegExp(`^${pattern}$`).test(`${printed}\n`);
}

function escaped(line) {
  return line
    .split("…")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*");
}
