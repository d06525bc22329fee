/** The command line: which command, its help, and what to do when it fails. */
import { CrowdError, wordHints } from "../error.ts";
import { nearestName } from "../jobs/nearest-name.ts";
import { maxOf } from "../math/lists.ts";
import { wrap } from "../report/wrap.ts";
import { version } from "../version.ts";
import type { Command, World } from "./command.ts";
import { help, parse } from "./flags.ts";
import { asFlag } from "./hints.ts";

/** A command by name; its code is loaded when it is wanted. */
export interface Entry {
  readonly id: string;
  readonly summary: string;
  load(): Promise<Command>;
}

export const commands: readonly Entry[] = [
  {
    id: "aggregate",
    summary: "Turn many labels per task into one answer with a probability.",
    load: async () => (await import("./aggregate.ts")).aggregate,
  },
  {
    id: "compare",
    summary: "Run many methods on the same labels, side by side.",
    load: async () => (await import("./compare.ts")).compare,
  },
  {
    id: "evaluate",
    summary: "Score a file of answers against gold.",
    load: async () => (await import("./evaluate.ts")).evaluate,
  },
  {
    id: "diagnose",
    summary: "Agreement, workers and what can be learnt, without gold.",
    load: async () => (await import("./diagnose.ts")).diagnose,
  },
  {
    id: "robustness",
    summary: "What bad workers, or fewer labels, would do to the answers.",
    load: async () => (await import("./robustness.ts")).robustness,
  },
  {
    id: "assign",
    summary: "Whom to ask what next, under a budget.",
    load: async () => (await import("./assign.ts")).assign,
  },
  {
    id: "forecast",
    summary: "What more labels would buy.",
    load: async () => (await import("./forecast.ts")).forecast,
  },
  {
    id: "learn",
    summary: "Train a classifier straight from the labels, with features.",
    load: async () => (await import("./learn.ts")).learn,
  },
  {
    id: "predict",
    summary: "Classes of new tasks from a trained model.",
    load: async () => (await import("./predict.ts")).predict,
  },
  {
    id: "attack",
    summary: "How accurate a model stays when its inputs are perturbed.",
    load: async () => (await import("./attack.ts")).attack,
  },
  {
    id: "simulate",
    summary: "Make a crowd with known truth.",
    load: async () => (await import("./simulate.ts")).simulate,
  },
  {
    id: "reproduce",
    summary: "Rerun a published table or figure, ours beside theirs.",
    load: async () => (await import("./reproduce.ts")).reproduce,
  },
  {
    id: "methods",
    summary: "List the methods, or show one of them.",
    load: async () => (await import("./methods.ts")).methods,
  },
  {
    id: "convert",
    summary: "Turn a file of labels into another format.",
    load: async () => (await import("./convert.ts")).convert,
  },
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
    await world.print(
      wanted
        ? help(await wanted.load(), wanted.summary, [], world.width)
        : wrap(overview(), world.width),
    );
    return;
  }
  if (name === "--version" || name === "-V") {
    await world.print(`${version}\n`);
    return;
  }
  const entry = commands.find(({ id }) => id === name);
  if (!entry) {
    const near = nearestName(
      name,
      commands.map(({ id }) => id),
    );
    const hint = near
      ? `Did you mean ${near}?`
      : `There are: ${commands.map(({ id }) => id).join(", ")}.`;
    throw new CrowdError("usage", `There is no command "${name}". ${hint}`);
  }
  const command = await entry.load();
  const end = args.indexOf("--");
  const flags = end < 0 ? args : args.slice(0, end);
  if (flags.includes("--help") || flags.includes("-h")) {
    await world.print(help(command, entry.summary, args, world.width));
    return;
  }
  await command.run(parse(command, args), world);
}

function overview(): string {
  const width = maxOf(commands.map(({ id }) => id.length)) + 2;
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

/** What the engine says of arrays, texts and maps that it cannot make. */
const OUT_OF_MEMORY =
  /Invalid (typed )?array length|[Aa]rray buffer allocation failed|Invalid string length|maximum size exceeded/;

/** Says what went wrong and gives the exit code for it. */
function report(error: unknown, world: World): number {
  if (error instanceof CrowdError) {
    if (error.cause === "EPIPE" || world.signal.reason === "EPIPE") return 0;
    const stopped = world.signal.aborted && error.code !== "write-failed";
    if (error.code === "cancelled" || stopped) {
      const told = error.message.startsWith("Interrupted");
      world.say(told ? error.message : "Interrupted; nothing was written.");
      return 130;
    }
    world.say(wordHints(error.template, asFlag));
    return error.code === "usage" || error.code === "unknown-method" || error.code === "bad-option"
      ? 2
      : 1;
  }
  if (world.signal.reason === "EPIPE") return 0;
  if (error instanceof RangeError && OUT_OF_MEMORY.test(error.message)) {
    world.say(
      "The work does not fit into memory. Use fewer tasks, workers or classes, or smaller values of the options.",
    );
    return 1;
  }
  world.say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  world.say(`This is a bug in consilience ${version}. Please report it with the lines above.`);
  return 1;
}
