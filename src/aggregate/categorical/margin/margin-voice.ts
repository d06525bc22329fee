/**
 * What a margin says of the classes in a chain (class-chains.ts): weights ~ Normal(0, variance), and each task
 *
 *   exp(-2 · penalty · max(0, margin - (s[t, z[t]] - the largest other s[t, k])))
 *
 * with s[t, k] the sum of the weights of those who called t a k.
 */
import type { Random } from "../../../math/random.ts";
import type { Voice } from "../bayesian/class-sampler.ts";
import { rivalOf, scoreVotes, type Votes } from "./vote-lists.ts";
import { createSingly } from "./weights-singly.ts";
import { createTogether } from "./weights-together.ts";

export interface MarginSettings {
  readonly penalty: number;
  readonly margin: number;
  readonly variance: number;
}

/** Chains start with weights of 1, the majority vote. */
export function createMarginVoice(
  votes: Votes,
  settings: MarginSettings,
  draws: "together" | "singly",
  random: Random,
  keep: (weights: Float64Array) => void,
): Voice {
  const { T, W, K } = votes;
  const { penalty, margin, variance } = settings;
  const weights = new Float64Array(W).fill(1);
  const scores = new Float64Array(T * K);
  const sampler = (draws === "together" ? createTogether : createSingly)(votes, settings, random);
  const cost = (t: number, k: number, rival: number): number =>
    2 * penalty * Math.max(0, margin - scores[t * K + k] + scores[t * K + rival]);
  return {
    draw(z) {
      sampler.draw(z, weights);
      scoreVotes(votes, weights, scores);
    },
    speak(t, logs) {
      if (K < 2) return;
      const best = rivalOf(scores, t, -1, K);
      const second = rivalOf(scores, t, best, K);
      for (let k = 0; k < K; k++) logs[k] -= cost(t, k, k === best ? second : best);
    },
    logDensity(z) {
      let log = -(W / 2) * Math.log(2 * Math.PI * variance);
      for (const x of weights) log -= (x * x) / (2 * variance);
      for (let t = 0; K > 1 && t < T; t++) log -= cost(t, z[t], rivalOf(scores, t, z[t], K));
      return log;
    },
    keep: () => keep(weights),
  };
}
