/** What a learner of preferences is: from comparisons and features of the items to a network that gives a score. */
import { describedTypes } from "../../aggregate/pairwise/described-types.ts";
import { type PairwiseResult, rankedBy } from "../../aggregate/pairwise/ranker.ts";
import { labelsPerWorker } from "../../data/crowd-data.ts";
import { fingerprintOf } from "../../data/fingerprint.ts";
import { LEFT, type PairwiseData, selectComparisons, TIE } from "../../data/pairwise.ts";
import type { Random } from "../../math/random.ts";
import { spearman } from "../../math/statistics.ts";
import type { OptionTable, Values } from "../../method.ts";
import { constant } from "../../tensor/graph.ts";
import { multiply, subtract } from "../../tensor/ops/arithmetic.ts";
import { sum } from "../../tensor/ops/broadcast.ts";
import { matmul } from "../../tensor/ops/matmul.ts";
import {
  createLearner,
  type LearnerCard,
  type LearnerKind,
  type LearnerOf,
  type LearnProgress,
  type Learnt,
} from "../create-learner.ts";
import type { Net } from "../network.ts";
import { pairSubject } from "../pair-subject.ts";
import { createPredictor, type Predictor } from "../predictor.ts";
import type { HeldOut, Session } from "../session.ts";
import type { Valid, Validator } from "../validation.ts";
import { answersOf, logOfAnswers, logSigmoid } from "./judge-answers.ts";

/** What the method's own code returns. */
export interface PairwiseLesson {
  readonly net: Net;
  /** Probability that each judge answers by the scores, where the method learns it. */
  readonly reliability?: Float64Array;
  /** P(type | judge) as membership[judge * types + type], where the network has a score for each type of judges. */
  readonly membership?: Float64Array;
  readonly notes?: readonly string[];
}

/** What every learner of preferences returns. */
export interface PairwiseLearning extends PairwiseResult, Pick<Learnt, "history" | "predictor"> {}

/** A learner of preferences: call it for the result, or walk its `steps` for progress. */
export type PairwiseLearner<Options extends OptionTable = OptionTable> = LearnerOf<
  PairwiseData,
  Options,
  PairwiseLearning
>;

/** Makes a learner of preferences from a card and a training. */
export function pairwiseLearner<const Options extends OptionTable>(
  card: Omit<LearnerCard<Options>, "forecasts" | "confusion">,
  train: (
    session: Session<PairwiseData>,
    options: Values<Options>,
  ) => AsyncGenerator<LearnProgress, PairwiseLesson, void>,
): PairwiseLearner<Options> {
  return createLearner(preferences, { ...card, forecasts: false, confusion: false }, train);
}

const preferences: LearnerKind<PairwiseData, PairwiseLesson, PairwiseLearning> = {
  kind: "pairwise",
  noun: "item",
  answer: "comparison",
  described: ({ items }) => items,
  examples: ({ label, weight }) =>
    Int32Array.from(label.keys()).filter((i) => !weight || weight[i] > 0),
  subject: (data, rows) =>
    pairSubject(data, rows, 1, (labels) => ({
      outcome: Float32Array.from(labels, (i) =>
        data.label[i] === TIE ? 0.5 : data.label[i] === LEFT ? 1 : 0,
      ),
    })),
  holdOut,
  goldValidator,
  crowdValidator,
  usable: (_, data) => ({ data, notes: [] }),
  fingerprint: ({ items, workers, left, right, worker, label, weight }) =>
    fingerprintOf([items, workers], [left, right, worker, label, ...(weight ? [weight] : [])]),
  async assemble({ method, options, usable: { data, notes }, session, lesson }) {
    const { net, reliability, membership, notes: own = [] } = lesson;
    const J = membership ? membership.length / data.workers.length : 1;
    const raw = await net.predict();
    const share = sharesOf(membership, data.workers.length, J);
    const predictor = predictorOf(session, net, raw, share);
    const scores = Array.from({ length: J }, (_, j) =>
      centred(Float64Array.from(data.items, (_, i) => raw[i * J + j])),
    );
    const sd = new Float64Array(data.items.length).fill(Number.NaN);
    const fit = membership
      ? describedTypes(
          data,
          scores.map((score, j) => ({ score, sd, share: share[j] })),
          membership,
        )
      : {
          score: scores[0],
          sd,
          ...(reliability && {
            reliability,
            answering: { flip: reliability.map((x) => 1 - x) },
          }),
        };
    const history = session.runs.map((run) => run.history);
    const trace = history.flatMap((records) => records.map(({ loss }) => -loss));
    return {
      // Features connect what no comparison does.
      ...rankedBy(data, fit, new Int32Array(data.items.length)),
      kind: "pairwise",
      method,
      options,
      predictor,
      history,
      workers: data.workers,
      workload: labelsPerWorker(data),
      trace: Float64Array.from(trace),
      iterations: trace.length,
      converged: true,
      notes: [...notes, ...session.notes, ...own],
    };
  },
};

function sharesOf(membership: Float64Array | undefined, W: number, J: number): Float64Array {
  const share = new Float64Array(J).fill(membership ? 0 : 1);
  membership?.forEach((p, at) => {
    share[at % J] += p / W;
  });
  return share;
}

