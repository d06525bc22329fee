/** The main job: from a file of labels to answers, workers, a review list and a report. */
import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import type { Known } from "../belief/known.ts";
import { sampleTasks } from "../belief/sample-tasks.ts";
import type { CrowdDataset } from "../data/dataset.ts";
import { fingerprint } from "../data/fingerprint.ts";
import { agreement } from "../diagnose/agreement.ts";
import { type SkillIntervals, skillIntervalSteps } from "../diagnose/skill-intervals.ts";
import { CrowdError } from "../error.ts";
import { accuracy } from "../evaluate/accuracy.ts";
import { FOLDS, scoredWith } from "../evaluate/gold-folds.ts";
import { evaluate, type Metrics } from "../evaluate/index.ts";
import { maxOf } from "../math/lists.ts";
import { type Content, checkFolder, writeFolder } from "../node/output.ts";
import { createSvgDocument } from "../node/svg-document.ts";
import { LABELS_FOR_THREADS, openTeam } from "../node/team.ts";
import { answerFiles, sayWorthALook } from "../report/answer-files.ts";
import { truthCsv } from "../report/csv-files.ts";
import { toHtml } from "../report/html.ts";
import { aggregationReport } from "../report/report.ts";
import { type MetricsDocument, metricsDocument, resultDocument } from "../report/result-json.ts";
import { run } from "../run.ts";
import { type Clock, createClock } from "./clock.ts";
import type { Command, Given, World } from "./command.ts";
import { commonFlags, count, dataFlags, readLabels } from "./data-flags.ts";
import { type Chosen, chosenMethod, knownFlags, methodFlags, readKnown } from "./method-flags.ts";
import { showSteps } from "./progress.ts";
import { rerunArguments } from "./rerun.ts";

export const aggregate: Command = {
  id: "aggregate",
  usage: "LABELS… [options]",
  example: "consilience aggregate labels.csv --gold gold.csv --out result/",
  flags: (args) => ({
    method: {
      type: "text",
      value: "NAME",
      help: "The method; consilience methods lists them.",
      default: "auto",
    },
    out: {
      type: "text",
      value: "FOLDER",
      help: "Write answers, workers, report and more into this folder.",
    },
    force: { type: "switch", help: "Write into a folder that is not empty." },
    anonymise: { type: "switch", help: "Replace the names of workers in everything written." },
    rerun: { type: "text", value: "FILE", help: "Repeat the run that wrote this result.json." },
    threads: {
      type: "number",
      value: "N",
      help: "Threads to use; default: one a core for much data.",
    },
    ...commonFlags,
    ...dataFlags,
    ...knownFlags,
    ...methodFlags(args),
  }),
  async run(first, world) {
    const { given, chosen, args } = await settled(first, world);
    const say = given.on("quiet") || given.on("json") ? () => {} : world.say;
    const out = given.text("out");
    if (out !== undefined) await checkFolder(out, { force: given.on("force") });
    const clock = createClock();
    const data = await readLabels(given.on("json") ? quietly(given) : given, world);
    const known = await readKnown(given, data, world);
    clock.mark("read");

    const threads = given.number("threads");
    const team =
      threads !== undefined || data.label.length >= LABELS_FOR_THREADS
        ? openTeam(threads)
        : undefined;
    try {
      const seed = { seed: given.number("seed") ?? 0 };
      const options = { ...seed, ...chosen.options };
      const fitWith = (more: Known, name: string) =>
        run(chosen.method, data, options, {
          known: { ...known, ...more },
          signal: world.signal,
          onProgress: showSteps(world, name),
          engine: team,
        });
      const result = await fitWith({}, chosen.method.id);
      world.show("");
      clock.mark("fit");
      const scores = await score(data, result, known, fitWith);
      clock.mark("score");
      for (const note of result.notes) say(`note: ${note}`);
      if (scores) say(accuracyLine(scores.document));
      await write(given, world, { data, result, scores, clock, args, say });
    } finally {
      team?.close();
    }
  },
};

interface Scores {
  readonly metrics: Metrics;
  readonly document: MetricsDocument;
}

/** Scores against gold; where gold was used to fit, only on parts of it that were not. */
async function score(
  data: CrowdDataset,
  result: Aggregation,
  known: Known,
  fitWith: (more: Known, name: string) => Promise<Aggregation>,
): Promise<Scores | undefined> {
  if (!data.gold.some((k) => k >= 0)) return undefined;
  const majority = accuracy({ ...majorityVote(data), gold: data.gold }).split;
  const metrics = evaluate(await scoredWith(data, result, known, fitWith));
  const more = { majorityVote: majority, ...(known.gold && { folds: FOLDS }) };
  return { metrics, document: metricsDocument(metrics, more) };
}

interface Outcome {
  readonly data: CrowdDataset;
  readonly result: Aggregation;
  readonly scores: Scores | undefined;
  readonly clock: Clock;
  readonly args: readonly string[];
  readonly say: (text: string) => void;
}

