/** The tutorial's colluding adversaries: simulated ones, and ones put into public crowds. */
import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { excessAgreement } from "../diagnose/collusion/excess-agreement.ts";
import { treatGroups } from "../diagnose/collusion/treat-groups.ts";
import { accuracy } from "../evaluate/accuracy.ts";
import { createRandom } from "../math/random.ts";
import { colludersCrowd } from "../simulate/colluders.ts";
import {
  type Check,
  type ComparedRow,
  type Curves,
  checkStop,
  type Experiment,
  type ExperimentContext,
  halfWidth,
  mean,
} from "./experiment.ts";

/** Accuracies of an independent implementation: votes, Dawid–Skene, Dawid–Skene after removal. */
const simulated = new Map([
  [0.1, [0.994, 1, 1]],
  [0.3, [0.479, 0.104, 0.9999]],
  [0.45, [0.105, 0.104, 0.9995]],
]);

/**
 * Share of colluders, then accuracies of an independent implementation over ten seeds: votes, Dawid–Skene, and
 * the standard deviation of the latter over seeds, where it falls off a cliff in some of them.
 */
const injected: Readonly<
  Record<string, readonly (readonly [number, number, number, spread?: number])[]>
> = {
  bluebird: [
    [0, 0.759, 0.898],
    [0.1, 0.736, 0.933],
    [0.2, 0.65, 0.91],
    [0.3, 0.447, 0.097],
    [0.4, 0.183, 0.097],
  ],
  sp: [
    [0, 0.886, 0.915],
    [0.1, 0.817, 0.922],
    [0.2, 0.723, 0.923],
    [0.3, 0.646, 0.839, 0.25],
    [0.4, 0.543, 0.571, 0.36],
  ],
  web: [
    [0, 0.731, 0.825],
    [0.1, 0.686, 0.798],
    [0.2, 0.621, 0.688],
    [0.3, 0.569, 0.543, 0.23],
    [0.4, 0.402, 0.191],
  ],
};

const VOTES = "Majority vote";
const FIT = "Dawid–Skene";
const CLEAN = "Dawid–Skene without suspected groups";

export const tutorialColluders: Experiment = {
  id: "tutorial-colluders",
  title: "Tutorial: colluding adversaries, simulated and put into public crowds",
  paper:
    "Ibrahim, Traganitis, Fu, Giannakis (2025). End-to-End Learning from Crowdsourced Labels, part I; Traganitis, Giannakis (2021). Detecting adversaries in crowdsourcing.",
  about:
    "Simulated: 5,000 tasks, 60 workers, 3 classes, colluders who share a wrong label with probability .9. Public crowds: a share of the workers is replaced by colluders on tasks with gold. On each task, with probability .9, all of them give one wrong class, otherwise the truth. The tutorial prints no numbers for its plot; ours are held against an independent implementation. Groups that excess agreement suspects are removed in the last rows.",
  seeds: { full: 10, quick: 2 },
  async run(context) {
    const rows: ComparedRow[] = [];
    const checks: Check[] = [];
    const charts: Curves[] = [];
    const notes: string[] = [];
    for (const share of [0, ...simulated.keys()]) simulatedShare(context, share, rows, checks);
    for (const set of Object.keys(injected)) {
      const data = await context.labels(set);
      if (!data) {
        notes.push(`Not there: ${set}.`);
        continue;
      }
      charts.push(injectedSet(context, set, data, rows, checks));
    }
    return { rows, checks, charts, notes };
  },
};

const scoreOf = (data: CategoricalData, { posterior }: Pick<Aggregation, "posterior">): number =>
  accuracy({ ...data, posterior }).split;

/** Scores votes, Dawid–Skene and Dawid–Skene without suspected groups; returns those groups, too. */
function scoreAll(data: CategoricalData): {
  readonly scores: number[];
  readonly found: Set<number>;
} {
  const groups = excessAgreement(data).groups.filter(({ status }) => status === "suspected");
  const members = groups.map(({ workers }) => workers);
  const fit = dawidSkene(data);
  const clean = members.length > 0 ? dawidSkene(treatGroups(data, members, "remove")) : fit;
  return {
    scores: [majorityVote(data), fit, clean].map((result) => scoreOf(data, result)),
    found: new Set(members.flatMap((workers) => [...workers])),
  };
}

