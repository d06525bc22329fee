// Gathers the pages of the site in one folder: docs/ and, wherever they link to, pages beside it.
// The pages are written for a reader of the repository; only the addresses of their links change here.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";

const root = join(import.meta.dirname, "../..");

/** Writes all pages into a folder, and the other files that they link to into its folder `public`. */
export function stagePages(folder) {
  const waiting = ["CHANGELOG.md", "SECURITY.md", "bench/RESULTS.md", ...markdownIn("docs")];
  const done = new Set();
  while (waiting.length > 0) {
    const page = waiting.pop();
    if (done.has(page)) continue;
    done.add(page);
    const { text, pages, files } = rewriteLinks(read(page), page);
    write(join(folder, addressOf(page)), page === "docs/index.md" ? home(text) : text);
    for (const file of files) copy(file, join(folder, "public", addressOf(file)));
    waiting.push(...pages);
  }
  copy("docs/.vitepress/theme/mark.svg", join(folder, "public/mark.svg"));
  copy("docs/images", join(folder, "public/images"));
}

/** Lists the Markdown files of a folder of the repository, as paths from its root. */
function markdownIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.startsWith("."))
    .map((name) => join(folder, name).split(sep).join("/"));
}

/**
 * Returns where a file of the repository lies on the site: docs/ is the top, pages beside it lie there too,
 * and the README of the repository is the home page.
 */
function addressOf(file) {
  if (file === "README.md") return "index.md";
  if (file.startsWith("docs/")) return file.slice("docs/".length);
  if (!file.endsWith(".md")) return file;
  return posix.basename(file.replace(/\/README\.md$/, ".md")).toLowerCase();
}

/** Rewrites the links of a page for the site; returns the pages and the other files that they lead to. */
function rewriteLinks(text, page) {
  const pages = [];
  const files = [];
  const here = dirname(addressOf(page));
  const rewrite = (all, before, target, hash = "") => {
    if (/^[a-z]+:|^\/|^#/i.test(target) || target === "") return all;
    const file = posix.join(posix.dirname(page), target);
    if (!existsSync(join(root, file)))
      throw new Error(`${page} links to ${target}, which is not there.`);
    const isPage = file.endsWith(".md");
    if (isPage && file !== "README.md") pages.push(file);
    if (!isPage) files.push(file);
    const address = addressOf(file);
    const path = isPage ? posix.relative(here, address) : `/${address}`;
    return `${before}${path}${hash})`;
  };
  // Fenced and inline code is left as it is.
  const parts = text.split(/(^ *```[\s\S]*?^ *```|`[^`\n]*`)/m);
  const rewritten = parts.map((part, i) =>
    i % 2 === 1 ? part : part.replace(/(!?\[[^\]]*\]\()([^)\s#]*)(#[^)\s]*)?\)/g, rewrite),
  );
  return { text: rewritten.join(""), pages, files };
}

/** Returns the home page: its frame, how to use the package as the README says it, and the index of docs/. */
function home(index) {
  const [, use] =
    /^(## Use it\n.*?)^## /ms.exec(rewriteLinks(read("README.md"), "README.md").text) ?? [];
  if (!use) throw new Error("README.md has no section Use it.");
  return read("docs/.vitepress/home.md")
    .replace("<!-- use -->", () => use)
    .replace("<!-- index -->", () => index.slice(index.indexOf("## ")));
}

function read(file) {
  return readFileSync(join(root, file), "utf8");
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function copy(file, path) {
  mkdirSync(dirname(path), { recursive: true });
  cpSync(join(root, file), path, { recursive: true });
}
