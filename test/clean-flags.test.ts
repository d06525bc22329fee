import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { cli } from "./world.ts";

const work = mkdtempSync(join(tmpdir(), "consilience-clean-"));
const at = (name: string) => join(work, name);
afterAll(() => rmSync(work, { recursive: true, force: true }));

const stdin = "task,worker,label\na ,ana,Katze\nb,ana,N/A\nc,ana,CAT\n";
const answers = async (...flags: string[]) => {
  const { code, out, said } = await cli(["aggregate", "-", "--method", "majority-vote", ...flags], {
    stdin,
  });
  expect(code, said).toBe(0);
  return { out, said };
};

describe("flags that clean labels", () => {
  it("trims by default, and names the flag that keeps spaces and the one for missing labels", async () => {
    const { out, said } = await answers();
    expect(out).toMatch(/^a[\t,]/m);
    expect(said).toContain("To keep them, use --keep-spaces.");
    expect(said).toContain("use --missing N/A.");
    expect((await answers("--keep-spaces")).out).toMatch(/^"?a "?[\t,]/m);
  });

  it("maps labels given on the command line or in a file", async () => {
    writeFileSync(at("map.csv"), "from,to\nn/a,\nKatze,cat\n");
    for (const map of ["n/a=,Katze=cat", at("map.csv")]) {
      const { out, said } = await answers("--map", map, "--fold-case");
      expect(said).toContain("2 tasks");
      expect(out).toMatch(/^a[\t,]cat/m);
      expect(out).toMatch(/^c[\t,]cat/m);
    }
  });

  it("refuses a map that is none", async () => {
    writeFileSync(at("three.csv"), "a,b,c\n");
    const three = await cli(["aggregate", "-", "--map", at("three.csv")], { stdin });
    expect(three.said).toContain("a map of labels has two columns, from and to, but there are 3");
    const half = await cli(["aggregate", "-", "--map", "a=b,c"], { stdin });
    expect(half).toMatchObject({ code: 2 });
    expect(half.said).toContain('--map takes A=B,C=D or a file, not "c".');
  });
});
