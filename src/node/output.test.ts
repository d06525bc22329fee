import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { onPosix } from "../../test/platform.ts";
import { CrowdError } from "../error.ts";
import { type Content, writeFile, writeFolder } from "./output.ts";

let base = "";
let out = "";
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "consilience-output-"));
});
afterAll(() => rmSync(base, { recursive: true }));
beforeEach(() => {
  out = mkdtempSync(join(base, "case-"));
});

const read = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );

/** Names of what was left beside the results. */
const litter = (folder: string) =>
  readdirSync(folder, { recursive: true }).filter((name) => /\.(tmp|old)-/.test(String(name)));

const old = { "truth.csv": "old truth", "workers.csv": "old workers", "report.html": "old report" };
const fresh = { "truth.csv": "new truth", "workers.csv": "new workers" };

describe("writeFolder", () => {
  it("makes the folder and those above it", async () => {
    const folder = join(out, "a", "b", "result");
    await writeFolder(folder, fresh);
    expect(read(folder)).toEqual(fresh);
    expect(litter(out)).toEqual([]);
  });

  it("writes text, bytes, and pieces of both, however large", async () => {
    const line = "x".repeat(999);
    await writeFolder(join(out, "r"), {
      text: "é",
      bytes: Uint8Array.of(0, 255),
      pieces: ["a", Uint8Array.of(98), "c"],
      many: (function* () {
        for (let i = 0; i < 5000; i++) yield `${line}\n`;
      })(),
      waiting: (async function* () {
        yield "later";
      })(),
    });
    expect(readFileSync(join(out, "r", "bytes"))).toEqual(Buffer.of(0, 255));
    expect(readFileSync(join(out, "r", "pieces"), "utf8")).toBe("abc");
    expect(statSync(join(out, "r", "many")).size).toBe(5_000_000);
    expect(readFileSync(join(out, "r", "waiting"), "utf8")).toBe("later");
  });

  it("fills an empty folder, and refuses one that is not", async () => {
    const folder = join(out, "r");
    mkdirSync(folder);
    await writeFolder(folder, old);
    await expect(writeFolder(folder, fresh)).rejects.toMatchObject({
      code: "bad-option",
      message: `${folder} is not empty. Choose another folder, or overwrite its files with force: true.`,
    });
    expect(read(folder)).toEqual(old);
    expect(litter(out)).toEqual([]);
  });

  onPosix(
    "with force replaces its own files, and removes those it does not write any more",
    async () => {
      const folder = join(out, "r");
      await writeFolder(folder, old);
      chmodSync(folder, 0o750);
      await writeFolder(folder, fresh, { force: true });
      expect(read(folder)).toEqual(fresh);
      expect(statSync(folder).mode & 0o777).toBe(0o750);
      expect(litter(out)).toEqual([]);
    },
  );

  it("with force keeps the files of others", async () => {
    const folder = join(out, "r");
    await writeFolder(folder, old);
    writeFileSync(join(folder, "notes.txt"), "mine");
    mkdirSync(join(folder, "sub"));
    await writeFolder(folder, new Map(Object.entries(fresh)), { force: true });
    rmSync(join(folder, "sub"), { recursive: true });
    expect(read(folder)).toEqual({ ...fresh, "notes.txt": "mine" });
    expect(litter(out)).toEqual([]);
  });

  it("writes into the folder somebody is working in without replacing it", async () => {
    const folder = join(out, "r");
    await writeFolder(folder, old);
    const before = statSync(folder).ino;
    const cwd = process.cwd();
    process.chdir(folder);
    try {
      await writeFolder(".", fresh, { force: true });
    } finally {
      process.chdir(cwd);
    }
    expect(statSync(folder).ino).toBe(before);
    expect(read(folder)).toEqual(fresh);
  });

  onPosix("follows a link to a folder", async () => {
    mkdirSync(join(out, "real"));
    symlinkSync(join(out, "real"), join(out, "link"));
    await writeFolder(join(out, "link"), fresh);
    expect(read(join(out, "real"))).toEqual(fresh);
  });

  it("leaves the old files when a new one cannot be made", async () => {
    for (const foreign of [false, true]) {
      const folder = join(out, `r${foreign}`);
      await writeFolder(folder, old);
      if (foreign) writeFileSync(join(folder, "notes.txt"), "mine");
      const before = read(folder);
      const broken = (function* () {
        yield "half";
        throw new Error("no more");
      })();
      await expect(
        writeFolder(
          folder,
          { "truth.csv": "new", "posterior.csv": broken as Content },
          { force: true },
        ),
      ).rejects.toMatchObject({
        code: "write-failed",
        message: expect.stringContaining("no more"),
      });
      expect(read(folder)).toEqual(before);
    }
    expect(litter(out)).toEqual([]);
  });

  it("puts everything back when the last file cannot be put in its place", async () => {
    const folder = join(out, "r");
    await writeFolder(folder, old);
    // A folder of the name of a file: renaming over it fails.
    mkdirSync(join(folder, "zzz.csv"));
    writeFileSync(join(folder, "zzz.csv", "x"), "x");
    await expect(
      writeFolder(folder, { ...fresh, "aaa.csv": "new", "zzz.csv": "new" }, { force: true }),
    ).rejects.toBeInstanceOf(CrowdError);
    rmSync(join(folder, "zzz.csv"), { recursive: true });
    expect(read(folder)).toEqual(old);
    expect(litter(out)).toEqual([]);
  });

  it("stops when it is told to, and leaves nothing behind", async () => {
    const stop = new AbortController();
    const files = {
      "truth.csv": (function* () {
        yield "a";
        stop.abort();
        yield "b";
      })(),
    };
    await expect(writeFolder(join(out, "r"), files, { signal: stop.signal })).rejects.toMatchObject(
      {
        code: "cancelled",
      },
    );
    expect(readdirSync(out)).toEqual([]);
  });

  it.each(["../x", "a/b", "..", ""])("refuses %j for the name of a file", async (name) => {
    await expect(writeFolder(join(out, "r"), { [name]: "" })).rejects.toMatchObject({
      code: "bad-option",
    });
  });

  it("refuses a file in the place of the folder", async () => {
    writeFileSync(join(out, "r"), "");
    await expect(writeFolder(join(out, "r"), fresh)).rejects.toMatchObject({ code: "bad-option" });
    await expect(writeFolder(join(out, "r", "s"), fresh)).rejects.toMatchObject({
      code: "write-failed",
    });
  });

  it("clears away what a killed run left, and puts back a folder lost between two renames", async () => {
    const dead = deadProcess();
    const folder = join(out, "r");
    mkdirSync(join(out, `.r.tmp-${dead}-aaaaaaaaaaaa`));
    mkdirSync(join(out, `.r.old-${dead}-bbbbbbbbbbbb`));
    writeFileSync(join(out, `.r.old-${dead}-bbbbbbbbbbbb`, "truth.csv"), "old truth");
    await expect(writeFolder(folder, fresh)).rejects.toThrow("is not empty");
    expect(read(folder)).toEqual({ "truth.csv": "old truth" });
    await writeFolder(folder, fresh, { force: true });
    expect(litter(out)).toEqual([]);
  });
});

