/** Trains a classifier straight from the labels of a crowd: from files to a model, answers and a report. */

import { existsSync } from "node:fs";
import { open, readFile, rm } from "node:fs/promises";
import type { CategoricalData } from "../data/categorical.ts";
import type { CrowdData } from "../data/crowd-data.ts";
import { CrowdError } from "../error.ts";
import type { Metrics } from "../evaluate/index.ts";
import {
  DEFAULT_LEARNER,
  kindLearnerNamed,
  kindOfLearner,
  learnerNamed,
  learningOf,
} from "../jobs/choose-learner.ts";
import { type LearnOutcome, learnDocument, learnFiles, scoreLearning } from "../jobs/learn.ts";
import { sameName } from "../jobs/nearest-name.ts";
import type { Trained } from "../jobs/train.ts";
import { kindNamed, kindOf, kinds } from "../kinds.ts";
import { CHECKPOINT_MAGIC } from "../learn/checkpoint.ts";
import type { Learnt } from "../learn/create-learner.ts";
import { allLearners } from "../learn/index.ts";
import type { AnyLearner } from "../learn/learner.ts";
import { readData as readFiles } from "../node/files.ts";
import { checkInputs } from "../node/inputs.ts";
import type { LearnJob } from "../node/learn-job.ts";
import { learnInThread } from "../node/learn-thread.ts";
import { writeFile, writeFolder } from "../node/output.ts";
import { openLearners } from "../node/plugins.ts";
import { createSvgDocument } from "../node/svg-document.ts";
import type { Content } from "../report/content.ts";
import { truthCsv } from "../report/csv-files.ts";
import { toHtml } from "../report/html.ts";
import type { Tested } from "../report/learning-report.ts";
import { percent } from "../report/text.ts";
import { wrap } from "../report/wrap.ts";
import { createClock } from "./clock.ts";
import type { Command, FlagTable, Given, World } from "./command.ts";
import { commonFlags, count, dataFlags, readData } from "./data-flags.ts";
import { engineFlags, engineOf, usualThreads } from "./engine-flags.ts";
import { featureFlags, featureSource, readSets, testFlags } from "./feature-flags.ts";
import { cardFlags, cardValues, peek } from "./flags.ts";
import { type Course, learnAnswers } from "./learn-answers.ts";
import { createLog, logPath } from "./learn-log.ts";
import { pluginFiles, pluginFlag, setFlag, setValues } from "./method-flags.ts";
import { checkOut, writing } from "./output.ts";
import { showProgress } from "./progress.ts";
import { threadsOf } from "./threads.ts";

export const learn: Command = {
  id: "learn",
  usage: "LABELS… --features FILE [options]",
  example:
    "consilience learn labels.csv --features features.npy --test-features test.npy --test-gold test.csv --out model/",
  flags: (args) => ({
    method: {
      type: "text",
      value: "NAME",
      help: `The method; default: ${defaults}. consilience methods --kind learn lists them.`,
    },
    out: {
      type: "text",
      value: "FOLDER",
      help: "Write model, answers and report into this folder.",
    },
    log: {
      type: "text",
      value: "FILE",
      help: "Write a row per epoch into this .csv or .jsonl while training: loss, validation, learning rate, seconds.",
    },
    force: { type: "switch", help: "Write into a folder that is not empty, or over a log." },
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
    plugin: {
      ...pluginFlag["plugin"],
      help: "Module with learners of your own, made by defineLearner. It runs with your rights.",
    },
    ...engineFlags,
    ...commonFlags,
    ...featureFlags,
    ...testFlags,
    "test-labels": {
      type: "text",
      value: "FILE",
      group: "Features",
      help: "Labels of the test tasks, for predictions from features and labels together.",
    },
    ...dataFlags,
    ...learnerFlags(args),
  }),
  async run(given, world) {
    const quiet = given.on("quiet") || given.on("json");
    const say = quiet ? () => {} : world.say;
    const out = await checkOut(given, world);
    const checkpoint = await checkpointOf(given, out);
    const logFile = await logPath(given, { out, checkpoint });
    const clock = createClock();
    const plugins = pluginFiles(given);
    const own = await openLearners(plugins);
    const typed = given.text("method");
    const wanted = kindFor(given, typed, own);
    const features = featureSource(given, "features");
    if (!features) throw new CrowdError("usage", "Name the features: --features FILE.");
    const data = await readData(
      {
        ...given,
        text: (flag) => (flag === "kind" ? wanted : given.text(flag)),
        on: (flag) => (quiet && flag === "quiet") || given.on(flag),
      },
      world,
    );
    const kind = kindOf(data);
    const method = kindLearnerNamed(typed ?? learningOf(kind).defaultLearner, kind, own);
    const options = {
      seed: given.number("seed") ?? 0,
      ...cardValues(given, method.options),
      ...setValues(given, method),
    };
    const shared = {
      method: method.id,
      plugins,
      options,
      features,
      ...engineOf(given),
      threads: threadsOf(given, say) ?? usualThreads(options),
      resume: given.on("resume") ? await readCheckpoint(checkpoint) : undefined,
      checkpointEvery:
        checkpoint === undefined ? undefined : (given.number("checkpoint-every") ?? 10),
    };
    const course: Course = {
      given,
      world,
      say,
      clock,
      shared,
      // A native step must not be cut short; the thread stops by itself after it.
      train: (job) => world.whole(() => train(job, { checkpoint, logFile }, world, say)),
    };
    if (learningOf(kind).predictions) await learnAnswers(course, data, method);
    else await learnLabels(course, data as CategoricalData, method as AnyLearner);
    if (checkpoint !== undefined) await rm(checkpoint, { force: true });
  },
};

