import { expect, it } from "vitest";
import { near } from "../../../test/sequence-checks.ts";
import { createRandom } from "../../math/random.ts";
import { forwardBackward, likeliestPath, pathLinks, scaleEvidence } from "./chain.ts";

const K = 3;
const [B, I, O] = [0, 1, 2];
const chains = Int32Array.from([0, 5, 8]);

/** Two chains of three tags, I only after B and I, with unnormalised rates. */
function drawn(seed: number) {
  const random = createRandom(seed).split("chain");
  const rates = (n: number) => Float64Array.from({ length: n }, () => 0.05 + random.next());
  const [start, step] = [rates(K), rates(K * K)];
  start[I] = 0;
  step[O * K + I] = 0;
  const logs = rates(8 * K).map(Math.log);
  return { model: { start, step }, logs };
}

/** All tag sequences of one chain with their weight. */
function* paths(first: number, end: number, { model, logs }: ReturnType<typeof drawn>) {
  for (let code = 0; code < K ** (end - first); code++) {
    const z = Array.from({ length: end - first }, (_, t) => Math.floor(code / K ** t) % K);
    const weight = z.reduce(
      (product, c, t) =>
        product *
        (t === 0 ? model.start[c] : model.step[z[t - 1] * K + c]) *
        Math.exp(logs[(first + t) * K + c]),
      1,
    );
    yield { z, weight };
  }
}

it.each([1, 2, 3, 4])("equals enumeration, seed %d", (seed) => {
  const made = drawn(seed);
  const seen = { K, chains, ...scaleEvidence(made.logs.slice(), K) };
  const posterior = new Float64Array(8 * K);
  const sums = forwardBackward(seen, made.model, posterior);
  const path = likeliestPath(seen, made.model);
  const { onward, longer } = pathLinks(seen, made.model, path, (tag) => (tag === O ? -1 : I));
  const [marginal, pairs, begin] = [8 * K, K * K, K].map((n) => new Float64Array(n));
  let logZ = 0;
  for (const [first, end] of [
    [0, 5],
    [5, 8],
  ]) {
    const all = [...paths(first, end, made)];
    const Z = all.reduce((sum, { weight }) => sum + weight, 0);
    logZ += Math.log(Z);
    for (const { z, weight } of all) {
      z.forEach((c, t) => {
        marginal[(first + t) * K + c] += weight / Z;
        if (t > 0) pairs[z[t - 1] * K + c] += weight / Z;
        else begin[c] += weight / Z;
      });
    }
    const best = all.reduce((a, b) => (b.weight > a.weight ? b : a));
    expect([...path.subarray(first, end)]).toEqual(best.z);
    expectSpans(all, Z, first, end);
  }
  expect([...posterior]).toEqual(near(marginal, 13));
  expect([...sums.step]).toEqual(near(pairs, 13));
  expect([...sums.start]).toEqual(near(begin, 13));
  expect(sums.logZ).toBeCloseTo(logZ, 12);

  /** The probability of the span from each B of the path on. */
  function expectSpans(
    all: { z: number[]; weight: number }[],
    Z: number,
    first: number,
    end: number,
  ) {
    for (let s = first; s < end; s++) {
      if (path[s] !== B) continue;
      let e = s;
      while (e + 1 < end && path[e + 1] === I) e++;
      let product = posterior[s * K + B];
      for (let t = s + 1; t <= e; t++) product *= onward[t];
      if (e + 1 < end) product *= 1 - longer[e + 1];
      const exact = all
        .filter(
          ({ z }) =>
            z[s - first] === B &&
            z.slice(s - first + 1, e - first + 1).every((c) => c === I) &&
            z[e - first + 1] !== I,
        )
        .reduce((sum, { weight }) => sum + weight / Z, 0);
      expect(product).toBeCloseTo(exact, 12);
    }
  }
});

it("takes the lowest tags of equally likely paths", () => {
  const model = { start: new Float64Array(K).fill(1), step: new Float64Array(K * K).fill(1) };
  const seen = { K, chains, evidence: new Float64Array(8 * K).fill(1), scale: 0 };
  expect([...likeliestPath(seen, model)]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
});

it("holds out against evidence of thousands of nats", () => {
  const { model } = drawn(1);
  const logs = Float64Array.from({ length: 8 * K }, (_, at) => (at % K === I ? 0 : -5000));
  const posterior = new Float64Array(8 * K);
  const { logZ } = forwardBackward({ K, chains, ...scaleEvidence(logs, K) }, model, posterior);
  expect(Number.isFinite(logZ)).toBe(true);
  expect(posterior.every((p) => p >= 0 && p <= 1 + 1e-9)).toBe(true);
});
