/** Whom to ask what next: a list of questions for the labels so far. */
import type { AssignPolicy } from "../assign/choose.ts";
import { policies } from "../assign/plan-options.ts";
import { CrowdError } from "../error.ts";
import { writeCsv } from "../io/csv-writer.ts";
import { assignJob } from "../jobs/assign.ts";
import { rounded } from "../report/csv-files.ts";
import { count } from "../report/text.ts";
import type { Command, Given } from "./command.ts";
import { commonFlags, dataFlags, readData } from "./data-flags.ts";
import { wholeNumber } from "./flags.ts";
import { hooksOf } from "./progress.ts";

const MOST = 1e9;

export const assign: Command = {
  id: "assign",
  usage: "LABELS… [options]",
  example: "consilience assign labels.csv --budget 200 --per-worker 20 > questions.csv",
  flags: () => ({
    budget: { type: "number", value: "N", help: "Number of questions.", default: 100 },
    policy: {
      type: "text",
      value: policies.join("|"),
      help: "How questions are chosen.",
      default: "cover-gain",
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
    ...commonFlags,
    ...dataFlags,
  }),
  async run(given, world) {
    const whole = (name: string) => wholeNumber(given, name, { min: 0, max: MOST });
    const policy = policyOf(given);
    const data = await readData(given, world);
    const { questions, progress } = await assignJob(
      {
        data,
        policy,
        budget: whole("budget"),
        cover: whole("cover"),
        confident: given.number("confident"),
        mostPerTask: whole("most-per-task"),
        perWorker: whole("per-worker"),
        seed: given.number("seed"),
      },
      hooksOf(world),
    );
    world.show("");
    if (!given.on("quiet")) {
      world.say(
        `${count(questions.length, "question")}; of ${count(progress.tasks, "task")} ${progress.open} are open and ` +
          `${progress.confident} sure enough.`,
      );
    }
    if (given.on("json")) {
      await world.print(`${JSON.stringify({ questions, progress })}\n`);
      return;
    }
    const rows = questions.map(({ task, worker, purpose, gain }) => [
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

function policyOf(given: Given): AssignPolicy {
  const policy = policies.find((each) => each === given.text("policy"));
  if (policy) return policy;
  throw new CrowdError(
    "usage",
    `--policy is one of ${policies.join(", ")}, not "${given.text("policy")}".`,
  );
}
