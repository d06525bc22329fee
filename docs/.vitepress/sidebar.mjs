// The sidebars, from the folders of the gathered pages. The index page gives pages their order; pages that it
// does not mention come last, by name. There is no other list to keep.
import { readdirSync, readFileSync } from "node:fs";
import { join, posix, sep } from "node:path";

const TITLES = {
  ".": "Guide",
  cli: "Commands",
  aggregate: "Methods",
  learn: "Learners",
  diagnose: "Diagnosis",
  io: "Formats",
};

/** Lists the pages of the guide in groups, one per folder. */
export function sidebar(source) {
  const pages = pagesIn(source).filter((page) => !page.startsWith("api/") && page !== "index.md");
  const folders = groupBy(inOrder(pages, source), posix.dirname);
  const unnamed = Object.keys(folders).filter((folder) => !TITLES[folder]);
  if (unnamed.length > 0) throw new Error(`The sidebar has no title for docs/${unnamed[0]}.`);
  return Object.entries(TITLES).map(([folder, text]) => ({
    text,
    collapsed: folder !== ".",
    items: folders[folder].map((page) => itemFor(source, page)),
  }));
}

/** Sorts pages as the index page mentions them, then by name. */
function inOrder(pages, source) {
  const index = readFileSync(join(source, "index.md"), "utf8");
  const links = [...index.slice(index.indexOf("## Guide")).matchAll(/\]\(([^)#\s:]+\.md)/g)];
  const mentioned = links.map(([, link]) => posix.normalize(link));
  const rank = (page) => (mentioned.includes(page) ? mentioned.indexOf(page) : mentioned.length);
  return pages.toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}

/** Lists, for each module of the reference, all modules and the exports of this one by kind. */
export function referenceSidebar(source) {
  const pages = pagesIn(source).filter((page) => page.startsWith("api/"));
  const modules = pages.filter((page) => /(?<!\/namespaces\/[^/]+)\/index\.md$/.test(page));
  const items = modules.map((page) => itemFor(source, page));
  const all = { text: "Modules", items: items.sort((a, b) => a.text.localeCompare(b.text)) };
  return Object.fromEntries(
    modules
      .toSorted((a, b) => b.length - a.length)
      .map((page) => [linkTo(page), [all, ...exportsOf(source, pages, posix.dirname(page))]]),
  );
}

/** Groups the exports of a module by kind: the folders in which they lie. */
function exportsOf(source, pages, module) {
  const kindOf = (page) => posix.relative(module, page).split("/")[0];
  const own = pages.filter(
    (page) => posix.dirname(posix.dirname(page)) === module && !page.endsWith("/index.md"),
  );
  const groups = groupBy(own, kindOf);
  const kinds = ["functions", "variables", "classes", "interfaces", "type-aliases"];
  return kinds.flatMap((kind) => {
    const text = kind.replace("type-aliases", "types");
    const items = groups[kind]?.map((page) => itemFor(source, page));
    return items ? [{ text: text[0].toUpperCase() + text.slice(1), items }] : [];
  });
}

/** Returns the first heading of a page, as plain text. */
function titleOf(source, page) {
  const text = readFileSync(join(source, page), "utf8");
  const [, title = page] = /^# (.+)$/m.exec(text) ?? [];
  return title.replace(/\\(?=[<>_*])|[`*]/g, "").replace(/<.*/, "");
}

function pagesIn(source) {
  return readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.startsWith("public"))
    .map((name) => name.split(sep).join("/"))
    .sort();
}

function itemFor(source, page) {
  return { text: titleOf(source, page), link: linkTo(page) };
}

function linkTo(page) {
  return `/${page.replace(/(?:index)?\.md$/, "")}`;
}

function groupBy(list, keyOf) {
  const groups = {};
  for (const each of list) {
    const key = keyOf(each);
    groups[key] = [...(groups[key] ?? []), each];
  }
  return groups;
}
