/** Scores any file of answers against gold. */
import { CrowdError } from "../error.ts";
import { evaluateJob, kindOfAnswers } from "../jobs/evaluate.ts";
import { kindNamed, kinds } from "../kinds.ts";
import { readAnswerTable, readGoldOf, readHeader } from "../node/files.ts";
import { wrap } from "../report/wrap.ts";
import type { Command } from "./command.ts";
import { commonFlags, goldColumns } from "./data-flags.ts";

export const evaluate: Command = {
  id: "evaluate",
  usage: "TRUTH --gold GOLD [options]",
  example: "consilience evaluate result/posterior.csv --gold gold.csv",
  flags: () => ({
    gold: {
      type: "text",
      value: "FILE",
      help: "Known answers: a table with task and label, task and value, or item and score.",
    },
    "gold-columns": {
      type: "text",
      value: "ROLE=NAME,…",
      many: true,
      help: "Columns of the gold file: task=…,label=…",
    },
    kind: {
      type: "text",
      value: ["auto", ...kinds.map(({ id }) => id)].join("|"),
      default: "auto",
      help: "Kind of answers; auto recognises it by the columns.",
    },
    json: commonFlags["json"],
    quiet: commonFlags["quiet"],
    help: commonFlags["help"],
  }),
  async run(given, world) {
    const [path, ...rest] = given.files;
    const goldPath = given.text("gold");
    if (path === undefined || goldPath === undefined || rest.length > 0) {
      throw new CrowdError(
        "usage",
        "evaluate takes one file of answers and --gold FILE. See: consilience evaluate --help",
      );
    }
    const reading = { signal: world.signal, stdin: world.stdin };
    const named = given.text("kind") ?? "auto";
    // Standard input cannot be looked at twice.
    const kind =
      named !== "auto"
        ? kindNamed(named)
        : path === "-"
          ? kinds[0]
          : kindOfAnswers((await readHeader(path, reading)).header);
    const answers = await readAnswerTable(path, kind, reading);
    const { gold, notes } = await readGoldOf(goldPath, kind, {
      ...reading,
      goldColumns: goldColumns(given),
    });
    const say = given.on("quiet") || given.on("json") ? () => {} : world.say;
    const found = evaluateJob({ kind: kind.id, answers, gold, goldName: goldPath });
    for (const note of [...answers.notes, ...notes, ...found.notes]) say(`note: ${note}`);
    const { document, table } = found.scores;
    await world.print(
      given.on("json") ? `${JSON.stringify(document)}\n` : wrap(table, world.width),
    );
  },
};
