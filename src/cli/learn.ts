/** Trains a classifier straight from the labels of a crowd: from files to a model, answers and a report. */

import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { decide } from "../belief/ties.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { type Names, namesOf } from "../data/names.ts";
import { CrowdError } from "../error.ts";
import { accuracy } from "../evaluate/accuracy.ts";
import { evaluate } from "../evaluate/index.ts";
import { aggregateDocument } from "../jobs/aggregate.ts";
import { nearestName } from "../jobs/nearest-name.ts";
import { kindOf } from "../kinds.ts";
import { forecast, labelsOn } from "../learn/forecast.ts";
import { learnerList } from "../learn/index.ts";
import type { AnyLearner } from "../learn/learner.ts";
import { readData, readGold } from "../node/files.ts";
import {
  type EngineName,
  engines,
  type FeatureSource,
  type LearnJob,
  type LearnOutcome,
} from "../node/learn-job.ts";
import { learnInThread } from "../node/learn-thread.ts";
import { type Content, checkFolder, writeFile, writeFolder } from "../node/output.ts";
import { createSvgDocument } from "../node/svg-document.ts";
import { answerFiles, worthALook } from "../report/answer-files.ts";
import { truthCsv } from "../report/csv-files.ts";
import { toHtml } from "../report/html.ts";
import { learningReport, type Tested } from "../report/learning-report.ts";
import { modelDocument } from "../report/model-json.ts";
import { metricsDocument } from "../report/result-json.ts";
import { createClock } from "./clock.ts";
import type { Command, FlagTable, Given, World } from "./command.ts";
import { columnMap, commonFlags, count, dataFlags, readLabels } from "./data-flags.ts";
import { cardFlags, cardValues, peek } from "./flags.ts";
import { bar } from "./progress.ts";

const DEFAULT_METHOD = "max-mig";

const group = "Features";

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

export const engineFlags: FlagTable = {
  engine: {
    type: "text",
    value: engines.join("|"),
    default: "auto",
    help: "What runs the network; auto: the first that is installed.",
  },
  threads: {
    type: "number",
    value: "N",
    help: "Threads of the engine; default: 1, for networks of images one a core.",
  },
};

export const learn: Command = {
  id: "learn",
  usage: "LABELS… --features FILE [options]",
  example:
    "consilience learn labels.csv --features features.npy --test-features test.npy --test-gold test.csv --out model/",
  flags: (args) => ({
    method: {
      type: "text",
      value: "NAME",
      default: DEFAULT_METHOD,
      help: "The method; consilience methods --kind learn lists them.",
    },
    out: {
      type: "text",
      value: "FOLDER",
      help: "Write model, answers and report into this folder.",
    },
    force: { type: "switch", help: "Write into a folder that is not empty." },
    resume: { type: "switch", help: "Go on from the checkpoint of a run that was stopped." },
    checkpoint: {
      type: "text",
      value: "FILE",
      help: "Where the state of the training is kept until it is done; default: FOLDER.checkpoint.",
    },
    "checkpoint-every": {
      type: "number",
      value: "SECONDS",
      default: 10,
      help: "How often it is written; 0: after every epoch.",
    },
    anonymise: { type: "switch", help: "Replace the names of workers in everything written." },
    ...engineFlags,
    ...commonFlags,
    ...featureFlags,
    "test-features": { type: "text", value: "FILE", help: "Features of a test set.", group },
    "test-gold": {
      type: "text",
      value: "FILE",
      group,
      help: "Its classes, to score; its rows are those of .npy test features.",
    },
    "test-labels": {
      type: "text",
      value: "FILE",
      group,
      help: "Labels of the test tasks, for predictions from features and labels together.",
    },
    "valid-features": {
      type: "text",
      value: "FILE",
      group,
      help: "Features of a validation set, on which the epoch is chosen.",
    },
    "valid-gold": { type: "text", value: "FILE", help: "Its classes.", group },
    ...dataFlags,
    ...learnerFlags(args),
  }),
  async run(given, world) {
    const quiet = given.on("quiet") || given.on("json");
    const say = quiet ? () => {} : world.say;
    const out = given.text("out");
    if (out !== undefined) await checkFolder(out, { force: given.on("force") });
    const clock = createClock();
    const method = learnerNamed(given.text("method") ?? DEFAULT_METHOD);
    const features = featureSource(given, "features");
    if (!features) throw new CrowdError("usage", "Name the features: --features FILE.");
    const data = await readLabels(
      quiet ? { ...given, on: (flag) => flag === "quiet" || given.on(flag) } : given,
      world,
    );
    const test = await labelledSet(given, world, data, "test");
    const valid = await labelledSet(given, world, data, "valid");
    if (valid && !valid.gold) throw new CrowdError("usage", "--valid-features needs --valid-gold.");
    clock.mark("read");

    const options = {
      seed: given.number("seed") ?? 0,
      ...cardValues(given, method.options),
    };
    const checkpoint =
      given.text("checkpoint") ??
      (out === undefined ? undefined : `${out.replace(/[\\/]+$/, "")}.checkpoint`);
    const job: LearnJob = {
      method: method.id,
      options,
      data,
      features,
      ...(valid?.gold && { valid: { features: valid.source, gold: valid.gold } }),
      ...(test && { test: test.source }),
      engine: engineOf(given),
      threads: given.number("threads") ?? usualThreads(options),
      resume: given.on("resume") ? await readCheckpoint(checkpoint) : undefined,
      every: checkpoint === undefined ? undefined : (given.number("checkpoint-every") ?? 10),
    };
    const outcome = await train(job, checkpoint, world, say);
    clock.mark("train");
    const tested = test && (await scoreTest(given, world, test, outcome, data));
    if (tested) say(testLine(tested));
    for (const note of outcome.learning.notes) say(`note: ${note}`);
    clock.mark("score");
    await write(given, world, { data, method, outcome, tested, clock, say });
    if (checkpoint !== undefined) await rm(checkpoint, { force: true });
  },
};