/** The network with the mean score of the items it was trained on taken out; types are put together by their shares. */
function predictorOf(
  { features, executor, statistics }: Session<PairwiseData>,
  net: Net,
  raw: Float64Array,
  share: Float64Array,
): Predictor {
  const J = share.length;
  const mean = new Float64Array(J);
  raw.forEach((score, at) => {
    mean[at % J] += (score * J) / raw.length;
  });
  return createPredictor(
    executor,
    {
      shape: features.shape,
      module: net.module,
      weights: new Map([...net.trainer.weights].map(([name, own]) => [name, own.slice()])),
      ...(statistics && { statistics }),
    },
    {
      outputs(numbers) {
        const own = subtract(numbers, constant(mean, [J]));
        if (J === 1) return { scores: own };
        const scores = sum(multiply(own, constant(share, [J])), [1], true);
        return { types: matmul(own, constant(largestFirst(share), [J, J])), scores };
      },
      width: 1,
      metadata: { kind: "pairwise", outputs: JSON.stringify(["score"]) },
    },
  );
}

/** Turns types into the order that results have them in. */
function largestFirst(share: Float64Array): Float64Array {
  const J = share.length;
  const order = Array.from(share.keys()).sort((a, b) => share[b] - share[a] || a - b);
  const turn = new Float64Array(J * J);
  order.forEach((from, to) => {
    turn[from * J + to] = 1;
  });
  return turn;
}

function centred(score: Float64Array): Float64Array {
  const mean = score.reduce((total, s) => total + s, 0) / Math.max(1, score.length);
  return score.map((s) => s - mean);
}

function holdOut(data: PairwiseData, share: number, random: Random): HeldOut<PairwiseData> {
  const { worker, left, right } = data;
  // Repeats of a judge on a pair stay together, whatever the order of the rows.
  const out = Array.from(left, (_, i) => {
    const pair = [data.items.at(left[i]), data.items.at(right[i])].sort();
    return random.split(`${data.workers.at(worker[i])}\n${pair.join("\n")}`).next() < share;
  });
  const rows = Int32Array.from(left.keys());
  const heldOut = selectComparisons(
    data,
    rows.filter((i) => out[i]),
  );
  return {
    trained: selectComparisons(
      data,
      rows.filter((i) => !out[i]),
    ),
    heldOut,
    words: `${heldOut.label.length} comparisons`,
  };
}

function goldValidator({ features, gold }: Valid): Validator {
  const known = Int32Array.from(gold.keys()).filter((i) => !Number.isNaN(gold[i]));
  return {
    measure: "rank correlation with the validation gold",
    async score(net) {
      const said = await net.predictRows(features, known);
      const J = said.length / known.length;
      // Types without their shares count the same here.
      const score = Float64Array.from(known, (_, i) =>
        said.subarray(i * J, (i + 1) * J).reduce((a, b) => a + b, 0),
      );
      return spearman(
        score,
        Float64Array.from(known, (i) => gold[i]),
      );
    },
  };
}

/**
 * How well the network predicts comparisons held out, judge by judge: the reliability of each judge, or the type, is
 * counted from the network on the comparisons it was trained on.
 */
function crowdValidator(trained: PairwiseData, heldOut: PairwiseData): Validator {
  const W = trained.workers.length;
  const [seen, hidden] = [answersOf(trained), answersOf(heldOut)];
  return {
    measure: "log-probability of held-out comparisons",
    async score(net) {
      const said = await net.predict();
      const J = said.length / trained.items.length;
      const predict = J === 1 ? byReliability(seen, said, W) : byType(seen, said, W, J);
      return logOfAnswers(hidden, predict);
    },
  };
}

type Seen = ReturnType<typeof answersOf>;

/** P(winner is preferred) by a judge of a reliability with the prior 9 : 1, after a few steps of EM. */
function byReliability(seen: Seen, score: Float64Array, W: number) {
  const eta = new Float64Array(W).fill(0.9);
  for (let step = 0; step < 10; step++) {
    const [right, count] = [new Float64Array(W), new Float64Array(W)];
    seen.winner.forEach((a, i) => {
      const u = seen.judge[i];
      const p = Math.exp(logSigmoid(score[a] - score[seen.loser[i]]));
      right[u] += seen.weight[i] * ((eta[u] * p) / (eta[u] * p + (1 - eta[u]) * (1 - p)));
      count[u] += seen.weight[i];
    });
    eta.forEach((_, u) => {
      eta[u] = (9 + right[u]) / (10 + count[u]);
    });
  }
  return (a: number, b: number, u: number) => {
    const p = Math.exp(logSigmoid(score[a] - score[b]));
    return eta[u] * p + (1 - eta[u]) * (1 - p);
  };
}

/** The same by the types that a judge may belong to. */
function byType(seen: Seen, score: Float64Array, W: number, J: number) {
  const logs = new Float64Array(W * J);
  seen.winner.forEach((a, i) => {
    for (let j = 0; j < J; j++) {
      logs[seen.judge[i] * J + j] +=
        seen.weight[i] * logSigmoid(score[a * J + j] - score[seen.loser[i] * J + j]);
    }
  });
  return (a: number, b: number, u: number) => {
    const own = logs.subarray(u * J, (u + 1) * J);
    const most = own.reduce((x, y) => Math.max(x, y));
    let [p, total] = [0, 0];
    own.forEach((log, j) => {
      const belongs = Math.exp(log - most);
      total += belongs;
      p += belongs * Math.exp(logSigmoid(score[a * J + j] - score[b * J + j]));
    });
    return p / total;
  };
}
