/** The Max-MIG paper's crowds on made features as `reproduce` runs them, and a prototype's numbers. */

import type { Contestant } from "../../src/reproduce/learning.ts";
import {
  type CrowdCase,
  type CrowdProblem,
  runCrowdCase,
} from "../../src/reproduce/max-mig-crowds.ts";
import type { Executor } from "../../src/tensor/executor.ts";
import { labContext } from "../lab-context.ts";

const methods = {
  gold: { id: "two-stage", options: { aggregator: "gold" } },
  mv: { id: "two-stage" },
  cl: { id: "crowd-layer" },
  dn: { id: "doctor-net" },
  agg: { id: "aggnet" },
  mig: { id: "max-mig" },
  pearson: { id: "max-mig", options: { divergence: "pearson" } },
  js: { id: "max-mig", options: { divergence: "js" } },
} as const;

export type MethodName = keyof typeof methods;
const all: Readonly<Record<MethodName, Omit<Contestant, "name">>> = methods;

/** Accuracy on the test tasks in per cent: of the classifier, and with their labels where it can use them. */
export interface Score {
  readonly d: number;
  readonly dc?: number;
}

/** A prototype's numbers for two classes, means over three seeds; the bound is 86.8 and 86.3. */
export const prototype: Readonly<
  Record<CrowdCase, Readonly<Partial<Record<MethodName, readonly [d: number, dc?: number]>>>>
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
  name: CrowdCase,
  names: readonly Name[],
  problem: CrowdProblem,
  seed: number,
): Promise<Record<Name, Score>> {
  const contestants = names.map((each): Contestant => ({ name: each, ...all[each] }));
  const scores = await runCrowdCase(labContext(executor), problem, name, contestants, seed);
  const percent = ({ d, dc }: Score): Score => ({
    d: 100 * d,
    ...(dc !== undefined && { dc: 100 * dc }),
  });
  return Object.fromEntries(
    [...(scores ?? [])].map(([each, score]) => [each, percent(score)]),
  ) as Record<Name, Score>;
}

/** One case after another. */
export async function runTable<Name extends MethodName>(
  executor: Executor,
  rows: readonly CrowdCase[],
  names: readonly Name[],
  problem: CrowdProblem,
  seed: number,
): Promise<Record<string, Record<Name, Score>>> {
  const table: Record<string, Record<Name, Score>> = {};
  for (const row of rows) table[row] = await runCase(executor, row, names, problem, seed);
  return table;
}
