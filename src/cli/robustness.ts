/** What bad workers, or fewer labels, would do to the answers. */
import { CrowdError } from "../error.ts";
import { writeCsv } from "../io/csv-writer.ts";
import { type Robustness, robustnessJob, SHARES } from "../jobs/robustness.ts";
import { writeFolder } from "../node/output.ts";
import { openMethods } from "../node/plugins.ts";
import { createSvgDocument } from "../node/svg-document.ts";
import { rounded } from "../report/csv-files.ts";
import { toHtml } from "../report/html.ts";
import { corruptions } from "../simulate/corruptions.ts";
import type { Command, Given } from "./command.ts";
import { commonFlags, dataFlags, listOf, readData } from "./data-flags.ts";
import { wholeNumber } from "./flags.ts";
import { pluginFiles, pluginFlag } from "./method-flags.ts";
import { checkOut, writing } from "./output.ts";
import { hooksOf } from "./progress.ts";

const OURS = ["robustness.csv", "report.html"];

export const robustness: Command = {
  id: "robustness",
  usage: "LABELS… [options]",
  example:
    "consilience robustness labels.csv --gold gold.csv --methods auto,majority-vote --out robustness/",
  flags: () => ({
    methods: {
      type: "text",
      value: "A,B,…",
      help: "The methods; default: auto and majority-vote for labels.",
    },
    corruptions: {
      type: "text",
      value: `${Object.keys(corruptions).join("|")},…`,
      many: true,
      help: "What the spoilt part does; default: all of these in turn.",
    },
    shares: {
      type: "text",
      value: "S,S,…",
      help: "Shares of the workers that are spoilt.",
      default: SHARES.join(),
    },
    draws: { type: "number", value: "N", help: "Number of draws of who is spoilt.", default: 3 },
    out: {
      type: "text",
      value: "FOLDER",
      help: "Write robustness.csv and report.html into this folder.",
    },
    force: { type: "switch", help: "Write into a folder that is not empty." },
    ...pluginFlag,
    ...commonFlags,
    ...dataFlags,
  }),
  async run(given, world) {
    const { shares, draws } = numbersOf(given);
    const out = await checkOut(given, world, { ours: OURS });
    const plugins = await openMethods(pluginFiles(given));
    const data = await readData(given, world);
    const found = await robustnessJob(
      {
        data,
        methods: listOf(given.text("methods")),
        corruptions: listOf(given.text("corruptions")),
        shares,
        draws,
        seed: given.number("seed"),
        plugins,
      },
      hooksOf(world),
    );
    world.show("");
    if (out !== undefined) {
      const files = new Map([
        ["robustness.csv", [...table(found)].join("")],
        ["report.html", await toHtml(found.report(), createSvgDocument())],
      ]);
      await writeFolder(out, files, writing(given, world, { ours: OURS }));
      if (!given.on("quiet")) world.say(`Wrote ${OURS.join(", ")} into ${out}.`);
    }
    if (given.on("json")) {
      const { gold, points, breakdowns } = found;
      await world.print(`${JSON.stringify({ gold, points, breakdowns })}\n`);
    } else for (const line of table(found)) await world.print(line);
  },
};

function numbersOf(given: Given): { shares: number[]; draws: number } {
  const text = given.text("shares") ?? SHARES.join();
  const shares = text.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  if (shares.some((share) => !(share >= 0 && share <= 1))) {
    throw new CrowdError(
      "usage",
      `--shares takes numbers from 0 to 1 with commas between, not "${text}".`,
    );
  }
  const draws = wholeNumber(given, "draws", { min: 1, max: 1000 }) ?? 3;
  return { shares, draws };
}

/** robustness.csv: corruption,method,share,score,low,high. */
function table({ points }: Robustness): Iterable<string> {
  return writeCsv(
    ["corruption", "method", "share", "score", "low", "high"],
    points.map(({ corruption, method, share, score, low, high }) => [
      corruption,
      method,
      share,
      ...[score, low, high].map(rounded),
    ]),
  );
}
