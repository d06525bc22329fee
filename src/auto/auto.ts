/**
 * Auto: fits a portfolio of methods and blends them, judged by labels it hides from them.
 *
 *   families      votes; one number per worker; confusion matrices; models of shared errors
 *   score[m]      mean log-probability of hidden labels, read out alike for all (hold-out.ts)
 *   weight[m]     ∝ say of its family · exp(labels per task · tasks · score[m]), with `tasks` the evidence of a
 *                 single task, and more the surer it is that workers err independently
 *   ρ             correlation of the errors of workers: what this crowd shows (diagnose/shared-errors.ts), and
 *                 what real crowds have that labels cannot show
 *   posterior[t]  Σ weight[m] · posterior[m][t] with likelihoods to the power 1 / (1 + (d − 1) ρ), d labels of t
 *
 * Copies (diagnose/collusion/exact-copies.ts) count for one worker. If groups of workers err together (em/find-groups.ts),
 * each group does, and a model of groups joins.
 * A candidate whose classes do not mean what they are called loses what evidence says for it, or is left out: one
 * with much mass on a class whose labels mostly name another, or that empties classes which many labels name. That
 * is how flexible models fail on sparse data, and no likelihood shows it.
 * It never sees gold unless given as known; known gold also sets how sure the blend may be.
 *
 * Stacking of predictive distributions: Yao, Vehtari, Simpson & Gelman (2018), Bayesian Analysis 13(3),
 * 917–1007. https://doi.org/10.1214/17-BA1091
 */
import {
  aggregator,
  type Context,
  probabilisticOptions,
} from "../aggregate/categorical/aggregator.ts";
import { confidences, temper } from "../belief/confidence.ts";
import { skillOf } from "../belief/confusion-table.ts";
import type { Known } from "../belief/known.ts";
import { decide } from "../belief/ties.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { groupLists } from "../diagnose/collusion/fused-groups.ts";
import type { SharedErrors } from "../diagnose/shared-errors.ts";
import { plural } from "../error.ts";
import { createRandom } from "../math/random.ts";
import type { Steps } from "../method.ts";
import {
  type Auto,
  blend,
  type Candidate,
  meanBelief,
  percent,
  sharpen,
  type Trial,
} from "./blend.ts";
import { categoricalPortfolio, type Portfolio } from "./portfolio.ts";

/** Known answers from which on they set how sure the blend may be. */
const ENOUGH_GOLD = 20;

/** What `auto` says of itself for labels and for ordered classes. */
export const autoCard = {
  id: "auto",
  title: "Auto",
  summary: "Fits several methods, scores them on hidden labels, and blends the good ones.",
  paper: {
    authors: "Y. Yao, A. Vehtari, D. Simpson, A. Gelman",
    year: 2018,
    title: "Using stacking to average Bayesian predictive distributions",
    url: "https://doi.org/10.1214/17-BA1091",
  },
  family: "blend",
  probabilistic: true,
  cost: "several fits: less than 10 times dawid-skene for a million labels, more for few labels",
} as const;

/** Auto: fits several methods, compares them on hidden labels, and blends the best ones. */
export const auto = aggregator(
  {
    ...autoCard,
    options: {
      ...probabilisticOptions,
      effort: {
        default: "normal",
        choices: ["fast", "normal", "thorough"],
        help: "How much to try: 4 methods and one hold-out set, 11 methods and 5 folds, or 18 methods and 10 folds.",
      },
    },
  },
  (data, options, context) => blended(data, options, context, categoricalPortfolio),
);

