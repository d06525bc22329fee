/**
 * Auto for ordered classes: the blend of `auto`, with methods that know the order in place of confusions.
 *
 * Methods for labels without an order are left out, since their mistakes are far from the true level as often as near it.
 * The plain vote stays: its median is the baseline.
 */
import { cumulativeLink } from "../aggregate/ordinal/cumulative-link.ts";
import type { OrdinalAggregator } from "../aggregate/ordinal/levels.ts";
import { leveller } from "../aggregate/ordinal/levels.ts";
import { thresholdDawidSkene } from "../aggregate/ordinal/threshold-dawid-skene.ts";
import { thresholdIbcc } from "../aggregate/ordinal/threshold-ibcc.ts";
import { autoCard, blended } from "./auto.ts";
import { type Believer, type Entry, model, type Portfolio, votes } from "./portfolio.ts";

/** A method for ordered classes as one that believes something about labels. */
function onLabels({ id, probabilistic, options, steps }: OrdinalAggregator): Believer {
  return {
    id,
    probabilistic,
    options,
    steps: (data, chosen, known, engine) =>
      steps({ ...data, kind: "ordinal" }, chosen, known, engine),
  };
}

const quick: readonly Entry[] = [
  votes,
  model("thresholds", "thresholds by iBCC", onLabels(thresholdIbcc as OrdinalAggregator)),
];
const wider: readonly Entry[] = [
  ...quick,
  model(
    "thresholds",
    "thresholds by Dawid–Skene",
    onLabels(thresholdDawidSkene as OrdinalAggregator),
  ),
  model(
    "scales",
    "cumulative link",
    onLabels(cumulativeLink as OrdinalAggregator),
    {},
    { most: 1e6, folds: 2 },
  ),
];

const ordinalPortfolio: Portfolio = (effort, data, known) => {
  const size = data.label.length * data.classes.length;
  const informed = known.evidence || known.taskPrior || known.prior;
  return (effort === "fast" ? quick : wider).filter(
    ({ most = Infinity, method }) => size <= most && (method.probabilistic || !informed),
  );
};

/** Auto for ordered classes: blends the vote and the methods that know the order, judged by hidden labels. */
export const ordinalAuto = leveller(
  {
    ...autoCard,
    options: {
      effort: {
        default: "normal",
        choices: ["fast", "normal"],
        help: "How much to try: the vote and thresholds by iBCC with one hold-out set, or all four and 5 folds.",
      },
    },
  },
  function* (data, options, context) {
    const settings = { ...options, abstentions: "drop" };
    const found = yield* blended(data, settings, context, ordinalPortfolio, true);
    return context.known.links
      ? { ...found, notes: [...(found.notes ?? []), LINKS_UNUSED] }
      : found;
  },
);

const LINKS_UNUSED =
  "Links between tasks are not used by auto for ordered classes; graph-dawid-skene uses them.";
