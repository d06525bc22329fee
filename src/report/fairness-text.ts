/** Differences between groups, in lines for a terminal. */
import type { AnswerFairness, FairnessGap, NoGap } from "../diagnose/fairness/answer-fairness.ts";
import type { Fairness, TaskFairness, WorkerGroupFairness } from "../diagnose/fairness/fairness.ts";
import type { RelativeGap, WorkerFairness } from "../diagnose/fairness/worker-fairness.ts";
import type { WorkerGroup, WorkerGroupGap } from "../diagnose/fairness/worker-group-gaps.ts";
import { brief, count, decimal, lengthOf, listed, percent } from "./text.ts";

/** Lines of a list, and characters of a name, at most. */
const LISTED = 12;
const NAME = 26;

/** Corrected p-values below this are findings. */
const SIGNIFICANT = 0.05;

/** Says how groups of tasks are treated, and how groups of workers differ. */
export function fairnessLines(fairness: Fairness): string[] {
  const { tasks, workers, comparisons, notes } = fairness;
  if (tasks.length + workers.length === 0 && notes.length === 0) return [];
  return [
    ...tasks.flatMap(taskLines),
    ...workers.flatMap(groupLines),
    ...notes.map((note) => `  ${note}`),
    ...(comparisons > 0
      ? [
          ...(workers.length > 0
            ? ["  If groups of workers answer differently, that is no error: both may be right."]
            : []),
          `  p is corrected for the ${count(comparisons, "comparison")} of this run; below ${SIGNIFICANT} a difference is hardly chance.`,
        ]
      : []),
    "",
  ];
}

/** Returns the workers whose labels differ between groups more than chance explains, the clearest first. */
export function biasedWorkers(workers: readonly WorkerFairness[]): {
  readonly tested: number;
  readonly biased: readonly { readonly name: string; readonly gap: RelativeGap }[];
} {
  const all = workers.flatMap(({ name, relative }) =>
    relative.estimated ? [{ name, gap: relative as RelativeGap }] : [],
  );
  const biased = all
    .filter(({ gap }) => gap.corrected < SIGNIFICANT)
    .sort((a, b) => a.gap.corrected - b.gap.corrected || b.gap.value - a.gap.value);
  return { tested: all.length, biased };
}

function taskLines({ attribute, answers, workers, adjusted }: TaskFairness): string[] {
  const { parity } = answers;
  const groups = answers.groups.map(({ name, tasks }) => `${brief(name, NAME)} (${tasks})`);
  return [
    `Answers by ${brief(attribute, NAME)}, tasks in each group: ${listed(groups, LISTED)}`,
    ...(parity.estimated ? allGapLines(answers) : [`  ${parity.reason}`]),
    ...workerLines(workers),
    ...(adjusted?.estimated && parity.estimated ? [`  ${adjustedLine(parity, adjusted)}`] : []),
    "",
  ];
}

function allGapLines(answers: AnswerFairness): string[] {
  const gold = answers.groups.some(({ scored }) => scored > 0);
  return [
    ...gapLines("parity", answers.parity),
    ...(gold
      ? [
          ...gapLines("equal opportunity", answers.equalOpportunity),
          ...gapLines("equalised odds", answers.equalisedOdds),
          ...gapLines("error gap", answers.errorGap),
        ]
      : ["  Without gold only parity can be measured: no gap says who is right."]),
  ];
}

function gapLines(name: string, gap: FairnessGap | NoGap): string[] {
  const title = `  ${name.padEnd(18)}`;
  if (!gap.estimated) return [`${title}  ${gap.reason}`];
  const { value, low, high, chance, corrected } = gap;
  return [
    `${title}  ${aligned(value, low, high).padEnd(20)}  ${chance === undefined ? "" : `chance ${two(chance)}  `}${pText(corrected)}`.trimEnd(),
    `      ${gapSentence(gap)}`,
  ];
}

/** Says which rates differ between which groups. */
export function gapSentence({ rate, rates, groups, class: name = "" }: FairnessGap): string {
  const [high, low] = rates.map((each) => percent(each, 0));
  const [first, second] = groups.map((group) => brief(group, NAME));
  const called = `"${brief(name, NAME)}"`;
  if (rate === "error") return `${high} of the answers are wrong in ${first}, ${low} in ${second}.`;
  if (rate === "true-positive")
    return `Of tasks that are ${called} by gold, ${high} are answered so in ${first}, ${low} in ${second}.`;
  if (rate === "false-positive")
    return `Of tasks that are not ${called} by gold, ${high} are answered so in ${first}, ${low} in ${second}.`;
  return `The answer is ${called} for ${high} of the tasks in ${first}, for ${low} in ${second}.`;
}

