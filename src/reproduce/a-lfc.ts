/** Chen, Sun, Yang, Chen: Adversarial Learning from Crowds, AAAI 2022. */
import { attackList } from "../attack/index.ts";
import { accuracyUnderAttack } from "../attack/under-attack.ts";
import type { Features } from "../data/features.ts";
import { featureStatistics } from "../data/standardise.ts";
import { maxOf, minOf } from "../math/lists.ts";
import { errorAgainstGold } from "./confusion-error.ts";
import {
  type Check,
  type ComparedRow,
  checkStop,
  curvesOf,
  type Experiment,
  type ExperimentContext,
  type FeatureSet,
  larger,
  mean,
} from "./experiment.ts";
import { type Contestant, testAccuracy, train } from "./learning.ts";
import { missing } from "./max-mig.ts";

const PAPER = "Chen, Sun, Yang, Chen (2022). Adversarial Learning from Crowds.";
/**
 * Ten times the paper's distances. Its features are 8192 activations; ours are 512 means of sixteen
 * each, of which an attack must move every one further to do the same harm.
 */
const WIDER = 10;
const EPSILONS = [0.001, 0.0025, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03].map(
  (distance) => distance * WIDER,
);

const defended: Contestant = {
  name: "A-LFC",
  id: "a-lfc",
  options: { epsilon: (WIDER * 8) / 255 },
};
const contestants: readonly Contestant[] = [
  { name: "MV", id: "two-stage" },
  { name: "DS", id: "two-stage", options: { aggregator: "dawid-skene" } },
  { name: "AggNet", id: "aggnet" },
  { name: "Crowd Layer", id: "crowd-layer" },
  defended,
];
const undefended: readonly Contestant[] = [
  { name: "Gold", id: "two-stage", options: { aggregator: "gold" } },
  ...contestants.slice(0, 4),
];
/** Whose gradients a black-box attacker has: a small network on the majority vote. */
const substitute: Contestant = {
  name: "substitute",
  id: "two-stage",
  options: { hidden: "32", dropout: 0.3 },
};

const about = (what: string) =>
  `${what} LabelMe with 512 pooled features of VGG16 instead of 8192, standardised beforehand; all distances are in these units and ten times the paper's (training at 80/255), because at the paper's own nobody loses much here. 128 hidden units, dropout .5, Adam 1e-3, batches of 64. The paper's figures print no numbers.`;

/** Standardised beforehand, so that distances are in these units. */
const training = ({ quick }: ExperimentContext) => ({
  hidden: "128",
  dropout: 0.5,
  rate: 1e-3,
  batch: 64,
  standardise: false,
  epochs: quick ? 30 : 100,
});

async function standardisedLabelme(context: ExperimentContext): Promise<FeatureSet | undefined> {
  const set = await context.set("labelme");
  if (!set) return undefined;
  const { mean, scale } = featureStatistics(set.features);
  const turn = ({ tasks, shape, read }: Features): Features => ({
    tasks,
    shape,
    read(rows, into) {
      read(rows, into);
      for (let i = 0; i < rows.length * mean.length; i++) {
        into[i] = (into[i] - mean[i % mean.length]) / scale[i % mean.length];
      }
    },
  });
  const { data, features, test, valid } = set;
  return {
    data,
    features: turn(features),
    ...(test && { test: { ...test, features: turn(test.features) } }),
    ...(valid && { valid: { ...valid, features: turn(valid.features) } }),
  };
}