/** Blends the methods of a portfolio into one belief. */
export function* blended(
  data: CategoricalData,
  { effort, seed, abstentions }: Pick<Trial, "effort" | "seed" | "abstentions">,
  { known, engine, K, L }: Pick<Context, "known" | "engine" | "K" | "L">,
  portfolio: Portfolio,
  ordered = false,
): Steps<Auto> {
  const trial = { portfolio, ordered, effort, seed, abstentions, engine, K, L };
  const made = yield* blend(data, known, trial);
  const gold = yield* goldScale(data, known, trial);
  const { posterior } = made;
  if (gold) sharpen(posterior, K, gold.scale);
  const prior = known.prior ?? meanBelief(posterior, K);
  const skill = skillOf(made.confusion, prior, {
    workers: data.workers.length,
    classes: K,
    given: L,
  });
  const { consensus } = decide(data, posterior, prior, { ties: "first", seed });
  const believed = { posterior, consensus, K, W: skill.length, probabilistic: true };
  temper(believed, confidences(data, believed, known));
  const temperature = made.temperature / (gold?.scale ?? 1);
  return {
    ...made,
    prior,
    skill,
    temperature,
    trace: [],
    converged: true,
    notes: [
      reason(made.portfolio),
      ...copyNotes(made.copies),
      ...groupNotes(made.groups, "err together"),
      ...temperatureNotes(temperature, made.sharedErrors, gold?.tasks ?? 0),
    ],
  };
}

/**
 * By what known answers say to multiply all log-odds. Each half of them judges a blend that was told the other half.
 * One factor, most probable if its logarithm is normal with deviation 1 beforehand. Undefined if they are few.
 */
function* goldScale(
  data: CategoricalData,
  known: Known,
  trial: Trial,
): Steps<{ readonly scale: number; readonly tasks: number } | undefined> {
  const { gold } = known;
  const { K } = trial;
  if (!gold) return undefined;
  const labelled = new Set(data.task);
  const judged = [...gold.keys()].filter((t) => gold[t] >= 0 && labelled.has(t));
  if (judged.length < ENOUGH_GOLD || K < 2) return undefined;
  const random = createRandom(trial.seed).split("gold");
  const half = Int8Array.from(data.tasks, (name) => (random.split(name).next() < 0.5 ? 0 : 1));
  const logs: Float64Array[] = [];
  for (const part of [0, 1]) {
    const told = gold.map((k, t) => (half[t] === part ? k : -1));
    const { posterior } = yield* blend(data, { ...known, gold: told }, trial);
    logs.push(posterior.map((p) => Math.log(Math.max(1e-12, p))));
  }
  const score = (scale: number) => {
    let sum = -(Math.log(scale) ** 2) / 2;
    for (const t of judged) {
      const log = logs[1 - half[t]];
      let total = 0;
      for (let k = t * K; k < (t + 1) * K; k++) total += Math.exp(scale * log[k]);
      sum += scale * log[t * K + gold[t]] - Math.log(total);
    }
    return sum;
  };
  const steps = Array.from({ length: 61 }, (_, i) => 2 ** ((i - 40) / 10));
  const scale = steps.reduce((a, b) => (score(b) > score(a) ? b : a));
  return { scale, tasks: judged.length };
}

function reason(candidates: readonly Candidate[]): string {
  const used = candidates
    .filter(({ weight }) => weight >= 0.005)
    .toSorted((a, b) => b.weight - a.weight);
  const parts = used.map(({ name, weight }) => `${name} ${percent(weight)}`);
  const out = candidates.flatMap(({ name, leftOut }) => (leftOut ? [`${name} (${leftOut})`] : []));
  const rest = out.length > 0 ? ` Left out: ${out.join("; ")}.` : "";
  return `Blend: ${parts.join(", ")}.${rest}`;
}

/** Says how many workers are copies of one another. */
export const copyNotes = (copies: Int32Array | undefined): string[] =>
  groupNotes(copies, "are copies of one another");

function groupNotes(groups: Int32Array | undefined, how: string): string[] {
  if (!groups) return [];
  const sizes = groupLists(groups).map(({ length }) => length);
  const members = sizes.reduce((sum, n) => sum + n, 0);
  return [
    `${members} of ${groups.length} workers ${how} in ${plural(sizes.length, "group", "groups")}; each group counted for one worker.`,
  ];
}

function temperatureNotes(
  temperature: number,
  { correlation, deviation }: SharedErrors,
  gold: number,
): string[] {
  if (gold > 0) {
    return [
      `Confidence was set by ${plural(gold, "known answer", "known answers")}: log-odds were divided by ${temperature.toFixed(2)} on average.`,
    ];
  }
  if (correlation <= 2 * deviation) return [];
  return [
    `The errors of workers are correlated (${correlation.toFixed(2)}), so confidence was lowered: log-odds were divided by ${temperature.toFixed(1)} on average.`,
  ];
}