/** The learners that run when none is named, for people. */
const defaults = kinds
  .flatMap(({ id, learning }) => (learning ? [`${learning.defaultLearner} (${id})`] : []))
  .join(", ");

/** The kind to read: the one named, that of the learner where only one kind has it, or what the columns show. */
function kindFor(
  given: Given,
  typed: string | undefined,
  own: readonly { readonly id: string }[],
): string {
  const named = given.text("kind");
  if (named !== undefined && named !== "auto") {
    learningOf(kindNamed(named));
    return named;
  }
  if (typed === undefined) return "auto";
  if (own.some(({ id }) => id === typed)) return "categorical";
  const known = kindOfLearner(typed);
  // A name that is no learner's is refused before anything is read.
  if (!known) return kindLearnerNamed(typed, kindNamed("categorical")).kind;
  return kinds.some(({ learning }) => learning?.aliases?.[typed]) ? "auto" : known.id;
}

/** Trains a classifier from labels. */
async function learnLabels(
  { given, world, say, clock, shared, train: run }: Course,
  data: CategoricalData,
  method: AnyLearner,
): Promise<void> {
  const { test, valid } = await readSets(given, world, data);
  const labels = await testLabels(given, world, data);
  clock.mark("read");
  const job: LearnJob = { ...shared, data, valid, ...(test && { test: test.source }) };
  const trained = (await run(job)) as Trained;
  clock.mark("train");
  const outcome = scoreLearning(data, method, trained, test && { gold: test.gold, labels });
  if (outcome.tested) say(testLine(outcome.tested));
  for (const note of trained.learning.notes) say(`note: ${note}`);
  clock.mark("score");
  await write(given, world, { outcome, clock, say });
}