function deadProcess(): number {
  return Number(execFileSync(process.execPath, ["-p", "process.pid"]).toString());
}

it("says that another process was first, in words", async () => {
  const folder = join(out, "r");
  const late = {
    "truth.csv": (function* () {
      yield "mine";
      mkdirSync(folder);
      writeFileSync(join(folder, "truth.csv"), "theirs");
    })(),
  };
  await expect(writeFolder(folder, late)).rejects.toMatchObject({
    code: "write-failed",
    message: `${folder} could not be written: another process has written there meanwhile. Choose another place. What was there before is unchanged.`,
  });
  expect(read(folder)).toEqual({ "truth.csv": "theirs" });
  expect(litter(out)).toEqual([]);
});

describe("writeFile", () => {
  onPosix("replaces a file and keeps its permissions", async () => {
    const path = join(out, "x.csv");
    await writeFile(path, "one");
    chmodSync(path, 0o640);
    await writeFile(path, ["t", "w", "o"]);
    expect(readFileSync(path, "utf8")).toBe("two");
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(litter(out)).toEqual([]);
  });

  onPosix("writes through a link, and into a device", async () => {
    writeFileSync(join(out, "real"), "one");
    symlinkSync(join(out, "real"), join(out, "link"));
    await writeFile(join(out, "link"), "two");
    expect(readFileSync(join(out, "real"), "utf8")).toBe("two");
    await writeFile("/dev/null", "gone");
  });

  it("leaves the old file when the new one cannot be made", async () => {
    const path = join(out, "x.csv");
    await writeFile(path, "one");
    const broken = (function* () {
      yield "half";
      throw new Error("no more");
    })();
    await expect(writeFile(path, broken as Content)).rejects.toMatchObject({
      code: "write-failed",
    });
    expect(read(out)).toEqual({ "x.csv": "one" });
  });

  it("says what is wrong with the place", async () => {
    await expect(writeFile(join(out, "no", "x"), "")).rejects.toThrow(
      "the folder it should go to does not exist",
    );
    await expect(writeFile(out, "")).rejects.toMatchObject({ code: "bad-option" });
  });
});

