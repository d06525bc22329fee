#!/usr/bin/env node
/** Starts the command in the real world: streams, signals, exit code. */
import { createWorld } from "./world.ts";

const args = process.argv.slice(2);
const surroundings = createWorld(process);
// What only prints a page needs no thread that can be ended.
const brief =
  args.length === 0 ||
  ["help", "--version", "-V", "methods"].includes(args[0]) ||
  args.includes("--help") ||
  args.includes("-h");
const code = brief
  ? await (await import("./main.ts")).main(args, surroundings.world)
  : await (await import("./guard.ts")).runGuarded(args, surroundings, process);
await surroundings.finish();
process.exit(code);
