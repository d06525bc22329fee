/** The tutorial's figure on active collection: the least sure task for the best worker, replayed on public crowds. */
import { comparisonSteps, labelsFor, type PolicyCurve } from "../assign/campaign.ts";
import type { CampaignSettings, RunPoint } from "../assign/campaign-run.ts";
import type { AssignPolicy } from "../assign/choose.ts";
import { tutorialModel } from "../assign/tutorial-model.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { append } from "../math/lists.ts";
import {
  type Check,
  type ComparedRow,
  type Curves,
  checkStop,
  curvesOf,
  type Experiment,
  type ExperimentContext,
  larger,
  mean,
} from "./experiment.ts";

const TUTORIAL = "tutorial";
const PER_WORKER = "tutorial, steps per worker";
const RANDOM = "random order";
const ROBIN = "round-robin";

interface Line {
  readonly name: string;
  readonly policy: AssignPolicy;
  readonly settings: CampaignSettings;
}

/** Neither random order nor round-robin look at the model, so theirs is never fitted again. */
const lines: readonly Line[] = [
  { name: TUTORIAL, policy: "tutorial", settings: {} },
  {
    name: PER_WORKER,
    policy: "tutorial",
    settings: { model: (empty) => tutorialModel(empty, { clock: "worker" }) },
  },
  { name: RANDOM, policy: "random", settings: { model: tutorialModel, refit: Infinity } },
  { name: ROBIN, policy: "round-robin", settings: { model: tutorialModel, refit: Infinity } },
];

/** The sets, how many labels are asked for, and what an independent probe of five seeds printed for web. */
const sets = [
  {
    name: "web",
    most: Infinity,
    every: 1000,
    printed: {
      [TUTORIAL]: { 4000: 0.696, 8000: 0.786, 12000: 0.804 },
      [RANDOM]: { 4000: 0.495, 8000: 0.655, 12000: 0.754 },
      [ROBIN]: { 4000: 0.542, 8000: 0.676, 12000: 0.761 },
    } as Readonly<Record<string, Readonly<Record<number, number>>>>,
  },
  { name: "dog", most: 1000, every: 100, printed: {} },
] as const;

export const tutorialActive: Experiment = {
  id: "tutorial-active",
  title: "Tutorial: the least sure task for the best worker",
  paper:
    "Ibrahim, Traganitis, Fu, Giannakis (2025). End-to-End Learning from Crowdsourced Labels, part on active collection.",
  about:
    "Labels of public crowds are revealed one at a time: the task with the largest entropy, for the worker with the largest diagonal or, half of the time up to 100 labels and .05 of the time after, for any worker; workers begin with .6 on the diagonal; online EM with steps of t^-0.6 over all labels, or over those of each worker. Accuracy of all tasks with gold by a fit of the labels so far (a shrunk dawid-skene with a uniform class prior), and by the online model itself. The tutorial's figure prints no numbers; theirs is an independent probe of five seeds with the same choice, another fit and refits in between, and is not claimed.",
  seeds: { full: 20, quick: 2 },
  async run(context) {
    const rows: ComparedRow[] = [];
    const checks: Check[] = [];
    const charts: Curves[] = [];
    const notes: string[] = [];
    for (const set of sets) {
      const data = await context.labels(set.name);
      if (!data) {
        notes.push(`The set ${set.name} is not there.`);
        continue;
      }
      const found = runSet(context, data, set);
      append(rows, rowsOf(set, found));
      append(charts, chartsOf(set.name, found));
      if (set.name === "web") append(checks, claims(found));
    }
    return { rows, checks, charts, notes };
  },
};

type Found = ReadonlyMap<string, PolicyCurve>;

