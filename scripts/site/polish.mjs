// Mends what the Markdown of the reference cannot be told by options.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

/** How the site sets these pages: a class for the style sheet, and an outline without parts of signatures. */
const settings = "---\npageClass: reference\noutline: 2\n---\n\n";

/** Rewrites the pages of the reference in a folder; `docs` is the folder of the guide. */
export function polish(folder, docs) {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const name of names.filter((each) => each.endsWith(".md"))) {
    const path = join(folder, name);
    const text = readFileSync(path, "utf8").replaceAll("/Index.md", "/Index-.md");
    writeFileSync(path, `${settings}${/OptionTable\.md$/.test(name) ? withoutParts(text) : text}`);
    // A site takes Index.md for the first page of its folder, whatever the case of its letters.
    if (basename(name) === "Index.md") renameSync(path, path.replace(/Index\.md$/, "Index-.md"));
  }
  linkToGuide(join(folder, "consilience/methods/variables"), docs, "aggregate");
  linkToGuide(join(folder, "consilience/learn/variables"), docs, "learn");
}

/** Leaves out the rows of a table of options that repeat what the description of the option says. */
function withoutParts(text) {
  return text.replace(/^\| `\w+\.\w+` \|.*\| - \|\n/gm, "");
}

/** Ends the page of each method with a link to its page in the guide, which has the same name. */
function linkToGuide(folder, docs, section) {
  for (const page of readdirSync(join(docs, section)).filter((name) => name !== "index.md")) {
    const id = basename(page, ".md");
    const path = join(folder, `${id.replace(/-(.)/g, (_, letter) => letter.toUpperCase())}.md`);
    if (!existsSync(path)) continue;
    const link = `See [when to use it, its options and what comes back](../../../../${section}/${page}).`;
    writeFileSync(path, `${readFileSync(path, "utf8").trimEnd()}\n\n${link}\n`);
  }
}
