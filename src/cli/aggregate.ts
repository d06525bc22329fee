/** The main job: from a file of answers to one answer each, workers, a review list and a report. */

import type { Changes, Run as Earlier } from "../diagnose/since.ts";
import { CrowdError } from "../error.ts";
import {
  type AggregateOutcome,
  type AggregateRequest,
  aggregateDocument,
  aggregateJob,
  judgeJob,
} from "../jobs/aggregate.ts";
import { changesSince } from "../jobs/since.ts";
import type { Outcome } from "../kinds/kind.ts";
import { kindOf } from "../kinds.ts";
import { readEarlierRun } from "../node/earlier-run.ts";
import { writeFolder } from "../node/output.ts";
import { openMethods } from "../node/plugins.ts";
import { createSvgDocument } from "../node/svg-document.ts";
import { LABELS_FOR_THREADS, openTeam } from "../node/team.ts";
import type { Content } from "../report/content.ts";
import { toHtml } from "../report/html.ts";
import { sinceLines } from "../report/since-text.ts";
import { verdictLines } from "../report/verdict-text.ts";
import { wrap } from "../report/wrap.ts";
import { type Clock, createClock } from "./clock.ts";
import type { Command, Given, World } from "./command.ts";
import { checkContent, contentFlags, readTaskContent } from "./content-flags.ts";
import { commonFlags, dataFlags, readData } from "./data-flags.ts";
import {
  checkMethod,
  chosenOptions,
  knownFlags,
  methodFlags,
  pluginFiles,
  pluginFlag,
  readKnown,
} from "./method-flags.ts";
import { checkOut, writing } from "./output.ts";
import { hooksOf } from "./progress.ts";
import { changedSince, type Rerun, rerunArguments } from "./rerun.ts";
import { threadsOf } from "./threads.ts";

export const aggregate: Command = {
  id: "aggregate",
  usage: "LABELS… [options]",
  example: "consilience aggregate labels.csv --gold gold.csv --out result/",
  flags: (args) => ({
    method: {
      type: "text",
      value: "NAME",
      help: "The method; consilience methods lists them. Default: auto for labels.",
    },
    out: {
      type: "text",
      value: "FOLDER",
      help: "Write answers, workers, report and more into this folder.",
    },
    force: { type: "switch", help: "Write into a folder that is not empty." },
    anonymise: { type: "switch", help: "Replace the names of workers in everything written." },
    rerun: { type: "text", value: "FILE", help: "Repeat the run that wrote this result.json." },
    since: {
      type: "text",
      value: "FILE",
      help: "Say what changed since the run that wrote this result.json.",
    },
    "drop-spammers": {
      type: "switch",
      help: "Drop the labels of workers who are no better than guessing, unless that does harm.",
    },
    "drop-spammers-anyway": { type: "switch", help: "The same, even if it may do harm." },
    "group-aware": {
      type: "switch",
      help: "Allow for groups of workers who err together: the method group-dawid-skene.",
    },
    threads: {
      type: "number",
      value: "N",
      help: "Number of threads; default: one per core for large data.",
    },
    ...pluginFlag,
    ...commonFlags,
    ...contentFlags,
    ...dataFlags,
    ...knownFlags,
    ...methodFlags(args),
  }),
  async run(first, world) {
    const { given, options: old, dataset } = await settled(first, world);
    const quiet = given.on("quiet") || given.on("json");
    const say = quiet ? () => {} : world.say;
    await checkOut(given, world, { inputs: inputsOf(given, first) });
    checkContent(first);
    const clock = createClock();
    const plugins = await openMethods(pluginFiles(first));
    checkMethod(given, plugins);
    if (given.on("group-aware") && given.named.has("method")) {
      throw new CrowdError(
        "usage",
        "--group-aware is the method group-dawid-skene, so no other --method can be named.",
      );
    }
    const earlier = await readEarlier(given, world);
    const data = await readData(given, world);
    const kind = kindOf(data);
    const changed =
      dataset &&
      changedSince(first.text("rerun") ?? "", dataset, {
        fingerprint: kind.fingerprint(data),
        labels: data.task.length,
      });
    if (changed) say(`note: ${changed}`);
    const { method, options } = chosenOptions(given, data.kind, plugins);
    const known = await readKnown(given, data, world);
    clock.mark("read");
    const threads = threadsOf(given, say);
    const team =
      threads !== undefined || data.task.length >= LABELS_FOR_THREADS
        ? openTeam(threads)
        : undefined;
    try {
      const outcome = await aggregateJob(
        {
          data,
          // The default method stands back for the one that knows groups.
          method: given.on("group-aware") && !given.named.has("method") ? undefined : method,
          options: { ...old, ...options },
          known,
          engine: team,
          ...dropped(given),
        },
        { ...hooksOf(world), note: (note) => say(`note: ${note}`) },
      );
      world.show("");
      clock.mark("fit");
      if (outcome.scores) say(outcome.scores.line);
      if (outcome.verdict) say(wrap(verdictLines(outcome.verdict).join("\n"), world.width));
      const since = earlier && changesOf(earlier, outcome, given);
      if (since) saySince(since, say);
      await write(given, world, { ...outcome, since, clock, say, inputs: inputsOf(given, first) });
    } finally {
      team?.close();
    }
  },
};