/** Runs all lines with all seeds. */
function runSet(
  context: ExperimentContext,
  data: CategoricalData,
  { name: set, most, every }: (typeof sets)[number],
): Found {
  const end = Math.min(most, data.label.length);
  const checkpoints = Array.from({ length: Math.ceil(end / every) }, (_, i) =>
    Math.min(end, every * (i + 1)),
  );
  return new Map(
    lines.map(({ name, policy, settings }) => {
      const options = { ...settings, policies: [policy], seeds: context.seeds, checkpoints };
      const steps = comparisonSteps(data, options);
      for (let step = steps.next(); ; step = steps.next()) {
        checkStop(context);
        if (step.done) return [name, step.value.curves[0]];
        context.onProgress?.(`${set}, ${name}: ${step.value.stage}`);
      }
    }),
  );
}

const LIVE = "online model";
const FIT = "fit";
const MEASURES = { [FIT]: "accuracy", [LIVE]: "live" } as const;

const valuesAt = ({ runs }: PolicyCurve, at: number, measure: keyof RunPoint): number[] =>
  runs.map((run) => run[at][measure]);

/** Numbers at a quarter, half and three quarters of the labels, or where others printed theirs. */
function rowsOf({ name: set, printed }: (typeof sets)[number], found: Found): ComparedRow[] {
  return Object.entries(MEASURES).flatMap(([measure, key]) =>
    [...found].flatMap(([name, curve]) =>
      curve.points.flatMap(({ labels }, at): ComparedRow[] => {
        if (labels % 4000 !== 0 && at !== curve.points.length - 1 && set === "web") return [];
        const theirs =
          key === "accuracy" ? printed[name as keyof typeof printed]?.[labels] : undefined;
        const setting = `${set}, ${measure}, ${labels} labels`;
        return [{ name, setting, ours: valuesAt(curve, at, key), theirs }];
      }),
    ),
  );
}

function chartsOf(set: string, found: Found): Curves[] {
  return Object.entries(MEASURES).map(([measure, key]) => {
    const [first] = found.values();
    const grid = first.points.map(({ labels }) => labels);
    const series = new Map(
      [...found].map(([name, curve]) => [name, grid.map((_, at) => valuesAt(curve, at, key))]),
    );
    const frame = {
      id: `tutorial-active-${set}-${key}`,
      title: `${set}: accuracy by ${measure === FIT ? "a fit of the labels so far" : "the online model"}`,
      xName: "Labels",
      yName: "Accuracy",
    };
    return curvesOf(frame, grid, series);
  });
}

/** What is claimed of web. */
function claims(found: Found): Check[] {
  const curve = (name: string) => found.get(name) as PolicyCurve;
  const needed = (name: string) => labelsFor(curve(name).points, 0.75) ?? Infinity;
  const share = needed(TUTORIAL) / needed(RANDOM);
  const place = (labels: number) =>
    curve(TUTORIAL).points.findIndex((point) => point.labels === labels);
  const above = (one: string, other: string, labels: number) =>
    larger(
      `web, ${labels} labels: ${one} is above ${other}`,
      valuesAt(curve(one), place(labels), "accuracy"),
      valuesAt(curve(other), place(labels), "accuracy"),
    );
  const end = (name: string) =>
    mean(valuesAt(curve(name), curve(name).points.length - 1, "accuracy"));
  return [
    {
      claim:
        "web: the tutorial's choice reaches .75 with at most 60 % of the labels of random order",
      passed: share <= 0.6,
      measured: `${Math.round(needed(TUTORIAL))} against ${Math.round(needed(RANDOM))} labels, ${(100 * share).toFixed(1)} %`,
    },
    ...[4000, 8000, 12_000].flatMap((labels) => [
      above(TUTORIAL, ROBIN, labels),
      above(ROBIN, RANDOM, labels),
    ]),
    {
      claim: "web: with all labels every order ends with the same fit",
      passed: Math.abs(end(TUTORIAL) - end(RANDOM)) < 1e-9,
      measured: `${end(TUTORIAL).toFixed(4)} and ${end(RANDOM).toFixed(4)}`,
    },
  ];
}
