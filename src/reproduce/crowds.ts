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
  checkStop,
  type Experiment,
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
    const rows: ComparedRow[] = [];
    const tasks = context.quick ? 1500 : 3000;
    const epochs = context.quick ? 40 : 100;
    const accuracy = new Map<string, number[]>();
    const errors = new Map<string, number[]>();
    const put = (map: Map<string, number[]>, key: string, value: number) =>
      map.set(key, [...(map.get(key) ?? []), value]);
    for (let seed = 0; seed < context.seeds; seed++) {
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
        put(accuracy, contestant.name, (await testAccuracy(learning, machines)).alone);
      }
      for (const [kind, crowdOptions] of kinds) {
        const crowd = scatteredCrowd({ ...crowdOptions, tasks, others: "random", seed });
        for (const contestant of geo.slice(0, 3)) {
          checkStop(context);
          context.onProgress?.(`${kind}, ${contestant.name}, seed ${seed + 1}`);
          const { confusion } = await train(
            context,
            asSet(crowd),
            contestant,
            { ...shared, epochs },
            seed,
          );
          if (!confusion || !crowd.confusion) throw new Error("Both have confusions.");
          put(errors, `${contestant.name}|${kind}`, squaredError(confusion, crowd.confusion));
        }
      }
    }
    for (const [name, ours] of accuracy)
      rows.push({ name, setting: "machines, test accuracy", ours });
    for (const [key, ours] of errors) {
      const [name, kind] = key.split("|");
      rows.push({ name, setting: `${kind}, squared error`, ours });
    }
    const error = (name: string, kind: string) => errors.get(`${name}|${kind}`) ?? [];
    const wins = (a: readonly number[], b: readonly number[]) =>
      a.filter((x, i) => x < b[i]).length;
    const better = (name: string, kind: string): Check => {
      const count = wins(error(name, kind), error("CCEM", kind));
      return {
        claim: `${name} has a lower error than CCEM in 7 of 10 seeds (${kind})`,
        passed: count >= 0.7 * context.seeds,
        measured: `${count} of ${context.seeds} seeds; ${mean(error(name, kind)).toFixed(5)} against ${mean(error("CCEM", kind)).toFixed(5)}`,
      };
    };
    return {
      rows,
      checks: [
        larger(
          "GeoCrowdNet (F) is at least CCEM - .01 with machines",
          accuracy.get("GeoCrowdNet (F)") ?? [],
          accuracy.get("CCEM") ?? [],
          -0.01,
        ),
        better("GeoCrowdNet (W)", "an expert, no clear cases"),
        better("GeoCrowdNet (F)", "clear cases, no expert"),
      ],
      charts: [],
      notes: [],
    };
  },
};

export const coinNetExperiment: Experiment = {
  id: "coin-net",
  title: "COINNet: outliers are found, and do less harm",
  paper: COIN,
  about:
    "Simulated outliers: three workers with symmetric noise of 20 %, and 30 % of the tasks with labels that follow the features instead; Gaussian features, ten classes. The score of a task is the squared size of what had to be added to explain its labels.",
  seeds: { full: 10, quick: 3 },
  async run(context) {
    const detection: number[] = [];
    const areas: number[] = [];
    const accuracy: Record<string, number[]> = { COINNet: [], "GeoCrowdNet (F)": [], CCEM: [] };
    const histogram = {
      outliers: new Array<number>(20).fill(0),
      others: new Array<number>(20).fill(0),
    };
    for (let seed = 0; seed < context.seeds; seed++) {
      const crowd = instanceDependentCrowd({
        tasks: context.quick ? 1500 : 3000,
        testTasks: 2000,
        separation: 4,
        dimensions: 20,
        seed,
      });
      const set = asSet(crowd);
      for (const [name, id] of [
        ["COINNet", "coin-net"],
        ["GeoCrowdNet (F)", "geo-crowd-net-f"],
        ["CCEM", "ccem"],
      ] as const) {
        checkStop(context);
        context.onProgress?.(`${name}, seed ${seed + 1}`);
        const epochs = context.quick ? 60 : 150;
        const learning = await train(
          context,
          set,
          { name, id },
          { ...shared, batch: 512, epochs },
          seed,
        );
        accuracy[name].push((await testAccuracy(learning, set)).alone);
        if (!learning.outlierScores || !crowd.outliers) continue;
        const { outlierScores: scores } = learning;
        const flags = crowd.outliers;
        const found = detected(scores, flags);
        detection.push(found.share);
        areas.push(found.area);
        const most = scores.reduce((a, b) => Math.max(a, b), 1e-12);
        scores.forEach((score, t) => {
          const bin = Math.min(19, Math.floor((20 * score) / most));
          (flags[t] ? histogram.outliers : histogram.others)[bin]++;
        });
      }
    }
    const share = (counts: readonly number[]) => {
      const total = counts.reduce((a, b) => a + b, 0) || 1;
      return counts.map((n, i) => ({ x: (i + 0.5) / 20, y: n / total }));
    };
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
      charts: [
        {
          kind: "curves",
          id: "scores",
          title: "Scores of outliers and of other tasks",
          description: `Area under the curve ${mean(areas).toFixed(3)}.`,
          xName: "Score, as a share of the largest",
          yName: "Share of tasks",
          share: true,
          series: [
            { name: "outliers", points: share(histogram.outliers) },
            { name: "others", points: share(histogram.others) },
          ],
        },
      ],
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

/** How well scores tell outliers: their share among as many of the highest, and the area under the curve. */
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

/** Mean squared error of confusions of three classes after the best common renaming. */
const squaredError = (found: Float64Array, truth: Float64Array): number =>
  confusionRecovery(found, truth, { classes: 3, given: 3 }).rootMeanSquare ** 2;
