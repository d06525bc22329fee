/** The tutorial's table on fairness: what biased workers do to labels, and to classifiers trained on them. */
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { fromMatrix } from "../data/features.ts";
import { fairDawidSkene } from "../diagnose/fairness/fair-dawid-skene.ts";
import { raykar } from "../learn/raykar.ts";
import { createRegression } from "../learn/softmax-regression.ts";
import { type BiasedCrowd, biasedCrowd, FEATURES } from "./biased-crowd.ts";
import {
  type Check,
  type ComparedRow,
  checkStop,
  type Experiment,
  type ExperimentContext,
  larger,
  mean,
} from "./experiment.ts";

/** What an independent run of ten seeds printed: accuracy and parity difference of labels, parity of the classifier. */
const printed = {
  truth: { accuracy: 1, parity: 0.107, without: 0.142 },
  "majority-vote": { accuracy: 0.854, parity: 0.169, without: 0.146 },
  "dawid-skene": { accuracy: 0.87, parity: 0.149, without: 0.146 },
  "fair-dawid-skene": { accuracy: 0.87, parity: 0.116, without: 0.145 },
  raykar: undefined,
} as const;

type Source = keyof typeof printed;
const sources = Object.keys(printed) as Source[];

const LABELS = "labels, accuracy";
const PARITY = "labels, parity difference";
const EXPECTED = "expected labels, parity difference";
const WITHOUT = "logistic regression, parity difference";
const WITH = "logistic regression with the group, parity difference";
const ACCURACY = "logistic regression, accuracy";

export const tutorialFairness: Experiment = {
  id: "tutorial-fairness",
  title: "Tutorial: biased workers, labels and classifiers",
  paper:
    "Ibrahim, Traganitis, Fu, Giannakis (2025). End-to-End Learning from Crowdsourced Labels, part on fairness; its table is from Lazier et al. (2023).",
  about:
    "A simulated stand-in, as the data of the table are not public: 4,000 tasks with 6 Gaussian features, the first shifted by ±.25 between two groups; half of 20 workers lose .2 of sensitivity in group 0 and of specificity in group 1; a fifth of all labels. Slopes of the truth and skills (.7 to .92) are ours. Theirs: an independent run of ten seeds on crowds drawn alike. Parity difference: share of class 1 in group 1 less that in group 0. The tutorial's Delta is read as the change against the same classifier trained on true labels. Classifiers are tested on 4,000 new tasks.",
  seeds: { full: 10, quick: 2 },
  async run(context) {
    const found = new Map<string, number[]>();
    const note = (setting: string, source: Source, value: number) => {
      const key = `${setting}|${source}`;
      found.set(key, [...(found.get(key) ?? []), value]);
    };
    for (let seed = 0; seed < context.seeds; seed++) {
      checkStop(context);
      context.onProgress?.(`seed ${seed + 1} of ${context.seeds}`);
      await runSeed(context, seed, note);
    }
    const of = (setting: string, source: Source) => found.get(`${setting}|${source}`) ?? [];
    const settings = [LABELS, PARITY, EXPECTED, WITHOUT, WITH, ACCURACY];
    const rows: ComparedRow[] = settings.flatMap((setting) =>
      sources.map((name) => ({
        name,
        setting,
        ours: of(setting, name),
        theirs: theirs(name, setting),
      })),
    );
    for (const setting of [WITHOUT, WITH]) {
      for (const name of sources.slice(1)) {
        const ours = of(setting, name).map((value, at) => value - of(setting, "truth")[at]);
        rows.push({ name, setting: `Delta of ${setting}`, ours });
      }
    }
    const notes = [
      "The printed .116 of one matrix per group is met by expected labels. Classes chosen at probability ½ exaggerate a true difference between groups, whatever the workers do.",
    ];
    return { rows, checks: claims(of), charts: [], notes };
  },
};

function theirs(source: Source, setting: string): number | undefined {
  const numbers = printed[source];
  if (setting === LABELS) return numbers?.accuracy;
  if (setting === PARITY) return numbers?.parity;
  return setting === WITHOUT ? numbers?.without : undefined;
}

/** Labels of one crowd by each source, and classifiers trained on them. */
async function runSeed(
  { executor }: ExperimentContext,
  seed: number,
  note: (setting: string, source: Source, value: number) => void,
): Promise<void> {
  const shape = { tasks: 4000, workers: 20, shift: 0.25, bias: 0.2 };
  const crowd = biasedCrowd({ ...shape, rate: 0.2, seed });
  const test = biasedCrowd({ ...shape, rate: 0, seed: seed + 1000 });
  const { data, groups } = crowd;
  const fair = fairDawidSkene(data, groups);
  const plain = dawidSkene(data);
  const learnt = await learnJointly(crowd, test, false, executor);
  const withGroup = await learnJointly(crowd, test, true, executor);
  const labels: Record<Source, Int32Array> = {
    truth: data.gold,
    "majority-vote": majorityVote(data).consensus,
    "dawid-skene": plain.consensus,
    "fair-dawid-skene": fair.consensus,
    raykar: learnt.consensus,
  };
  const expected: Record<Source, ArrayLike<number>> = {
    ...labels,
    "majority-vote": secondColumn(majorityVote(data).posterior),
    "dawid-skene": secondColumn(plain.posterior),
    "fair-dawid-skene": secondColumn(fair.posterior),
    raykar: secondColumn(learnt.posterior),
  };
  for (const source of sources) {
    note(LABELS, source, agreement(labels[source], data.gold));
    note(PARITY, source, parityOf(labels[source], groups));
    note(EXPECTED, source, parityOf(expected[source], groups));
    const joint = source === "raykar";
    const without = joint ? learnt.predicted : regress(crowd, labels[source], test, false);
    const seen = joint ? withGroup.predicted : regress(crowd, labels[source], test, true);
    note(WITHOUT, source, parityOf(without, test.groups));
    note(WITH, source, parityOf(seen, test.groups));
    note(ACCURACY, source, agreement(without, test.data.gold));
  }
}

