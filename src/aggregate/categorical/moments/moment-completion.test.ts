import { describe, expect, it } from "vitest";
import { exactMoments, randomConfusions, result } from "../../../../test/moment-crowds.ts";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import { createRandom } from "../../../math/random.ts";
import { complete } from "./moment-completion.ts";
import { pairMoments } from "./moments.ts";

const prior = Float64Array.of(0.5, 0.3, 0.2);

describe("complete", () => {
  it("tells the moments of pairs it has not seen", () => {
    for (let seed = 0; seed < 3; seed++) {
      const confusion = randomConfusions(seed, 10, 3, false);
      const random = createRandom(seed);
      const seen = (u: number, v: number) => random.split(u).split(v).next() >= 0.4;
      const some = exactMoments(confusion, prior, seen);
      const all = exactMoments(confusion, prior);
      expect(some.partner.length).toBeLessThan(0.75 * all.partner.length);
      const { factor } = result(
        complete(some, createRandom(1), { sweeps: 3000, precision: 1e-12 }),
      );
      for (let u = 0; u < 10; u++) {
        for (let p = all.start[u]; p < all.start[u + 1]; p++) {
          for (let cell = 0; cell < 9; cell++) {
            const own = (u * 3 + Math.floor(cell / 3)) * 3;
            const theirs = (all.partner[p] * 3 + (cell % 3)) * 3;
            let product = 0;
            for (let k = 0; k < 3; k++) product += factor[own + k] * factor[theirs + k];
            expect(Math.abs(product - all.joint[p * 9 + cell])).toBeLessThan(1e-4);
          }
        }
      }
    }
  });

  it("fits no worse from sweep to sweep, but for the weight of |U|²", () => {
    const data = randomCrowd(1, { tasks: 200 });
    const settings = { minCommon: 5, partners: 0, memory: 100 };
    const moments = result(pairMoments("m", data, 3, settings));
    const { misfit } = result(complete(moments, createRandom(1), { sweeps: 50, precision: -1 }));
    expect(misfit.length).toBe(50);
    for (let i = 1; i < misfit.length; i++) {
      expect(misfit[i]).toBeLessThan(misfit[i - 1] + 0.02);
    }
    expect(misfit[49]).toBeLessThan(0.9 * misfit[0]);
  });
});