function workerLines(workers: readonly WorkerFairness[]): string[] {
  if (workers.length === 0) return [];
  const { tested, biased } = biasedWorkers(workers);
  if (tested === 0) return ["  Workers: none has enough labels in two groups."];
  return [
    `  Workers who differ from the others between these groups: ${biased.length === 0 ? "none" : biased.length} of ${tested}`,
    ...biased.slice(0, LISTED).map(({ name, gap }) => {
      const [first, second] = gap.groups.map((group) => brief(group, NAME));
      return (
        `      ${brief(name, NAME)}: "${brief(gap.class, NAME)}" more often in ${first} than in ${second} ` +
        `by ${interval(gap.value, gap.low, gap.high)}, ${pText(gap.corrected)}`
      );
    }),
    ...more(biased.length - LISTED, "worker"),
  ];
}

/** Says what one confusion matrix per worker and group changes. */
export function adjustedLine(parity: FairnessGap, adjusted: FairnessGap): string {
  return (
    `Dawid–Skene with one matrix per worker and group has a parity gap of ${two(adjusted.value)} instead of ${two(parity.value)}. ` +
    "It takes a bias that most workers share for a difference of the tasks."
  );
}

const compared = {
  answers: "how often each class is given",
  ratings: "ratings",
  errors: "errors against gold",
  agreement: "agreement with the others",
  order: "how much more than expected they follow the order of the other judges",
  scores: "scores of items",
} as const;

/** Measures of comparisons, which are not taken task by task. */
const ofComparisons = new Set<string>(["order", "scores"]);

function groupLines({ attribute, measure, groups, gaps }: WorkerGroupFairness): string[] {
  const order = gaps.toSorted((a, b) => a.corrected - b.corrected || a.p - b.p);
  const shown = order.slice(0, LISTED);
  const labels = shown.map(gapName);
  const width = labels.reduce((most, name) => Math.max(most, lengthOf(name)), 8);
  const missing = notEstimated(groups, gaps);
  return [
    `Workers by ${brief(attribute, NAME)}: ${compared[measure]}${ofComparisons.has(measure) ? "" : ", compared with others on the same tasks"}`,
    ...(shown.length > 0
      ? [`  ${"group".padEnd(width)}  workers  difference, 95 % interval  corrected p`]
      : []),
    ...shown.map(
      ({ value, low, high, corrected, workers }, at) =>
        `  ${labels[at].padEnd(width)}  ${String(workers[0]).padStart(7)}  ${aligned(value, low, high).padEnd(25)}  ${pText(corrected).slice(2)}`,
    ),
    ...more(order.length - shown.length, "comparison"),
    ...(missing.length > 0
      ? [`  Not estimated, too few workers or answers: ${listed(missing, LISTED)}`]
      : []),
    "",
  ];
}

/** Names of the groups that no comparison is about. */
export function notEstimated(
  groups: readonly WorkerGroup[],
  gaps: readonly WorkerGroupGap[],
): string[] {
  const judged = new Set(gaps.flatMap(({ group, against }) => [group, against]));
  const names = groups.map(({ name }) => name).filter((name) => !judged.has(name));
  return [...new Set(names)].map((name) => brief(name, NAME));
}

/** Names a comparison of a group of workers: the group, the class, and the other group if there are two. */
export function gapName({ group, against, class: name }: WorkerGroupGap): string {
  const other = against === "others" ? "" : ` – ${brief(against, NAME)}`;
  return `${brief(group, NAME)}${other}${name === undefined ? "" : `, "${brief(name, 16)}"`}`;
}

function more(n: number, what: string): string[] {
  return n > 0 ? [`      … and ${count(n, `more ${what}`)}`] : [];
}

/** Two digits, and no minus before 0.00. */
const two = (x: number) => decimal(Math.abs(x) < 0.005 ? 0 : x, 2);

function interval(value: number, low: number, high: number): string {
  return `${two(value)} [${two(low)}, ${two(high)}]`;
}

/** The same in a column, with the points of positive and negative values below each other. */
function aligned(value: number, low: number, high: number): string {
  return `${value <= -0.005 ? "" : " "}${interval(value, low, high)}`;
}

/** A p-value as people read it. */
function pText(p: number | undefined): string {
  if (p === undefined) return "";
  if (p >= 0.9995) return "p 1";
  return p < 0.001 ? "p < 0.001" : `p ${p.toFixed(3)}`;
}
