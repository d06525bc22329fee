/** Tasks that are there already, for a simulated crowd to label. */
import { fromColumns } from "../data/categorical-from-columns.ts";
import { CrowdError } from "../error.ts";
import { openFeatures } from "../node/features.ts";
import { type ReadGoldOptions, readGold } from "../node/files.ts";
import type { GivenTasks } from "../simulate/tasks.ts";
import type { FlagTable, Given, World } from "./command.ts";
import { goldColumns } from "./data-flags.ts";

const group = "Tasks that are there already";

export const givenFlags: FlagTable = {
  "given-gold": {
    type: "text",
    value: "FILE",
    group,
    help: "Label these tasks: a table with task and label, their true class.",
  },
  "gold-columns": {
    type: "text",
    value: "ROLE=NAME,…",
    many: true,
    group,
    help: "Columns of these files of classes: task=…,label=…",
  },
  "given-features": {
    type: "text",
    value: "FILE",
    group,
    help: "What they look like, copied beside the labels.",
  },
  "given-tasks": {
    type: "text",
    value: "FILE",
    group,
    help: "The task of each row of features, where the file does not say.",
  },
  "given-test-gold": { type: "text", value: "FILE", help: "The same, of tasks to test on.", group },
  "given-test-features": {
    type: "text",
    value: "FILE",
    group,
    help: "Rows in the order of --given-test-gold, if they have no names.",
  },
};

/** The tasks named on the command line, or undefined. */
export async function readGiven(given: Given, world: World): Promise<GivenTasks | undefined> {
  const named = Object.keys(givenFlags).find((flag) => given.named.has(flag));
  if (!named) return undefined;
  const gold = given.text("given-gold");
  const testGold = given.text("given-test-gold");
  if (gold === undefined) throw new CrowdError("usage", `--${named} needs --given-gold FILE.`);
  if (testGold === undefined && given.named.has("given-test-features")) {
    throw new CrowdError("usage", "--given-test-features needs --given-test-gold FILE.");
  }
  const reading = {
    signal: world.signal,
    stdin: world.stdin,
    goldColumns: goldColumns(given),
  };
  const train = await read(gold, given.text("given-features"), given.text("given-tasks"), reading);
  const test =
    testGold === undefined
      ? undefined
      : await read(testGold, given.text("given-test-features"), undefined, reading, true);
  // Both name their classes; one order for all.
  const labels = [...train.labels, ...(test?.labels ?? [])];
  const none = new Int32Array();
  const { classes, gold: truth } = fromColumns(
    {
      tasks: labels.map((_, t) => String(t)),
      workers: [],
      labels: [],
      task: none,
      worker: none,
      label: none,
    },
    { gold: labels.map((label, t) => [String(t), label]) },
  );
  const cut = train.labels.length;
  return {
    classes,
    tasks: train.tasks,
    features: train.features,
    truth: truth.slice(0, cut),
    ...(test && { test: { ...test, truth: truth.slice(cut) } }),
  };
}

/** Tasks in the order of the features, where there are any, else of the gold. */
async function read(
  goldFile: string,
  featuresFile: string | undefined,
  tasksFile: string | undefined,
  reading: ReadGoldOptions,
  inOrder = false,
) {
  const known = new Map((await readGold(goldFile, reading)).gold);
  const { signal, stdin } = reading;
  const named = {
    signal,
    stdin,
    ...(inOrder ? { tasks: [...known.keys()] } : { tasks: tasksFile }),
  };
  const features = featuresFile === undefined ? undefined : await openFeatures(featuresFile, named);
  const tasks = features?.tasks ?? [...known.keys()];
  const missing = [...tasks].filter((task) => !known.has(task));
  if (missing.length > 0) {
    throw new CrowdError(
      "bad-data",
      `${goldFile}: ${missing.length} of ${tasks.length} rows of ${featuresFile} have no gold: ` +
        `${missing.slice(0, 10).join(", ")}${missing.length > 10 ? ", …" : ""}.`,
    );
  }
  return { tasks, features, labels: Array.from(tasks, (task) => known.get(task) ?? "") };
}
