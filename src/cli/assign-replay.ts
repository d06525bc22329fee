/** `assign --replay`: what policies would have saved on labels with gold. */
import type { CampaignComparison, CampaignPoint } from "../assign/campaign.ts";
import type { AssignPolicy } from "../assign/choose.ts";
import { policies } from "../assign/plan-options.ts";
import { CrowdError } from "../error.ts";
import { writeCsv } from "../io/csv-writer.ts";
import { campaignJob } from "../jobs/campaign.ts";
import { writeFolder } from "../node/output.ts";
import { createSvgDocument } from "../node/svg-document.ts";
import { rounded } from "../report/csv-files.ts";
import { toHtml } from "../report/html.ts";
import { percent } from "../report/text.ts";
import type { FlagTable, Given, World } from "./command.ts";
import { count, listOf, readData } from "./data-flags.ts";
import { wholeNumber } from "./flags.ts";
import { checkOut, writing } from "./output.ts";
import { hooksOf } from "./progress.ts";

const group = "Replay";
const OURS = ["campaign.csv", "report.html"];
const MEASURES = ["accuracy", "live", "confidence", "heldOut", "cost"] as const;

export const replayFlags: FlagTable = {
  replay: {
    type: "text",
    value: `${policies.join("|")},…`,
    group,
    help: "Ask nothing; compare these policies on labels with gold, which are revealed one at a time.",
  },
  seeds: { type: "number", value: "N", group, help: "Number of seeds.", default: 5 },
  mode: {
    type: "text",
    value: "both|arrive",
    group,
    help: "The policy picks task and worker, or the task for a worker who turns up.",
    default: "both",
  },
  target: {
    type: "number",
    value: "P",
    group,
    help: "Accuracy to be reached; default: a point below that with all labels.",
  },
  out: {
    type: "text",
    value: "FOLDER",
    group,
    help: "Write campaign.csv and report.html into this folder.",
  },
  force: { type: "switch", group, help: "Write into a folder that is not empty." },
};

/** Compares policies and prints a table. */
export async function replay(given: Given, world: World): Promise<void> {
  const chosen = policiesOf(given);
  const mode = given.text("mode") ?? "both";
  if (mode !== "both" && mode !== "arrive") {
    throw new CrowdError("usage", `--mode is both or arrive, not "${mode}".`);
  }
  const out = await checkOut(given, world, { ours: OURS });
  const data = await readData(given, world);
  const found = await campaignJob(
    {
      data,
      policies: chosen,
      mode,
      seeds: wholeNumber(given, "seeds", { min: 1, max: 1000 }),
      seed: given.number("seed"),
      cover: wholeNumber(given, "cover", { min: 0, max: 1e9 }),
      target: given.number("target"),
    },
    hooksOf(world),
  );
  world.show("");
  const table = [...campaignCsv(found)].join("");
  if (out !== undefined) {
    const files = new Map([
      ["campaign.csv", table],
      ["report.html", await toHtml(found.report(), createSvgDocument())],
    ]);
    await writeFolder(out, files, writing(given, world, { ours: OURS }));
  }
  if (!given.on("quiet")) for (const line of wordsOf(found, out)) world.say(line);
  if (given.on("json")) {
    const { target, seeds, curves } = found;
    await world.print(`${JSON.stringify({ target, seeds, curves })}\n`);
  } else await world.print(table);
}

function wordsOf({ target, curves }: CampaignComparison, out: string | undefined): string[] {
  return [
    `For an accuracy of ${percent(target)}:`,
    ...curves.map(({ policy, needed }) =>
      needed === undefined
        ? `  ${policy} does not reach it`
        : `  ${policy} needs ${count(Math.round(needed), "label")}`,
    ),
    ...(out === undefined ? [] : [`Wrote ${OURS.join(", ")} into ${out}.`]),
  ];
}

/** campaign.csv: policy, labels, and mean, low and high of each measure. */
function campaignCsv({ curves }: CampaignComparison): Iterable<string> {
  const names = MEASURES.map((key) => (key === "heldOut" ? "held_out" : key));
  const header = names.flatMap((name) => [name, `${name}_low`, `${name}_high`]);
  const cells = (point: CampaignPoint) =>
    MEASURES.flatMap((key) => {
      const { mean, low, high } = point[key];
      return [mean, low, high].map((x) => (Number.isFinite(x) ? rounded(x) : ""));
    });
  return writeCsv(
    ["policy", "labels", ...header],
    curves.flatMap(({ policy, points }) =>
      points.map((point) => [policy, point.labels, ...cells(point)]),
    ),
  );
}

function policiesOf(given: Given): AssignPolicy[] {
  const names = listOf(given.text("replay")) ?? [];
  return names.map((name) => {
    const found = policies.find((each) => each === name.trim());
    if (found) return found;
    throw new CrowdError(
      "usage",
      `--replay takes policies with commas between, of ${policies.join(", ")}; not "${name}".`,
    );
  });
}