async function write(given: Given, world: World, outcome: Outcome): Promise<void> {
  const { data, result, scores, clock, say } = outcome;
  const folder = given.text("out");
  if (folder !== undefined) await writeResults(folder, given, world, outcome);
  const document = (answers: boolean) =>
    resultDocument(result, data, {
      files: given.files,
      command: outcome.args,
      metrics: scores?.document,
      answers,
      timings: clock.seconds(),
    });
  if (given.on("json")) {
    await world.print(`${JSON.stringify(document(folder === undefined))}\n`);
  } else if (folder === undefined && !world.terminal) {
    for (const piece of truthCsv(result)) await world.print(piece);
  } else if (folder === undefined) {
    await world.print(`${summary(outcome)}\n`);
    say("Nothing was written. --out FOLDER writes answers, workers and a report; a pipe gets CSV.");
  }
}

async function writeResults(
  folder: string,
  given: Given,
  world: World,
  outcome: Outcome,
): Promise<void> {
  const { data, result, scores, clock, say } = outcome;
  const intervals = await walk(skillIntervalSteps(result, data), world);
  const anonymous = given.on("anonymise");
  const answers = answerFiles(data, result, {
    anonymous,
    intervals,
    seed: given.number("seed") ?? 0,
  });
  clock.mark("judge workers");
  // Made while the files are written, one after the other, so that their memory does not add up.
  async function* report() {
    clock.mark("tables");
    // Agreement of 200,000 labels is known to two digits and more.
    const { data: sample } = sampleTasks(data, {}, 200_000, 0);
    const content = aggregationReport({
      ...answers,
      metrics: scores?.metrics,
      majorityVote: scores?.document.majorityVote,
      folds: scores?.document.folds,
      agreement: agreement(sample),
      fingerprint: fingerprint(data),
    });
    yield await toHtml(content, createSvgDocument());
    clock.mark("report");
  }
  async function* document() {
    const more = { files: given.files, command: outcome.args, metrics: scores?.document };
    const content = resultDocument(result, data, { ...more, timings: clock.seconds() });
    yield `${JSON.stringify(content, null, 2)}\n`;
  }
  const files = new Map<string, Content>([
    ...answers.files,
    ["report.html", report()],
    ["result.json", document()],
  ]);
  await writeFolder(folder, files, { force: given.on("force"), signal: world.signal });
  say(`Wrote ${[...files.keys()].join(", ")} into ${folder}.`);
  sayWorthALook(answers, folder, say);
}

/** The arguments as they are, or those of the run to repeat with these on top. */
async function settled(
  given: Given,
  world: World,
): Promise<{ given: Given; chosen: Chosen; args: string[] }> {
  const file = given.text("rerun");
  const again = file === undefined ? undefined : await rerunArguments(file, aggregate, given);
  if (again && !given.on("quiet") && !given.on("json"))
    world.say(`Repeating ${again.method} on ${again.given.files.join(", ")}.`);
  const settledGiven = again?.given ?? given;
  const chosen = chosenMethod(settledGiven);
  const options = { ...again?.options, ...chosen.options };
  return { given: settledGiven, chosen: { ...chosen, options }, args: settledGiven.repeatable() };
}

function quietly(given: Given): Given {
  return { ...given, on: (flag) => flag === "quiet" || given.on(flag) };
}

function accuracyLine({
  accuracy: { value, low, high },
  tasks,
  majorityVote: vote,
  folds,
  ties,
}: MetricsDocument): string {
  const percent = (share: number) => `${(100 * share).toFixed(2)} %`;
  const held = folds ? ` (gold not used to fit, ${folds} folds)` : "";
  const against = vote === undefined ? "" : `; majority vote ${percent(vote)}`;
  const tied = ties > 0 ? `, ${ties} tied` : "";
  return `Accuracy ${percent(value)} [${percent(low)}, ${percent(high)}] on ${count(tasks, "gold task")}${tied}${held}${against}.`;
}

function summary({ data, result }: Outcome): string {
  const K = data.classes.length;
  const counts = Array.from(
    data.classes,
    (_, k) => result.consensus.filter((each) => each === k).length,
  );
  const width = maxOf(
    Array.from(data.classes, (name) => name.length),
    5,
  );
  const sure = result.consensus.filter(
    (k, t) => k >= 0 && result.posterior[t * K + k] >= 0.9,
  ).length;
  return [
    `${"class".padEnd(width)}  tasks`,
    ...Array.from(
      data.classes,
      (name, k) => `${name.padEnd(width)}  ${counts[k].toLocaleString("en-US")}`,
    ),
    "",
    `${sure.toLocaleString("en-US")} of ${count(data.tasks.length, "task")} answered with a probability of at least .9`,
  ].join("\n");
}

/** Walks the steps, giving way to signals now and then. */
async function walk(
  steps: ReturnType<typeof skillIntervalSteps>,
  world: World,
): Promise<SkillIntervals | undefined> {
  for (;;) {
    if (world.signal.aborted)
      throw new CrowdError("cancelled", "Interrupted.", { cause: world.signal.reason });
    const step = steps.next();
    if (step.done) return step.value;
    world.show(step.value.stage ?? "");
    await new Promise((resume) => setImmediate(resume));
  }
}
