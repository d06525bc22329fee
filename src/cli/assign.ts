/** Whom to ask what next: a list of questions for the labels so far. */
import { workerChoices } from "../assign/bandits.ts";
import { policies } from "../assign/plan-options.ts";
import { CrowdError } from "../error.ts";
import { writeCsv } from "../io/csv-writer.ts";
import { type Assigned, assignJob } from "../jobs/assign.ts";
import { rounded } from "../report/csv-files.ts";
import { count, percent } from "../report/text.ts";
import { campaignFlags, readCampaign, readLabelsSoFar } from "./assign-files.ts";
import { replay, replayFlags } from "./assign-replay.ts";
import type { Command, FlagTable, Given } from "./command.ts";
import { commonFlags, dataFlags } from "./data-flags.ts";
import { wholeNumber } from "./flags.ts";
import { hooksOf } from "./progress.ts";

const MOST = 1e9;

const stopGroup = "When to stop";

const stopFlags: FlagTable = {
  money: {
    type: "number",
    value: "N",
    group: stopGroup,
    help: "Maximum cost of all questions of the list.",
  },
  "min-rise": {
    type: "number",
    value: "P",
    group: stopGroup,
    help: "Stop if the next 100 labels are expected to raise the accuracy by less; 0 disables it.",
    default: 0,
  },
  value: {
    type: "number",
    value: "N",
    group: stopGroup,
    help: "What one more right answer is worth: stop if no label is worth its cost; 0 disables it.",
    default: 0,
  },
  "min-gain": {
    type: "number",
    value: "NATS",
    group: stopGroup,
    help: "Least expected information of a question.",
    default: 0.001,
  },
};

export const assign: Command = {
  id: "assign",
  usage: "[LABELS…] [options]",
  example:
    "consilience assign labels.csv --budget 200 --per-worker 20 > questions.csv\n" +
    "consilience assign labels.csv --gold gold.csv --replay cover-gain,random --out replay/",
  flags: () => ({
    budget: { type: "number", value: "N", help: "Number of questions.", default: 100 },
    policy: {
      type: "text",
      value: policies.join("|"),
      help: "How questions are chosen.",
      default: "cover-gain",
    },
    "worker-choice": {
      type: "text",
      value: workerChoices.join("|"),
      help: "How workers are compared for a task: expected gain, upper confidence or Thompson draws.",
      default: "gain",
    },
    cover: {
      type: "number",
      value: "N",
      help: "Labels that every task gets before gains are compared.",
      default: 2,
    },
    confident: {
      type: "number",
      value: "P",
      help: "Probability of its answer from which on a task is closed; 1 closes none.",
      default: 0.95,
    },
    "most-per-task": {
      type: "number",
      value: "N",
      help: "Maximum number of labels per task; 0 sets no limit.",
      default: 0,
    },
    "per-worker": {
      type: "number",
      value: "N",
      help: "Maximum number of questions per worker; 0 sets no limit.",
      default: 0,
    },
    audit: {
      type: "number",
      value: "P",
      help: "Share of questions that ask about a closed task again.",
      default: 0.02,
    },
    ...campaignFlags,
    ...stopFlags,
    ...replayFlags,
    ...commonFlags,
    ...dataFlags,
  }),
  async run(given, world) {
    if (given.named.has("replay")) return replay(given, world);
    const whole = (name: string) => wholeNumber(given, name, { min: 0, max: MOST });
    const policy = oneOf(given, "policy", policies);
    const workerChoice = oneOf(given, "worker-choice", workerChoices);
    const data = await readLabelsSoFar(given, world);
    const assigned = await assignJob(
      {
        data,
        policy,
        workerChoice,
        ...(await readCampaign(given, world)),
        budget: whole("budget"),
        cover: whole("cover"),
        confident: given.number("confident"),
        mostPerTask: whole("most-per-task"),
        perWorker: whole("per-worker"),
        audit: given.number("audit"),
        minGain: given.number("min-gain"),
        money: given.number("money"),
        minRise: given.number("min-rise"),
        value: given.number("value"),
        seed: given.number("seed"),
      },
      hooksOf(world),
    );
    world.show("");
    if (!given.on("quiet")) for (const line of wordsOf(assigned)) world.say(line);
    if (given.on("json")) {
      await world.print(`${JSON.stringify(assigned)}\n`);
      return;
    }
    const rows = assigned.questions.map(({ task, worker, purpose, gain }) => [
      task,
      worker,
      purpose,
      rounded(gain),
    ]);
    for (const line of writeCsv(["task", "worker", "purpose", "gain"], rows)) {
      await world.print(line);
    }
  },
};

/** What a person would want to hear: how far it is, why there are no more questions, what gold says of the workers. */
function wordsOf({ questions, progress, stop, measured }: Assigned): string[] {
  const { labels, value, low, high } = measured.gold;
  const share = (x: number) => percent(x, 0);
  return [
    `${count(questions.length, "question")}; of ${count(progress.tasks, "task")} ${progress.open} are open and ` +
      `${progress.confident} sure enough.`,
    ...(stop ? [`No more questions: ${stop.words}`] : []),
    ...(labels > 0
      ? [
          `Gold: ${share(value)} of ${count(labels, "label")} are right (${share(low)} to ${share(high)}).`,
        ]
      : []),
  ];
}

function oneOf<Name extends string>(given: Given, flag: string, names: readonly Name[]): Name {
  const found = names.find((each) => each === given.text(flag));
  if (found) return found;
  throw new CrowdError(
    "usage",
    `--${flag} is one of ${names.join(", ")}, not "${given.text(flag)}".`,
  );
}
