/**
 * Cluster network: from answers "same" and "different" to clusters that a network tells by features.
 *
 *   P(worker u says same of i and j) = a[u] s + b[u] (1 - s),   s = f(i) · f(j),   f = softmax(network)
 *
 * The tutorial's end-to-end clustering with rates of workers. The network is trained on the likelihood; after each epoch
 * one EM step moves the rates, those of each worker drawn towards the crowd's. Of several starts the likeliest goes on.
 * Unless it is given, the number of clusters is the one whose network predicts hidden answers best.
 *
 * Gomes, Welinder, Krause & Perona (2011), Crowdclustering, NeurIPS 24.
 * https://papers.nips.cc/paper/2011/hash/c86a7ee3d8ef0b551ed58e354a836f2b-Abstract.html
 */
import type { TriedClusters } from "../../aggregate/similarity/cluster-count.ts";
import { type SimilarityData, selectPairs } from "../../data/similarity.ts";
import { CrowdError } from "../../error.ts";
import type { Tensor } from "../../tensor/graph.ts";
import { add, clip, multiply, negate, subtract } from "../../tensor/ops/arithmetic.ts";
import { sum } from "../../tensor/ops/broadcast.ts";
import { log } from "../../tensor/ops/elementwise.ts";
import { gather } from "../../tensor/ops/gather.ts";
import { softmax } from "../../tensor/ops/softmax.ts";
import type { LearnProgress } from "../create-learner.ts";
import type { RunSettings } from "../epoch-run.ts";
import type { Batch, Io, Net } from "../network.ts";
import { networkWith } from "../options.ts";
import { overAnswers } from "../pairwise/reward-model.ts";
import type { Session } from "../session.ts";
import {
  drawAnswers,
  estimateRates,
  logOfPairs,
  similarityLearner,
  startingRates,
  type WorkerRates,
} from "./similarity-learner.ts";

/** Share of the epochs that each start, and each number of clusters, gets. */
const TRIAL = 0.3;
/** Most clusters that are tried, misses after which to stop, and the share of answers hidden. */
const [MOST, MISSES, HIDDEN] = [8, 2, 0.2];

/** Cluster network: clusters that a network tells by features, learnt from answers about pairs. */
export const clusterNet = similarityLearner(
  {
    id: "cluster-net",
    title: "Cluster network",
    summary:
      "A network gives each item a cluster; workers say same or different of two items at rates of their own.",
    paper: {
      authors: "R. Gomes, P. Welinder, A. Krause, P. Perona",
      year: 2011,
      title: "Crowdclustering",
      url: "https://papers.nips.cc/paper/2011/hash/c86a7ee3d8ef0b551ed58e354a836f2b-Abstract.html",
    },
    options: {
      ...networkWith({ dropout: 0, epochs: 60, decay: 0.01, model: "logistic", rate: 0.01 }),
      clusters: {
        default: 0,
        min: 0,
        max: 1000,
        integer: true,
        help: "Number of clusters; 0 tries 2 to 8 and takes the one that predicts hidden answers best.",
      },
      starts: { default: 5, min: 1, max: 100, integer: true, help: "Number of starts." },
    },
    cost: "O(network) per item of a batch and O(K) per answer, times 1 + .3 per start and number of clusters",
  },
  async function* (session, { clusters, starts }) {
    if (clusters > session.data.items.length) {
      throw new CrowdError(
        "bad-option",
        `cluster-net: there are ${session.data.items.length} items, so there cannot be ${clusters} clusters.`,
      );
    }
    const tried = clusters > 0 ? [] : yield* chooseClusters(session);
    const best = tried.reduce((a, b) => (b.score > a.score ? b : a), tried[0]);
    // Answers too few to hide some of them leave two clusters.
    const K = clusters || (best?.clusters ?? 2);
    const trials: Trial[] = [];
    for (let s = 0; s < starts; s++) {
      const stage = `start ${s + 1} of ${starts}`;
      trials.push(yield* trial(session, session.data, K, undefined, stage));
    }
    const chosen = trials.reduce((a, b) => (b.quality[0] > a.quality[0] ? b : a));
    const rates = yield* climb(session, session.data, chosen, {});
    return { net: chosen.net, tried, ...rates };
  },
);

