// Compares what two versions compute, bit for bit: posteriors and CSV files of every method on the public
// sets, and three learners for five epochs.
//   node bench/same-numbers.mjs REVISION    builds that revision in a folder of its own, and this tree
//   node bench/same-numbers.mjs OLD.jsonl NEW.jsonl    compares digests that were made before
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { say } from "./shared.mjs";

const here = import.meta.dirname;
const [first, second] = process.argv.slice(2);
if (first === undefined) {
  say("Usage: node bench/same-numbers.mjs REVISION | OLD.jsonl NEW.jsonl");
  process.exit(2);
}
const [old, now] = second === undefined ? digests(first) : [first, second];
const [before, after] = [old, now].map(read);
const differences = [];
let [compared, unknown] = [0, 0];
for (const [key, line] of before) {
  const other = after.get(key);
  if (!other) differences.push(`${key}: not there any more`);
  else if (line.posterior === undefined || other.posterior === undefined) {
    // A fit that was given up for its time says nothing, and learners have files only.
    if (!key.includes(" learn ")) unknown++;
    else compareFiles(key, line, other);
  } else {
    if (line.posterior !== other.posterior) differences.push(`${key}: another posterior`);
    compareFiles(key, line, other);
  }
}
for (const each of differences) console.log(each);
console.log(
  `${compared} posteriors and files compared, ${differences.length} differ; ${unknown} fits were given up for their time.`,
);
process.exitCode = differences.length > 0 ? 1 : 0;

function compareFiles(key, { files }, other) {
  compared += 1 + Object.keys(files).length;
  for (const [name, hash] of Object.entries(files)) {
    if (other.files[name] !== hash) differences.push(`${key}: another ${name}`);
  }
}

function read(path) {
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  return new Map(
    lines.map((text) => JSON.parse(text)).map((line) => [`${line.set} ${line.method}`, line]),
  );
}

/** Digests of a revision and of this tree; those that are there already are not made again. */
function digests(revision) {
  const data = join(here, ".data");
  const name = execFileSync("git", ["rev-parse", "--short", revision], {
    cwd: here,
    encoding: "utf8",
  }).trim();
  const folder = join(data, `version-${name}`);
  mkdirSync(data, { recursive: true });
  if (!existsSync(folder)) {
    execFileSync("git", ["worktree", "add", "--detach", folder, revision], {
      cwd: here,
      stdio: "inherit",
    });
    execFileSync("npm", ["ci"], { cwd: folder, stdio: "inherit" });
    execFileSync("npm", ["run", "build"], { cwd: folder, stdio: "inherit" });
  }
  const paths = [join(data, `digests-${name}.jsonl`), join(data, "digests-now.jsonl")];
  digest(folder, paths[0], true);
  digest(join(here, ".."), paths[1], false);
  return paths;
}

function digest(folder, path, resume) {
  const known = resume && existsSync(path) ? [path] : [];
  const out = openSync(path, known.length > 0 ? "a" : "w");
  const { status } = spawnSync(process.execPath, [join(here, "digest.mjs"), folder, ...known], {
    stdio: ["ignore", out, "inherit"],
  });
  if (status !== 0) throw new Error(`The digests of ${folder} failed.`);
}
