// The public crowds with gold that accuracies are measured on.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { fromRows } from "../dist/index.js";
import { dataFolder } from "./shared.mjs";

const sets = [
  ...["bluebird", "cifar10n", "ducks", "fact_eval", "imagenet15n", "labelme", "leaves", "movie3"],
  ...["possent", "product", "rte", "sp", "sp_amt", "temp", "weather", "weather_amt", "web"],
  ...["zencrowd_in", "zencrowd_us"],
];

/** The names of those that are on the machine. */
export function presentSets() {
  return sets.filter((name) => existsSync(join(dataFolder, name, "gold.csv")));
}

export function publicSet(name) {
  const read = (file) => {
    const path = join(dataFolder, name, file);
    const bytes = existsSync(path) ? readFileSync(path) : gunzipSync(readFileSync(`${path}.gz`));
    return bytes
      .toString()
      .trim()
      .split(/\r?\n/)
      .slice(1)
      .map((line) => line.split(","));
  };
  return fromRows(
    read("labels.csv").map(([task, worker, label]) => ({ task, worker, label })),
    { repeats: "distinct", gold: read("gold.csv").map(([task, label]) => [task, label]) },
  );
}
