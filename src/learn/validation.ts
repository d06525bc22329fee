/** How good the classifier is after an epoch, on tasks it was not trained on: never on test data. */

import type { CategoricalData } from "../data/categorical.ts";
import { selectLabels } from "../data/categorical.ts";
import { labelsPerTask } from "../data/crowd-data.ts";
import type { Features } from "../data/features.ts";
import type { Random } from "../math/random.ts";
import { countedConfusion } from "./calibration.ts";
import type { Net } from "./network.ts";
import type { HeldOut } from "./session.ts";

/** Rows with known truth to validate on. */
export interface Valid {
  readonly features: Features;
  /** The class of each row by number, or its value or score; -1 or NaN where it is not known. */
  readonly gold: Int32Array | Float64Array;
}

export interface Validator {
  /** What the score is, in words. */
  readonly measure: string;
  /** The larger the better. */
  score(net: Net): Promise<number>;
}

/** The share of validation tasks that the classifier gets right. */
export function goldValidator({ features, gold }: Valid): Validator {
  return {
    measure: "accuracy on the validation gold",
    async score(net) {
      const f = await net.predictRows(features);
      const K = f.length / gold.length;
      let right = 0;
      for (let i = 0; i < gold.length; i++) {
        const row = f.subarray(i * K, (i + 1) * K);
        if (row.indexOf(row.reduce((a, b) => Math.max(a, b))) === gold[i]) right++;
      }
      return right / gold.length;
    },
  };
}

/**
 * How well the classifier, read through each worker's confusion, predicts labels of tasks held out:
 * mean of log sum_k f[k] · theta[worker][k][label]. The confusions are counted from the classifier on
 * the tasks it was trained on, so that this needs no truth and is the same measure for every method.
 */
export function crowdValidator(
  trained: CategoricalData,
  heldOut: CategoricalData,
  features: Features,
  rows: Int32Array,
): Validator {
  const K = trained.classes.length;
  const counts = labelsPerTask(heldOut);
  const tasks = [...counts.keys()].filter((t) => counts[t] > 0);
  const place = new Int32Array(trained.tasks.length).fill(-1);
  tasks.forEach((t, i) => {
    place[t] = i;
  });
  return {
    measure: "log-likelihood of held-out labels",
    async score(net) {
      const confusion = countedConfusion(trained, await net.predict());
      const f = await net.predictRows(
        features,
        tasks.map((t) => rows[t]),
      );
      let total = 0;
      for (let i = 0; i < heldOut.label.length; i++) {
        const from = place[heldOut.task[i]] * K;
        const cell = heldOut.worker[i] * K * K + heldOut.label[i];
        let p = 0;
        for (let k = 0; k < K; k++) p += f[from + k] * confusion[cell + k * K];
        total += Math.log(Math.max(p, 1e-12));
      }
      return total / heldOut.label.length;
    },
  };
}

/** The data without and with only the labels of a seeded share of the labelled tasks. */
export function holdOut(
  data: CategoricalData,
  share: number,
  random: Random,
): HeldOut<CategoricalData> {
  const out = Array.from(data.tasks, (name) => random.split(name).next() < share);
  const heldOut = selectLabels(data, (i) => out[data.task[i]]);
  return {
    trained: selectLabels(data, (i) => !out[data.task[i]]),
    heldOut,
    words: `the labels of ${new Set(heldOut.task).size} tasks`,
  };
}
