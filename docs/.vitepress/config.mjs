// The site: pages gathered by scripts/site.mjs in site/source, one search over them and the reference.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { referenceSidebar, sidebar } from "./sidebar.mjs";

const root = join(import.meta.dirname, "../..");
const source = join(root, "site/source");
const { name, version, description, repository } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
);
const address = repository?.url?.replace(/^git\+|\.git$/g, "");

export default defineConfig({
  title: name,
  description,
  srcDir: source,
  cacheDir: join(root, "site/cache"),
  outDir: join(root, "site/html"),
  lang: "en-GB",
  head: [["link", { rel: "icon", type: "image/svg+xml", href: "/mark.svg" }]],
  // The list of pages and the sidebars in one file, instead of a copy in every page.
  metaChunk: true,
  markdown: {
    anchor: { slugify },
    theme: { light: "github-light", dark: "github-dark" },
    config: (parser) => parser.core.ruler.push("indented", fenceIndented),
  },
  themeConfig: {
    logo: "/mark.svg",
    nav: [
      { text: "Guide", link: "/choose-a-method" },
      { text: "Commands", link: "/cli/aggregate" },
      { text: "Methods", link: "/aggregate/auto" },
      { text: "API", link: "/api/" },
      { text: version, link: "/changelog" },
    ],
    sidebar: { ...referenceSidebar(source), "/": sidebar(source) },
    outline: [2, 3],
    search: { provider: "local" },
    ...(address ? { socialLinks: [{ icon: "github", link: address }] } : {}),
    docFooter: { prev: false, next: false },
  },
});

/** Names headings as GitHub does, since the pages link to each other's headings by those names. */
function slugify(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
}

/** Sets indented code like fenced code, which scrolls by itself on a narrow page. */
function fenceIndented({ tokens }) {
  for (const token of tokens.filter(({ type }) => type === "code_block")) {
    token.type = "fence";
    token.info = "text";
  }
}
