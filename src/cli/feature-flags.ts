/** Flags of features, and of sets to test and to validate on. */
import type { CategoricalData } from "../data/categorical.ts";
import { CrowdError } from "../error.ts";
import type { TaskGold } from "../jobs/learn.ts";
import { readGold } from "../node/files.ts";
import type { FeatureSource, LearnJob } from "../node/learn-job.ts";
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

/** A test or validation set: where its features are, and its classes by name of the task. */
interface LabelledSet {
  readonly source: FeatureSource;
  readonly gold?: TaskGold;
}

/** Reads the gold of test and validation sets, and finds out where their features are. */
export async function readSets(
  given: Given,
  world: World,
  data: CategoricalData,
): Promise<{ readonly test: LabelledSet | undefined; readonly valid: LearnJob["valid"] }> {
  const test = await labelledSet(given, world, data, "test");
  const valid = await labelledSet(given, world, data, "valid");
  if (!valid) return { test, valid: undefined };
  if (!valid.gold) throw new CrowdError("usage", "--valid-features needs --valid-gold.");
  return { test, valid: { features: valid.source, gold: valid.gold } };
}

async function labelledSet(
  given: Given,
  world: World,
  data: CategoricalData,
  name: "test" | "valid",
): Promise<LabelledSet | undefined> {
  const source = featureSource(given, `${name}-features`);
  const file = given.text(`${name}-gold`);
  if (!source) {
    if (file) throw new CrowdError("usage", `--${name}-gold needs --${name}-features.`);
    return undefined;
  }
  if (!file) return { source };
  const { gold } = await readGold(file, {
    signal: world.signal,
    goldColumns: goldColumns(given),
  });
  const classes = new Set(data.classes);
  const strange = gold.filter(([, label]) => !classes.has(label));
  if (strange.length > 0) {
    world.say(
      `note: ${file}: ${count(strange.length, "task")} of classes that no worker ever gave, such as ${strange[0][1]}.`,
    );
  }
  return { source: { ...source, tasks: gold.map(([task]) => task) }, gold };
}
