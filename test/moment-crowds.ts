/** Exact moments of random confusions: what endlessly many tasks would show. */
import { asPairs, type GroupMoments } from "../src/aggregate/categorical/moments/group-moments.ts";
import type { PairMoments } from "../src/aggregate/categorical/moments/moments.ts";
import type { TripleMoments } from "../src/aggregate/categorical/moments/triple-moments.ts";
import { dirichlet } from "../src/math/distributions.ts";
import { createRandom } from "../src/math/random.ts";
import type { Steps } from "../src/method.ts";

/** Random confusions; with `experts`, worker k says class k of no other class. */
export function randomConfusions(
  seed: number,
  W: number,
  K: number,
  experts: boolean,
): Float64Array {
  const random = createRandom(seed).split("confusions");
  const confusion = new Float64Array(W * K * K);
  for (let w = 0; w < W; w++) {
    for (let k = 0; k < K; k++) {
      const alpha = new Float64Array(K).map((_, l) => (l === k ? 4 : 1));
      const row = dirichlet(random, alpha);
      if (experts && w < K && k !== w) {
        row[w] = 0;
        const rest = row.reduce((sum, rate) => sum + rate, 0);
        for (let l = 0; l < K; l++) row[l] /= rest;
      }
      confusion.set(row, (w * K + k) * K);
    }
  }
  return confusion;
}

/** The moments of endlessly many tasks, of the pairs that `keep` keeps. */
export function exactMoments(
  confusion: Float64Array,
  prior: Float64Array,
  keep: (u: number, v: number) => boolean = () => true,
): PairMoments {
  const K = prior.length;
  const W = confusion.length / (K * K);
  const theta = (w: number, k: number, l: number) => confusion[(w * K + k) * K + l];
  const means = new Float64Array(W * K);
  const start = new Int32Array(W + 1);
  const partner: number[] = [];
  const joint: number[] = [];
  for (let u = 0; u < W; u++) {
    for (let k = 0; k < K; k++) {
      for (let l = 0; l < K; l++) means[u * K + l] += prior[k] * theta(u, k, l);
    }
    for (let v = 0; v < W; v++) {
      if (u === v || !keep(Math.min(u, v), Math.max(u, v))) continue;
      partner.push(v);
      for (let l = 0; l < K; l++) {
        for (let m = 0; m < K; m++) {
          let sum = 0;
          for (let k = 0; k < K; k++) sum += prior[k] * theta(u, k, l) * theta(v, k, m);
          joint.push(sum);
        }
      }
    }
    start[u + 1] = partner.length;
  }
  return {
    workers: W,
    classes: K,
    given: K,
    labels: new Float64Array(W).fill(1e6),
    means,
    start,
    partner: Int32Array.from(partner),
    common: new Float64Array(partner.length).fill(1e6),
    joint: Float64Array.from(joint),
  };
}

/** What steps end with. */
export function result<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The moments of three groups, every third worker in each, of endlessly many tasks that all label. */
export function exactGroupMoments(confusion: Float64Array, prior: Float64Array): GroupMoments {
  const K = prior.length;
  const W = confusion.length / (K * K);
  const groupOf = Uint8Array.from({ length: W }, (_, w) => w % 3);
  const centre = (g: number, k: number, l: number) =>
    groupOf.reduce((sum, of, w) => sum + (of === g ? confusion[(w * K + k) * K + l] : 0), 0);
  const over = (value: (k: number) => number) =>
    prior.reduce((sum, share, k) => sum + share * value(k), 0);
  const second = [
    [0, 1],
    [0, 2],
    [1, 2],
  ].map(([a, b]) =>
    new Float64Array(K * K).map((_, at) =>
      over((k) => centre(a, k, Math.floor(at / K)) * centre(b, k, at % K)),
    ),
  );
  const third = new Float64Array(K ** 3).map((_, at) => {
    const [i, j, l] = [Math.floor(at / (K * K)), Math.floor(at / K) % K, at % K];
    return over((k) => centre(0, k, i) * centre(1, k, j) * centre(2, k, l));
  });
  const means = new Float64Array(3 * K).map((_, at) =>
    over((k) => centre(Math.floor(at / K), k, at % K)),
  );
  const cross = new Float64Array(W * K * K).map((_, at) => {
    const [w, l, m] = [Math.floor(at / (K * K)), Math.floor(at / K) % K, at % K];
    const others = [0, 1, 2].filter((g) => g !== groupOf[w]);
    return over(
      (k) => confusion[(w * K + k) * K + l] * others.reduce((sum, g) => sum + centre(g, k, m), 0),
    );
  });
  const between = asPairs(second, means, 1e6, K, K);
  return { between, third, workers: W, groupOf, labels: new Float64Array(W).fill(1e6), cross };
}

/** The moments of all triples of endlessly many tasks. */
export function exactTriples(confusion: Float64Array, prior: Float64Array): TripleMoments {
  const K = prior.length;
  const W = confusion.length / (K * K);
  const members: number[] = [];
  const joint: number[] = [];
  for (let u = 0; u < W; u++) {
    for (let v = u + 1; v < W; v++) {
      for (let w = v + 1; w < W; w++) {
        members.push(u, v, w);
        for (let at = 0; at < K ** 3; at++) {
          const labels = [Math.floor(at / (K * K)), Math.floor(at / K) % K, at % K];
          const rate = (k: number) =>
            [u, v, w].reduce(
              (product, of, i) => product * confusion[(of * K + k) * K + labels[i]],
              prior[k],
            );
          joint.push(prior.reduce((sum, _, k) => sum + rate(k), 0));
        }
      }
    }
  }
  return {
    members: Int32Array.from(members),
    common: new Float64Array(members.length / 3).fill(1e6),
    joint: Float64Array.from(joint),
  };
}