/** Accuracy of each contestant under each attack at each distance, seed by seed. */
async function curves(
  context: ExperimentContext,
  set: FeatureSet,
  names: readonly Contestant[],
  attackIds: readonly string[],
  black: boolean,
): Promise<Map<string, Map<string, number[][]>>> {
  const { test } = set;
  if (!test) throw new Error("There is nothing to test on.");
  const found = new Map<string, Map<string, number[][]>>();
  for (let seed = 0; seed < context.seeds; seed++) {
    const other = black
      ? (await train(context, set, substitute, training(context), seed)).predictor
      : undefined;
    for (const contestant of names) {
      checkStop(context);
      context.onProgress?.(`${contestant.name}, seed ${seed + 1}`);
      const { predictor } = await train(context, set, contestant, training(context), seed);
      for (const attack of attackList.filter(({ id }) => attackIds.includes(id))) {
        const points = await accuracyUnderAttack(
          context.executor,
          predictor,
          test.features,
          test.gold,
          attack,
          {
            epsilons: [0, ...EPSILONS],
            norm: "inf",
            steps: 10,
            randomStart: attack.id === "pgd",
            seed,
            substitute: other,
          },
        );
        const lines = found.get(attack.id) ?? new Map<string, number[][]>();
        const line = lines.get(contestant.name) ?? points.map(() => []);
        points.forEach(({ accuracy }, i) => {
          line[i].push(accuracy);
        });
        lines.set(contestant.name, line);
        found.set(attack.id, lines);
      }
    }
  }
  return found;
}

function findings(found: Map<string, Map<string, number[][]>>, box: string) {
  const grid = [0, ...EPSILONS];
  const charts = [...found].map(([attack, lines]) =>
    curvesOf(
      {
        id: `${box}-${attack}`,
        title: `Accuracy under ${attack}, ${box}`,
        xName: "Distance",
        yName: "Accuracy",
      },
      grid,
      lines,
    ),
  );
  const rows = [...found].flatMap(([attack, lines]) =>
    [...lines].flatMap(([name, line]) =>
      [0, grid.length - 1].map(
        (at): ComparedRow => ({ name, setting: `${attack}, distance ${grid[at]}`, ours: line[at] }),
      ),
    ),
  );
  return { charts, rows };
}

/** The mean over attacks and distances (0 left out), for each seed. */
function average(found: Map<string, Map<string, number[][]>>, name: string): number[] {
  const lines = [...found.values()].map((each) => (each.get(name) ?? []).slice(1));
  const seeds = lines[0]?.[0]?.length ?? 0;
  return Array.from({ length: seeds }, (_, seed) => mean(lines.flat().map((at) => at[seed])));
}

export const aLfcFig1: Experiment = {
  id: "a-lfc-fig-1",
  title: "A-LFC, figure 1: nobody is robust (FGSM)",
  paper: PAPER,
  about: about("Accuracy under FGSM of networks trained without a thought of attackList."),
  seeds: { full: 10, quick: 2 },
  async run(context) {
    const set = await standardisedLabelme(context);
    if (!set?.test) return missing("labelme");
    const found = await curves(context, set, undefended, ["fgsm"], false);
    const checks = undefended.map(({ name }): Check => {
      const line = found.get("fgsm")?.get(name) ?? [];
      const [clean, worst] = [mean(line[0]), mean(line[line.length - 1])];
      return {
        claim: `${name} loses accuracy under FGSM`,
        passed: worst < clean - 0.02,
        measured: `${clean.toFixed(3)} untouched, ${worst.toFixed(3)} at ${EPSILONS[EPSILONS.length - 1]}`,
      };
    });
    return { ...findings(found, "white-box"), checks, notes: [] };
  },
};

function compared(id: string, title: string, black: boolean): Experiment {
  const box = black ? "black-box" : "white-box";
  return {
    id,
    title,
    paper: PAPER,
    about: about(
      `Four attacks, ${box}${black ? ", through a substitute with 32 hidden units trained on the majority vote" : ""}.`,
    ),
    seeds: { full: 10, quick: 2 },
    async run(context) {
      const set = await standardisedLabelme(context);
      if (!set?.test) return missing("labelme");
      const found = await curves(context, set, contestants, ["fgsm", "pgd", "mim", "cw"], black);
      const own = average(found, "A-LFC");
      const checks = contestants
        .filter(({ name }) => name !== "A-LFC")
        .map(({ name }) =>
          larger(
            `A-LFC is ${name === "Crowd Layer" ? "at least 4 points " : ""}more robust than ${name}, averaged over attacks and distances`,
            own,
            average(found, name),
            name === "Crowd Layer" ? 0.04 : 0,
          ),
        );
      return { ...findings(found, box), checks, notes: [] };
    },
  };
}

