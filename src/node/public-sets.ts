/** The public sets with features, a folder each: labels, gold, features, and test and validation parts. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CategoricalData } from "../data/categorical.ts";
import { namesOf } from "../data/names.ts";
import type { FeatureSet } from "../reproduce/experiment.ts";
import { openFeatures } from "./features.ts";
import { readData, readGold } from "./files.ts";

/** A set of a folder; undefined where it is not there. */
export async function openFeatureSet(
  folder: string | undefined,
  name: string,
): Promise<FeatureSet | undefined> {
  const file = filesOf(folder, name);
  const labels = file("labels.csv");
  const gold = file("gold.csv") ?? file("labels-idx1-ubyte");
  const features = file("features.npy") ?? file("images-idx3-ubyte");
  if (folder === undefined || !gold || !features) return undefined;
  const known = await readGold(gold);
  const data = labels ? await readData([labels], { gold: known.gold }) : unlabelled(known.gold);
  const part = async (prefix: string) => {
    const [rows, truth] = [file(`${prefix}_features.npy`), file(`${prefix}_gold.csv`)];
    if (!rows || !truth) return undefined;
    const { gold: pairs } = await readGold(truth);
    return {
      features: await openFeatures(rows, { tasks: pairs.map(([task]) => task) }),
      gold: Int32Array.from(pairs, ([, label]) => data.classes.indexOf(label)),
    };
  };
  const [test, valid] = [await part("test"), await part("valid")];
  return {
    data,
    features: await openFeatures(features),
    ...(test && { test }),
    ...(valid && { valid }),
  };
}

/** The labels and gold of a set; undefined where it is not there. */
export async function openLabelSet(
  folder: string | undefined,
  name: string,
): Promise<CategoricalData | undefined> {
  const file = filesOf(folder, name);
  const [labels, gold] = ["labels.csv", "gold.csv"].map(file);
  if (folder === undefined || !labels || !gold) return undefined;
  return readData([labels], { gold: (await readGold(gold)).gold });
}

/** The path of a part of a set, packed or not; undefined where it is not there. */
function filesOf(folder: string | undefined, name: string) {
  return (part: string): string | undefined => {
    const path = join(folder ?? "", name, part);
    return [path, `${path}.gz`].find((each) => existsSync(each));
  };
}

/** Tasks with classes and nobody's labels, for crowds that are simulated on them. */
function unlabelled(gold: readonly (readonly [task: string, label: string])[]): CategoricalData {
  const classes = [...new Set(gold.map(([, label]) => label))].sort();
  return {
    kind: "categorical",
    tasks: namesOf(gold.map(([task]) => task)),
    workers: namesOf([]),
    classes: namesOf(classes),
    notes: [],
    task: new Int32Array(0),
    worker: new Int32Array(0),
    label: new Int32Array(0),
    gold: Int32Array.from(gold, ([, label]) => classes.indexOf(label)),
  };
}
