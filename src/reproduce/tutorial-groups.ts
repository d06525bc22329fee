/** The tutorial's part on dependent annotators: groups of workers who err together. */
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { groupDawidSkene } from "../aggregate/categorical/em/group-dawid-skene.ts";
import { groupVote } from "../aggregate/categorical/votes/group-vote.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { type CategoricalData, selectLabels } from "../data/categorical.ts";
import { namesOf } from "../data/names.ts";
import { accuracy } from "../evaluate/accuracy.ts";
import { append, minOf } from "../math/lists.ts";
import { groupsCrowd } from "../simulate/groups.ts";
import {
  type Check,
  type ComparedRow,
  checkStop,
  type Experiment,
  type ExperimentContext,
  larger,
  mean,
} from "./experiment.ts";

/** The crowds, and the accuracies that were published for them. */
const crowds = [
  {
    setting: "equal groups",
    options: { tasks: 2000, first: 0 },
    theirs: [0.958, 0.971, 0.966, 0.979],
  },
  {
    setting: "a group of 20 and four of 5",
    options: { tasks: 2000, first: 0.5 },
    theirs: [0.881, 0.842, 0.958, 0.975],
  },
  { setting: "5,000 tasks, equal groups", options: { tasks: 5000, first: 0 }, theirs: [] },
] as const;

const IN_TURNS_VOTE = "Dawid–Skene in each group, then vote";
const IN_TURNS = "Dawid–Skene in each group, then over groups";
const FOUND = "group-dawid-skene, groups found";

export const tutorialGroups: Experiment = {
  id: "tutorial-groups",
  title: "Tutorial: groups of workers who err together",
  paper:
    "Ibrahim, Traganitis, Fu, Giannakis (2025). End-to-End Learning from Crowdsourced Labels, part I: dependent annotators.",
  about:
    "Accuracy with shared ties on 40 workers in five groups, three classes: the published figures are of an independent run of 3 seeds with true groups, on crowds drawn alike but not the same. Bluebird with 7 groups is shown beside the tutorial's .916, which nobody has reproduced.",
  seeds: { full: 10, quick: 2 },
  async run(context) {
    const rows: ComparedRow[] = [];
    const checks: Check[] = [];
    for (const crowd of crowds) {
      const found = runCrowd(context, crowd.setting, crowd.options);
      const printed = new Map<string, number | undefined>(
        ["majority-vote", "dawid-skene", IN_TURNS_VOTE, IN_TURNS].map((name, at) => [
          name,
          crowd.theirs[at],
        ]),
      );
      for (const [name, ours] of found.scores) {
        rows.push({ name, setting: crowd.setting, ours, theirs: printed.get(name) });
      }
      rows.push({ name: "adjusted Rand index", setting: crowd.setting, ours: found.rand });
      append(checks, claims(crowd.setting, found));
    }
    const bluebird = await context.labels("bluebird");
    if (bluebird) {
      for (const groups of [0, 5, 7]) {
        const name = groups > 0 ? `group-dawid-skene, ${groups} groups` : FOUND;
        const { posterior } = groupDawidSkene(bluebird, { groups });
        const ours = [accuracy({ ...bluebird, posterior }).split];
        rows.push({ name, setting: "bluebird", ours, theirs: groups === 7 ? 0.916 : undefined });
      }
    }
    return { rows, checks, charts: [], notes: bluebird ? [] : ["The set bluebird is not there."] };
  },
};

interface Found {
  /** Accuracies by name, one per seed. */
  readonly scores: ReadonlyMap<string, number[]>;
  /** How well the groups were found. */
  readonly rand: number[];
}