export const aLfcFig4 = compared("a-lfc-fig-4", "A-LFC, figure 4: white-box attacks", false);
export const aLfcFig5 = compared("a-lfc-fig-5", "A-LFC, figure 5: black-box attacks", true);

export const aLfcFig3: Experiment = {
  id: "a-lfc-fig-3",
  title: "A-LFC, figure 3: how much weight natural inputs get",
  paper: PAPER,
  about: about(
    "A-LFC with alpha from 0 to 1, tested under PGD (10 steps, random start) at distance .01.",
  ),
  seeds: { full: 10, quick: 2 },
  async run(context) {
    const set = await standardisedLabelme(context);
    if (!set?.test) return missing("labelme");
    const alphas = context.quick ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1];
    const pgd = attackList.find(({ id }) => id === "pgd");
    if (!pgd) throw new Error("PGD is there.");
    const values: number[][] = [];
    for (const alpha of alphas) {
      const line: number[] = [];
      for (let seed = 0; seed < context.seeds; seed++) {
        checkStop(context);
        context.onProgress?.(`alpha ${alpha}, seed ${seed + 1}`);
        const contestant = { ...defended, options: { ...defended.options, alpha } };
        const { predictor } = await train(context, set, contestant, training(context), seed);
        const [point] = await accuracyUnderAttack(
          context.executor,
          predictor,
          set.test.features,
          set.test.gold,
          pgd,
          {
            epsilons: [EPSILONS[0]],
            norm: "inf",
            steps: 10,
            randomStart: true,
            seed,
          },
        );
        line.push(point.accuracy);
      }
      values.push(line);
    }
    const means = values.map(mean);
    return {
      rows: alphas.map((alpha, i) => ({
        name: "A-LFC",
        setting: `alpha ${alpha}`,
        ours: values[i],
      })),
      charts: [
        curvesOf(
          { id: "alpha", title: "Accuracy under PGD", xName: "alpha", yName: "Accuracy" },
          alphas,
          new Map([["A-LFC", values]]),
        ),
      ],
      checks: [
        {
          claim: "alpha hardly matters (within 3 points)",
          passed: maxOf(means) - minOf(means) <= 0.03,
          measured: `from ${minOf(means).toFixed(3)} to ${maxOf(means).toFixed(3)}`,
        },
      ],
      notes: [],
    };
  },
};

export const aLfcFig6: Experiment = {
  id: "a-lfc-fig-6",
  title: "A-LFC, figure 6: confusions of the busiest workers",
  paper: PAPER,
  about: about(
    "Confusion matrices of the six busiest workers, as learnt and as counted against gold; cells with fewer than five gold tasks are left out.",
  ),
  seeds: { full: 10, quick: 2 },
  async run(context) {
    const set = await standardisedLabelme(context);
    if (!set?.test) return missing("labelme");
    const errors: number[] = [];
    const accuracies: number[] = [];
    for (let seed = 0; seed < context.seeds; seed++) {
      checkStop(context);
      context.onProgress?.(`seed ${seed + 1}`);
      const learning = await train(context, set, defended, training(context), seed);
      errors.push(errorAgainstGold(set.data, learning, 6));
      accuracies.push((await testAccuracy(learning, set)).alone);
    }
    return {
      rows: [
        { name: "A-LFC", setting: "mean absolute error of the confusions", ours: errors },
        { name: "A-LFC", setting: "test accuracy, untouched", ours: accuracies },
      ],
      charts: [],
      checks: [
        {
          claim: "Confusions of the six busiest workers are within .10 of those counted on gold",
          passed: mean(errors) < 0.1,
          measured: `mean absolute error ${mean(errors).toFixed(3)}`,
        },
      ],
      notes: [],
    };
  },
};
