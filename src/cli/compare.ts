/** Many methods on the same labels: scores, agreement between them, time. */
import type { Aggregation, AnyAggregator } from "../aggregate/categorical/aggregator.ts";
import { heldOutScore, inapplicable, sameAnswers } from "../auto/compare.ts";
import { methods } from "../auto/index.ts";
import type { Known } from "../belief/known.ts";
import type { CrowdDataset } from "../data/dataset.ts";
import { CrowdError } from "../error.ts";
import { credits, type Scored } from "../evaluate/accuracy.ts";
import { calibration } from "../evaluate/calibration.ts";
import { scoredWith } from "../evaluate/gold-folds.ts";
import { brier, logLoss } from "../evaluate/log-loss.ts";
import { pairedDifference } from "../evaluate/paired-difference.ts";
import { writeCsv } from "../io/csv-writer.ts";
import type { Progress } from "../method.ts";
import { checkFolder, writeFolder } from "../node/output.ts";
import { createSvgDocument } from "../node/svg-document.ts";
import {
  type Compared,
  comparisonCsv,
  comparisonLatex,
  comparisonText,
} from "../report/comparison.ts";
import { comparisonReport } from "../report/comparison-report.ts";
import { rounded } from "../report/csv-files.ts";
import { toHtml } from "../report/html.ts";
import { run } from "../run.ts";
import { version } from "../version.ts";
import type { Command, Given, World } from "./command.ts";
import { commonFlags, dataFlags, listOf, readLabels } from "./data-flags.ts";
import { type Chosen, knownFlags, methodNamed, readKnown } from "./method-flags.ts";
import { showSteps } from "./progress.ts";

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
    "consilience compare labels.csv --gold gold.csv --methods majority-vote,dawid-skene,ibcc",
  flags: () => ({
    methods: { type: "text", value: "A,B,…", help: "The methods; default: all that apply." },
    seeds: {
      type: "number",
      value: "N",
      help: "Runs with as many seeds, and the spread.",
      default: 1,
    },
    folds: {
      type: "number",
      value: "N",
      help: "Parts in which labels are hidden; 0 for not at all.",
      default: 5,
    },
    limit: {
      type: "number",
      value: "SECONDS",
      help: "Give a method up after as many seconds; default: never.",
    },
    out: {
      type: "text",
      value: "FOLDER",
      help: "Write the tables as CSV, LaTeX and JSON, and a report, into this folder.",
    },
    force: { type: "switch", help: "Write into a folder that is not empty." },
    ...commonFlags,
    ...dataFlags,
    ...knownFlags,
  }),
  async run(given, world) {
    const chosen =
      listOf(given.text("methods"))?.map(methodNamed) ??
      methods.map((method) => ({ method, options: {} }));
    const seeds = given.number("seeds") ?? 1;
    const folds = given.number("folds") ?? 5;
    if (!Number.isInteger(seeds) || seeds < 1)
      throw new CrowdError("usage", "--seeds takes a whole number from 1 up.");
    if (!Number.isInteger(folds) || folds < 0)
      throw new CrowdError("usage", "--folds takes a whole number from 0 up.");
    const limit = given.number("limit") ?? Infinity;
    if (!(limit > 0)) throw new CrowdError("usage", "--limit takes seconds, more than 0.");
    const out = given.text("out");
    if (out !== undefined) await checkFolder(out, { force: given.on("force") });
    const quiet = given.on("json")
      ? { ...given, on: (flag: string) => flag === "quiet" || given.on(flag) }
      : given;
    const data = await readLabels(quiet, world);
    const known = await readKnown(given, data, world);
    const settings: Settings = {
      data,
      known,
      seeds,
      folds,
      limit,
      first: given.number("seed") ?? 0,
      baseline: await run(methodNamed("majority-vote").method, data),
    };
    const rows: Compared[] = [];
    const results: Aggregation[] = [];
    try {
      for (const [m, entry] of chosen.entries()) {
        const name = nameOf(entry, given, m);
        const options = { ...entry.options, ...priorWord(given, entry.method) };
        const { row, result } = await compareOne(name, { ...entry, options }, settings, world);
        rows.push(row);
        if (result) results.push(result);
      }
    } catch (error) {
      // What is there when somebody interrupts took its time, and is shown.
      if (world.signal.aborted && rows.length > 0) world.say(comparisonText(rows).trimEnd());
      throw error;
    }
    world.show("");
    await write(given, world, data, rows, results);
  },
};

interface Settings {
  readonly data: CrowdDataset;
  readonly known: Known;
  readonly seeds: number;
  /** The first of the seeds. */
  readonly first: number;
  readonly folds: number;
  /** Seconds after which a method is given up. */
  readonly limit: number;
  readonly baseline: Aggregation;
}

