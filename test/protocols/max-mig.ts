/**
 * The experiments of the Max-MIG paper on Gaussian features in place of images: seniors alone (B.1), under
 * a naive majority (B.2), and with copies (B.3), good (H) or poor (L).
 *
 * Everything that decides a number is here as data; `runCase` runs one row of it.
 */
import { aggnet } from "../../src/learn/aggnet.ts";
import { crowdLayer } from "../../src/learn/crowd-layer.ts";
import { doctorNet } from "../../src/learn/doctor-net.ts";
import { forecast } from "../../src/learn/forecast.ts";
import type { AnyLearner } from "../../src/learn/learner.ts";
import { maxMig } from "../../src/learn/max-mig.ts";
import { twoStage } from "../../src/learn/two-stage.ts";
import { withFeatures } from "../../src/simulate/features.ts";
import { maxMigCrowd } from "../../src/simulate/max-mig.ts";
import type { Executor } from "../../src/tensor/executor.ts";

export type CaseName = "B.1H" | "B.2H" | "B.3H" | "B.1L" | "B.2L" | "B.3L";

export const cases: Readonly<
  Record<CaseName, { expertise: "high" | "low"; juniors: "none" | "naive-majority" | "copies" }>
> = {
  "B.1H": { expertise: "high", juniors: "none" },
  "B.2H": { expertise: "high", juniors: "naive-majority" },
  "B.3H": { expertise: "high", juniors: "copies" },
  "B.1L": { expertise: "low", juniors: "none" },
  "B.2L": { expertise: "low", juniors: "naive-majority" },
  "B.3L": { expertise: "low", juniors: "copies" },
};

export type MethodName = "gold" | "mv" | "cl" | "dn" | "agg" | "mig" | "pearson" | "js";

const any = (method: unknown) => method as AnyLearner;

const methods: Readonly<Record<MethodName, readonly [AnyLearner, object]>> = {
  gold: [any(twoStage), { aggregator: "gold" }],
  mv: [any(twoStage), {}],
  cl: [any(crowdLayer), {}],
  dn: [any(doctorNet), {}],
  agg: [any(aggnet), {}],
  mig: [any(maxMig), {}],
  pearson: [any(maxMig), { divergence: "pearson" }],
  js: [any(maxMig), { divergence: "js" }],
};

export interface Setting {
  readonly table: "dogs-cats" | "cifar10";
  /** Tasks to train on, and as many to test on. */
  readonly tasks: number;
  /** Of the classes' means from the origin. */
  readonly radius: number;
  readonly dimensions: number;
  readonly training: Readonly<Record<string, string | number>>;
}

const training = { hidden: "16", dropout: 0, rate: 1e-3, batch: 64, epochs: 20 };

/** Two classes, seniors of Dogs vs. Cats; the best classifier has 87.1 %. */
export const twoClasses: Setting = {
  ...{ table: "dogs-cats", tasks: 4000, radius: 1.6, dimensions: 20, training },
};

/** Ten classes, seniors of CIFAR-10. */
export const tenClasses: Setting = {
  ...{ table: "cifar10", tasks: 4000, radius: 2.2, dimensions: 20, training },
};

/** The same for as long as it takes. */
export const tenClassesLong: Setting = {
  ...tenClasses,
  training: { ...training, batch: 256, epochs: 100 },
};

/** Accuracy on the test tasks in percent: of the classifier, and with their labels where it can use them. */
export interface Score {
  readonly d: number;
  readonly dc?: number;
}

/** A prototype's numbers for two classes, means over three seeds; the bound is 86.8 and 86.3. */
export const prototype: Readonly<
  Record<CaseName, Readonly<Partial<Record<MethodName, readonly [d: number, dc?: number]>>>>
> = {
  "B.1H": { mv: [85.1], cl: [85.7], dn: [85.3], agg: [86.3, 92.0], mig: [86.1, 91.8] },
  "B.2H": { mv: [50.7], cl: [50.7], dn: [50.7], agg: [86.3, 92.1], mig: [86.6, 91.8] },
  "B.3H": { mv: [85.0], cl: [85.7], dn: [85.1], agg: [75.1, 74.4], mig: [85.7, 88.4] },
  "B.1L": { mv: [63.4], cl: [78.9], dn: [79.3], agg: [82.7, 83.0], mig: [84.3, 84.9] },
  "B.2L": { mv: [50.7], cl: [50.7], dn: [50.7], agg: [63.6, 64.6], mig: [84.0, 85.3] },
  "B.3L": { mv: [66.5], cl: [78.4], dn: [78.5], agg: [64.3, 55.4], mig: [84.0, 84.8] },
};

/** Every method named, on one case, from one seed: of the crowd, the features and the training. */
export async function runCase<Name extends MethodName>(
  executor: Executor,
  name: CaseName,
  names: readonly Name[],
  { table, tasks, radius, dimensions, training }: Setting,
  seed: number,
): Promise<Record<Name, Score>> {
  const crowd = maxMigCrowd({ ...cases[name], table, tasks, testTasks: tasks, seed });
  const { data, features, test } = withFeatures(crowd, { radius, dimensions, seed });
  if (!test?.features) throw new Error("The simulation has no tasks to test on.");
  const scores: Partial<Record<Name, Score>> = {};
  for (const each of names) {
    const [method, options] = methods[each];
    const result = await method(data, features, { ...training, ...options, seed }, { executor });
    const f = await result.classifier.predict(test.features);
    const { evidence, workers, classes } = result;
    const both = evidence && forecast({ workers, classes, evidence }, f, test.data).posterior;
    scores[each] = {
      d: percentRight(f, test.data.gold),
      ...(both && { dc: percentRight(both, test.data.gold) }),
    };
  }
  return scores as Record<Name, Score>;
}

export function percentRight(table: Float64Array, gold: Int32Array): number {
  const K = table.length / gold.length;
  let right = 0;
  gold.forEach((k, t) => {
    const row = table.subarray(t * K, (t + 1) * K);
    if (row.indexOf(Math.max(...row)) === k) right++;
  });
  return (100 * right) / gold.length;
}

/** Means over seeds. */
export async function runTable<Name extends MethodName>(
  executor: Executor,
  rows: readonly CaseName[],
  names: readonly Name[],
  setting: Setting,
  seeds: readonly number[],
): Promise<Record<string, Record<Name, Score>>> {
  const table: Record<string, Record<Name, Score>> = {};
  for (const row of rows) {
    const all: Record<Name, Score>[] = [];
    for (const seed of seeds) all.push(await runCase(executor, row, names, setting, seed));
    const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;
    table[row] = Object.fromEntries(
      names.map((name) => {
        const dc = all.flatMap((one) => one[name].dc ?? []);
        const d = mean(all.map((one) => one[name].d));
        return [name, dc.length > 0 ? { d, dc: mean(dc) } : { d }];
      }),
    ) as Record<Name, Score>;
  }
  return table;
}