/** Runs all methods on all seeds of a crowd. */
function runCrowd(context: ExperimentContext, setting: string, options: object): Found {
  const scores = new Map<string, number[]>();
  const rand: number[] = [];
  for (let seed = 0; seed < context.seeds; seed++) {
    checkStop(context);
    context.onProgress?.(`${setting}, seed ${seed + 1} of ${context.seeds}`);
    const { data, roles = [] } = groupsCrowd({ ...options, seed });
    const names = [...new Set(roles)];
    const truth = Int32Array.from(roles, (role) => names.indexOf(role));
    const own = groupDawidSkene(data);
    rand.push(adjustedRand(own.groups, truth));
    const posteriors = {
      "majority-vote": majorityVote(data).posterior,
      "dawid-skene": dawidSkene(data).posterior,
      "group-vote, true groups": groupVote(data, {}, { groups: truth }).posterior,
      [IN_TURNS_VOTE]: majorityVote(groupAnswers(data, truth)).posterior,
      [IN_TURNS]: fuseInTurns(data, truth).posterior,
      "group-dawid-skene, true groups": groupDawidSkene(data, {}, { groups: truth }).posterior,
      [FOUND]: own.posterior,
    };
    for (const [name, posterior] of Object.entries(posteriors)) {
      const score = accuracy({ ...data, posterior }).split;
      scores.set(name, [...(scores.get(name) ?? []), score]);
    }
  }
  return { scores, rand };
}

/** What is claimed of a crowd. */
function claims(setting: string, { scores, rand }: Found): Check[] {
  const of = (name: string) => scores.get(name) ?? [];
  const checks: Check[] = [
    {
      claim: `Groups are found, ${setting}: adjusted Rand index of at least .9 for every seed`,
      passed: rand.every((index) => index >= 0.9),
      measured: `lowest ${minOf(rand).toFixed(3)}`,
    },
    larger(
      `Both levels together are at least in turns - .005, ${setting}`,
      of(FOUND),
      of(IN_TURNS),
      -0.005,
    ),
    larger(`Groups are better than dawid-skene without, ${setting}`, of(FOUND), of("dawid-skene")),
  ];
  if (!setting.includes("20")) return checks;
  const ours = mean(of(FOUND));
  return [
    ...checks,
    {
      claim: `group-dawid-skene has at least .96 on average, ${setting}`,
      passed: ours >= 0.96,
      measured: ours.toFixed(4),
    },
  ];
}

/** Dawid–Skene in each group, whose answers are labels for Dawid–Skene over groups: the cheap way. */
export function fuseInTurns(data: CategoricalData, groups: Int32Array) {
  return dawidSkene(groupAnswers(data, groups));
}

/** Labels in which each group is one worker who says what Dawid–Skene makes of its members' labels. */
function groupAnswers(data: CategoricalData, groups: Int32Array): CategoricalData {
  const count = groups.reduce((most, group) => Math.max(most, group + 1), 0);
  const rows: { task: number; worker: number; label: number }[] = [];
  for (let worker = 0; worker < count; worker++) {
    const members = selectLabels(data, (i) => groups[data.worker[i]] === worker);
    dawidSkene(members).consensus.forEach((label, task) => {
      if (label >= 0) rows.push({ task, worker, label });
    });
  }
  const { weight: _, time: __, workerAttributes: ___, ...rest } = data;
  return {
    ...rest,
    workers: namesOf(Array.from({ length: count }, (_, group) => `group ${group}`)),
    task: Int32Array.from(rows, ({ task }) => task),
    worker: Int32Array.from(rows, ({ worker }) => worker),
    label: Int32Array.from(rows, ({ label }) => label),
  };
}

/** Adjusted Rand index: 1 for the same partition, 0 for what chance gives. Hubert & Arabie (1985). */
function adjustedRand(a: Int32Array, b: Int32Array): number {
  const pairs = (n: number) => (n * (n - 1)) / 2;
  const count = (keys: readonly string[]) => {
    const counts = new Map<string, number>();
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    return [...counts.values()].reduce((sum, n) => sum + pairs(n), 0);
  };
  const both = count(Array.from(a, (x, i) => `${x} ${b[i]}`));
  const [inA, inB] = [a, b].map((each) => count(Array.from(each, String)));
  const chance = (inA * inB) / pairs(a.length);
  return (both - chance) / ((inA + inB) / 2 - chance);
}
