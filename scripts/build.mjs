// Builds the package into dist/: the kernels to WASM, the sources with tsc, one file to one file.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import asc from "assemblyscript/asc";
import { documentOptions } from "./document-options.mjs";

const root = join(import.meta.dirname, "..");
const sources = join(root, "src/kernels/assembly");
const bytes = join(root, "src/kernels/wasm-bytes.ts");

const newest = Math.max(
  ...readdirSync(sources).map((name) => statSync(join(sources, name)).mtimeMs),
);
if (!existsSync(bytes) || statSync(bytes).mtimeMs < newest) {
  const plain = await compile([]);
  const shared = await compile(["--sharedMemory", "--maximumMemory", "65536"]);
  const text = [
    "// Made by scripts/build.mjs from assembly/.",
    `export const plainBytes: string = ${JSON.stringify(plain)};`,
    `export const sharedBytes: string = ${JSON.stringify(shared)};`,
  ];
  writeFileSync(bytes, `${text.join("\n")}\n`);
}

rmSync(join(root, "dist"), { recursive: true, force: true });
execFileSync(
  process.execPath,
  [join(root, "node_modules/typescript/bin/tsc"), "-p", join(root, "tsconfig.build.json")],
  {
    stdio: "inherit",
  },
);
await documentOptions(join(root, "dist"));
const bin = join(root, "dist/cli/bin.js");
if (existsSync(bin)) chmodSync(bin, 0o755);

/** One module as base64. Both kinds come from the same source; only the memory differs. */
async function compile(flags) {
  const files = new Map();
  const { error, stderr } = await asc.main(
    [
      ...["index.ts", "--outFile", "kernels.wasm", "-O3", "--noAssert", "--runtime", "stub"],
      ...["--importMemory", "--initialMemory", "1", "--enable", "simd", "--enable", "threads"],
      ...flags,
    ],
    {
      readFile: (name) => {
        const path = join(sources, name);
        return existsSync(path) ? readFileSync(path, "utf8") : null;
      },
      writeFile: (name, contents) => files.set(name, contents),
      listFiles: () => [],
    },
  );
  if (error) throw new Error(`The kernels do not compile: ${stderr.toString()}`);
  return Buffer.from(files.get("kernels.wasm")).toString("base64");
}