/** Runs the training; a stop is told with where the checkpoint is. */
async function train(
  job: LearnJob<CrowdData>,
  {
    checkpoint,
    logFile,
  }: { readonly checkpoint: string | undefined; readonly logFile: string | undefined },
  world: World,
  say: (text: string) => void,
): Promise<Trained<Learnt>> {
  const log = createLog(logFile, job.resume, say);
  let writing: Promise<void> = Promise.resolve();
  let written = false;
  try {
    return await learnInThread(job, {
      signal: world.signal,
      say,
      progress(progress) {
        if (progress.epoch) log(progress.epoch);
        showProgress(world, progress);
      },
      checkpoint(bytes) {
        if (checkpoint === undefined) return;
        written = true;
        writing = writing
          .then(() => writeFile(checkpoint, bytes, { onTemporary: world.temporary }))
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

/** Where the state of the training goes; refuses a file that is read, or that is something else. */
async function checkpointOf(given: Given, out: string | undefined): Promise<string | undefined> {
  const beside = out === undefined ? undefined : `${out.replace(/[\\/]+$/, "")}.checkpoint`;
  const path = given.text("checkpoint") ?? beside;
  if (path === undefined) return undefined;
  await checkInputs([path], given.inputs());
  if (given.on("resume") || !existsSync(path)) return path;
  const head = await readHead(path, CHECKPOINT_MAGIC.length);
  if (head === CHECKPOINT_MAGIC) return path;
  throw new CrowdError(
    "bad-option",
    `${path} exists and is not a checkpoint. Name another file: --checkpoint FILE.`,
  );
}

/** The first characters of a file; nothing of what is not a file. */
async function readHead(path: string, length: number): Promise<string> {
  const file = await open(path);
  try {
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await file.read(bytes, 0, length, 0);
    return bytes.toString("latin1", 0, bytesRead);
  } catch {
    return "";
  } finally {
    await file.close();
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

async function testLabels(
  given: Given,
  { signal }: World,
  { classes }: CategoricalData,
): Promise<CategoricalData | undefined> {
  const file = given.text("test-labels");
  return file === undefined ? undefined : readFiles([file], { signal, classes: [...classes] });
}

interface Finished {
  readonly outcome: LearnOutcome;
  readonly clock: ReturnType<typeof createClock>;
  readonly say: (text: string) => void;
}

async function write(given: Given, world: World, { outcome, clock, say }: Finished): Promise<void> {
  const out = given.text("out");
  const document = (answers: boolean) =>
    learnDocument(outcome, {
      files: given.files,
      command: given.repeatable(),
      timings: clock.seconds(),
      answers,
    });
  if (out !== undefined) {
    const { files, report, attention } = learnFiles(outcome, {
      anonymous: given.on("anonymise"),
      seed: given.number("seed") ?? 0,
    });
    const all = new Map<string, Content>([
      ...files,
      ["report.html", await toHtml(report, createSvgDocument())],
      ["result.json", `${JSON.stringify(document(false), null, 2)}\n`],
    ]);
    await writeFolder(out, all, writing(given, world));
    say(`Wrote ${[...all.keys()].join(", ")} into ${out}.`);
    for (const line of attention) say(line);
    say(`The report: ${out.replace(/[\\/]$/, "")}/report.html`);
  }
  if (given.on("json")) await world.print(`${JSON.stringify(document(out === undefined))}\n`);
  else if (out === undefined && world.terminal) {
    await world.print(`${wrap(summaryText(outcome), world.width)}\n`);
    say("Nothing was written. --out FOLDER writes model, answers and a report; a pipe gets CSV.");
  } else if (out === undefined) {
    const { tested, trained } = outcome;
    for (const piece of truthCsv(tested ?? trained.learning)) await world.print(piece);
    say("The model was not written. --out FOLDER writes model, answers and a report.");
  }
}

/** What was learnt, how good it is, and the answers of the labelled tasks, in a few lines. */
function summaryText({ data, trained, metrics, tested }: LearnOutcome): string {
  const { learning, engine } = trained;
  const epochs = learning.history.flat();
  // Losses of several runs are not on one scale.
  const one = learning.history.length === 1 ? epochs : [];
  const losses = one.map(({ loss }) => loss.toPrecision(4));
  const score = (scores: Metrics) => {
    const { value, low, high } = scores.accuracy.chosen;
    return `${percent(value, 2)} [${percent(low, 2)}, ${percent(high, 2)}] on ${count(scores.accuracy.tasks, "task")}`;
  };
  const joined = tested?.withLabels?.metrics;
  const rows = [
    ["trained", `${learning.method}, ${count(epochs.length, "epoch")}, ${engine}`],
    ["loss", losses.length > 1 ? `${losses[0]} at first, ${losses.at(-1)} at last` : losses[0]],
    ["accuracy", metrics && score(metrics)],
    ["test accuracy", tested?.metrics && score(tested.metrics)],
    ["with labels", joined && score(joined)],
    ["predicted", tested && !tested.metrics && count(tested.tasks.length, "test task")],
  ];
  const shown = rows.flatMap(([name, text]) => (text ? [`${String(name).padEnd(15)}${text}`] : []));
  return [...shown, "", kindOf(data).summary(data, learning)].join("\n");
}

function testLine({ metrics, tasks, withLabels }: Tested): string {
  if (!metrics) return `${count(tasks.length, "test task")} predicted.`;
  const { value, low, high } = metrics.accuracy.chosen;
  const joined = withLabels?.metrics
    ? `; with their labels ${percent(withLabels.metrics.accuracy.chosen.value, 2)}`
    : "";
  return `Test accuracy ${percent(value, 2)} [${percent(low, 2)}, ${percent(high, 2)}] on ${count(metrics.accuracy.tasks, "task")}${joined}.`;
}

/** The flags of the learner that the arguments name, with the seed left to the common flags. */
function learnerFlags(args: readonly string[]): FlagTable {
  const { learning } =
    kinds.find(({ id, learning }) => learning && id === peek(args, "kind")) ?? kinds[0];
  const typed = peek(args, "method") ?? learning?.defaultLearner ?? DEFAULT_LEARNER;
  const name = sameName(
    learning?.aliases?.[typed] ?? typed,
    allLearners.map(({ id }) => id),
  );
  // A name that is no learner's is refused when the command runs, so that --help works until then.
  const method = allLearners.find(({ id }) => id === name) ?? learnerNamed(DEFAULT_LEARNER);
  const { seed: _, ...own } = cardFlags(method.options, `Options of ${method.id}`);
  return { ...setFlag, ...own };
}