/** Fits, scores and hides labels; or says why not. */
async function compareOne(
  name: string,
  { method, options }: Chosen,
  { data, known, seeds, first, folds, limit, baseline }: Settings,
  world: World,
): Promise<{ row: Compared; result?: Aggregation }> {
  const skipped = inapplicable(method, data, known);
  if (skipped) return { row: { method: name, skipped } };
  const start = performance.now();
  const late = new AbortController();
  const signal = AbortSignal.any([world.signal, late.signal]);
  const watched = (part: string) => {
    const show = showSteps(world, `${name} ${part}`);
    return (progress: Progress) => {
      if (performance.now() - start > 1000 * limit) late.abort();
      show(progress);
    };
  };
  const fitted = (seed: number) => (more: Known, part: string) =>
    run(
      method,
      data,
      { ...options, seed },
      { known: { ...known, ...more }, signal, onProgress: watched(part) },
    );
  try {
    const runs: Aggregation[] = [];
    for (let s = 0; s < seeds; s++) runs.push(await fitted(first + s)({}, ""));
    const seconds = (performance.now() - start) / 1000 / seeds;
    const scored: Scored[] = [];
    for (const [s, result] of runs.entries()) {
      scored.push(await scoredWith(data, result, known, fitted(first + s)));
    }
    const hiding = heldOutScore(method, { ...options, seed: first }, data, known, {
      folds,
      seed: first,
    });
    const heldOut = folds === 0 ? undefined : await walk(hiding, watched(""), signal);
    const row = {
      method: name,
      ...(heldOut !== undefined && { heldOut }),
      ...scores(data, scored, baseline),
      seconds,
      iterations: runs[0].iterations,
      converged: runs[0].converged,
    };
    return { row, result: runs[0] };
  } catch (error) {
    // One method that these labels are too many for does not stop the others.
    if (!(error instanceof CrowdError) || world.signal.aborted) throw error;
    const slow = error.code === "cancelled" && `was given up after ${limit} seconds (--limit)`;
    if (!slow && error.code !== "too-large") throw error;
    return { row: { method: name, skipped: slow || error.message } };
  }
}

/** --prior learn or uniform, for the methods that have the choice. */
function priorWord(given: Given, method: AnyAggregator): { prior?: string } {
  const prior = given.text("prior");
  const word =
    prior !== undefined && /^[a-z]+$/.test(prior) && Object.hasOwn(method.options, "prior");
  return word ? { prior } : {};
}

function nameOf({ method }: Chosen, given: Given, m: number): string {
  return listOf(given.text("methods"))?.[m] ?? method.id;
}

function scores(
  data: CrowdDataset,
  scored: readonly Scored[],
  baseline: Aggregation,
): Partial<Compared> {
  if (!data.gold.some((k) => k >= 0)) return {};
  const each = scored.map(credits);
  const mean = (values: readonly number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;
  const accuracies = each.map((list) => mean([...list]));
  const accuracy = mean(accuracies);
  const spread = Math.sqrt(
    accuracies.reduce((sum, a) => sum + (a - accuracy) ** 2, 0) / Math.max(1, scored.length - 1),
  );
  const { value, low, high } = pairedDifference(each[0], credits({ ...baseline, gold: data.gold }));
  return {
    accuracy,
    ...(scored.length > 1 && { accuracySpread: spread }),
    logLoss: mean(scored.map(logLoss)),
    brier: mean(scored.map(brier)),
    ece: calibration(scored[0]).ece.value,
    gain: { value, low, high },
  };
}

async function walk(
  steps: ReturnType<typeof heldOutScore>,
  show: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<number> {
  for (let last = performance.now(); ; ) {
    if (signal.aborted) throw new CrowdError("cancelled", "Interrupted.", { cause: signal.reason });
    const step = steps.next();
    if (step.done) return step.value;
    show(step.value);
    if (performance.now() - last > 30) {
      await new Promise((resume) => setImmediate(resume));
      last = performance.now();
    }
  }
}

async function write(
  given: Given,
  world: World,
  data: CrowdDataset,
  rows: readonly Compared[],
  results: readonly Aggregation[],
): Promise<void> {
  const ran = rows.filter(({ skipped }) => skipped === undefined);
  const agreement = results.map((a) => results.map((b) => sameAnswers(a, b)));
  const folder = given.text("out");
  const document = {
    tool: { name: "consilience", version },
    methods: rows,
    agreement: {
      methods: ran.map(({ method }) => method),
      share: agreement.map((row) => row.map(rounded)),
    },
  };
  if (folder !== undefined) {
    const files = new Map<string, string | Iterable<string>>([
      ["comparison.csv", comparisonCsv(rows)],
      ["comparison.tex", comparisonLatex(rows)],
      ["comparison.json", `${JSON.stringify(document, null, 2)}\n`],
      [
        "agreement.csv",
        writeCsv(
          ["method", ...ran.map(({ method }) => method)],
          ran.map(({ method }, m) => [method, ...agreement[m].map(rounded)]),
        ),
      ],
      [
        "report.html",
        await toHtml(comparisonReport({ data, rows, agreement }), createSvgDocument()),
      ],
    ]);
    await writeFolder(folder, files, {
      force: given.on("force"),
      ours: OURS,
      signal: world.signal,
    });
    if (!given.on("quiet")) world.say(`Wrote ${[...files.keys()].join(", ")} into ${folder}.`);
  }
  if (given.on("json")) await world.print(`${JSON.stringify(document)}\n`);
  else if (world.terminal || folder !== undefined) await world.print(comparisonText(rows));
  else for (const piece of comparisonCsv(rows)) await world.print(piece);
}
