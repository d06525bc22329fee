import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { kinds } from "../src/kinds.ts";
import { allLearners } from "../src/learn/index.ts";
import { scenarioList } from "../src/simulate/index.ts";

const root = join(import.meta.dirname, "..");
const methods = kinds.flatMap((kind) => kind.methods);

/** Methods for labels stand by family, those of other kinds by kind. */
function folderOf({ id, kind, family }: { id: string; kind: string; family: string }): string {
  if (id === "auto") return "src/auto";
  return kind === "categorical" ? `src/aggregate/${kind}/${family}` : `src/aggregate/${kind}`;
}

// One id, everywhere: a method that is missing one of its places fails here, by name.
const places = [
  ...methods.map((method) => ({ method, docs: "docs/aggregate", folder: folderOf(method) })),
  ...allLearners.map((method) => ({
    method,
    folder: method.kind === "categorical" ? "src/learn" : `src/learn/${method.kind}`,
    docs: "docs/learn",
  })),
];

describe.each(places.map((place) => [place.method.id, place] as const))(
  "%s",
  (id, { folder, docs, method: { paper, options, summary } }) => {
    it.each([`${folder}/${id}.ts`, `${folder}/${id}.test.ts`, `${docs}/${id}.md`])(
      "has %s",
      (path) => {
        expect(existsSync(join(root, path))).toBe(true);
      },
    );

    it("names its paper", () => {
      expect(paper.url).toMatch(/^https:\/\//);
      expect(paper.year).toBeGreaterThan(1700);
      expect(paper.authors).not.toBe("");
    });

    it("says in a sentence what it and each option is", () => {
      for (const text of [summary, ...Object.values(options).map(({ help }) => help)]) {
        expect(text).toMatch(/^[A-Z"P].*[.?]$/);
      }
    });
  },
);

it("every method file is in the list", () => {
  const parts = readdirSync(join(root, "docs/aggregate")).map((name) => name.replace(/\.md$/, ""));
  const ids = new Set(methods.map(({ id }) => id));
  expect(parts.sort()).toEqual([...ids].sort());
  const pages = readdirSync(join(root, "docs/learn")).map((name) => name.replace(/\.md$/, ""));
  const known = new Set([...allLearners.map(({ id }) => id), "index", "your-own"]);
  expect(pages.filter((page) => !known.has(page))).toEqual([]);
});

it("scenarios and commands have a page", () => {
  for (const { id } of scenarioList)
    expect(existsSync(join(root, `src/simulate/${id}.ts`)), id).toBe(true);
  for (const file of readdirSync(join(root, "docs/cli"))) {
    expect(existsSync(join(root, "src/cli", file.replace(/\.md$/, ".ts"))), file).toBe(true);
  }
});
