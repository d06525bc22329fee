/** Whether to rely on the answers: the verdict, agreement, workers, dependence, groups, what can be learnt at all. */
import type { CrowdData } from "../data/crowd-data.ts";
import { CrowdError } from "../error.ts";
import { answersData, diagnoseJob } from "../jobs/diagnose.ts";
import { kindOfAnswers } from "../jobs/evaluate.ts";
import type { Diagnosed } from "../kinds/kind.ts";
import { kindNamed, kindOf } from "../kinds.ts";
import { readAnswerTable, readGoldOf, readHeader } from "../node/files.ts";
import { writeFolder } from "../node/output.ts";
import { openMethods } from "../node/plugins.ts";
import { createSvgDocument } from "../node/svg-document.ts";
import { rounded } from "../report/csv-files.ts";
import { toHtml } from "../report/html.ts";
import { visible } from "../report/text.ts";
import { wrap } from "../report/wrap.ts";
import type { Command, Given, World } from "./command.ts";
import { commonFlags, count, dataFlags, goldColumns, readData } from "./data-flags.ts";
import { wholeNumber } from "./flags.ts";
import { checkGroups, groupFlags, withGroups } from "./group-flags.ts";
import { checkMethod, pluginFiles, pluginFlag } from "./method-flags.ts";
import { checkOut, writing } from "./output.ts";
import { hooksOf } from "./progress.ts";

const SCALES = ["nominal", "ordinal", "interval", "ratio"] as const;
const OURS = ["report.html", "workers.csv", "drift.csv", "fairness.csv"];

export const diagnose: Command = {
  id: "diagnose",
  usage: "LABELS… [options]",
  example:
    "consilience diagnose labels.csv\n" +
    "consilience diagnose labels.csv --groups workers.csv --by gender,age --out diagnosis/",
  flags: () => ({
    method: {
      type: "text",
      value: "NAME",
      help: "The method whose answers are judged; default: auto for labels.",
    },
    answers: {
      type: "text",
      value: "FILE",
      help: "Answers or predictions to judge in place of a method's; LABELS may then be left out.",
    },
    scale: {
      type: "text",
      value: SCALES.join("|"),
      help: "Scale of the classes; nominal unless they are ordinal answers.",
    },
    time: {
      type: "switch",
      help: "Look at how the skill of each worker went over time; needs a column of times.",
    },
    workers: { type: "number", value: "N", help: "Workers to list; 0 lists all.", default: 20 },
    out: {
      type: "text",
      value: "FOLDER",
      help: "Write report.html and tables into this folder.",
    },
    force: { type: "switch", help: "Write into a folder that is not empty." },
    ...groupFlags,
    ...pluginFlag,
    ...commonFlags,
    ...dataFlags,
  }),
  async run(given, world) {
    const scale = scaleOf(given);
    checkGroups(given);
    checkAnswers(given);
    const out = await checkOut(given, world, { ours: OURS });
    const plugins = await openMethods(pluginFiles(given));
    checkMethod(given, plugins);
    const { data, answers } = await readInput(given, world);
    const found = await diagnoseJob(
      {
        data: await withGroups(data, given, world),
        method: given.text("method"),
        answers,
        seed: given.number("seed"),
        scale,
        time: given.on("time"),
        workers: wholeNumber(given, "workers", { min: 0, max: 1e9 }),
        plugins,
      },
      hooksOf(world),
    );
    world.show("");
    if (out !== undefined) await write(found, out, given, world);
    await world.print(
      given.on("json")
        ? `${JSON.stringify(found.document, plain)}\n`
        : wrap(shown(found.lines), world.width),
    );
  },
};

function scaleOf(given: Given): string | undefined {
  const scale = SCALES.find((each) => each === given.text("scale"));
  if (scale || given.text("scale") === undefined) return scale;
  throw new CrowdError(
    "usage",
    `--scale is one of ${SCALES.join(", ")}, not "${given.text("scale")}".`,
  );
}

/** Refuses flags that contradict --answers, and answers that there is nothing to judge by. */
function checkAnswers(given: Given): void {
  if (given.text("answers") === undefined) return;
  if (given.named.has("method")) {
    throw new CrowdError("usage", "--answers takes the place of a method: leave --method out.");
  }
  const alone = given.files.length === 0;
  if (alone && given.on("time")) {
    throw new CrowdError("usage", "--time is about labels: name a file of labels.");
  }
  if (alone && given.text("gold") === undefined && given.text("groups") === undefined) {
    throw new CrowdError(
      "usage",
      "Name what to judge the answers by: --gold FILE, --groups FILE, or a file of labels.",
    );
  }
}

/** Reads labels, answers to judge, or both. */
async function readInput(
  given: Given,
  world: World,
): Promise<{ readonly data: CrowdData; readonly answers?: unknown }> {
  const path = given.text("answers");
  if (path === undefined) return { data: await readData(given, world) };
  const words = given.on("quiet") || given.on("json") ? () => {} : world.say;
  const reading = {
    signal: world.signal,
    stdin: world.stdin,
    onUnderstood: words,
    foldCase: given.on("fold-case"),
    keepSpaces: given.on("keep-spaces"),
    keepUnicode: given.on("keep-unicode"),
  };
  if (given.files.length > 0) {
    const data = await readData(given, world);
    return { data, answers: await readAnswerTable(path, kindOf(data), reading) };
  }
  const named = given.text("kind") ?? "auto";
  const kind =
    named === "auto"
      ? kindOfAnswers((await readHeader(path, { signal: world.signal })).header)
      : kindNamed(named);
  const answers = await readAnswerTable(path, kind, reading);
  const gold = given.text("gold");
  const known =
    gold === undefined
      ? undefined
      : await readGoldOf(gold, kind, { ...reading, goldColumns: goldColumns(given) });
  const data = answersData(kind.id, answers, known?.gold);
  const scored = count(kind.goldCount(data), kind.goldNoun ?? "task");
  words(`${count(data.tasks.length, "answer")}, ${scored} with gold`);
  for (const note of [...data.notes, ...(known?.notes ?? [])]) words(`note: ${note}`);
  return { data, answers };
}

async function write(found: Diagnosed, out: string, given: Given, world: World): Promise<void> {
  const files = new Map(found.files());
  files.set("report.html", await toHtml(found.report(), createSvgDocument()));
  await writeFolder(out, files, writing(given, world, { ours: OURS }));
  if (!given.on("quiet")) world.say(`Wrote ${[...files.keys()].join(", ")} into ${out}.`);
}

/** Names are data: what would steer the terminal is shown instead. */
function shown(lines: readonly string[]): string {
  return `${lines.join("\n").split("\n").map(visible).join("\n")}\n`;
}

/** Numbers to seven digits, typed arrays as lists. */
function plain(_: string, value: unknown): unknown {
  if (typeof value === "number") return rounded(value);
  return value instanceof Float64Array || value instanceof Int32Array ? [...value] : value;
}
