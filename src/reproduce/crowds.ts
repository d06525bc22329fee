/** What the tutorial on learning from crowds shows of GeoCrowdNet and COINNet, as far as orderings go. */

import { namesOf } from "../data/names.ts";
import { confusionRecovery } from "../evaluate/confusion-recovery.ts";
import { auc } from "../evaluate/per-class.ts";
import { instanceDependentCrowd } from "../simulate/instance-dependent.ts";
import { machinesCrowd } from "../simulate/machines.ts";
import { scatteredCrowd } from "../simulate/scattered.ts";
import {
  type Check,
  type ComparedRow,
  type Curves,
  checkStop,
  type Experiment,
  type ExperimentContext,
  larger,
  mean,
} from "./experiment.ts";
import { asSet, type Contestant, testAccuracy, train } from "./learning.ts";

const GEO =
  "Ibrahim, Nguyen, Fu (2023). Deep Learning from Crowdsourced Labels: Coupled Cross-Entropy Minimization, Identifiability, and Regularization.";
const COIN =
  "Nguyen, Ibrahim, Fu (2024). Noisy Label Learning with Instance-Dependent Outliers: Identifiability via Crowd Wisdom.";

const geo: readonly Contestant[] = [
  { name: "CCEM", id: "ccem" },
  { name: "GeoCrowdNet (F)", id: "geo-crowd-net-f" },
  { name: "GeoCrowdNet (W)", id: "geo-crowd-net-w" },
  { name: "Trace", id: "trace-regularised" },
  { name: "Crowd Layer", id: "crowd-layer" },
  { name: "Max-MIG", id: "max-mig" },
];

/** A crowd whose confusions theory says can be told, or nearly. */
const kinds = [
  ["an expert, no clear cases", { anchors: false, noise: 0 }],
  ["an expert who errs at times, no clear cases", { anchors: false }],
  ["clear cases, no expert", { experts: false }],
] as const;

const shared = {
  hidden: "64",
  dropout: 0,
  rate: 1e-3,
  batch: 256,
  decay: 1e-4,
  schedule: "one-cycle",
};

export const geoCrowdNet: Experiment = {
  id: "geo-crowd-net",
  title: "GeoCrowdNet: what the volumes are good for",
  paper: GEO,
  about:
    "Machines as workers on Gaussian features (accuracy on a test set), and crowds with an expert but without clear cases, or with clear cases but without an expert (error of the confusions). With an expert who errs at times the largest volume is no longer that of the truth, and GeoCrowdNet (W) is further from it than CCEM: shown, not claimed. The tutorial prints no numbers, only orderings.",
  seeds: { full: 10, quick: 3 },
  async run(context) {
    const accuracy = new Map<string, number[]>();
    const errors = new Map<string, number[]>();
    for (let seed = 0; seed < context.seeds; seed++) {
      await tryMachines(context, seed, accuracy);
      for (const kind of kinds) await tryScattered(context, seed, kind, errors);
    }
    const rows: ComparedRow[] = [];
    for (const [name, ours] of accuracy)
      rows.push({ name, setting: "machines, test accuracy", ours });
    for (const [key, ours] of errors) {
      const [name, kind] = key.split("|");
      rows.push({ name, setting: `${kind}, squared error`, ours });
    }
    return {
      rows,
      checks: [
        larger(
          "GeoCrowdNet (F) is at least CCEM - .01 with machines",
          accuracy.get("GeoCrowdNet (F)") ?? [],
          accuracy.get("CCEM") ?? [],
          -0.01,
        ),
        beatsCcem(errors, "GeoCrowdNet (W)", "an expert, no clear cases"),
        beatsCcem(errors, "GeoCrowdNet (F)", "clear cases, no expert"),
      ],
      charts: [],
      notes: [],
    };
  },
};

/** Sizes of the crowds, and how long to train. */
const sizesOf = ({ quick }: ExperimentContext) =>
  quick ? { tasks: 1500, epochs: 40 } : { tasks: 3000, epochs: 100 };

