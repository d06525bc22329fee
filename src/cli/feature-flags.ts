/** Flags of features, and of sets to test and to validate on. */
import type { CategoricalData } from "../data/categorical.ts";
import { CrowdError } from "../error.ts";
import type { GoldPair } from "../io/sink.ts";
import type { TaskGold } from "../jobs/learn.ts";
import type { Kind } from "../kinds/kind.ts";
import { readGold, readGoldOf } from "../node/files.ts";
import type { FeatureSource } from "../node/learn-job.ts";
import type { FlagTable, Given, World } from "./command.ts";
import { columnMap, count, goldColumns } from "./data-flags.ts";
import { wholeNumber } from "./flags.ts";

const group = "Features";

/** Where the features of tasks are. */
export const featureFlags: FlagTable = {
  features: {
    type: "text",
    value: "FILE",
    group,
    help: "Features of the tasks: .npy, .csv, .parquet, IDX, a folder or a list of images.",
  },
  tasks: {
    type: "text",
    value: "FILE",
    group,
    help: "The task of each row of .npy or IDX features; tasks.csv beside them is found by itself.",
  },
  // learn has these for labels as well.
  columns: {
    type: "text",
    value: "task=NAME",
    many: true,
    group,
    help: "Which column of the features is the task.",
  },
  layout: {
    type: "text",
    value: "nchw|nhwc",
    group,
    help: "Where the channels of images in .npy are, if it is not clear.",
  },
  "image-size": {
    type: "number",
    value: "PIXELS",
    group,
    help: "Bring images of a folder or a list to this size.",
  },
};

/** Tasks with known classes beside the labelled ones: to test on, and to choose the epoch on. */
export const testFlags: FlagTable = {
  "test-features": { type: "text", value: "FILE", help: "Features of a test set.", group },
  "test-gold": {
    type: "text",
    value: "FILE",
    group,
    help: "Its classes, to score; its rows are those of .npy test features.",
  },
  "valid-features": {
    type: "text",
    value: "FILE",
    group,
    help: "Features of a validation set, on which the epoch is chosen.",
  },
  "valid-gold": { type: "text", value: "FILE", help: "Its classes.", group },
};

/** Reads where features are from the flags; undefined if the flag was not given. */
export function featureSource(given: Given, flag: string): FeatureSource | undefined {
  const path = given.text(flag);
  if (path === undefined) return undefined;
  const layout = given.text("layout");
  if (layout !== undefined && layout !== "nchw" && layout !== "nhwc") {
    throw new CrowdError("usage", `--layout is nchw or nhwc, not "${layout}".`);
  }
  const task = columnMap(given.text("columns"))?.["task"];
  return {
    path,
    ...(flag === "features" && { tasks: given.text("tasks") }),
    layout,
    // Names of tasks are cleaned as those of the labels are.
    ...(given.on("keep-spaces") && { keepSpaces: true }),
    ...(given.on("keep-unicode") && { keepUnicode: true }),
    size: wholeNumber(given, "image-size", { min: 1, max: 4096 }),
    ...(task !== undefined && { columns: { task } }),
  };
}

/** A test or validation set: where its features are, and its truth by name. */
interface LabelledSet<Pair extends GoldPair = GoldPair> {
  readonly source: FeatureSource;
  readonly gold?: readonly Pair[];
}

interface Sets<Pair extends GoldPair> {
  readonly test: LabelledSet<Pair> | undefined;
  readonly valid: { readonly features: FeatureSource; readonly gold: readonly Pair[] } | undefined;
}

/** Reads the gold of test and validation sets of labels, and finds out where their features are. */
export function readSets(
  given: Given,
  world: World,
  data: CategoricalData,
): Promise<Sets<TaskGold[number]>> {
  const classes = new Set(data.classes);
  return readSetsBy(given, async (file) => {
    const { gold } = await readGold(file, goldOptions(given, world));
    const strange = gold.filter(([, label]) => !classes.has(label));
    if (strange.length > 0) {
      world.say(
        `note: ${file}: ${count(strange.length, "task")} of classes that no worker ever gave, such as ${strange[0][1]}.`,
      );
    }
    return gold;
  });
}

/** The same for answers of another kind, whose gold is what the kind's is. */
export function readKindSets(given: Given, world: World, kind: Kind): Promise<Sets<GoldPair>> {
  return readSetsBy(given, async (file) => {
    const { gold, notes } = await readGoldOf(file, kind, goldOptions(given, world));
    for (const note of notes) world.say(`note: ${note}`);
    return gold;
  });
}

const goldOptions = (given: Given, { signal }: World) => ({
  signal,
  goldColumns: goldColumns(given),
});

async function readSetsBy<Pair extends GoldPair>(
  given: Given,
  read: (file: string) => Promise<readonly Pair[]>,
): Promise<Sets<Pair>> {
  const test = await labelledSet(given, "test", read);
  const valid = await labelledSet(given, "valid", read);
  if (!valid) return { test, valid: undefined };
  if (!valid.gold) throw new CrowdError("usage", "--valid-features needs --valid-gold.");
  return { test, valid: { features: valid.source, gold: valid.gold } };
}

async function labelledSet<Pair extends GoldPair>(
  given: Given,
  name: "test" | "valid",
  read: (file: string) => Promise<readonly Pair[]>,
): Promise<LabelledSet<Pair> | undefined> {
  const source = featureSource(given, `${name}-features`);
  const file = given.text(`${name}-gold`);
  if (!source) {
    if (file) throw new CrowdError("usage", `--${name}-gold needs --${name}-features.`);
    return undefined;
  }
  if (!file) return { source };
  const gold = await read(file);
  return { source: { ...source, tasks: [...new Set(gold.map(([row]) => row))] }, gold };
}