/** Runs the training; a stop is told with where the checkpoint is. */
async function train(
  job: LearnJob,
  checkpoint: string | undefined,
  world: World,
  say: (text: string) => void,
): Promise<LearnOutcome> {
  const epochs = Number(job.options["epochs"] ?? Number.NaN);
  let writing: Promise<void> = Promise.resolve();
  let written = false;
  try {
    return await learnInThread(job, {
      signal: world.signal,
      say,
      progress({ iteration, objective, stage, validation }, share) {
        const loss = Number.isFinite(objective) ? `, loss ${(-objective).toPrecision(4)}` : "";
        const valid = validation === undefined ? "" : `, validation ${validation.toPrecision(4)}`;
        const of = Number.isFinite(epochs) ? ` of ${epochs}` : "";
        const at = stage ? `${stage}, epoch` : "epoch";
        world.show(
          `${job.method}: ${bar(share)} ${at} ${iteration + (share > 0 ? 1 : 0)}${of}${loss}${valid}`,
        );
      },
      checkpoint(bytes) {
        if (checkpoint === undefined) return;
        written = true;
        writing = writing
          .then(() => writeFile(checkpoint, bytes))
          .catch((error) => {
            written = false;
            say(`note: the checkpoint could not be written: ${(error as Error).message}`);
          });
      },
    });
  } catch (error) {
    await writing;
    if (error instanceof CrowdError && error.code === "cancelled" && written) {
      throw new CrowdError(
        "cancelled",
        `Interrupted; the state after the last whole epoch is in ${checkpoint}. The same command with --resume goes on from it.`,
      );
    }
    throw error;
  } finally {
    await writing;
    world.show("");
  }
}

async function readCheckpoint(path: string | undefined): Promise<Uint8Array> {
  if (path === undefined || !existsSync(path)) {
    throw new CrowdError(
      "usage",
      `--resume: there is no checkpoint${path === undefined ? "; name it with --checkpoint FILE" : ` ${path}`}.`,
    );
  }
  return readFile(path);
}

/** A test or validation set: where its features are, and its classes by number, -1 for one not known. */
interface LabelledSet {
  readonly source: FeatureSource;
  readonly tasks?: Names;
  readonly gold?: Int32Array;
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
  const { gold } = await readGold(file, { signal: world.signal });
  const classOf = new Map(Array.from(data.classes, (label, k) => [label, k]));
  const tasks = namesOf(gold.map(([task]) => task));
  const numbers = Int32Array.from(gold, ([, label]) => classOf.get(label) ?? -1);
  const strange = gold.find(([, label]) => !classOf.has(label));
  if (strange) {
    world.say(
      `note: ${file}: ${count(numbers.filter((k) => k < 0).length, "task")} of classes that no worker ever gave, such as ${strange[1]}.`,
    );
  }
  return { source: { ...source, tasks: [...tasks] }, tasks, gold: numbers };
}

/** What the model says of the test tasks, scored where their classes are known. */
async function scoreTest(
  given: Given,
  world: World,
  { tasks, gold }: LabelledSet,
  { learning, testPredicted }: LearnOutcome,
  data: CategoricalData,
): Promise<Tested> {
  const { classes, prior } = learning;
  const posterior = testPredicted ?? new Float64Array(0);
  const names =
    tasks ??
    namesOf(Array.from({ length: posterior.length / classes.length }, (_, i) => String(i)));
  const scored = (belief: Float64Array) => {
    const { consensus } = decide({ ...data, tasks: names }, belief, prior, {
      ties: "prior",
      seed: 0,
    });
    const known = gold?.some((k) => k >= 0);
    return {
      tasks: names,
      classes,
      posterior: belief,
      consensus,
      ...(known &&
        gold && {
          metrics: evaluate({ classes, posterior: belief, consensus, gold }),
        }),
    };
  };
  const alone = scored(posterior);
  const file = given.text("test-labels");
  if (!file) return alone;
  const { evidence } = learning;
  if (!evidence) {
    throw new CrowdError(
      "usage",
      `${learning.method} does not know what a label is worth, so --test-labels cannot be used with it.`,
    );
  }
  const read = await readData([file], { signal: world.signal, classes });
  const labels = labelsOn(names, read);
  const joined = forecast({ workers: learning.workers, classes, evidence }, posterior, labels);
  return { ...alone, withLabels: scored(joined.posterior) };
}

