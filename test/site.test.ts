/** The site: it builds, its links land, every export has its page, and it works in a browser. */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inBrowser } from "./browser.ts";
import { serveFolder } from "./static-server.ts";

const root = join(import.meta.dirname, "..");
const site = mkdtempSync(join(tmpdir(), "consilience-site-"));
const { name, version, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const served = { url: "", close: () => {} };

beforeAll(async () => {
  await promisify(execFile)(process.execPath, ["scripts/site.mjs", "--out", site], { cwd: root });
  Object.assign(served, await serveFolder(site));
}, 300_000);
afterAll(() => {
  served.close();
  rmSync(site, { recursive: true, force: true });
});

describe("the pages", () => {
  it("has one page per page of docs/", () => {
    const missing = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".md") && !file.startsWith("."))
      .filter((file) => !existsSync(join(site, file.replace(/\.md$/, ".html"))));
    expect(missing).toEqual([]);
  });

  it("have links that land, on headings too", () => {
    const pages = new Map(htmlFiles().map((page) => [page, parts(read(page))]));
    const wrong = [...pages].flatMap(([page, { links }]) =>
      links
        .map((link) => ({ link, ...target(page, link) }))
        .filter(({ file, hash }) => {
          const ids = pages.get(file)?.ids;
          return ids ? hash !== "" && !ids.has(hash) : !existsSync(join(site, file));
        })
        .map(({ link }) => `${page}: ${link}`),
    );
    expect(wrong).toEqual([]);
    expect(pages.size).toBeGreaterThan(100);
  });

  it("publish the schema of result.json", () => {
    const schema = readFileSync(join(root, "docs/schema/result.json"), "utf8");
    expect(read("schema/result.json")).toBe(schema);
  });
});

describe("the API reference", () => {
  const modules = Object.entries<{ default?: string }>(exports).flatMap(([path, target]) =>
    target.default ? [[posix.join(name, path), target.default] as const] : [],
  );

  it.each(modules)("has a page for every value of %s", async (module, file) => {
    const values = Object.keys(await import(pathToFileURL(join(root, file)).href));
    const listed = parts(read(`api/${module}/index.html`)).links.map((link) =>
      posix.basename(link.replace(/\/(?:index\.html)?$/, ""), ".html"),
    );
    expect(values.filter((value) => !listed.includes(value))).toEqual([]);
  });

  it("has no export without a description", () => {
    const bare = modules.flatMap(([module]) => {
      const rows = read(`api/${module}/index.html`).matchAll(
        /<tr><td><a [^>]*>(?<title>.*?)<\/a><\/td><td>(?<text>.*?)<\/td><\/tr>/g,
      );
      return [...rows].flatMap(({ groups = {} }) =>
        /\w/.test(groups["text"]) ? [] : [`${module}: ${groups["title"]}`],
      );
    });
    expect(bare).toEqual([]);
  });

  it("says what the options of a method are", () => {
    const page = read(`api/${name}/methods/type-aliases/DawidSkeneOptionTable.html`);
    expect(page).toContain("Maximum number of iterations");
    expect(page).not.toContain("maxIterations.default");
  });
});

