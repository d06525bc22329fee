/** What more labels would buy: expected accuracy against the number of labels. */
import type { Forecast } from "../assign/forecast.ts";
import { CrowdError } from "../error.ts";
import { writeCsv } from "../io/csv-writer.ts";
import { forecastJob } from "../jobs/forecast.ts";
import { writeFolder } from "../node/output.ts";
import { createSvgDocument } from "../node/svg-document.ts";
import { rounded } from "../report/csv-files.ts";
import { toHtml } from "../report/html.ts";
import { wrap } from "../report/wrap.ts";
import type { Command } from "./command.ts";
import { commonFlags, dataFlags, readData } from "./data-flags.ts";
import { wholeNumber } from "./flags.ts";
import { checkOut, writing } from "./output.ts";
import { hooksOf } from "./progress.ts";

const OURS = ["forecast.csv", "report.html"];

export const forecast: Command = {
  id: "forecast",
  usage: "LABELS… [options]",
  example: "consilience forecast labels.csv --gold gold.csv --goal 0.95",
  flags: () => ({
    goal: { type: "number", value: "P", help: "Accuracy to reach.", default: 0.95 },
    independent: {
      type: "switch",
      help: "Without gold: assume that workers share no errors beyond those that the labels show.",
    },
    draws: { type: "number", value: "N", help: "Number of crowds that are drawn.", default: 40 },
    out: {
      type: "text",
      value: "FOLDER",
      help: "Write forecast.csv and report.html into this folder.",
    },
    force: { type: "switch", help: "Write into a folder that is not empty." },
    ...commonFlags,
    ...dataFlags,
  }),
  async run(given, world) {
    const goal = given.number("goal") ?? 0.95;
    if (!(goal > 0 && goal < 1)) {
      throw new CrowdError("usage", `--goal is an accuracy between 0 and 1, not ${goal}.`);
    }
    const draws = wholeNumber(given, "draws", { min: 2, max: 10_000 });
    const out = await checkOut(given, world, { ours: OURS });
    const data = await readData(given, world);
    const found = await forecastJob(
      { data, goal, draws, independent: given.on("independent"), seed: given.number("seed") },
      hooksOf(world),
    );
    world.show("");
    const quiet = given.on("quiet") || given.on("json");
    if (!quiet) world.say(wrap(found.lines.join("\n"), world.width));
    if (out !== undefined) {
      const files = new Map([
        ["forecast.csv", [...table(found.forecast)].join("")],
        ["report.html", await toHtml(found.report(), createSvgDocument())],
      ]);
      await writeFolder(out, files, writing(given, world, { ours: OURS }));
      if (!quiet) world.say(`Wrote ${OURS.join(", ")} into ${out}.`);
    }
    if (given.on("json")) await world.print(`${JSON.stringify(found.forecast, plain)}\n`);
    else for (const line of table(found.forecast)) await world.print(line);
  },
};

/** forecast.csv: one row per number of labels. */
function table({ points }: Forecast): Iterable<string> {
  return writeCsv(
    ["labels", "labels_per_task", "accuracy", "low", "high", "gain", "gain_low", "gain_high"],
    points.map((point) => [
      point.labels,
      ...[point.labelsPerTask, point.accuracy, point.low, point.high].map(rounded),
      ...[point.gain, point.gainLow, point.gainHigh].map(rounded),
    ]),
  );
}

const plain = (_: string, value: unknown) => (typeof value === "number" ? rounded(value) : value);