/** Share of class 1 in group 1 less that in group 0. */
function parityOf(answers: ArrayLike<number>, groups: readonly string[]): number {
  const [sums, sizes] = [
    [0, 0],
    [0, 0],
  ];
  groups.forEach((group, t) => {
    sums[Number(group)] += answers[t];
    sizes[Number(group)]++;
  });
  return sums[1] / sizes[1] - sums[0] / sizes[0];
}

function agreement(answers: Int32Array, gold: Int32Array): number {
  return answers.reduce((sum, k, t) => sum + Number(k === gold[t]), 0) / gold.length;
}

const secondColumn = (posterior: Float64Array) => posterior.filter((_, at) => at % 2 === 1);

/** Rows of features, with the group as one more if it may be seen. */
function rowsOf({ features, groups }: BiasedCrowd, seen: boolean): number[][] {
  return groups.map((group, t) => [
    ...features.subarray(t * FEATURES, (t + 1) * FEATURES),
    ...(seen ? [Number(group)] : []),
  ]);
}

/** Trains logistic regression on labels, and returns its classes of the test tasks. */
function regress(
  crowd: BiasedCrowd,
  labels: Int32Array,
  test: BiasedCrowd,
  seen: boolean,
): Int32Array {
  const rows = rowsOf(crowd, seen).map((row) => [...row, 1]);
  const width = rows[0].length;
  // The regression reads four rows at a time; 4,000 are a multiple.
  const x = { count: rows.length, width, values: Float64Array.from(rows.flat()) };
  const regression = createRegression(x, 2, 0.01);
  regression.improve(Float64Array.from([...labels].flatMap((k) => [1 - k, k])), 100);
  const slopes = Array.from(
    { length: width },
    (_, j) => regression.weights[width + j] - regression.weights[j],
  );
  return Int32Array.from(rowsOf(test, seen), (row) =>
    Number([...row, 1].reduce((sum, value, j) => sum + value * slopes[j], 0) > 0),
  );
}

/** Fits labels and classifier together, as Raykar does. */
async function learnJointly(
  crowd: BiasedCrowd,
  test: BiasedCrowd,
  seen: boolean,
  executor: ExperimentContext["executor"],
) {
  const features = (each: BiasedCrowd) => {
    const rows = rowsOf(each, seen);
    return fromMatrix(each.data.tasks, [rows[0].length], Float64Array.from(rows.flat()));
  };
  const { predictor, consensus, posterior } = await raykar(
    crowd.data,
    features(crowd),
    {},
    { executor },
  );
  const probabilities = await predictor.predict(features(test));
  const predicted = Int32Array.from(secondColumn(probabilities), (p) => Number(p > 0.5));
  return { consensus, posterior, predicted };
}

/** What is claimed. */
function claims(of: (setting: string, source: Source) => number[]): Check[] {
  const near = (
    claim: string,
    values: readonly number[],
    wanted: number,
    within: number,
  ): Check => ({
    claim: `${claim}: ${wanted} within ${within}`,
    passed: Math.abs(mean(values) - wanted) <= within,
    measured: mean(values).toFixed(4),
  });
  const excess = (setting: string, source: Source) =>
    of(setting, source).map((value, at) => value - of(setting, "truth")[at]);
  const halved = (claim: string, setting: string): Check =>
    larger(
      claim,
      excess(setting, "majority-vote").map((value) => value / 2),
      excess(setting, "fair-dawid-skene"),
    );
  return [
    near("Parity difference of the truth", of(PARITY, "truth"), 0.107, 0.02),
    near("Parity difference of the majority vote", of(PARITY, "majority-vote"), 0.169, 0.02),
    near("Parity difference of dawid-skene", of(PARITY, "dawid-skene"), 0.149, 0.02),
    near(
      "Parity difference expected by one matrix per group",
      of(EXPECTED, "fair-dawid-skene"),
      0.116,
      0.02,
    ),
    near("Accuracy of the majority vote", of(LABELS, "majority-vote"), 0.854, 0.02),
    near("Accuracy of dawid-skene", of(LABELS, "dawid-skene"), 0.87, 0.02),
    ...sources
      .slice(0, 4)
      .map((source) =>
        near(
          `Parity difference of a classifier without the group, ${source}`,
          of(WITHOUT, source),
          printed[source]?.without ?? 0,
          0.02,
        ),
      ),
    halved(
      "One matrix per group has less than half of the vote's excess, expected labels",
      EXPECTED,
    ),
    larger(
      "A classifier that sees the group learns the bias of votes: Delta above .03",
      excess(WITH, "majority-vote"),
      excess(WITH, "majority-vote").map(() => 0.03),
    ),
    larger(
      "One matrix per group lowers Delta of a classifier that sees the group",
      excess(WITH, "majority-vote"),
      excess(WITH, "fair-dawid-skene"),
    ),
  ];
}
