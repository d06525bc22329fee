/** The release script, on a small package of its own: what it refuses, and what it does in which order. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { onPosix } from "./platform.ts";

const script = join(import.meta.dirname, "../scripts/release.mjs");
const owned = {
  author: "Somebody",
  repository: { type: "git", url: "https://example.org/x.git" },
  homepage: "https://example.org",
  bugs: "https://example.org/bugs",
};
const manifest = { name: "small", version: "1.2.3", files: ["dist"], ...owned };
let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "consilience-release-"));
  git("init", "--quiet");
  put("package.json", JSON.stringify(manifest));
  put("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n## 1.2.3\n\nNew.\n\n## 1.2.2\n\nOld.\n");
  put("CITATION.cff", "version: 1.2.3\n");
  put("src/version.ts", 'export const version = "1.2.3";\n');
  put("dist/index.js", "export {};\n");
  put("dist/deep/part.js", "export {};\n");
  put(".gitignore", "/bin/\n/log\n");
  commit();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a dry run", () => {
  it("says what would be published, and changes nothing", () => {
    const { status, stdout, stderr } = release("--dry-run");
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(stdout).toMatch(/dist\/deep +1 files/);
    expect(stdout).toMatch(/small-1\.2\.3\.tgz: 3 files, [\d.]+ kB packed/);
    expect(stdout).toMatch(/Ready: small 1\.2\.3\. Nothing was changed\./);
    expect(git("status", "--porcelain")).toBe("");
    expect(git("tag")).toBe("");
  });

  it.each(Object.keys(owned))("refuses a package without %s", (field) => {
    put("package.json", JSON.stringify({ ...manifest, [field]: undefined }));
    expectRefusal(new RegExp(`package.json has no "${field}"`));
  });

  it.each([
    ["CHANGELOG.md", "# Changelog\n\n## 1.2.2\n", /CHANGELOG\.md has 1\.2\.2\./],
    ["CHANGELOG.md", "# Changelog\n", /CHANGELOG\.md has none\./],
    ["CITATION.cff", "version: 1.2.2\n", /CITATION\.cff has 1\.2\.2\./],
    ["src/version.ts", 'export const version = "2.0.0";\n', /src\/version\.ts has 2\.0\.0\./],
    ["CHANGELOG.md", "## Unreleased\n\nMore.\n\n## 1.2.3\n", /lines under Unreleased/],
  ])("refuses %s with another version: %j", (file, text, reason) => {
    put(file, text);
    expectRefusal(reason);
  });

  it("refuses a tag that exists", () => {
    git("tag", "v1.2.3");
    expectRefusal(/the tag v1\.2\.3 exists already/);
  });

  it("refuses a tree with changes, and names them", () => {
    put("dist/more.js", "");
    const { status, stderr } = release("--dry-run");
    expect(stderr).toMatch(/^Not ready: the working tree is not clean:\n\?\? dist\/more\.js$/m);
    expect(status).toBe(1);
  });

  it("lists all reasons at once, and still shows the package", () => {
    put("package.json", JSON.stringify({ ...manifest, author: "", version: "1.3.0" }));
    const { stdout, stderr } = release("--dry-run");
    expect(stderr.match(/^Not ready:/gm)).toHaveLength(5);
    expect(stdout).toContain("small-1.3.0.tgz");
  });
});

describe("a release", () => {
  // Stands in for npm: notes how it was called, and packs nothing.
  const npm = `#!/bin/sh
echo "npm $*" >> log
if [ "$1" = pack ]; then
  echo '[{"filename": "small-1.2.3.tgz", "files": [], "size": 1, "unpackedSize": 1}]'
fi
`;
  const checks = (status: number) => `#!/bin/sh\necho "checks" >> log\nexit ${status}\n`;

  onPosix("runs the checks, packs, tags and publishes", () => {
    executable("bin/npm", npm);
    executable(".ci/run", checks(0));
    commit();
    const { status, stdout, stderr } = release();
    expect(status, stderr).toBe(0);
    const log = readFileSync(join(folder, "log"), "utf8").trim().split("\n");
    expect(log[0]).toBe("checks");
    expect(log[1]).toMatch(/^npm pack --json --ignore-scripts$/);
    expect(log[2]).toMatch(/^npm publish small-1\.2\.3\.tgz --access public/);
    expect(log).toHaveLength(3);
    expect(git("tag")).toBe("v1.2.3");
    expect(stdout).toContain("git push origin v1.2.3");
  });

  onPosix("ends when a check fails, before it packs or tags", () => {
    executable("bin/npm", npm);
    executable(".ci/run", checks(1));
    commit();
    const { status, stderr } = release();
    expect(status).toBe(1);
    expect(stderr).toMatch(/Stopped: .*run failed\./);
    expect(readFileSync(join(folder, "log"), "utf8")).toBe("checks\n");
    expect(git("tag")).toBe("");
  });

  onPosix("does nothing while there is a reason against it", () => {
    executable("bin/npm", npm);
    executable(".ci/run", checks(0));
    const { status } = release();
    expect(status).toBe(1);
    expect(() => readFileSync(join(folder, "log"))).toThrow("ENOENT");
  });
});

/** Commits everything, then expects a dry run to refuse for this reason alone. */
function expectRefusal(reason: RegExp): void {
  commit();
  const { status, stderr } = release("--dry-run");
  expect(stderr).toMatch(reason);
  expect(stderr.match(/^Not ready:/gm)).toHaveLength(1);
  expect(status).toBe(1);
}

function release(...args: string[]) {
  const env: NodeJS.ProcessEnv = { ...process.env };
  env["PATH"] = [join(folder, "bin"), env["PATH"]].join(delimiter);
  // Notices of npm about itself are no part of the output.
  env["npm_config_loglevel"] = "error";
  return spawnSync(process.execPath, [script, ...args], { cwd: folder, encoding: "utf8", env });
}

function put(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

function executable(name: string, text: string): void {
  put(name, text);
  chmodSync(join(folder, name), 0o755);
}

function commit(): void {
  git("add", "--all");
  const who = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"];
  git(...who, "commit", "--quiet", "--allow-empty", "--message", "State");
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: folder, encoding: "utf8" }).trim();
}
