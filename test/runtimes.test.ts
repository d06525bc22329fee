import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { arch, platform, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { writeCrowd } from "./crowd-files.ts";

const root = join(import.meta.dirname, "..");
const scratch = mkdtempSync(join(tmpdir(), "consilience-runtime-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Runs the built command with some packages out of reach. */
function command(args: readonly string[], missing: readonly string[]) {
  const hooks = join(scratch, `hooks-${missing.length}.mjs`);
  writeFileSync(
    hooks,
    `const missing = ${JSON.stringify(missing)};
    export async function resolve(name, context, next) {
      if (missing.some((each) => name === each || name.startsWith(each + "/")))
        throw Object.assign(new Error("Cannot find package " + name), { code: "ERR_MODULE_NOT_FOUND" });
      return next(name, context);
    }`,
  );
  const register = join(scratch, `register-${missing.length}.mjs`);
  writeFileSync(
    register,
    `import { register } from "node:module"; register(${JSON.stringify(pathToFileURL(hooks).href)});`,
  );
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", pathToFileURL(register).href, join(root, "dist/cli/bin.js"), ...args],
    { encoding: "utf8", timeout: 60_000 },
  );
  return { status, stdout, stderr };
}

describe("the runtimes of networks", () => {
  const { labels, features, test, gold } = writeCrowd(scratch);
  const learn = [
    "learn",
    labels,
    "--method",
    "max-mig",
    "--features",
    features,
    "--test-features",
    test,
    "--test-gold",
    gold,
  ];
  const quick = [
    ...learn,
    "--epochs",
    "15",
    "--batch",
    "16",
    "--hidden",
    "8",
    "--rate",
    "0.02",
    "--json",
  ];

  it("the native one is there after npm ci on linux/x64", async () => {
    if (platform() !== "linux" || arch() !== "x64") return;
    await expect(import("onnxruntime-node")).resolves.toBeDefined();
  });

  it("is the native one, else WASM, with the same result", () => {
    const engines = [[], ["onnxruntime-node"]].map((missing) => {
      const { status, stdout, stderr } = command(quick, missing);
      expect(stderr).toBe("");
      expect(status).toBe(0);
      return JSON.parse(stdout);
    });
    expect(engines.map(({ learning }) => learning.engine)).toEqual([
      "onnxruntime-node",
      "onnxruntime-web",
    ]);
    const [native, wasm] = engines.map(({ learning }) => learning.history[0] as { loss: number }[]);
    native.forEach(({ loss }, epoch) => {
      expect(Math.abs(loss - wasm[epoch].loss)).toBeLessThan(1e-4);
    });
    expect(engines[1].learning.test.accuracy.value).toBeGreaterThan(0.9);
  });

  it("says at the start which one runs, and what to type where there is none", () => {
    const said = command(
      quick.filter((arg) => arg !== "--json"),
      ["onnxruntime-node"],
    );
    expect(said.stderr).toContain("engine: onnxruntime-web");
    const none = command(quick, ["onnxruntime-node", "onnxruntime-web"]);
    expect(none.status).toBe(1);
    expect(none.stderr).toContain("npm install onnxruntime-node");
  });

  it("can be the interpreter, which needs none", () => {
    const { status, stdout } = command(
      [...quick, "--engine", "typescript"],
      ["onnxruntime-node", "onnxruntime-web"],
    );
    expect(status).toBe(0);
    expect(JSON.parse(stdout).learning.engine).toBe("typescript");
  });
});
