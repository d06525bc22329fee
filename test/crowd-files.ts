/** A crowd with features, written as the files that people come with. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeNpy } from "../src/io/npy.ts";
import { featureCrowd } from "./feature-crowd.ts";
import type { CrowdShape } from "./random-crowd.ts";

export interface CrowdFiles {
  readonly labels: string;
  readonly features: string;
  /** The same tasks again, as a test set. */
  readonly test: string;
  readonly gold: string;
}

export function writeCrowd(
  folder: string,
  { tasks = 80, dimensions = 4, ...shape }: CrowdShape & { dimensions?: number } = {},
): CrowdFiles {
  const { data, features } = featureCrowd(1, { tasks, dimensions, ...shape });
  const file = (name: string, content: string | Uint8Array) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const labels = [...data.label.keys()].map((i) =>
    [
      data.tasks.at(data.task[i]),
      data.workers.at(data.worker[i]),
      data.classes.at(data.label[i]),
    ].join(),
  );
  const gold = Array.from(data.tasks, (name, t) => `${name},${data.classes.at(data.gold[t])}`);
  const x = new Float32Array(tasks * dimensions);
  features.read([...[...features.tasks].keys()], x);
  file("tasks.csv", `task\n${[...features.tasks].join("\n")}\n`);
  return {
    labels: file("labels.csv", `task,worker,label\n${labels.join("\n")}\n`),
    features: file("features.npy", writeNpy([tasks, dimensions], x)),
    test: file("test_features.npy", writeNpy([tasks, dimensions], x)),
    gold: file("gold.csv", `task,label\n${gold.join("\n")}\n`),
  };
}
