// The main job on a crowd made here: a crowd with known truth, answers, and a report to look at.
import { readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { main } from "../dist/cli/main.js";
import { createWorld } from "../dist/cli/world.js";

const root = join(import.meta.dirname, "..");
const folder = join(root, "demo");
const here = (name) => relative(process.cwd(), join(folder, name)) || ".";
const { world, finish } = createWorld(process);

rmSync(folder, { recursive: true, force: true });
world.say(
  "A crowd of 80 workers: good ones, mediocre ones, spammers, some who swap two classes.\n",
);
await step([
  "simulate",
  "mixed",
  "--tasks",
  "600",
  "--workers",
  "80",
  "--seed",
  "7",
  "--out",
  here("crowd"),
]);
await step([
  ...["aggregate", here("crowd/labels.csv"), "--gold", here("crowd/gold.csv"), "--seed", "7"],
  ...["--out", here("."), "--force"],
]);
await step(["evaluate", here("posterior.csv"), "--gold", here("crowd/gold.csv"), "--quiet"]);
world.say(`The five worst workers, beside what they were simulated as:\n${worst(5).join("\n")}`);
world.say(`\nOpen the report: ${here("report.html")}`);
await finish();

async function step(args) {
  world.say(`$ consilience ${args.join(" ")}`);
  const code = await main(args, world);
  if (code !== 0) process.exit(code);
  world.say("");
}

/** The first rows of workers.csv beside what these workers were simulated as. */
function worst(count) {
  const table = (name) => {
    const [header, ...lines] = readFileSync(join(folder, name), "utf8").trim().split("\n");
    const columns = header.split(",");
    return lines.map((line) =>
      Object.fromEntries(line.split(",").map((cell, c) => [columns[c], cell])),
    );
  };
  const roles = new Map(table("crowd/workers.csv").map(({ worker, role }) => [worker, role]));
  return table("workers.csv")
    .slice(0, count)
    .map(
      ({ worker, skill, labels, standing, flags }) =>
        `  ${worker}: ${standing} (skill ${Number(skill).toFixed(2)}, ${labels} labels${flags && `, ${flags}`}); simulated as: ${roles.get(worker)}`,
    );
}
