/** Makes a crowd with known truth: answers, gold, features, and what they were drawn from. */
import type { CrowdData } from "../data/crowd-data.ts";
import { CrowdError } from "../error.ts";
import { noSuchName } from "../jobs/nearest-name.ts";
import { isRecognised, kindOf } from "../kinds.ts";
import { createRandom } from "../math/random.ts";
import { writeFolder } from "../node/output.ts";
import { rounded } from "../report/csv-files.ts";
import { blur } from "../simulate/blur.ts";
import { withFeatures } from "../simulate/features.ts";
import { scenarioList } from "../simulate/index.ts";
import type { AnyLabelScenario, AnyScenario, Simulation } from "../simulate/scenario.ts";
import { version } from "../version.ts";
import type { Command, FlagTable, Given, World } from "./command.ts";
import { commonFlags, count } from "./data-flags.ts";
import { cardFlags, cardValues } from "./flags.ts";
import { givenFlags, readGiven } from "./given-tasks.ts";
import { checkOut, writing } from "./output.ts";
import { answersCsv, filesOf, simulationFiles } from "./simulation-files.ts";

const group = "Features";

/** For scenarios whose tasks have no features of their own. */
const gaussFlags: FlagTable = {
  features: {
    type: "text",
    value: "gauss",
    group,
    help: "Give tasks features: a Gaussian cloud of variance 1 for each class.",
  },
  separation: {
    type: "number",
    value: "N",
    group,
    help: "Distance between the means of any two classes; 2 if nothing is said.",
  },
  radius: {
    type: "number",
    value: "N",
    group,
    help: "Instead: distance of every mean from the origin, at right angles.",
  },
  "bayes-accuracy": {
    type: "number",
    value: "N",
    group,
    help: "Instead: accuracy of the best classifier there is.",
  },
  dimensions: {
    type: "number",
    value: "N",
    group,
    help: "Number of features; 10 if nothing is said.",
  },
};

const blurFlag: FlagTable = {
  blur: {
    type: "number",
    value: "RADIUS",
    group,
    help: "Blur the features: images by this many pixels, others as if they were.",
  },
};

export const simulate: Command = {
  id: "simulate",
  usage: `SCENARIO --out FOLDER [options]\n\nScenarios:\n${scenarioList.map(({ id, summary }) => `  ${id.padEnd(20)}${summary}`).join("\n")}`,
  example:
    "consilience simulate hammer-spammer --tasks 2000 --workers 80 --seed 7 --out crowd/\n" +
    "consilience simulate judges --items 30 --adversaries 3 --copies 4 --out comparisons/",
  flags: (args) => {
    const scenario = scenarioList.find(({ id }) => args.includes(id));
    const own = scenario ? cardFlags(scenario.options, `Options of ${scenario.id}`) : {};
    return {
      out: {
        type: "text",
        value: "FOLDER",
        help: "Write labels.csv, gold.csv and the parameters here.",
      },
      force: { type: "switch", help: "Write into a folder that is not empty." },
      json: commonFlags["json"],
      quiet: commonFlags["quiet"],
      help: commonFlags["help"],
      seed: commonFlags["seed"],
      ...(scenario && !("given" in scenario) ? {} : labelFlags(scenario)),
      ...own,
    };
  },
  async run(given, world) {
    const scenario = named(given.files[0]);
    // The scenario is a name, not a file.
    const own = { ours: simulationFiles, inputs: given.inputs([]) };
    const folder = await checkOut(given, world, own);
    const { simulation, document } = await drawn(scenario, given, world);
    const { data } = simulation;
    if (folder === undefined) {
      // Without a folder the answers go down the pipe.
      if (world.terminal)
        throw new CrowdError("usage", "simulate needs --out FOLDER, or a pipe for the labels.");
      for (const piece of answersCsv(data)) await world.print(piece);
      return;
    }
    const files = filesOf(simulation, document);
    await writeFolder(folder, files, writing(given, world, own));
    if (given.on("json")) await world.print(`${JSON.stringify(document)}\n`);
    else if (!given.on("quiet")) {
      world.say(`${sizeText(data)} into ${folder}: ${[...files.keys()].join(", ")}.`);
      const next = kindText(data, folder);
      if (next) world.say(next);
    }
  },
};

