/**
 * LabelMe with the features that lie beside its labels, 512 numbers an image, and its 1188 test images.
 * Published numbers for it were measured on other features.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CategoricalData } from "../src/data/categorical.ts";
import type { Learning } from "../src/learn/learner.ts";
import { openFeatures } from "../src/node/features.ts";
import { folder } from "./datasets.ts";

const file = (name: string) => join(folder, "labelme", name);

export const labelMeFeatures = () => openFeatures(file("features.npy"));

/** What a classifier says of the test images, and their classes. */
export async function labelMePredicted(
  { classes }: CategoricalData,
  { predictor }: Learning,
): Promise<{ readonly f: Float64Array; readonly gold: readonly number[] }> {
  const [, ...lines] = readFileSync(file("test_gold.csv"), "utf8").trim().split(/\r?\n/);
  const gold = lines.map((line) => line.split(","));
  const features = await openFeatures(file("test_features.npy"), {
    tasks: gold.map(([task]) => task),
  });
  const f = await predictor.predict(features);
  return { f, gold: gold.map(([, label]) => classes.indexOf(label)) };
}

/** The share of the test images that a classifier gets right. */
export async function labelMeTest(data: CategoricalData, learnt: Learning): Promise<number> {
  const { f, gold } = await labelMePredicted(data, learnt);
  const K = data.classes.length;
  const right = gold.filter((k, i) => {
    const row = f.subarray(i * K, (i + 1) * K);
    return row.indexOf(Math.max(...row)) === k;
  });
  return right.length / gold.length;
}
