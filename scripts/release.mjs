// Releases the version that package.json names, from the folder in which it is started:
//   npm run release -- --dry-run   checks everything but the tests, and shows what would be published
//   npm run release                also runs .ci/run, then packs, tags and publishes
// It lists every reason to refuse at once, and changes nothing while there is one.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

/** Fields of package.json that the owner fills in before the first release; the site uses them too. */
const OWNED = ["author", "repository", "homepage", "bugs"];

const root = process.cwd();
const { values } = parseArgs({ options: { "dry-run": { type: "boolean", default: false } } });
const manifest = JSON.parse(read("package.json"));
const tag = `v${manifest.version}`;

const reasons = [...metadata(), ...versions(), ...tree()];
if (values["dry-run"]) show(pack(["--dry-run"]));
for (const reason of reasons) console.error(`Not ready: ${reason}`);
if (reasons.length > 0) process.exitCode = 1;
else if (values["dry-run"])
  console.log(`Ready: ${manifest.name} ${manifest.version}. Nothing was changed.`);
else release();

/** Runs the tests, then packs, tags and publishes; the first step that fails ends the release. */
function release() {
  run(join(root, ".ci/run"), []);
  const packed = pack([]);
  show(packed);
  run("git", ["tag", "--annotate", tag, "--message", `${manifest.name} ${manifest.version}`]);
  const provenance = process.env.CI ? ["--provenance"] : [];
  run("npm", ["publish", packed.filename, "--access", "public", ...provenance]);
  console.log(`Published ${manifest.name} ${manifest.version}. Now: git push origin ${tag}`);
}

/** Lists the fields that package.json must have before others can find the project. */
function metadata() {
  return OWNED.filter((field) => !manifest[field]).map(
    (field) => `package.json has no "${field}"; the owner of the package fills it in.`,
  );
}

/** Compares the version with the places that repeat it. */
function versions() {
  const { version } = manifest;
  const [unreleased, newest] = changelog();
  const found = [
    ["CHANGELOG.md", newest],
    ["src/version.ts", /version\s*=\s*"([^"]+)"/.exec(read("src/version.ts"))?.[1]],
    ["CITATION.cff", /^version:\s*(\S+)/m.exec(read("CITATION.cff"))?.[1]],
  ];
  const differ = found
    .filter(([, other]) => other !== version)
    .map(([file, other]) => `package.json has version ${version}, ${file} has ${other ?? "none"}.`);
  return unreleased
    ? [...differ, `CHANGELOG.md has lines under Unreleased; move them under a heading ${version}.`]
    : differ;
}

/** Returns the text under Unreleased, and the newest version that has a heading. */
function changelog() {
  const sections = read("CHANGELOG.md")
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading] = section.split("\n", 1);
      return { heading: heading.trim(), text: section.slice(heading.length).trim() };
    });
  const isVersion = ({ heading }) => /^\d+\.\d+\.\d+/.test(heading);
  const unreleased = sections.find(({ heading }) => heading === "Unreleased")?.text;
  return [unreleased, sections.find(isVersion)?.heading.split(/\s/)[0]];
}

/** Says what git has against a release: changes that are not committed, or a tag that exists. */
function tree() {
  const changed = git(["status", "--porcelain"]);
  const tags = git(["tag", "--list", tag]);
  return [
    ...(changed ? [`the working tree is not clean:\n${changed}`] : []),
    ...(tags ? [`the tag ${tag} exists already.`] : []),
  ];
}

/** Packs the package, or with --dry-run only says what it would hold. */
function pack(flags) {
  const args = ["pack", "--json", "--ignore-scripts", ...flags];
  const [packed] = JSON.parse(execFileSync("npm", args, options("pipe")));
  return packed;
}

/** Prints what a package holds: files and bytes by folder, then as a whole. */
function show({ filename, files, size, unpackedSize }) {
  const folders = new Map();
  for (const { path, size: bytes } of files) {
    const folder = path.includes("/") ? `${path.split("/").slice(0, 2).join("/")}` : path;
    const { count, total } = folders.get(folder) ?? { count: 0, total: 0 };
    folders.set(folder, { count: count + 1, total: total + bytes });
  }
  for (const [folder, { count, total }] of [...folders].sort(([a], [b]) => (a < b ? -1 : 1))) {
    console.log(`${folder.padEnd(28)} ${String(count).padStart(4)} files ${kilobytes(total)}`);
  }
  const whole = `${kilobytes(size).trim()} packed, ${kilobytes(unpackedSize).trim()} unpacked`;
  console.log(`${filename}: ${files.length} files, ${whole}`);
}

function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1).padStart(8)} kB`;
}

function git(args) {
  return execFileSync("git", args, options("pipe")).trim();
}

/** Runs a command and shows what it prints; ends the release if it fails. */
function run(command, args) {
  const { status } = spawnSync(command, args, options("inherit"));
  if (status === 0) return;
  console.error(`Stopped: ${[command, ...args].join(" ")} failed.`);
  process.exit(1);
}

function options(stdout) {
  const shell = process.platform === "win32";
  return { cwd: root, encoding: "utf8", shell, stdio: ["ignore", stdout, "inherit"] };
}

function read(file) {
  const path = join(root, file);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}
