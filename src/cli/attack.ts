/** How robust a model is: its accuracy while inputs are perturbed more and more, by its own gradients or another's. */
import { attackList } from "../attack/index.ts";
import type { Norm } from "../attack/perturb.ts";
import { CrowdError } from "../error.ts";
import { attackCsv, attackJob, attackUnits } from "../jobs/attack.ts";
import { openFeatures } from "../node/features.ts";
import { readGold } from "../node/files.ts";
import { openEngine } from "../node/learn-job.ts";
import { openModel } from "../node/model-file.ts";
import { writeFolder } from "../node/output.ts";
import { createSvgDocument } from "../node/svg-document.ts";
import { attackReport, unitWords } from "../report/attack-report.ts";
import { toHtml } from "../report/html.ts";
import type { Command, Given } from "./command.ts";
import { commonFlags, count, goldColumns, listOf } from "./data-flags.ts";
import { engineFlags, engineOf } from "./engine-flags.ts";
import { featureFlags, featureSource } from "./feature-flags.ts";
import { wholeNumber } from "./flags.ts";
import { checkOut, writing } from "./output.ts";
import { hooksOf } from "./progress.ts";
import { threadsOf } from "./threads.ts";

const OURS = ["attack.csv", "report.html"];

export const attack: Command = {
  id: "attack",
  usage: "MODEL --features FILE --gold FILE [options]",
  example:
    "consilience attack model/ --features test.npy --gold test.csv --attack pgd,fgsm --epsilon 0,0.01,0.03",
  flags: () => ({
    gold: {
      type: "text",
      value: "FILE",
      help: "The classes of the rows: a table with task and label.",
    },
    "gold-columns": {
      type: "text",
      value: "ROLE=NAME,…",
      many: true,
      help: "Columns of the gold file: task=…,label=…",
    },
    attack: {
      type: "text",
      value: `${attackList.map(({ id }) => id).join("|")},…`,
      many: true,
      help: "The attacks to run.",
      default: attackList.map(({ id }) => id).join(),
    },
    epsilon: {
      type: "text",
      value: "E,E,…",
      many: true,
      help: "How far inputs may be moved, in --units; default: 9 distances up to 0.3 standard deviations, or up to 0.03 in the features' own unit.",
    },
    units: {
      type: "text",
      value: attackUnits.join("|"),
      help: "Unit of distances: standard deviations of each feature (default for tables), or the features' own (default for images).",
    },
    norm: { type: "text", value: "inf|l2", help: "How distance is measured.", default: "inf" },
    steps: { type: "number", value: "N", help: "Steps of pgd, mim and cw.", default: 10 },
    "random-start": {
      type: "text",
      value: "true|false",
      help: "Whether pgd and cw start anywhere in the ball.",
      default: true,
    },
    range: { type: "text", value: "LOW,HIGH", help: "What inputs can be, where there are limits." },
    substitute: {
      type: "text",
      value: "MODEL",
      help: "Black-box: use the gradients of this model, not those of the one attacked.",
    },
    out: {
      type: "text",
      value: "FOLDER",
      help: "Write attack.csv and report.html into this folder.",
    },
    force: { type: "switch", help: "Write into a folder that is not empty." },
    ...engineFlags,
    ...commonFlags,
    ...featureFlags,
  }),
  async run(given, world) {
    const say = given.on("quiet") || given.on("json") ? () => {} : world.say;
    const [path, ...rest] = given.files;
    if (path === undefined || rest.length > 0) {
      throw new CrowdError("usage", "Name one model: a folder that learn wrote, or an .onnx file.");
    }
    const source = featureSource(given, "features");
    const goldFile = given.text("gold");
    if (!source || goldFile === undefined) {
      throw new CrowdError(
        "usage",
        "Name the features and their classes: --features FILE --gold FILE.",
      );
    }
    const out = await checkOut(given, world, { ours: OURS });
    const settings = settingsOf(given);
    const model = await openModel(path);
    const other = given.text("substitute");
    const substitute = other === undefined ? undefined : await openModel(other);
    for (const note of [...model.notes, ...(substitute?.notes ?? [])]) say(`note: ${note}`);
    const threads = threadsOf(given, say);
    const executor = await openEngine({ ...engineOf(given), threads }, say, world);
    const { gold } = await readGold(goldFile, {
      signal: world.signal,
      goldColumns: goldColumns(given),
    });
    const { path: file, tasks, ...options } = source;
    const features = await openFeatures(file, {
      ...options,
      tasks: tasks ?? gold.map(([task]) => task),
      match: gold.map(([task]) => task),
      onUnderstood: say,
      signal: world.signal,
    });
    try {
      const outcome = await attackJob(
        {
          ...settings,
          model,
          substitute,
          features,
          gold,
          executor,
          attacks: listOf(given.text("attack")),
          seed: given.number("seed"),
          featuresName: file,
          goldName: goldFile,
        },
        hooksOf(world),
      );
      world.show("");
      const input = { ...outcome, model: path, substitute: other };
      if (out !== undefined) {
        const html = await toHtml(attackReport(input), createSvgDocument());
        await writeFolder(
          out,
          new Map([
            ["attack.csv", [...attackCsv(input)].join("")],
            ["report.html", html],
          ]),
          writing(given, world, { ours: OURS }),
        );
        say(`Wrote attack.csv, report.html into ${out}.`);
      }
      say(`note: distances are in ${unitWords[outcome.units]}.`);
      if (given.on("json")) await world.print(`${JSON.stringify(input)}\n`);
      else if (out === undefined || world.terminal) {
        say(
          `Accuracy on ${count(input.rows, "task")}, ${other === undefined ? "white-box" : `black-box through ${other}`}:`,
        );
        for (const line of attackCsv(input)) await world.print(line);
      }
    } finally {
      features.close?.();
    }
  },
};

function settingsOf(given: Given) {
  const norm = given.text("norm") ?? "inf";
  if (norm !== "inf" && norm !== "l2") {
    throw new CrowdError("usage", `--norm is inf or l2, not "${norm}".`);
  }
  const numbers = (flag: string, text: string) =>
    text.split(",").map((part) => {
      const value = Number(part);
      if (part.trim() === "" || !Number.isFinite(value)) {
        throw new CrowdError(
          "usage",
          `--${flag} takes numbers with commas between, not "${text}".`,
        );
      }
      return value;
    });
  const distances = given.text("epsilon");
  const epsilons = distances === undefined ? undefined : numbers("epsilon", distances);
  if (epsilons?.some((epsilon) => epsilon < 0)) {
    throw new CrowdError("usage", "--epsilon: distances are at least 0.");
  }
  const range = given.text("range");
  const limits = range === undefined ? undefined : numbers("range", range);
  if (limits && !(limits.length === 2 && limits[0] < limits[1])) {
    throw new CrowdError("usage", `--range takes LOW,HIGH, not "${range}".`);
  }
  const named = given.text("units");
  const units = attackUnits.find((each) => each === named);
  if (named !== undefined && !units) {
    throw new CrowdError("usage", `--units is ${attackUnits.join(" or ")}, not "${named}".`);
  }
  return {
    units,
    norm: norm as Norm,
    epsilons,
    steps: wholeNumber(given, "steps", { min: 1, max: 100_000 }),
    randomStart: (given.text("random-start") ?? "true") === "true",
    range: limits as [number, number] | undefined,
  };
}
