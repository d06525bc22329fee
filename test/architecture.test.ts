import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

// The page that explains the rooms lists them in order: each may import those before it, never those after.
const page = readFileSync(join(import.meta.dirname, "../docs/architecture.md"), "utf8");
const [, listing = ""] = /```text\n([\s\S]*?)```/.exec(page) ?? [];
const order = listing
  .trim()
  .split("\n")
  .map((line) => line.split(/\s/)[0].replace(/\/$/, ""));
const src = join(import.meta.dirname, "../src");
const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
  (name) => /(?<!\.test)\.ts$/.test(name) && !name.startsWith(join("kernels", "assembly")),
);

it("the rooms on the page are those of the house", () => {
  const rooms = new Set(files.map((name) => name.split(/[\\/]/)[0]));
  expect([...rooms].sort()).toEqual(order.toSorted());
});

describe("imports", () => {
  it("go one way", () => {
    const wrong = files.flatMap((name) =>
      imports(name)
        .filter((path) => path.startsWith("."))
        .map((path) => relative(src, join(src, dirname(name), path)))
        .filter((target) => rank(target) > rank(name))
        .map((target) => `${name} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it("touch Node only in node/ and cli/", () => {
    const wrong = files
      .filter((name) => !/^(node|cli)[\\/]/.test(name))
      .filter((name) => imports(name).some((path) => path.startsWith("node:")));
    expect(wrong).toEqual([]);
  });

  it("use no name of Node's without importing it", () => {
    const wrong = files
      .filter((name) => !/^(node|cli)[\\/]/.test(name))
      .filter((name) => /\b(process|Buffer|require|__dirname)\b[.(]/.test(code(name)));
    expect(wrong).toEqual([]);
  });
});

describe("the library", () => {
  it("prints nothing, and has no clock or chance of its own", () => {
    const wrong = files
      .filter((name) => !/^(node|cli)[\\/]/.test(name))
      .filter((name) => /\bconsole\.|Math\.random\(|Date\.now\(/.test(code(name)));
    expect(wrong).toEqual([]);
  });
});

function imports(name: string): string[] {
  return [...code(name).matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(([, path]) => path);
}

function code(name: string): string {
  return readFileSync(join(src, name), "utf8").replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, "");
}

function rank(path: string): number {
  const [top] = path.split(/[\\/]/);
  expect(order, `src/${top} has no place in the order`).toContain(top);
  return order.indexOf(top);
}
