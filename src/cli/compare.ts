/** Many methods on the same answers: scores, agreement between them, time. */
import { CrowdError } from "../error.ts";
import { writeCsv } from "../io/csv-writer.ts";
import { type Comparison, compareJob } from "../jobs/compare.ts";
import { kindOf } from "../kinds.ts";
import { writeFolder } from "../node/output.ts";
import { openBoth } from "../node/plugins.ts";
import { createSvgDocument } from "../node/svg-document.ts";
import { type Compared, comparisonCsv } from "../report/comparison.ts";
import { comparisonLatex } from "../report/comparison-latex.ts";
import { comparisonText } from "../report/comparison-text.ts";
import { rounded } from "../report/csv-files.ts";
import { toHtml } from "../report/html.ts";
import { version } from "../version.ts";
import type { Command, Given, World } from "./command.ts";
import { learningFlags, readLearning } from "./compare-learning.ts";
import { commonFlags, dataFlags, listOf, readData } from "./data-flags.ts";
import { wholeNumber } from "./flags.ts";
import { asFlag } from "./hints.ts";
import { knownFlags, pluginFiles, pluginFlag, readKnown } from "./method-flags.ts";
import { checkOut, writing } from "./output.ts";
import { hooksOf } from "./progress.ts";

const OURS = [
  "comparison.csv",
  "comparison.tex",
  "comparison.json",
  "agreement.csv",
  "report.html",
];

export const compare: Command = {
  id: "compare",
  usage: "LABELS… [options]",
  example:
    "consilience compare labels.csv --gold gold.csv --methods majority-vote,dawid-skene,ibcc\n" +
    "consilience compare labels.csv --features features.npy --gold gold.csv --methods auto,max-mig,aggnet --seeds 5",
  flags: () => ({
    methods: {
      type: "text",
      value: "A,B,…",
      help: "Methods, and learners with --features; default: all that apply.",
    },
    seeds: {
      type: "number",
      value: "N",
      help: "Number of runs with different seeds; tables then show the spread.",
      default: 1,
    },
    against: {
      type: "text",
      value: "NAME",
      help: "Method that the others are compared with, seed by seed; default: the best.",
    },
    folds: {
      type: "number",
      value: "N",
      help: "Cross-validation folds in which labels are hidden; 0 hides none.",
      default: 5,
    },
    limit: {
      type: "number",
      value: "SECONDS",
      help: "Time limit per method; default: none.",
    },
    out: {
      type: "text",
      value: "FOLDER",
      help: "Write the tables as CSV, LaTeX and JSON, and a report, into this folder.",
    },
    force: { type: "switch", help: "Write into a folder that is not empty." },
    plugin: {
      ...pluginFlag["plugin"],
      help: "Module with methods or learners of your own. It runs with your rights.",
    },
    ...commonFlags,
    ...learningFlags,
    ...dataFlags,
    ...knownFlags,
  }),
  async run(given, world) {
    const { seeds, folds, limit } = numbersOf(given);
    await checkOut(given, world, { ours: OURS });
    const { methods: plugins, learners } = await openBoth(pluginFiles(given));
    const data = await readData(given, world);
    const known = await readKnown(given, data, world);
    const learning = await readLearning(given, world, data, learners);
    const { metrics, baseline } = kindOf(data);
    const prior = given.text("prior");
    const word = prior !== undefined && /^[a-z]+$/.test(prior);
    const rows: Compared[] = [];
    try {
      const comparison = await compareJob(
        {
          data,
          methods: listOf(given.text("methods")),
          options: { ...learning?.options, ...(word && { prior }) },
          known,
          seeds,
          seed: given.number("seed"),
          folds,
          limit,
          against: given.text("against"),
          plugins,
          learning: learning?.learning,
          onRow: (row) => rows.push(withFlag(row)),
          wording: asFlag,
        },
        hooksOf(world),
      );
      world.show("");
      await write(given, world, { ...comparison, rows: comparison.rows.map(withFlag) });
    } catch (error) {
      // What is there when somebody interrupts took its time, and is shown.
      if (world.signal.aborted && rows.length > 0) {
        world.show("");
        world.say(comparisonText(rows, metrics, baseline, world.width).trimEnd());
      }
      throw error;
    }
  },
};

/** A skipped row with the flag that would give it what it needs. */
function withFlag(row: Compared): Compared {
  if (!row.needs) return row;
  return { ...row, skipped: `${row.skipped} (${asFlag({ option: `known.${row.needs}` })})` };
}

function numbersOf(given: Given): { seeds: number; folds: number; limit: number } {
  const seeds = wholeNumber(given, "seeds", { min: 1, max: 1000 }) ?? 1;
  const folds = wholeNumber(given, "folds", { min: 0, max: 1000 }) ?? 5;
  const limit = given.number("limit") ?? Infinity;
  if (!(limit > 0)) throw new CrowdError("usage", "--limit takes seconds, more than 0.");
  return { seeds, folds, limit };
}

async function write(given: Given, world: World, comparison: Comparison): Promise<void> {
  const { kind, rows, agreement, notes } = comparison;
  const { metrics, baseline } = kind;
  const ran = rows.filter(({ skipped }) => skipped === undefined);
  const folder = given.text("out");
  const document = {
    tool: { name: "consilience", version },
    kind: kind.id,
    methods: rows,
    ...(comparison.measure && { measure: comparison.measure }),
    ...(notes.length > 0 && { notes }),
    agreement: {
      methods: ran.map(({ method }) => method),
      share: agreement.map((row) => row.map(rounded)),
    },
  };
  if (folder !== undefined) {
    const files = new Map<string, string | Iterable<string>>([
      ["comparison.csv", comparisonCsv(rows, metrics)],
      ["comparison.tex", comparisonLatex(rows, metrics)],
      ["comparison.json", `${JSON.stringify(document, null, 2)}\n`],
      [
        "agreement.csv",
        writeCsv(
          ["method", ...ran.map(({ method }) => method)],
          ran.map(({ method }, m) => [method, ...agreement[m].map(rounded)]),
        ),
      ],
      ["report.html", await toHtml(comparison.report(), createSvgDocument())],
    ]);
    await writeFolder(folder, files, writing(given, world, { ours: OURS }));
    if (!given.on("quiet")) world.say(`Wrote ${[...files.keys()].join(", ")} into ${folder}.`);
  }
  if (!given.on("quiet") && !given.on("json")) for (const note of notes) world.say(`note: ${note}`);
  if (given.on("json")) await world.print(`${JSON.stringify(document)}\n`);
  else if (world.terminal || folder !== undefined)
    await world.print(comparisonText(rows, metrics, baseline, world.width));
  else for (const piece of comparisonCsv(rows, metrics)) await world.print(piece);
}
