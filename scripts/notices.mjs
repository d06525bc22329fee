// Writes THIRD-PARTY-NOTICES.md: what other people wrote and the package contains, with its licences, and
// what is installed beside it. With --check it only says whether the file is up to date.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import ts from "typescript";

const root = join(import.meta.dirname, "..");
const path = join(root, "THIRD-PARTY-NOTICES.md");
const { name, dependencies, peerDependencies } = JSON.parse(read("package.json"));
const { packages } = JSON.parse(read("package-lock.json"));

const strangers = foreignImports();
for (const each of strangers) console.error(each);
const text = notices();
const current = readdirSync(root).includes("THIRD-PARTY-NOTICES.md")
  ? readFileSync(path, "utf8")
  : "";
if (!process.argv.includes("--check")) writeFileSync(path, text);
else if (current !== text) {
  console.error("THIRD-PARTY-NOTICES.md is out of date; run: node scripts/notices.mjs");
  process.exitCode = 1;
}
if (strangers.length > 0) process.exitCode = 1;
console.log(`notices: 1 bundled part, ${installed().length} installed packages`);

/** Returns the whole page. */
function notices() {
  const rows = installed().map(({ title, license }) => `| ${title} | ${license} |`);
  return `# Third-party notices

Made by \`scripts/notices.mjs\` from the licences of the installed packages.

## Contained in the package

The build copies no file of another package. \`dist/kernels/wasm-bytes.js\` holds kernels that AssemblyScript compiled,
and with them the parts of its standard library that they use: logarithms and operations on memory.

### AssemblyScript

\`\`\`text
${quoted("node_modules/assemblyscript/LICENSE")}
\`\`\`

\`\`\`text
${quoted("node_modules/assemblyscript/NOTICE")}
\`\`\`

Its logarithms come from musl:

\`\`\`text
${muslNotice()}
\`\`\`

## Installed beside the package

npm installs these packages with ${name}. Each comes with its own licence; none of them is contained in the package.

| Package | Licence |
| --- | --- |
${rows.join("\n")}
`;
}

/** Lists what an installation of the package brings along, from the lock file. */
function installed() {
  const found = new Set();
  const queue = Object.keys(dependencies).map((title) => ({ title, from: "" }));
  while (queue.length > 0) {
    const { title, from } = queue.pop();
    const place = placeOf(title, from);
    if (!place || found.has(place)) continue;
    found.add(place);
    for (const next of Object.keys(packages[place].dependencies ?? {})) {
      queue.push({ title: next, from: place });
    }
  }
  const list = [...found].map((place) => ({
    title: place.replace(/^.*node_modules\//, ""),
    license: packages[place].license ?? "see the package",
  }));
  const unique = new Map(list.map((each) => [`${each.title} ${each.license}`, each]));
  return [...unique.values()].sort((a, b) => (a.title < b.title ? -1 : 1));
}

/** Finds where npm put a package that another one asks for: beside it, or above it. */
function placeOf(title, from) {
  const above = from.split("/node_modules/");
  const places = above.map((_, i) =>
    [...above.slice(0, above.length - i), title].join("/node_modules/").replace(/^\//, ""),
  );
  return [...places, `node_modules/${title}`].find((place) => place in packages);
}

/** Lists imports of the built files that are neither ours, nor Node's, nor declared: code to be named here. */
function foreignImports() {
  const known = [...Object.keys(dependencies), ...Object.keys(peerDependencies), ...builtinModules];
  return readdirSync(join(root, "dist"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".js") && !file.startsWith("."))
    .flatMap((file) =>
      ts
        .preProcessFile(read(join("dist", file)))
        .importedFiles.map(({ fileName }) => ({ file, fileName })),
    )
    .filter(({ fileName }) => !/^(?:\.|node:)/.test(fileName))
    .filter(
      ({ fileName }) => !known.some((one) => fileName === one || fileName.startsWith(`${one}/`)),
    )
    .map(
      ({ file, fileName }) =>
        `dist/${file} imports ${fileName}, which package.json does not declare.`,
    );
}

/** Returns the notice that the sources of the logarithms carry. */
function muslNotice() {
  const source = read("node_modules/assemblyscript/std/assembly/math.ts");
  const [notice] =
    /(?:^\/\/.*\n)*^\/\/ Copyright \(C\) 1993(?:.*\n)(?:^\/\/.*\n)*/m.exec(source) ?? [];
  if (!notice)
    throw new Error("AssemblyScript's mathematics has no notice any more; look at it again.");
  return notice.replace(/^\/\/ ?/gm, "").trim();
}

/** Returns a file as it is, without blanks at the ends of lines. */
function quoted(file) {
  return read(file)
    .replace(/[ \t]+$/gm, "")
    .trim();
}

function read(file) {
  return readFileSync(join(root, file), "utf8");
}
