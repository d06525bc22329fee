/** Makes a crowd with known truth: labels, gold, and what they were drawn from. */
import { CrowdError } from "../error.ts";
import { csv } from "../io/csv.ts";
import { writeCsv } from "../io/csv-writer.ts";
import { checkFolder, writeFolder } from "../node/output.ts";
import { rounded } from "../report/csv-files.ts";
import { scenarios } from "../simulate/index.ts";
import type { AnyScenario, Simulation } from "../simulate/scenario.ts";
import { version } from "../version.ts";
import type { Command } from "./command.ts";
import { commonFlags, count } from "./data-flags.ts";
import { cardFlags, cardValues, nearest } from "./flags.ts";

const OURS = [
  "labels.csv",
  "gold.csv",
  "workers.csv",
  "confusion.csv",
  "tasks.csv",
  "simulation.json",
];

export const simulate: Command = {
  id: "simulate",
  usage: `SCENARIO --out FOLDER [options]\n\nScenarios:\n${scenarios.map(({ id, summary }) => `  ${id.padEnd(18)}${summary}`).join("\n")}`,
  example: "consilience simulate hammer-spammer --tasks 2000 --workers 80 --seed 7 --out crowd/",
  flags: (args) => {
    const scenario = scenarios.find(({ id }) => args.includes(id));
    const own = scenario ? cardFlags(scenario.options, `Options of ${scenario.id}`) : {};
    return {
      out: {
        type: "text",
        value: "FOLDER",
        help: "Write labels.csv, gold.csv and the parameters here.",
      },
      force: { type: "switch", help: "Write into a folder that is not empty." },
      ...{ json: commonFlags["json"], quiet: commonFlags["quiet"], help: commonFlags["help"] },
      seed: commonFlags["seed"],
      ...own,
    };
  },
  async run(given, world) {
    const scenario = named(given.files[0]);
    const folder = given.text("out");
    if (folder !== undefined) await checkFolder(folder, { force: given.on("force") });
    const simulation = scenario(cardValues(given, scenario.options));
    const { data, parameters } = simulation;
    const document = {
      tool: { name: "consilience", version },
      scenario: scenario.id,
      parameters,
      labels: data.label.length,
      tasks: data.tasks.length,
      workers: data.workers.length,
      classes: data.classes,
      prior: Array.from(simulation.prior, rounded),
    };
    if (folder === undefined) {
      // Without a folder the labels go down the pipe.
      if (world.terminal)
        throw new CrowdError("usage", "simulate needs --out FOLDER, or a pipe for the labels.");
      for (const piece of await csv.write(data)) await world.print(String(piece));
      return;
    }
    const files = new Map<string, string | Iterable<string | Uint8Array>>([
      ["labels.csv", await csv.write(data)],
      [
        "gold.csv",
        writeCsv(
          ["task", "label"],
          data.tasks.map((name, t) => [name, data.classes[data.gold[t]]]),
        ),
      ],
      ["workers.csv", workers(simulation)],
      ["simulation.json", `${JSON.stringify(document, null, 2)}\n`],
    ]);
    if (simulation.confusion) files.set("confusion.csv", confusions(simulation));
    const { difficulty } = simulation;
    if (difficulty) {
      const rows = data.tasks.map((name, t) => [name, rounded(difficulty[t])]);
      files.set("tasks.csv", writeCsv(["task", "difficulty"], rows));
    }
    await writeFolder(folder, files, {
      force: given.on("force"),
      ours: OURS,
      signal: world.signal,
    });
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
  const scenario = scenarios.find(({ id }) => id === name);
  if (scenario) return scenario;
  const names = scenarios.map(({ id }) => id);
  if (name === undefined) throw new CrowdError("usage", `Name a scenario: ${names.join(", ")}.`);
  const near = nearest(name, names);
  throw new CrowdError(
    "usage",
    `There is no scenario "${name}". ${near ? `Did you mean ${near}?` : `Try: ${names.join(", ")}.`}`,
  );
}

function workers({ data, roles, confusion, prior }: Simulation): Iterable<string> {
  const K = data.classes.length;
  const rows = data.workers.map((name, w) => {
    let skill: number | undefined;
    if (confusion) {
      skill = 0;
      for (let k = 0; k < K; k++) skill += prior[k] * confusion[(w * K + k) * K + k];
    }
    return [name, roles[w], skill === undefined ? undefined : rounded(skill)];
  });
  return writeCsv(["worker", "role", "skill"], rows);
}

function confusions({ data, confusion = new Float64Array() }: Simulation): Iterable<string> {
  const K = data.classes.length;
  function* rows(): Iterable<(string | number)[]> {
    for (let cell = 0; cell < confusion.length; cell++) {
      const k = Math.floor(cell / K) % K;
      const w = Math.floor(cell / (K * K));
      yield [data.workers[w], data.classes[k], data.classes[cell % K], rounded(confusion[cell])];
    }
  }
  return writeCsv(["worker", "true", "given", "probability"], rows());
}