function simulatedShare(
  context: ExperimentContext,
  share: number,
  rows: ComparedRow[],
  checks: Check[],
): void {
  const ours: [number[], number[], number[]] = [[], [], []];
  let [missed, blamed] = [0, 0];
  for (let seed = 0; seed < context.seeds; seed++) {
    checkStop(context);
    context.onProgress?.(`simulated, ${100 * share} % colluders, seed ${seed + 1}`);
    const { data, roles = [] } = colludersCrowd({ share, seed });
    const { scores, found } = scoreAll(data);
    for (const [i, score] of scores.entries()) ours[i].push(score);
    roles.forEach((role, w) => {
      if (role === "colluder" && !found.has(w)) missed++;
      if (role !== "colluder" && found.has(w)) blamed++;
    });
  }
  const setting = `simulated, ${100 * share} % colluders`;
  for (const [i, name] of [VOTES, FIT, CLEAN].entries())
    rows.push({ name, setting, ours: ours[i] });
  checks.push({
    claim: `All colluders and nobody else are suspected (${setting})`,
    passed: missed === 0 && blamed === 0,
    measured: `${missed} missed, ${blamed} honest workers suspected, ${context.seeds} seeds`,
  });
  const expected = simulated.get(share);
  if (!expected) return;
  checks.push({
    claim: `Accuracies within .02 of an independent implementation (${setting})`,
    passed: ours.every((values, i) => Math.abs(mean(values) - expected[i]) <= 0.02),
    measured: ours
      .map((values, i) => `${mean(values).toFixed(4)} against ${expected[i]}`)
      .join(", "),
  });
}

function injectedSet(
  context: ExperimentContext,
  set: string,
  data: CategoricalData,
  rows: ComparedRow[],
  checks: Check[],
): Curves {
  const points: { x: number; y: number }[][] = [[], [], []];
  const apart: string[] = [];
  for (const [share, votes, fit, spread = 0] of injected[set]) {
    const ours: [number[], number[], number[]] = [[], [], []];
    for (let seed = 0; seed < (share === 0 ? 1 : context.seeds); seed++) {
      checkStop(context);
      context.onProgress?.(`${set}, ${100 * share} % colluders, seed ${seed + 1}`);
      const { scores } = scoreAll(injectColluders(data, share, seed));
      for (const [i, score] of scores.entries()) ours[i].push(score);
    }
    const setting = `${set}, ${100 * share} % colluders`;
    [VOTES, FIT, CLEAN].forEach((name, i) => {
      rows.push({ name, setting, ours: ours[i] });
      points[i].push({ x: share, y: mean(ours[i]) });
    });
    const below = ours[1].map((score) => (score < 0.5 ? 1 : 0));
    rows.push({ name: "Share of seeds with Dawid–Skene below .5", setting, ours: below });
    [votes, fit].forEach((theirs, i) => {
      // Both are means of few seeds, theirs of ten.
      const seeds = ours[i].length;
      const half = halfWidth(ours[i]) * Math.sqrt(1 + seeds / 10);
      const cliff = i * 2.6 * spread * Math.sqrt(1 / seeds + 1 / 10);
      if (Math.abs(mean(ours[i]) - theirs) > 0.01 + Math.max(half, cliff)) {
        apart.push(`${[VOTES, FIT][i]} at ${share}: ${mean(ours[i]).toFixed(3)} against ${theirs}`);
      }
    });
  }
  checks.push({
    claim: `Accuracies within .01 and a 99 % interval of an independent implementation (${set})`,
    passed: apart.length === 0,
    measured: apart.length === 0 ? "all of 10 numbers" : apart.join("; "),
  });
  return {
    kind: "curves",
    id: `colluders-${set}`,
    title: `Colluders in ${set}`,
    description: "Mean accuracy over the seeds, ties shared.",
    xName: "Share of workers who collude",
    yName: "Accuracy",
    share: true,
    series: [VOTES, FIT, CLEAN].map((name, i) => ({ name, points: points[i] })),
  };
}

/**
 * Returns the crowd with a random share of the workers colluding on tasks with gold: with probability .9 per
 * task all of them give one wrong class, otherwise the truth. Tasks without gold stay as they are.
 */
function injectColluders(data: CategoricalData, share: number, seed: number): CategoricalData {
  const K = data.classes.length;
  const random = createRandom(seed).split("injected colluders");
  const draw = Float64Array.from(data.workers, (name) => random.split(name).next());
  const order = [...draw.keys()].sort((a, b) => draw[a] - draw[b]);
  const colludes = new Uint8Array(data.workers.length);
  for (const w of order.slice(0, Math.round(share * order.length))) colludes[w] = 1;
  const plots = random.split("plots");
  const said = Int32Array.from(data.gold, (truth) => {
    const [attack, other] = [plots.next(), plots.next()];
    const wrong = Math.floor(other * (K - 1));
    if (truth < 0 || K < 2 || attack >= 0.9) return truth;
    return wrong < truth ? wrong : wrong + 1;
  });
  const label = data.label.map((own, i) =>
    colludes[data.worker[i]] && data.gold[data.task[i]] >= 0 ? said[data.task[i]] : own,
  );
  return { ...data, label };
}
