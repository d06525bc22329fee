// What the parts of the benchmark share: processes, a Python for peers, tables.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname;
const venv = join(here, ".venv");

/** Where the public sets are, a folder each. */
export const dataFolder = process.env.CONSILIENCE_DATA ?? join(here, "../../shared/data");

/** Runs a program that prints JSON on its last line; undefined where it fails. */
export function json(program, args, timeout = 600e3, env = {}) {
  const { stdout, stderr, status } = spawnSync(program, args, {
    encoding: "utf8",
    timeout,
    maxBuffer: 2 ** 26,
    env: { ...process.env, ...env },
  });
  if (status !== 0) {
    say(`failed: ${stderr?.split("\n").slice(-3).join(" ")}`);
    return undefined;
  }
  return JSON.parse(stdout.trim().split("\n").at(-1));
}

/** A virtual environment with the peers of a list, made once; undefined where there is no Python. */
export function preparePython(requirements) {
  const python = join(venv, "bin/python");
  try {
    if (!existsSync(python)) execFileSync("python3", ["-m", "venv", venv], { stdio: "inherit" });
    execFileSync(python, ["-m", "pip", "install", "-q", "-r", join(here, "peers", requirements)], {
      stdio: "inherit",
    });
    return python;
  } catch {
    say("No Python peers: python3 with venv and pip is needed.");
    return undefined;
  }
}

export function table(header, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(header), line(header.map(() => "---")), ...rows.map(line)].join("\n");
}

export function say(text) {
  console.error(text);
}

export const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