interface Finished {
  readonly data: CategoricalData;
  readonly method: AnyLearner;
  readonly outcome: LearnOutcome;
  readonly tested: Tested | undefined;
  readonly clock: ReturnType<typeof createClock>;
  readonly say: (text: string) => void;
}

async function write(given: Given, world: World, finished: Finished): Promise<void> {
  const { data, outcome, tested, clock, say } = finished;
  const { learning } = outcome;
  const out = given.text("out");
  const hasGold = data.gold.some((k) => k >= 0);
  const metrics = hasGold ? evaluate({ ...learning, gold: data.gold }) : undefined;
  const vote = hasGold ? accuracy({ ...majorityVote(data), gold: data.gold }).split : undefined;
  const document = (answers: boolean) =>
    aggregateDocument(
      { kind: kindOf(data), data, result: learning, scores: undefined },
      {
        files: given.files,
        command: given.repeatable(),
        answers,
        timings: clock.seconds(),
        metrics:
          metrics && metricsDocument(metrics, vote === undefined ? {} : { majorityVote: vote }),
        learning: {
          engine: outcome.engine,
          history: learning.history,
          ...(tested?.metrics && { test: metricsDocument(tested.metrics) }),
          ...(tested?.withLabels?.metrics && {
            testWithLabels: metricsDocument(tested.withLabels.metrics),
          }),
        },
      },
    );
  if (out !== undefined) {
    const answers = answerFiles(data, learning, {
      anonymous: given.on("anonymise"),
      seed: given.number("seed") ?? 0,
      intervals: undefined,
    });
    const report = async () => {
      const content = learningReport({
        ...answers,
        metrics,
        majorityVote: vote,
        tested,
        predicted: outcome.predicted,
        history: learning.history,
        engine: outcome.engine,
        card: finished.method,
      });
      return toHtml(content, createSvgDocument());
    };
    const model = modelDocument(outcome, {
      anonymous: given.on("anonymise"),
      labels: data.label.length,
      tasks: data.tasks.length,
    });
    const files = new Map<string, Content>([
      ["model.onnx", outcome.onnx],
      ["model.json", `${JSON.stringify(model, null, 2)}\n`],
      ...(tested ? ([["test-predictions.csv", truthCsv(tested)]] as const) : []),
      ...answers.files,
      ["report.html", await report()],
      ["result.json", `${JSON.stringify(document(false), null, 2)}\n`],
    ]);
    await writeFolder(out, files, { force: given.on("force"), signal: world.signal });
    say(`Wrote ${[...files.keys()].join(", ")} into ${out}.`);
    for (const line of worthALook(answers)) say(line);
    say(`The report: ${out.replace(/[\\/]$/, "")}/report.html`);
  }
  if (given.on("json")) await world.print(`${JSON.stringify(document(out === undefined))}\n`);
  else if (out === undefined) {
    for (const piece of truthCsv(tested ?? learning)) await world.print(piece);
    say("The model was not written. --out FOLDER writes model, answers and a report.");
  }
}

function testLine({ metrics, tasks, withLabels }: Tested): string {
  if (!metrics) return `${count(tasks.length, "test task")} predicted.`;
  const percent = (share: number) => `${(100 * share).toFixed(2)} %`;
  const { value, low, high } = metrics.accuracy.chosen;
  const joined = withLabels?.metrics
    ? `; with their labels ${percent(withLabels.metrics.accuracy.chosen.value)}`
    : "";
  return `Test accuracy ${percent(value)} [${percent(low)}, ${percent(high)}] on ${count(metrics.accuracy.tasks, "task")}${joined}.`;
}

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
    size: given.number("image-size"),
    ...(task !== undefined && { columns: { task } }),
  };
}

export function engineOf(given: Given): EngineName {
  const text = given.text("engine") ?? "auto";
  const engine = engines.find((name) => name === text);
  if (!engine)
    throw new CrowdError("usage", `--engine is one of ${engines.join(", ")}, not "${text}".`);
  return engine;
}

/** Small networks lose time by being shared between threads. */
function usualThreads(options: Readonly<Record<string, unknown>>): number {
  const model = String(options["model"] ?? "mlp");
  return model === "mlp" || model === "logistic" ? 1 : availableParallelism();
}

export function learnerNamed(name: string): AnyLearner {
  const found = learnerList.find(({ id }) => id === name);
  if (found) return found;
  const names = learnerList.map(({ id }) => id);
  const near = nearestName(name, names);
  throw new CrowdError(
    "unknown-method",
    `There is no learner "${name}". ${near ? `Did you mean ${near}?` : `Try: ${names.join(", ")}.`}`,
  );
}

/** The flags of the learner that the arguments name, with the seed left to the common flags. */
function learnerFlags(args: readonly string[]): FlagTable {
  const name = peek(args, "method") ?? DEFAULT_METHOD;
  const method = learnerList.find(({ id }) => id === name) ?? learnerNamed(DEFAULT_METHOD);
  const { seed: _, ...own } = cardFlags(method.options, `Options of ${method.id}`);
  return own;
}
