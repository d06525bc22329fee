/** Makes a crowd with known truth: labels, gold, features, and what they were drawn from. */
import { CrowdError } from "../error.ts";
import { csv } from "../io/csv.ts";
import { noSuchName } from "../jobs/nearest-name.ts";
import { createRandom } from "../math/random.ts";
import { writeFolder } from "../node/output.ts";
import { rounded } from "../report/csv-files.ts";
import { blur } from "../simulate/blur.ts";
import { withFeatures } from "../simulate/features.ts";
import { scenarioList } from "../simulate/index.ts";
import type { AnyScenario, Simulation } from "../simulate/scenario.ts";
import { version } from "../version.ts";
import type { Command, FlagTable, Given } from "./command.ts";
import { commonFlags, count } from "./data-flags.ts";
import { cardFlags, cardValues } from "./flags.ts";
import { givenFlags, readGiven } from "./given-tasks.ts";
import { checkOut, writing } from "./output.ts";
import { filesOf, simulationFiles } from "./simulation-files.ts";

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
  example: "consilience simulate hammer-spammer --tasks 2000 --workers 80 --seed 7 --out crowd/",
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
      ...(scenario?.features ? {} : gaussFlags),
      ...blurFlag,
      ...givenFlags,
      ...own,
    };
  },
  async run(given, world) {
    const scenario = named(given.files[0]);
    // The scenario is a name, not a file.
    const own = { ours: simulationFiles, inputs: given.inputs([]) };
    const folder = await checkOut(given, world, own);
    const tasks = await readGiven(given, world);
    const drawn = scenario(cardValues(given, scenario.options), tasks);
    const { simulation, features } = featured(drawn, scenario, given);
    const { data, test } = simulation;
    const document = {
      tool: { name: "consilience", version },
      scenario: scenario.id,
      parameters: drawn.parameters,
      labels: data.label.length,
      tasks: data.tasks.length,
      workers: data.workers.length,
      classes: data.classes,
      prior: Array.from(simulation.prior, rounded),
      ...(features && { features }),
      ...(test && { test: { labels: test.data.label.length, tasks: test.data.tasks.length } }),
    };
    if (folder === undefined) {
      // Without a folder the labels go down the pipe.
      if (world.terminal)
        throw new CrowdError("usage", "simulate needs --out FOLDER, or a pipe for the labels.");
      for (const piece of await csv.write(data)) await world.print(String(piece));
      return;
    }
    const files = await filesOf(simulation, document);
    await writeFolder(folder, files, writing(given, world, own));
    if (given.on("json")) await world.print(`${JSON.stringify(document)}\n`);
    else if (!given.on("quiet")) {
      world.say(
        `Wrote ${count(data.label.length, "label")} of ${count(data.tasks.length, "task")} by ` +
          `${count(data.workers.length, "worker")} into ${folder}: ${[...files.keys()].join(", ")}.`,
      );
    }
  },
};

function named(name: string | undefined): AnyScenario {
  const scenario = scenarioList.find(({ id }) => id === name);
  if (scenario) return scenario;
  const names = scenarioList.map(({ id }) => id);
  if (name === undefined) throw new CrowdError("usage", `Name a scenario: ${names.join(", ")}.`);
  throw new CrowdError("usage", noSuchName("scenario", name, names));
}

/** The simulation with the features that the flags ask for, and what to say of them. */
function featured(drawn: ReturnType<AnyScenario>, scenario: AnyScenario, given: Given) {
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
