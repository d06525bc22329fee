import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { categoricalSets, folder, hasSet } from "./datasets.ts";

const root = join(import.meta.dirname, "..");

it("no test is skipped, focused or postponed but by the one rule of its helper", () => {
  const files = ["src", "test"].flatMap((top) =>
    readdirSync(join(root, top), { recursive: true, encoding: "utf8" })
      // Those of node/ may ask what the system can do: root reads every file, Windows has no modes.
      .filter((name) => name.endsWith(".test.ts") && !/^(node[\\/]|gates)/.test(name))
      .map((name) => join(root, top, name)),
  );
  const wrong = files.filter((file) =>
    /\.(skip|only|todo|skipIf|runIf|fails)\b/.test(readFileSync(file, "utf8")),
  );
  expect(wrong).toEqual([]);
});

it("every set that is there has what its gates read; the others are named", () => {
  const missing = categoricalSets.filter((name) => !hasSet(name));
  if (!existsSync(folder)) {
    process.stdout.write(`No data at ${folder}: the gates on public sets are skipped.\n`);
  } else if (missing.length > 0) {
    process.stdout.write(`Not in ${folder}, their gates are skipped: ${missing.join(", ")}.\n`);
  }
  const has = (name: string, file: string) =>
    existsSync(join(folder, name, file)) || existsSync(join(folder, name, `${file}.gz`));
  const broken = categoricalSets
    .filter(hasSet)
    .filter((name) => !has(name, "labels.csv") || !has(name, "gold.csv"));
  expect(broken).toEqual([]);
});