/** Trains each on labels by machines, and adds its accuracy on the test set, by name. */
async function tryMachines(
  context: ExperimentContext,
  seed: number,
  accuracy: Map<string, number[]>,
): Promise<void> {
  const { tasks, epochs } = sizesOf(context);
  const machines = asSet(
    machinesCrowd({
      tasks,
      testTasks: 2000,
      workers: 20,
      share: 0.2,
      smallest: 20,
      largest: 100,
      seed,
    }),
  );
  for (const contestant of geo) {
    checkStop(context);
    context.onProgress?.(`machines, ${contestant.name}, seed ${seed + 1}`);
    const learning = await train(context, machines, contestant, { ...shared, epochs }, seed);
    append(accuracy, contestant.name, (await testAccuracy(learning, machines)).alone);
  }
}

/** Trains three on a crowd of known confusions, and adds the error of those found, by `name|kind`. */
async function tryScattered(
  context: ExperimentContext,
  seed: number,
  [kind, crowdOptions]: (typeof kinds)[number],
  errors: Map<string, number[]>,
): Promise<void> {
  const { tasks, epochs } = sizesOf(context);
  const crowd = scatteredCrowd({ ...crowdOptions, tasks, others: "random", seed });
  for (const contestant of geo.slice(0, 3)) {
    checkStop(context);
    context.onProgress?.(`${kind}, ${contestant.name}, seed ${seed + 1}`);
    const options = { ...shared, epochs };
    const { confusion } = await train(context, asSet(crowd), contestant, options, seed);
    if (!confusion || !crowd.confusion) throw new Error("Both have confusions.");
    append(errors, `${contestant.name}|${kind}`, squaredError(confusion, crowd.confusion));
  }
}

/** Adds a number to the list under a key. */
function append(lists: Map<string, number[]>, key: string, value: number): void {
  lists.set(key, [...(lists.get(key) ?? []), value]);
}

/** Checks whether the errors are lower than those of CCEM in 7 of 10 seeds. */
function beatsCcem(errors: ReadonlyMap<string, number[]>, name: string, kind: string): Check {
  const [own, theirs] = [name, "CCEM"].map((each) => errors.get(`${each}|${kind}`) ?? []);
  const count = own.filter((x, i) => x < theirs[i]).length;
  return {
    claim: `${name} has a lower error than CCEM in 7 of 10 seeds (${kind})`,
    passed: count >= 0.7 * own.length,
    measured: `${count} of ${own.length} seeds; ${mean(own).toFixed(5)} against ${mean(theirs).toFixed(5)}`,
  };
}

export const coinNetExperiment: Experiment = {
  id: "coin-net",
  title: "COINNet: outliers are found, and do less harm",
  paper: COIN,
  about:
    "Simulated outliers: three workers with symmetric noise of 20 %, and 30 % of the tasks with labels that follow the features instead; Gaussian features, ten classes. The score of a task is the squared size of what had to be added to explain its labels.",
  seeds: { full: 10, quick: 3 },
  async run(context) {
    const found: Found = {
      detection: [],
      areas: [],
      accuracy: { COINNet: [], "GeoCrowdNet (F)": [], CCEM: [] },
      outliers: new Array<number>(BINS).fill(0),
      others: new Array<number>(BINS).fill(0),
    };
    for (let seed = 0; seed < context.seeds; seed++) await tryOutliers(context, seed, found);
    const { detection, areas, accuracy } = found;
    return {
      rows: [
        { name: "COINNet", setting: "share of outliers among the highest scores", ours: detection },
        { name: "COINNet", setting: "area under the curve of the score", ours: areas },
        ...Object.entries(accuracy).map(([name, ours]) => ({
          name,
          setting: "test accuracy",
          ours,
        })),
      ],
      charts: [scoreChart(found)],
      checks: [
        {
          claim: "Outliers are found: area under the curve above .8",
          passed: mean(areas) > 0.8,
          measured: mean(areas).toFixed(3),
        },
        larger(
          "COINNet is at least GeoCrowdNet (F) - .005 on test tasks",
          accuracy["COINNet"],
          accuracy["GeoCrowdNet (F)"],
          -0.005,
        ),
      ],
      notes: [],
    };
  },
};