/** The sources as Node runs them, in a folder of their own, for processes that are to be killed. */
function compiled(): string {
  const folder = join(base, "compiled");
  if (existsSync(folder)) return folder;
  mkdirSync(join(folder, "node"), { recursive: true });
  for (const name of ["error", "node/atomic", "node/inputs", "node/output"]) {
    const source = readFileSync(new URL(`../${name}.ts`, import.meta.url), "utf8");
    const { outputText } = ts.transpileModule(source, {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    });
    const text = outputText.replace(/(from ".*)\.ts"/g, '$1.mjs"');
    writeFileSync(join(folder, `${name}.mjs`), text);
    writeFileSync(join(folder, `${name}-slow.mjs`), slowed(text));
  }
  return folder;
}

/** The same source with a pause before every rename. */
function slowed(text: string): string {
  const pause = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 25);";
  return `${text.replaceAll("renameSync(", "slowRename(")}
import { renameSync as rename } from "node:fs";
function slowRename(from, to) { ${pause} rename(from, to); }
`;
}

/** Runs a script beside the compiled sources; resolves with the signal or code it ended by. */
function run(script: string, after?: { ms: number; signal: NodeJS.Signals }) {
  const path = join(compiled(), `script-${Math.random().toString(36).slice(2)}.mjs`);
  writeFileSync(path, script);
  const child = spawn(process.execPath, [path], { stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  return new Promise<{ end: string | number | null; printed: string }>((resolve) => {
    child.stdout.on("data", (text) => {
      if (printed === "" && after) setTimeout(() => child.kill(after.signal), after.ms);
      printed += text;
    });
    child.on("close", (code, signal) => resolve({ end: signal ?? code, printed }));
  });
}

describe("a process that is killed while it writes", () => {
  const names = Array.from({ length: 8 }, (_, i) => `f${i}.csv`);
  const set = (word: string) =>
    Object.fromEntries(names.map((name) => [name, word.repeat(20_000)]));
  const script = (folder: string) => `
    import { writeFolder } from "./node/output.mjs";
    const names = ${JSON.stringify(names)};
    const set = (word) => Object.fromEntries(names.map((name) => [name, word.repeat(20_000)]));
    console.log("ready");
    for (let i = 0; ; i++) {
      await writeFolder(${JSON.stringify(folder)}, set(i % 2 ? "odd" : "even"), { force: true });
    }
  `;

  onPosix.each(["SIGKILL", "SIGTERM"] as const)(
    "by %s leaves all the old files or all the new",
    async (signal) => {
      const folder = join(out, "r");
      await writeFolder(folder, set("even"));
      for (const ms of [3, 11, 17, 24, 31, 45]) {
        const { end } = await run(script(folder), { ms, signal });
        expect(end).toBe(signal);
        // Between two renames there is no folder; the next run puts the old one back.
        const found = existsSync(folder) ? read(folder) : set("even");
        expect(found).toEqual(set(found["f0.csv"].startsWith("odd") ? "odd" : "even"));
      }
      await writeFolder(folder, set("even"), { force: true });
      expect(read(folder)).toEqual(set("even"));
      expect(litter(out)).toEqual([]);
    },
  );

  const slowly = (folder: string, before = "") =>
    before + script(folder).replace("./node/output.mjs", "./node/output-slow.mjs");
  const wordOf = (found: Record<string, string>) =>
    found["f0.csv"].startsWith("odd") ? "odd" : "even";

  it("leaves all old or all new where others have files in the folder", async () => {
    const folder = join(out, "r");
    await writeFolder(folder, { ...set("even"), "notes.txt": "mine" });
    mkdirSync(join(folder, "sub", "deep"), { recursive: true });
    writeFileSync(join(folder, "sub", "deep", "theirs.txt"), "theirs");
    for (const ms of [30, 60, 95, 140, 190, 240, 300, 370]) {
      await run(slowly(folder), { ms, signal: "SIGKILL" });
      const [left] = readdirSync(out).filter((name) => name.startsWith(".r.old-"));
      // Between the two renames there is no folder, and the old one lies beside.
      const place = existsSync(folder) ? folder : join(out, left);
      expect(readFileSync(join(place, "sub", "deep", "theirs.txt"), "utf8")).toBe("theirs");
      rmSync(join(place, "sub"), { recursive: true });
      const found = read(place);
      mkdirSync(join(place, "sub", "deep"), { recursive: true });
      writeFileSync(join(place, "sub", "deep", "theirs.txt"), "theirs");
      expect(found).toEqual({ ...set(wordOf(found)), "notes.txt": "mine" });
    }
    await writeFolder(folder, set("even"), { force: true });
    rmSync(join(folder, "sub"), { recursive: true });
    expect(read(folder)).toEqual({ ...set("even"), "notes.txt": "mine" });
    expect(litter(out)).toEqual([]);
  });

  it("in a folder that must stay is taken back by the next run", async () => {
    const folder = join(out, "r");
    let mixed = 0;
    for (const ms of [60, 90, 120, 160, 200, 250]) {
      rmSync(folder, { recursive: true, force: true });
      await writeFolder(folder, { ...set("odd"), "notes.txt": "mine" });
      const stay = `process.chdir(${JSON.stringify(folder)});\n`;
      await run(slowly(folder).replace('console.log("ready")', `${stay}console.log("ready")`), {
        ms,
        signal: "SIGKILL",
      });
      const words = names.map((name) => read(folder)[name].slice(0, 3));
      if (new Set(words).size > 1) mixed++;
      // One that is refused takes back as well.
      await expect(writeFolder(folder, {})).rejects.toThrow("is not empty");
      const found = read(folder);
      expect(found).toEqual({ ...set(wordOf(found)), "notes.txt": "mine" });
      expect(litter(out)).toEqual([]);
    }
    expect(mixed).toBeGreaterThan(0);
  });

  it("leaves the old file or the new", async () => {
    const path = join(out, "x.csv");
    await writeFile(path, "even".repeat(500_000));
    for (const ms of [2, 9, 20, 33]) {
      await run(
        `
        import { writeFile } from "./node/output.mjs";
        console.log("ready");
        for (let i = 0; ; i++) await writeFile(${JSON.stringify(path)}, (i % 2 ? "odd" : "even").repeat(500_000));
      `,
        { ms, signal: "SIGKILL" },
      );
      const found = readFileSync(path, "utf8");
      expect(found).toBe(found.startsWith("odd") ? "odd".repeat(500_000) : "even".repeat(500_000));
    }
    await writeFile(path, "end");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(readdirSync(out)).toEqual(["x.csv"]);
  });
});

describe("a full disk", () => {
  const disk = join(tmpdir(), `consilience-disk-${process.pid}`);
  const mounted = mount(disk);
  afterAll(() => {
    if (mounted) execFileSync("umount", [disk]);
    rmSync(disk, { recursive: true, force: true });
  });
  // Mounting a small disk takes root; elsewhere this is skipped.
  it.skipIf(!mounted)("leaves what was there, says so, and clears up", async () => {
    const folder = join(disk, "r");
    await writeFolder(folder, old);
    const big = { "truth.csv": "x", "posterior.csv": "y".repeat(3 * 2 ** 20) };
    for (const files of [big, { "a.csv": "z".repeat(600_000), "b.csv": "z".repeat(600_000) }]) {
      await expect(writeFolder(folder, files, { force: true })).rejects.toMatchObject({
        code: "write-failed",
        message: `${folder} could not be written: the disk is full. Make room, or choose another place. What was there before is unchanged.`,
        cause: { code: "ENOSPC" },
      });
      expect(read(folder)).toEqual(old);
      expect(readdirSync(disk)).toEqual(["r"]);
    }
    const path = join(disk, "x.csv");
    await writeFile(path, "one");
    await expect(writeFile(path, "y".repeat(2 ** 21))).rejects.toMatchObject({
      code: "write-failed",
    });
    expect(readFileSync(path, "utf8")).toBe("one");
  });
});

/** A disk of one megabyte; false where that is not permitted. */
function mount(path: string): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  try {
    mkdirSync(path, { recursive: true });
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", path], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe("permissions", () => {
  const root = process.getuid?.() === 0;
  // Root may write anywhere, so a child without its rights tries.
  onPosix("says that writing is not permitted, and changes nothing", async () => {
    const folder = join(out, "r");
    await writeFolder(folder, old);
    chmodSync(folder, 0o555);
    chmodSync(out, 0o555);
    chmodSync(base, 0o755);
    const { printed } = await run(`
      import { writeFolder, writeFile } from "./node/output.mjs";
      ${root ? "process.setgid(65534); process.setuid(65534);" : ""}
      for (const work of [
        () => writeFolder(${JSON.stringify(folder)}, { "truth.csv": "new" }, { force: true }),
        () => writeFolder(${JSON.stringify(join(out, "s"))}, { "truth.csv": "new" }),
        () => writeFile(${JSON.stringify(join(out, "x.csv"))}, "new"),
      ]) await work().then(() => console.log("done"), (error) => console.log(error.code, error.message));
    `);
    chmodSync(out, 0o755);
    const lines = printed.trim().split("\n");
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line).toMatch(/^write-failed .* writing is not permitted\./);
    expect(read(folder)).toEqual(old);
    expect(readdirSync(out)).toEqual(["r"]);
    chmodSync(folder, 0o755);
  });

  it("writes into a folder whose parent is closed", async () => {
    const folder = join(out, "r");
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    chmodSync(out, 0o555);
    chmodSync(base, 0o755);
    const { printed } = await run(`
      import { writeFolder } from "./node/output.mjs";
      ${root ? "process.setgid(65534); process.setuid(65534);" : ""}
      for (const word of ["one", "two"]) await writeFolder(${JSON.stringify(folder)}, { "truth.csv": word }, { force: true });
      console.log("done");
    `);
    chmodSync(out, 0o755);
    expect(printed).toBe("done\n");
    expect(read(folder)).toEqual({ "truth.csv": "two" });
  });
});
