import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { methods } from "../src/auto/index.ts";
import { scenarios } from "../src/simulate/index.ts";

const root = join(import.meta.dirname, "..");

// One id, everywhere: a method that is missing one of its places fails here, by name.
describe.each(methods.map((method) => [method.id, method] as const))(
  "%s",
  (id, { paper, options, summary }) => {
    const folder = id === "auto" ? "src/auto" : "src/aggregate/categorical";

    it.each([`${folder}/${id}.ts`, `${folder}/${id}.test.ts`, `docs/aggregate/${id}.md`])(
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
  expect(parts.sort()).toEqual(methods.map(({ id }) => id).sort());
});

it("scenarios and commands have a page", () => {
  for (const { id } of scenarios)
    expect(existsSync(join(root, `src/simulate/${id}.ts`)), id).toBe(true);
  for (const file of readdirSync(join(root, "docs/cli"))) {
    expect(existsSync(join(root, "src/cli", file.replace(/\.md$/, ".ts"))), file).toBe(true);
  }
});
