import { voteShares } from "../belief/votes.ts";
import { maxOf } from "../math/lists.ts";
import { hardened } from "./aggregate-first.ts";
import type { LearnProgress } from "./create-learner.ts";
import { countLabels, countsToConfusion, infer, toEvidence } from "./evidence.ts";
import { learner } from "./learner.ts";
import { crossEntropy } from "./losses.ts";
import { type Net, rowsOf } from "./network.ts";
import { trainingWith } from "./options.ts";
import type { Session } from "./session.ts";

/**
 * Model-bootstrapped EM: workers are judged by their agreement with the network's predictions, so
 * that one label per task is enough.
 */
export const mbem = learner(
  {
    id: "mbem",
    title: "Model-bootstrapped EM",
    summary:
      "Estimates workers from their agreement with the network's predictions, so that one label per task is enough; the network is retrained in each round.",
    paper: {
      authors: "A. Khetan, Z. C. Lipton, A. Anandkumar",
      year: 2018,
      title: "Learning From Noisy Singly-labeled Data",
      url: "https://openreview.net/forum?id=H1sUHgb0Z",
    },
    options: {
      ...trainingWith({ decay: 1e-3 }),
      rounds: { default: 2, min: 1, integer: true, help: "Number of rounds." },
      folds: {
        default: 0,
        min: 0,
        integer: true,
        help: "Number of cross-validation folds for the predictions; 1 predicts the training tasks, 0 chooses 5 for fewer than 20 000 tasks and 1 otherwise.",
      },
      prior: {
        default: "uniform",
        choices: ["uniform", "predicted"],
        help: "Class prior in the M step: uniform, or the shares of the hard predictions, as in the paper.",
      },
      selfTrain: {
        default: false,
        help: "Train every network a second time, on the predictions of the first one, as the authors' code does.",
      },
    },
    forecasts: true,
    confusion: true,
    cost: "that of rounds · folds + 1 trainings",
  },
  async function* (session, { rounds, folds: wanted, prior: kind, selfTrain }) {
    const { data, trained } = session;
    const K = data.classes.length;
    const q = voteShares(data);
    const confusion = new Float64Array(data.workers.length * K * K);
    const prior = new Float64Array(K);
    const predicted = new Float64Array(data.tasks.length * K);
    const folds = wanted || (trained.length < 20_000 ? 5 : 1);
    for (let round = 0; round < rounds; round++) {
      const split = folds > 1 && trained.length >= 2 * folds;
      for (const part of split ? foldsOf(session, folds, round) : [undefined]) {
        const stage = `round ${round + 1}`;
        const net = yield* train(session, q, { part, selfTrain, choose: false, stage });
        takePredictions(await net.predict(), part, predicted, K);
      }
      judge(session, predicted, kind, confusion, prior, q);
    }
    const net = yield* train(session, q, { selfTrain, choose: true, stage: "last" });
    return { net, posterior: q, confusion, evidence: toEvidence(confusion), prior };
  },
);

interface Training {
  /** Tasks to leave out. */
  readonly part?: ReadonlySet<number> | undefined;
  readonly selfTrain: boolean;
  readonly choose: boolean;
  readonly stage: string;
}

/** A new network on soft targets, or one that learns the hard predictions of such a network. */
async function* train(
  session: Session,
  targets: Float64Array,
  { part, selfTrain, choose, stage }: Training,
): AsyncGenerator<LearnProgress, Net, void> {
  const K = session.data.classes.length;
  const net = await session.network((io) => ({ loss: crossEntropy(io.target, io.logits) }), {
    ...(part && { trained: session.trained.filter((t) => !part.has(t)) }),
  });
  // What was learnt from stays with the run, so that one that goes on finds the same targets.
  const run = session.run(net, { targets }, { choose: choose && !selfTrain, stage });
  while (run.more()) {
    const loss = await run.train((batch) => ({ target: rowsOf(targets, batch, K) }));
    yield await run.done(loss);
  }
  await run.finish();
  if (!selfTrain) return net;
  const own = hardened(session, await net.predict());
  return yield* train(session, own, { part, selfTrain: false, choose, stage: `${stage}, again` });
}

/** The labelled tasks in parts of equal size, drawn by seed. */
function foldsOf({ trained, random, data }: Session, folds: number, round: number): Set<number>[] {
  const draws = random.split("folds").split(round);
  const order = [...trained]
    .map((t) => ({ t, draw: draws.split(data.tasks.at(t)).next() }))
    .sort((a, b) => a.draw - b.draw);
  return Array.from(
    { length: folds },
    (_, part) => new Set(order.filter((_, i) => i % folds === part).map(({ t }) => t)),
  );
}

function takePredictions(
  f: Float64Array,
  part: ReadonlySet<number> | undefined,
  into: Float64Array,
  K: number,
): void {
  for (let t = 0; t * K < f.length; t++) {
    if (!part || part.has(t)) into.set(f.subarray(t * K, (t + 1) * K), t * K);
  }
}

/**
 * The hard predictions as if they were the truth: confusions by counting (a row of nothing is even, an
 * empty cell counts 1e-10), class shares, and q from both and the labels; the network is no part of q.
 */
export function judge(
  { data, trained }: Pick<Session, "data" | "trained">,
  predicted: Float64Array,
  kind: "uniform" | "predicted",
  confusion: Float64Array,
  prior: Float64Array,
  q: Float64Array,
): void {
  const K = data.classes.length;
  const hard = new Float64Array(predicted.length);
  prior.fill(kind === "uniform" ? 1 / K : 0);
  for (const t of trained) {
    const row = predicted.subarray(t * K, (t + 1) * K);
    const k = row.indexOf(maxOf(row));
    hard[t * K + k] = 1;
    if (kind === "predicted") prior[k] += 1 / trained.length;
  }
  countLabels(data, hard, confusion);
  countsToConfusion(confusion, K, 1e-10);
  const shares = Float64Array.from(predicted, (_, at) => prior[at % K]);
  infer(data, shares, toEvidence(confusion), q);
}
