import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const folder = join(import.meta.dirname, "../examples");

describe("examples", () => {
  it.each(readdirSync(folder).filter((name) => name.endsWith(".mjs")))(
    "%s runs and prints something",
    (name) => {
      const out = execFileSync(process.execPath, [join(folder, name)], {
        encoding: "utf8",
        timeout: 60_000,
      });
      expect(out.trim()).not.toBe("");
    },
  );
});