interface Trial {
  readonly net: Net;
  /** P("same") of each worker, of items of one cluster and of two: alike, then apart. */
  readonly rates: Float64Array;
  /** The mean log-probability of the answers. */
  readonly quality: Float64Array;
}

/** A short training from a start of its own, on all answers or on some. */
async function* trial(
  session: Session<SimilarityData>,
  data: SimilarityData,
  K: number,
  trained: Int32Array | undefined,
  stage: string,
): AsyncGenerator<LearnProgress, Trial, void> {
  const net = await session.network((io) => ({ loss: pairLoss(io) }), {
    outputs: K,
    ...(trained && { trained }),
  });
  const { alike, apart } = startingRates(data.workers.length);
  const made = {
    net,
    rates: Float64Array.from([...alike, ...apart]),
    quality: new Float64Array(1).fill(-Infinity),
  };
  const epochs = Math.max(1, Math.round(TRIAL * session.options.epochs));
  yield* climb(session, data, made, { epochs, choose: false, stage });
  return made;
}

/** Epochs of the network with a step of the rates after each. */
async function* climb(
  session: Session<SimilarityData>,
  data: SimilarityData,
  { net, rates, quality }: Trial,
  settings: RunSettings,
): AsyncGenerator<LearnProgress, WorkerRates, void> {
  const W = rates.length / 2;
  const [alike, apart] = [rates.subarray(0, W), rates.subarray(W)];
  // Only trials are compared: what goes on to the end must not change what they were.
  const kept = settings.choose === false ? { rates, quality } : { rates };
  const run = session.run(net, kept, settings);
  while (run.more()) {
    const loss = await run.train((batch) => rateFeeds(session.data, batch, alike, apart));
    const q = await net.predict();
    const next = estimateRates(data, q, { alike, apart });
    alike.set(next.alike);
    apart.set(next.apart);
    if (settings.choose === false) quality[0] = logOfPairs(data, q, next);
    yield await run.done(loss);
  }
  await run.finish();
  return { alike: alike.slice(), apart: apart.slice() };
}

function rateFeeds(
  { worker }: SimilarityData,
  { labels }: Batch,
  alike: Float64Array,
  apart: Float64Array,
) {
  return {
    alike: Float32Array.from(labels, (i) => alike[worker[i]]),
    apart: Float32Array.from(labels, (i) => apart[worker[i]]),
  };
}

/** -log P(answer), the mean over the answers. */
export function pairLoss(io: Io): Tensor {
  const f = softmax(io.logits);
  const [left, right] = [io.ints("left"), io.ints("right")].map((row) => gather(f, row));
  const s = sum(multiply(left, right), [1]);
  const [alike, apart] = [io.floats("alike"), io.floats("apart")];
  const p = clip(add(multiply(alike, s), multiply(apart, subtract(1, s))), 1e-6, 1 - 1e-6);
  const same = io.floats("same");
  const logs = add(multiply(same, log(p)), multiply(subtract(1, same), log(subtract(1, p))));
  return overAnswers(io, negate(logs));
}

/** Trains networks with two clusters and more on some of the answers, and scores the others. */
async function* chooseClusters(
  session: Session<SimilarityData>,
): AsyncGenerator<LearnProgress, readonly TriedClusters[], void> {
  const { data, random } = session;
  const hidden = drawAnswers(data, HIDDEN, random.split("clusters"));
  const out = new Set(hidden);
  const shown = session.trained.filter((i) => !out.has(i));
  const [known, heldOut] = [selectPairs(data, shown), selectPairs(data, hidden)];
  const tried: TriedClusters[] = [];
  if (shown.length === 0 || hidden.length === 0) return tried;
  let best = 0;
  const most = Math.min(MOST, data.items.length);
  for (let K = 2; K <= most && tried.length - 1 - best < MISSES; K++) {
    const made = yield* trial(session, known, K, shown, `trying ${K} clusters`);
    const q = await made.net.predict();
    const W = made.rates.length / 2;
    const rates = { alike: made.rates.subarray(0, W), apart: made.rates.subarray(W) };
    tried.push({ clusters: K, score: logOfPairs(heldOut, q, rates) });
    if (tried[tried.length - 1].score > tried[best].score) best = tried.length - 1;
  }
  return tried;
}
