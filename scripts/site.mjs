// Builds the site into site/html: the pages of docs/ and the API reference, with one search over both.
//   npm run docs                         (builds the package first: the reference reads its declarations)
//   node scripts/site.mjs --out FOLDER   writes elsewhere
//   node scripts/site.mjs --base /name/  for a site that does not lie at the top of its address
import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "vitepress";
import { polish } from "./site/polish.mjs";
import { writeReference } from "./site/reference.mjs";
import { stagePages } from "./site/stage.mjs";

const root = join(import.meta.dirname, "..");
const work = join(root, "site");
const source = join(work, "source");
const { values } = parseArgs({
  options: {
    out: { type: "string", default: join(work, "html") },
    base: { type: "string", default: "/" },
  },
});

rmSync(source, { recursive: true, force: true });
mkdirSync(source, { recursive: true });
stagePages(source);
await writeReference(join(source, "api"), work);
polish(join(source, "api"), join(root, "docs"));
await build(join(root, "docs"), { outDir: resolve(values.out), base: values.base });