const BINS = 20;

/** What was found over all seeds. */
interface Found {
  /** How well the scores tell outliers. */
  readonly detection: number[];
  readonly areas: number[];
  readonly accuracy: Readonly<Record<string, number[]>>;
  /** Histograms of the scores, in parts of the largest. */
  readonly outliers: number[];
  readonly others: number[];
}

/** Trains each on a crowd with outliers, and adds what it finds. */
async function tryOutliers(context: ExperimentContext, seed: number, found: Found): Promise<void> {
  const crowd = instanceDependentCrowd({
    tasks: context.quick ? 1500 : 3000,
    testTasks: 2000,
    separation: 4,
    dimensions: 20,
    seed,
  });
  const set = asSet(crowd);
  const options = { ...shared, batch: 512, epochs: context.quick ? 60 : 150 };
  for (const [name, id] of [
    ["COINNet", "coin-net"],
    ["GeoCrowdNet (F)", "geo-crowd-net-f"],
    ["CCEM", "ccem"],
  ] as const) {
    checkStop(context);
    context.onProgress?.(`${name}, seed ${seed + 1}`);
    const learning = await train(context, set, { name, id }, options, seed);
    found.accuracy[name].push((await testAccuracy(learning, set)).alone);
    if (!learning.outlierScores || !crowd.outliers) continue;
    const { share, area } = detected(learning.outlierScores, crowd.outliers);
    found.detection.push(share);
    found.areas.push(area);
    addScores(learning.outlierScores, crowd.outliers, found);
  }
}

/** Counts the scores of outliers and others, in parts of the largest. */
function addScores(scores: Float64Array, flags: Uint8Array, { outliers, others }: Found): void {
  const most = scores.reduce((a, b) => Math.max(a, b), 1e-12);
  scores.forEach((score, t) => {
    const bin = Math.min(BINS - 1, Math.floor((BINS * score) / most));
    (flags[t] ? outliers : others)[bin]++;
  });
}

/** Draws how the scores of outliers and of other tasks are spread. */
function scoreChart({ areas, outliers, others }: Found): Curves {
  const share = (counts: readonly number[]) => {
    const total = counts.reduce((a, b) => a + b, 0) || 1;
    return counts.map((n, i) => ({ x: (i + 0.5) / BINS, y: n / total }));
  };
  return {
    kind: "curves",
    id: "scores",
    title: "Scores of outliers and of other tasks",
    description: `Area under the curve ${mean(areas).toFixed(3)}.`,
    xName: "Score, as a share of the largest",
    yName: "Share of tasks",
    share: true,
    series: [
      { name: "outliers", points: share(outliers) },
      { name: "others", points: share(others) },
    ],
  };
}

/** Measures how well scores tell outliers: their share among as many of the highest, and the area under the curve. */
export function detected(scores: Float64Array, flags: Uint8Array) {
  const count = flags.filter((flag) => flag === 1).length;
  const order = [...scores.keys()].sort((a, b) => scores[b] - scores[a]);
  const hits = order.slice(0, count).filter((t) => flags[t] === 1).length;
  const posterior = Float64Array.from({ length: 2 * scores.length }, (_, at) => scores[at >> 1]);
  const gold = Int32Array.from(flags);
  return {
    share: hits / count,
    area: auc({ classes: namesOf(["other", "outlier"]), posterior, gold }) ?? Number.NaN,
  };
}

/** Returns the mean squared error of confusions of three classes after the best common renaming. */
const squaredError = (found: Float64Array, truth: Float64Array): number =>
  confusionRecovery(found, truth, { classes: 3, given: 3 }).rootMeanSquare ** 2;