/** What is to be done about spammers and groups. */
function dropped(given: Given): Pick<AggregateRequest, "dropSpammers" | "groupAware"> {
  const anyway = given.on("drop-spammers-anyway");
  return {
    dropSpammers: anyway ? "force" : given.on("drop-spammers"),
    groupAware: given.on("group-aware"),
  };
}

/** Reads the run that --since names. */
async function readEarlier(given: Given, { signal }: World): Promise<Earlier | undefined> {
  const file = given.text("since");
  return file === undefined ? undefined : readEarlierRun(file, { signal });
}

/** Compares with the earlier run, and names its file. */
function changesOf(earlier: Earlier, outcome: AggregateOutcome, given: Given): Changes {
  const anonymous = given.on("anonymise");
  return { file: given.text("since") ?? "", ...changesSince(earlier, outcome, { anonymous }) };
}

function saySince(changes: Changes, say: (text: string) => void): void {
  say(`Since ${changes.file}:`);
  for (const line of sinceLines(changes)) say(`  ${line}`);
}

interface Run extends AggregateOutcome {
  readonly since: Changes | undefined;
  readonly clock: Clock;
  readonly say: (text: string) => void;
  /** Files that were read. */
  readonly inputs: readonly string[];
}

/** The files of this command line, and the result.json of the run that it repeats. */
function inputsOf(given: Given, first: Given): readonly string[] {
  return [...given.inputs(), ...first.inputs()];
}

async function write(given: Given, world: World, run: Run): Promise<void> {
  const { kind, data, result, clock, say } = run;
  const folder = given.text("out");
  if (folder !== undefined) await writeResults(folder, given, world, run);
  if (given.on("json")) {
    const document = aggregateDocument(run, {
      files: given.files,
      command: given.repeatable(),
      timings: clock.seconds(),
      since: run.since,
      answers: folder === undefined,
    });
    await world.print(`${JSON.stringify(document)}\n`);
  } else if (folder === undefined && !world.terminal) {
    for (const piece of kind.truth(result)) await world.print(piece);
  } else if (folder === undefined) {
    await world.print(`${kind.summary(data, result)}\n`);
    say("Nothing was written. --out FOLDER writes answers, workers and a report; a pipe gets CSV.");
  }
}

async function writeResults(folder: string, given: Given, world: World, run: Run): Promise<void> {
  const { kind, clock, say } = run;
  const settings = {
    seed: given.number("seed") ?? 0,
    anonymous: given.on("anonymise"),
    since: run.since,
    content: await readTaskContent(given, world, run.data),
  };
  const outcome = await judgeJob(run, settings, hooksOf(world));
  clock.mark("judge workers");
  const files = new Map<string, Content>([
    ...kind.files(outcome),
    ["report.html", reportPage(run, outcome)],
    ["result.json", document()],
  ]);
  async function* document() {
    const content = aggregateDocument(run, {
      files: given.files,
      command: given.repeatable(),
      timings: clock.seconds(),
      since: run.since,
    });
    yield `${JSON.stringify(content, null, 2)}\n`;
  }
  await writeFolder(folder, files, writing(given, world, run));
  say(`Wrote ${[...files.keys()].join(", ")} into ${folder}.`);
  for (const line of kind.attention(outcome)) say(line);
  say(`The report: ${folder.replace(/[\\/]$/, "")}/report.html`);
}

/** Made while the files are written, one after the other, so that their memory does not add up. */
async function* reportPage({ kind, clock }: Run, outcome: Outcome) {
  clock.mark("tables");
  yield await toHtml(kind.report(outcome), createSvgDocument());
  clock.mark("report");
}

/** The arguments as they are, or those of the run to repeat with these on top. */
async function settled(
  given: Given,
  world: World,
): Promise<Pick<Rerun, "given" | "options"> & Partial<Pick<Rerun, "dataset">>> {
  const file = given.text("rerun");
  if (file === undefined) return { given, options: {} };
  const again = await rerunArguments(file, aggregate, given);
  if (!given.on("quiet") && !given.on("json"))
    world.say(`Repeating ${again.method} on ${again.given.files.join(", ")}.`);
  return again;
}
