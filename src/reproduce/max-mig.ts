/** Cao, Xu, Kong, Wang: Max-MIG, ICLR 2019. */

import { minOf } from "../math/lists.ts";
import { copiedCoinCrowd } from "../simulate/copied-coin.ts";
import {
  type Check,
  type ComparedRow,
  checkStop,
  type Experiment,
  larger,
  mean,
  shareRight,
} from "./experiment.ts";
import { asSet, type Contestant, testAccuracy, train } from "./learning.ts";

export const MAX_MIG_PAPER =
  "Cao, Xu, Kong, Wang (2019). Max-MIG: an Information Theoretic Approach for Joint Learning from Crowds.";

/** Whom the paper's tables compare. */
export const five: readonly Contestant[] = [
  { name: "Majority vote", id: "two-stage" },
  { name: "Crowd Layer", id: "crowd-layer" },
  { name: "Doctor Net", id: "doctor-net" },
  { name: "AggNet", id: "aggnet" },
  { name: "Max-MIG", id: "max-mig" },
];

const table2: Readonly<Record<string, number>> = {
  "Majority vote": 0.8041,
  "Crowd Layer": 0.8365,
  "Doctor Net": 0.8056,
  AggNet: 0.852,
  "Max-MIG": 0.8642,
};

export const maxMigTable2: Experiment = {
  id: "max-mig-table-2",
  title: "Max-MIG, table 2: LabelMe",
  paper: MAX_MIG_PAPER,
  about:
    "LabelMe with 59 workers, one hidden layer of 128, dropout .5, Adam. Here 512 features of VGG16 instead of 8192, standardised, 50 epochs at 1e-3; last epoch, the best on validation, and the best on test, which is what the authors' code reports.",
  seeds: { full: 10, quick: 3 },
  async run(context) {
    const set = await context.set("labelme");
    if (!set?.test || !set.valid) return missing("labelme");
    const shared = { hidden: "128", dropout: 0.5, epochs: 50, batch: 64, rate: 1e-3 };
    const rows: ComparedRow[] = [];
    const last = new Map<string, number[]>();
    for (const contestant of five) {
      const [ends, chosen, lucky]: [number[], number[], number[]] = [[], [], []];
      for (let seed = 0; seed < context.seeds; seed++) {
        checkStop(context);
        context.onProgress?.(`${contestant.name}, seed ${seed + 1}`);
        const { valid: _, ...without } = set;
        const final = await train(context, without, contestant, shared, seed);
        ends.push((await testAccuracy(final, set)).alone);
        for (const [valid, into] of [
          [set.valid, chosen],
          [set.test, lucky],
        ] as const) {
          const picked = { ...shared, selection: "best" };
          const best = await train(context, { ...set, valid }, contestant, picked, seed);
          into.push((await testAccuracy(best, set)).alone);
        }
      }
      last.set(contestant.name, ends);
      const { name } = contestant;
      rows.push({ name, setting: "last epoch", ours: ends });
      rows.push({ name, setting: "best on validation", ours: chosen });
      rows.push({ name, setting: "best on test", ours: lucky, theirs: table2[name] });
    }
    const of = (name: string) => last.get(name) ?? [];
    const checks: Check[] = [
      larger("Max-MIG is better than Crowd Layer", of("Max-MIG"), of("Crowd Layer")),
      larger("AggNet is better than Crowd Layer", of("AggNet"), of("Crowd Layer")),
      larger(
        "Crowd Layer is better than the majority vote",
        of("Crowd Layer"),
        of("Majority vote"),
      ),
      larger(
        "Max-MIG is better than the majority vote by 3 points",
        of("Max-MIG"),
        of("Majority vote"),
        0.03,
      ),
    ];
    return { rows, checks, charts: [], notes: [] };
  },
};

export const maxMigE2: Experiment = {
  id: "max-mig-e2",
  title: "Max-MIG, example E.2: one expert, a coin, and 99 copies of the coin",
  paper: MAX_MIG_PAPER,
  about:
    "101 workers of whom one is right and the others say the same coin; features are the truth. The likelihood prefers the coin (log .25 against 100 log .5), the information gain the truth. Full batch of 300 tasks, 1500 steps, Adam 1e-2 for the classifier and 1e-3 for the workers, which start at nothing. Which class is which cannot be told from these labels, so that the better of the two ways round is scored.",
  seeds: { full: 10, quick: 3 },
  async run(context) {
    const rows = new Map<string, number[]>([
      ["Max-MIG", []],
      ["AggNet", []],
    ]);
    const shared = { model: "logistic", standardise: false, batch: 300, epochs: 1500, rate: 0.01 };
    for (let seed = 0; seed < context.seeds; seed++) {
      const set = asSet(copiedCoinCrowd({ tasks: 300, seed }));
      for (const [name, id, own] of [
        ["Max-MIG", "max-mig", { crowdRate: 1e-3, start: "zero" }],
        ["AggNet", "aggnet", { epochs: 100 }],
      ] as const) {
        checkStop(context);
        context.onProgress?.(`${name}, seed ${seed + 1}`);
        const learning = await train(context, set, { name, id, options: own }, shared, seed);
        const right = shareRight(learning.posterior, set.data.gold);
        rows.get(name)?.push(Math.max(right, 1 - right));
      }
    }
    const of = (name: string) => rows.get(name) ?? [];
    return {
      rows: [...rows].map(([name, ours]) => ({
        name,
        setting: "posterior, whichever way round",
        ours,
      })),
      checks: [
        {
          claim: "Max-MIG finds the truth from one expert among 101",
          passed: minOf(of("Max-MIG")) >= 0.99,
          measured: `lowest accuracy ${minOf(of("Max-MIG")).toFixed(3)}`,
        },
        {
          claim: "AggNet follows the coin",
          passed: mean(of("AggNet")) < 0.62,
          measured: `accuracy ${mean(of("AggNet")).toFixed(3)}`,
        },
      ],
      charts: [],
      notes: [],
    };
  },
};

export function missing(name: string) {
  return {
    rows: [],
    charts: [],
    checks: [],
    notes: [`The set ${name} is not there; name the folder that holds it.`],
  };
}
