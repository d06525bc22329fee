/**
 * Aggregate first, then train a normal classifier on the aggregate: the baseline that every other
 * learner has to beat. With `gold` as the aggregate it is the supervised bound.
 */
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { aggregators } from "../aggregate/categorical/index.ts";
import { CrowdError } from "../error.ts";
import { hardened } from "./aggregate-first.ts";
import { countLabels, countsToConfusion } from "./evidence.ts";
import { learner } from "./learner.ts";
import { crossEntropy } from "./losses.ts";
import { rowsOf } from "./network.ts";
import { trainingWith } from "./options.ts";
import type { Session } from "./session.ts";

const usable = aggregators.filter(({ needs }) => !needs).map(({ id }) => id);

/**
 * Aggregate, then train: labels are aggregated without features, and the network learns the answers
 * as if they were true.
 */
export const twoStage = learner(
  {
    id: "two-stage",
    title: "Aggregate, then train",
    summary:
      "Aggregates labels without features, then trains the network on the answers as if they were the truth.",
    paper: {
      authors: "A. P. Dawid, A. M. Skene",
      year: 1979,
      title: "Maximum likelihood estimation of observer error-rates using the EM algorithm",
      url: dawidSkene.paper.url,
    },
    options: {
      ...trainingWith({ schedule: "cosine" }),
      aggregator: {
        default: "majority-vote",
        choices: [...usable, "gold"],
        help: "Aggregation method for the targets; gold uses the true classes, as an upper bound.",
      },
      targets: {
        default: "soft",
        choices: ["hard", "soft"],
        help: "Targets: the most probable class, or the probabilities.",
      },
    },
    forecasts: false,
    confusion: true,
    cost: "that of the aggregator, then O(network) per task",
  },
  async function* (session, options) {
    const { data } = session;
    const K = data.classes.length;
    const belief = aggregate(session, options.aggregator);
    const targets = options.targets === "hard" ? hardened(session, belief) : belief;
    const net = await session.network((io) => ({ loss: crossEntropy(io.target, io.logits) }));
    const run = session.run(net);
    while (run.more()) {
      const loss = await run.train((batch) => ({ target: rowsOf(targets, batch, K) }));
      yield await run.done(loss);
    }
    await run.finish();
    const confusion = new Float64Array(data.workers.length * K * K);
    countLabels(data, belief, confusion);
    countsToConfusion(confusion, K, 0.01);
    return { net, posterior: belief, confusion };
  },
);

/** The belief of an aggregator, or gold as certainty. */
function aggregate({ data, options }: Session, id: string): Float64Array {
  if (id !== "gold") {
    const method = aggregators.find((each) => each.id === id);
    return (method as NonNullable<typeof method>)(data, { seed: options.seed }).posterior;
  }
  const K = data.classes.length;
  const missing = [...data.tasks].filter((_, t) => data.gold[t] < 0).length;
  if (missing > 0) {
    throw new CrowdError(
      "bad-data",
      `two-stage with gold: ${missing} of ${data.tasks.length} tasks have no gold.`,
    );
  }
  return Float64Array.from({ length: data.tasks.length * K }, (_, at) =>
    data.gold[Math.floor(at / K)] === at % K ? 1 : 0,
  );
}