describe("in Chromium", () => {
  const pages = ["/", "/aggregate/dawid-skene.html", "/cli/aggregate.html", "/report.html"];
  const reference = `/api/${name}/functions/aggregate.html`;

  for (const width of [1280, 390]) {
    inBrowser(
      `shows pages ${width} pixels wide, without errors or other hosts`,
      async (browser) => {
        const page = await browser.newPage({ viewport: { width, height: 900 } });
        const seen = watch(page);
        for (const path of [...pages, reference]) {
          await page.goto(served.url + path, { waitUntil: "networkidle" });
          const wide = await page.evaluate("document.documentElement.scrollWidth");
          expect(wide, `${path} scrolls sideways`).toBeLessThanOrEqual(width);
          expect(await page.evaluate("document.body.innerText")).toContain(name);
        }
        expect(seen).toEqual([]);
      },
    );
  }

  inBrowser("shows no page of the guide that is wider than a phone", async (browser) => {
    const page = await browser.newPage({
      viewport: { width: 390, height: 844 },
      javaScriptEnabled: false,
    });
    const wide: string[] = [];
    for (const file of htmlFiles().filter((each) => !each.startsWith("api/"))) {
      await page.goto(`${served.url}/${file}`);
      const width = await page.evaluate("document.documentElement.scrollWidth");
      if (Number(width) > 390) wide.push(`${file}: ${width}`);
    }
    expect(wide).toEqual([]);
  });

  inBrowser("shows the version, and the way to the reference", async (browser) => {
    const page = await browser.newPage();
    await page.goto(served.url);
    expect(await page.textContent(".VPNavBar")).toContain(version);
    await page.click(".VPNavBar >> text=API");
    await page.waitForURL("**/api/");
    await page.click(`.vp-doc a[href$="/${name}/"]`);
    await page.click(`.vp-doc a[href$="/functions/aggregate.html"]`);
    await page.waitForURL(`**${reference}`);
    expect(await page.textContent("h1")).toContain("aggregate()");
  });

  inBrowser("finds the page of a method, and an export", async (browser) => {
    const page = await browser.newPage();
    const seen = watch(page);
    await page.goto(served.url);
    const found = async (words: string): Promise<(string | null)[]> => {
      await openSearch(page);
      await page.fill(".VPLocalSearchBox input", words);
      await page.waitForSelector(".VPLocalSearchBox .result");
      const results = await page.$$(".VPLocalSearchBox .result");
      const links = await Promise.all(results.map((each) => each.getAttribute("href")));
      await page.keyboard.press("Escape");
      return links.map((link) => link?.replace(/#.*/, "") ?? null);
    };
    expect((await found("dawid-skene")).slice(0, 5)).toContain("/aggregate/dawid-skene.html");
    expect(await found("aggregateJob")).toContain(`/api/${name}/jobs/functions/aggregateJob.html`);
    expect(seen).toEqual([]);
  });
});

/** Opens the search: the page hears the keys only once its script has taken over. */
async function openSearch(page: Page): Promise<void> {
  const input = page.locator(".VPLocalSearchBox input");
  await expect
    .poll(
      async () => {
        if (!(await input.isVisible())) await page.keyboard.press("Control+k");
        return input.isVisible();
      },
      { interval: 250, timeout: 60_000 },
    )
    .toBe(true);
}

/** Collects what must not happen on a page: errors, failed requests, requests to other hosts. */
function watch(page: Page): string[] {
  const seen: string[] = [];
  page.on("pageerror", (error) => seen.push(`error ${error}`));
  page.on("requestfailed", (request) => seen.push(`failed ${request.url()}`));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) seen.push(`console ${message.text()}`);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(`${served.url}/`)) seen.push(`request ${request.url()}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) seen.push(`${response.status()} ${response.url()}`);
  });
  return seen;
}

function htmlFiles(): string[] {
  return readdirSync(site, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".html"))
    .map((file) => file.split(sep).join("/"));
}

function read(page: string): string {
  return readFileSync(join(site, page), "utf8");
}

/** Returns the links inside the site and the names of places on a page. */
function parts(html: string): { links: string[]; ids: Set<string> } {
  const decode = (text: string) => text.replaceAll("&amp;", "&");
  const links = [...html.matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, link]) => decode(link));
  return {
    links: links.filter((link) => !/^[a-z]+:/i.test(link)),
    ids: new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)),
  };
}

/** Returns the file and the place in it that a link of a page leads to. */
function target(page: string, link: string): { file: string; hash: string } {
  const { pathname, hash } = new URL(link, `http://localhost/${page}`);
  const path = decodeURIComponent(pathname).slice(1);
  const file = path === "" || path.endsWith("/") ? `${path}index.html` : path;
  return { file, hash: decodeURIComponent(hash.slice(1)) };
}
