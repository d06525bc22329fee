// The sidebars, from the folders of the gathered pages. The index page gives groups their titles and pages
// their order; pages that it does not mention come last, by name. There is no other list to keep.
import { readdirSync, readFileSync } from "node:fs";
import { join, posix, sep } from "node:path";

/** Lists the pages of the guide in groups, one per folder. */
export function sidebar(source) {
  const pages = pagesIn(source).filter((page) => !page.startsWith("api/") && page !== "index.md");
  const sections = sectionsOf(readFileSync(join(source, "index.md"), "utf8"));
  const groups = Object.entries(groupBy(pages, posix.dirname)).map(([folder, items]) => ({
    section: sectionFor(folder, sections),
    folder,
    items,
  }));
  return groups
    .sort((a, b) => sections.indexOf(a.section) - sections.indexOf(b.section))
    .map(({ section, folder, items }) => ({
      text: section.title,
      collapsed: folder !== ".",
      items: inOrder(items, section, sections).map((page) => itemFor(source, page)),
    }));
}

/** Sorts pages as their section of the index mentions them, then as the others do, then by name. */
function inOrder(pages, section, sections) {
  const mentioned = [section, ...sections].flatMap(({ links }) => links);
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

/** Returns the section of the index that links most to the pages of a folder. */
function sectionFor(folder, sections) {
  const count = ({ links }) => links.filter((link) => posix.dirname(link) === folder).length;
  const [best] = sections.toSorted((a, b) => count(b) - count(a));
  return count(best) > 0 ? best : { title: folder, links: [] };
}

/** Lists the sections of a page, with the pages that each links to. */
function sectionsOf(text) {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.slice(0, section.indexOf("\n")).trim(),
      links: [...section.matchAll(/\]\(([^)#\s:]+\.md)/g)].map(([, link]) => posix.normalize(link)),
    }));
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
