import { describe, expect, it } from "vitest";
import { dirichlet } from "../math/distributions.ts";
import { createRandom } from "../math/random.ts";
import { entropyOf, expectedInformation, expectedRise, speakerOf } from "./expected-gain.ts";

const random = createRandom(3).split("gain");

function drawn(K: number, L: number) {
  const q = dirichlet(random, new Float64Array(K).fill(0.7), new Float64Array(K));
  const rows = new Float64Array(K * L);
  for (let c = 0; c < K; c++) {
    dirichlet(random, new Float64Array(L).fill(0.6), rows.subarray(c * L, (c + 1) * L));
  }
  return { q, rows, speaker: speakerOf(rows, K) };
}

describe("expected gain of a label", () => {
  it("is .0746843 nats and .04 for believed .7 and .3 and rows .8 .2 and .4 .6", () => {
    const speaker = speakerOf(Float64Array.of(0.8, 0.2, 0.4, 0.6), 2);
    const q = Float64Array.of(0.7, 0.3);
    expect(expectedInformation(q, 0, speaker)).toBeCloseTo(0.0746843, 7);
    expect(expectedRise(q, 0, speaker)).toBeCloseTo(0.04, 12);
  });

  it("is what the posteriors after each label say on average", () => {
    for (let draw = 0; draw < 200; draw++) {
      const [K, L] = [2 + (draw % 4), 2 + (draw % 5)];
      const { q, rows, speaker } = drawn(K, L);
      let [information, rise] = [entropyOf(q, 0, K), -Math.max(...q)];
      for (let l = 0; l < L; l++) {
        const joint = q.map((p, c) => p * rows[c * L + l]);
        const total = joint.reduce((a, b) => a + b, 0);
        const after = joint.map((p) => p / total);
        information -= total * entropyOf(after, 0, K);
        rise += total * Math.max(...after);
      }
      expect(expectedInformation(q, 0, speaker)).toBeCloseTo(Math.max(0, information), 12);
      expect(expectedRise(q, 0, speaker)).toBeCloseTo(Math.max(0, rise), 12);
    }
  });

  it("of several labels is larger than 0 if one alone cannot turn the answer", () => {
    const speaker = speakerOf(Float64Array.of(0.8, 0.2, 0.2, 0.8), 2);
    const q = Float64Array.of(0.9, 0.1);
    expect(expectedRise(q, 0, speaker)).toBeCloseTo(0, 12);
    // Two labels against it: .1 × .64 − .9 × .04.
    expect(expectedRise(q, 0, speaker, 2)).toBeCloseTo(0.028, 12);
  });

  it("is nothing if the task is known, or if the worker guesses", () => {
    const { speaker } = drawn(3, 3);
    expect(expectedInformation(Float64Array.of(0, 1, 0), 0, speaker)).toBeCloseTo(0, 12);
    const guess = speakerOf(Float64Array.of(0.2, 0.5, 0.3, 0.2, 0.5, 0.3, 0.2, 0.5, 0.3), 3);
    expect(expectedInformation(Float64Array.of(0.2, 0.3, 0.5), 0, guess)).toBeCloseTo(0, 12);
  });
});
