#!/usr/bin/env node
/** Starts the command in the real world: streams, signals, exit code. */
import { main } from "./main.ts";
import { createWorld } from "./world.ts";

const { world, finish } = createWorld(process);
const code = await main(process.argv.slice(2), world);
await finish();
process.exitCode = code;
