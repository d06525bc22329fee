/** The command line: which command, its help, and what to do when it fails. */
import { CrowdError } from "../error.ts";
import { version } from "../version.ts";
import { aggregate } from "./aggregate.ts";
import type { Command, World } from "./command.ts";
import { compare } from "./compare.ts";
import { convert } from "./convert.ts";
import { diagnose } from "./diagnose.ts";
import { evaluate } from "./evaluate.ts";
import { help, nearest, parse } from "./flags.ts";
import { methods } from "./methods.ts";
import { simulate } from "./simulate.ts";

export const commands: readonly Command[] = [
  ...[aggregate, compare, evaluate, diagnose, simulate, methods, convert],
];

/** Runs a command line; returns the exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted. */
export async function main(args: readonly string[], world: World): Promise<number> {
  try {
    await dispatch(args, world);
    return 0;
  } catch (error) {
    return report(error, world);
  }
}

async function dispatch([name, ...args]: readonly string[], world: World): Promise<void> {
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    const wanted = commands.find(({ id }) => id === args[0]);
    await world.print(wanted ? help(wanted, []) : overview());
    return;
  }
  if (name === "--version" || name === "-V") {
    await world.print(`${version}\n`);
    return;
  }
  const command = commands.find(({ id }) => id === name);
  if (!command) {
    const near = nearest(
      name,
      commands.map(({ id }) => id),
    );
    const hint = near
      ? `Did you mean ${near}?`
      : `There are: ${commands.map(({ id }) => id).join(", ")}.`;
    throw new CrowdError("usage", `There is no command "${name}". ${hint}`);
  }
  const end = args.indexOf("--");
  const flags = end < 0 ? args : args.slice(0, end);
  if (flags.includes("--help") || flags.includes("-h")) {
    await world.print(help(command, args));
    return;
  }
  await command.run(parse(command, args), world);
}

function overview(): string {
  const width = Math.max(...commands.map(({ id }) => id.length)) + 2;
  return [
    "consilience turns what many unreliable people and models said into answers you can trust.",
    "",
    "Usage: consilience COMMAND [options]",
    "",
    "Example: consilience aggregate labels.csv --gold gold.csv --out result/",
    "",
    "Commands:",
    ...commands.map(({ id, summary }) => `  ${id.padEnd(width)}${summary}`),
    "",
    "consilience COMMAND --help shows a command's options and an example.",
    "",
  ].join("\n");
}

/** Says what went wrong and gives the exit code for it. */
function report(error: unknown, world: World): number {
  if (error instanceof CrowdError) {
    if (error.cause === "EPIPE" || world.signal.reason === "EPIPE") return 0;
    if (error.code === "cancelled" || world.signal.aborted) {
      world.say("Interrupted; nothing was written.");
      return 130;
    }
    world.say(error.message);
    return error.code === "usage" || error.code === "unknown-method" || error.code === "bad-option"
      ? 2
      : 1;
  }
  if (world.signal.reason === "EPIPE") return 0;
  world.say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  world.say(`This is a bug in consilience ${version}. Please report it with the lines above.`);
  return 1;
}