/** What a scenario draws by the flags, and what simulation.json says of it. */
async function drawn(scenario: AnyScenario, given: Given, world: World) {
  const tool = { name: "consilience", version };
  const options = cardValues(given, scenario.options);
  if (!("given" in scenario)) {
    const simulation = scenario(options);
    const { data, parameters } = simulation;
    const kind = kindOf(data);
    const { labels, tasks, workers } = kind.size(data);
    const sizes = { labels, tasks, workers, ...kind.describe(data) };
    return {
      simulation,
      document: { tool, scenario: scenario.id, kind: kind.id, parameters, ...sizes },
    };
  }
  const made = scenario(options, await readGiven(given, world));
  const { simulation, features } = featured(made, scenario, given);
  const { data, test } = simulation;
  const document = {
    tool,
    scenario: scenario.id,
    parameters: made.parameters,
    labels: data.label.length,
    tasks: data.tasks.length,
    workers: data.workers.length,
    classes: data.classes,
    prior: Array.from(simulation.prior, rounded),
    ...(features && { features }),
    ...(test && { test: { labels: test.data.label.length, tasks: test.data.tasks.length } }),
  };
  return { simulation, document };
}

/** `Wrote 1,500 labels of 300 tasks by 20 workers`. */
function sizeText(data: CrowdData): string {
  const counts = kindOf(data).counts(data);
  const workers = count(data.workers.length, "worker");
  const asked = counts[counts.indexOf(workers) - 1];
  return `Wrote ${counts[0]} of ${asked} by ${workers}`;
}

/** How to read the files, where they do not say what they hold. */
function kindText(data: CrowdData, folder: string): string | undefined {
  const { header } = kindOf(data).tables(data).answers;
  if (isRecognised(data.kind, header)) return undefined;
  const [labels, gold] = ["labels.csv", "gold.csv"].map(
    (name) => `${folder.replace(/\/$/, "")}/${name}`,
  );
  return (
    `Such files look like labels, so name the kind: ` +
    `consilience aggregate ${labels} --kind ${data.kind} --gold ${gold}`
  );
}

/** Flags of scenarios whose answers are labels. */
function labelFlags(scenario: AnyLabelScenario | undefined): FlagTable {
  return { ...(scenario?.features ? {} : gaussFlags), ...blurFlag, ...givenFlags };
}

function named(name: string | undefined): AnyScenario {
  const scenario = scenarioList.find(({ id }) => id === name);
  if (scenario) return scenario;
  const names = scenarioList.map(({ id }) => id);
  if (name === undefined) throw new CrowdError("usage", `Name a scenario: ${names.join(", ")}.`);
  throw new CrowdError("usage", noSuchName("scenario", name, names));
}

/** The simulation with the features that the flags ask for, and what to say of them. */
function featured(drawn: Simulation, scenario: AnyLabelScenario, given: Given) {
  const asked = scenario.features ? [] : Object.keys(gaussFlags).filter((f) => given.named.has(f));
  const kind = given.text("features") ?? "gauss";
  if (kind !== "gauss") throw new CrowdError("usage", `--features is gauss, not "${kind}".`);
  if (asked.length > 0 && drawn.features) {
    throw new CrowdError("usage", `--${asked[0]} is for tasks without features; these have some.`);
  }
  const gauss = {
    separation: given.number("separation"),
    radius: given.number("radius"),
    bayesAccuracy: given.number("bayes-accuracy"),
    dimensions: given.number("dimensions"),
  };
  const made: Simulation = asked.length > 0 ? withFeatures(drawn, gauss) : drawn;
  const radius = given.number("blur");
  if (!made.features) {
    if (radius === undefined) return { simulation: made };
    throw new CrowdError("usage", "--blur needs features: --features gauss or --given-features.");
  }
  const simulation = radius === undefined ? made : blurred(made, radius, given.number("seed") ?? 0);
  const source = given.named.has("given-features") ? "given" : scenario.features ? "own" : kind;
  const { shape } = made.features;
  return {
    simulation,
    features: { source, shape, ...(asked.length > 0 && gauss), blur: radius },
  };
}

function blurred(simulation: Simulation, radius: number, seed: number): Simulation {
  const random = createRandom(seed).split("blur");
  const { features, test } = simulation;
  return {
    ...simulation,
    ...(features && { features: blur(features, radius, random.split("train")) }),
    ...(test?.features && {
      test: { ...test, features: blur(test.features, radius, random.split("test")) },
    }),
  };
}
