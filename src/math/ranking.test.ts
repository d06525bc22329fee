import { describe, expect, it } from "vitest";
import { createRandom } from "./random.ts";
import { createRanking } from "./ranking.ts";

describe("ranking", () => {
  it("gives the things in the order of their numbers, whatever was set and removed before", () => {
    const random = createRandom(1).split("ranking");
    const ranking = createRanking();
    const values = new Map<number, number>();
    for (let step = 0; step < 3000; step++) {
      const thing = Math.floor(random.next() * 80);
      if (random.next() < 0.3) {
        ranking.remove(thing);
        values.delete(thing);
      } else {
        const value = random.next();
        ranking.set(thing, value);
        values.set(thing, value);
      }
      if (step % 50 > 0) continue;
      const expected = [...values].sort((a, b) => b[1] - a[1]).map(([thing]) => thing);
      expect([...ranking.largest()]).toEqual(expected);
      expect(ranking.size()).toBe(values.size);
    }
  });

  it("may be empty", () => {
    const ranking = createRanking();
    ranking.remove(3);
    expect([...ranking.largest()]).toEqual([]);
  });
});
