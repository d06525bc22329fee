/** Reruns a published table or figure and prints ours beside theirs. */
import { CrowdError } from "../error.ts";
import { noSuchName } from "../jobs/nearest-name.ts";
import { maxOf } from "../math/lists.ts";
import { openEngine } from "../node/learn-job.ts";
import { writeFolder } from "../node/output.ts";
import { openFeatureSet, openLabelSet } from "../node/public-sets.ts";
import { createSvgDocument } from "../node/svg-document.ts";
import { findingReport, rowCells } from "../report/finding-report.ts";
import { toHtml } from "../report/html.ts";
import { wrap } from "../report/wrap.ts";
import type { Experiment, Finding } from "../reproduce/experiment.ts";
import { experiments } from "../reproduce/index.ts";
import type { Command, Given, World } from "./command.ts";
import { commonFlags, count } from "./data-flags.ts";
import { engineFlags, engineOf } from "./engine-flags.ts";
import { wholeNumber } from "./flags.ts";
import { checkOut, writing } from "./output.ts";
import { threadsOf } from "./threads.ts";

export const reproduce: Command = {
  id: "reproduce",
  usage: "[NAME…] [options]",
  example: "consilience reproduce max-mig-table-3 --quick",
  flags: () => ({
    quick: { type: "switch", help: "Fewer seeds and smaller crowds: minutes instead of hours." },
    seeds: {
      type: "number",
      value: "N",
      help: "How many seeds; default: as many as the entry asks for.",
    },
    data: {
      type: "text",
      value: "FOLDER",
      help: "Where the public sets are, a folder each; default: $CONSILIENCE_DATA.",
    },
    out: { type: "text", value: "FOLDER", help: "Write a report with the plots into this folder." },
    force: { type: "switch", help: "Write into a folder that is not empty." },
    ...engineFlags,
    json: commonFlags["json"],
    quiet: commonFlags["quiet"],
    help: commonFlags["help"],
  }),
  async run(given, world) {
    if (given.files.length === 0) return world.print(wrap(list(), world.width));
    const chosen = given.files.map(experimentNamed);
    const say = given.on("quiet") || given.on("json") ? () => {} : world.say;
    const out = await checkOut(given, world, { inputs: [] });
    const folder = given.text("data") ?? process.env["CONSILIENCE_DATA"];
    const threads = threadsOf(given, say);
    const executor = await openEngine({ ...engineOf(given), threads }, say, world);
    const findings: { readonly experiment: Experiment; readonly finding: Finding }[] = [];
    for (const experiment of chosen) {
      const finding = await experiment.run({
        executor,
        seeds: seedsOf(given, experiment),
        quick: given.on("quick"),
        set: (name) => openFeatureSet(folder, name),
        labels: (name) => openLabelSet(folder, name),
        signal: world.signal,
        onProgress: (text) => world.show(`${experiment.id}: ${text}`),
      });
      world.show("");
      findings.push({ experiment, finding });
      if (!given.on("json")) await print(experiment, finding, world);
    }
    if (given.on("json")) {
      const documents = findings.map(({ experiment: { id, title, paper, about }, finding }) => ({
        id,
        title,
        paper,
        about,
        ...finding,
      }));
      await world.print(`${JSON.stringify(documents)}\n`);
    }
    if (out !== undefined) {
      const files = new Map<string, string>();
      for (const { experiment, finding } of findings) {
        files.set(
          `${experiment.id}.html`,
          await toHtml(findingReport(experiment, finding), createSvgDocument()),
        );
      }
      const own = { ours: [...files.keys()], inputs: [] };
      await writeFolder(out, files, writing(given, world, own));
      say(`Wrote ${[...files.keys()].join(", ")} into ${out}.`);
    }
    const failed = findings
      .flatMap(({ finding }) => finding.checks)
      .filter(({ passed }) => !passed);
    if (failed.length > 0) {
      throw new CrowdError(
        "bad-data",
        `${count(failed.length, "claim was", "claims were")} not found here; see the lines that begin with FAIL.`,
      );
    }
  },
};

function seedsOf(given: Given, { seeds }: Experiment): number {
  const asked = wholeNumber(given, "seeds", { min: 1, max: 1000 });
  return asked ?? (given.on("quick") ? seeds.quick : seeds.full);
}

async function print(experiment: Experiment, finding: Finding, world: World): Promise<void> {
  const { title, paper, about } = experiment;
  const rows = finding.rows.map(rowCells);
  const header = ["", "setting", "ours", "seeds", "paper"];
  const widths = header.map((name, at) =>
    maxOf(
      rows.map((row) => row[at].length),
      name.length,
    ),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => (at < 2 ? cell.padEnd(widths[at]) : cell.padStart(widths[at])))
      .join("  ")
      .trimEnd();
  const text = [
    title,
    paper,
    about,
    "",
    ...(rows.length > 0 ? [line(header), ...rows.map(line), ""] : []),
    ...finding.checks.map(
      ({ claim, passed, measured }) => `${passed ? "pass" : "FAIL"}  ${claim}: ${measured}`,
    ),
    ...finding.notes.map((note) => `note: ${note}`),
    "",
    "",
  ].join("\n");
  await world.print(wrap(text, world.width));
}

function list(): string {
  const width = maxOf(experiments.map(({ id }) => id.length)) + 2;
  return [
    "Published tables and figures that can be rerun; consilience reproduce NAME runs one.",
    "",
    ...experiments.map(({ id, title }) => `  ${id.padEnd(width)}${title}`),
    "",
  ].join("\n");
}

function experimentNamed(name: string): Experiment {
  const found = experiments.find(({ id }) => id === name);
  if (found) return found;
  const ids = experiments.map(({ id }) => id);
  throw new CrowdError("usage", noSuchName("experiment", name, ids));
}
