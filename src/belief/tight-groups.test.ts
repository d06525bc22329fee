import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../test/random-crowd.ts";
import { type CategoricalData, selectLabels } from "../data/categorical.ts";
import { createRandom } from "../math/random.ts";
import { colludersCrowd } from "../simulate/colluders.ts";
import { oneCoinCrowd } from "../simulate/one-coin.ts";
import { tightGroups } from "./tight-groups.ts";
import { groupSizes } from "./worker-groups.ts";

/** Keeps each label with this probability. */
function thin(data: CategoricalData, share: number, seed: number): CategoricalData {
  const random = createRandom(seed).split("thin");
  const kept = Uint8Array.from(data.label, () => (random.next() < share ? 1 : 0));
  return selectLabels(data, (i) => kept[i] === 1);
}

describe("workers who agree with each other", () => {
  it("are one group although each pair has five tasks in common", () => {
    const { data, roles = [] } = colludersCrowd({ share: 0.3, tasks: 800, workers: 40, seed: 2 });
    const groups = tightGroups(thin(data, 0.08, 2), 12);
    const colluders = roles.flatMap((role, w) => (role === "colluder" ? [groups[w]] : []));
    expect(new Set(colluders).size).toBe(1);
    expect(groupSizes(groups)[colluders[0]]).toBe(colluders.length);
  });

  it("are at most as many groups as asked for", () => {
    const { data } = colludersCrowd({ share: 0.3, tasks: 300, workers: 40, seed: 2 });
    expect(groupSizes(tightGroups(data, 1)).filter((n) => n > 1).length).toBeLessThanOrEqual(1);
  });

  it("are hardly any where all err independently and are alike", () => {
    for (let seed = 0; seed < 10; seed++) {
      const size = { tasks: 500, workers: 30, labelsPerTask: 5, a: 80, b: 20 };
      const { data } = oneCoinCrowd({ ...size, seed });
      expect(groupSizes(tightGroups(data, 12)).filter((n) => n > 2)).toHaveLength(0);
    }
  });

  it("need labels", () => {
    const data = randomCrowd(5);
    const W = data.workers.length;
    expect(
      tightGroups(
        selectLabels(data, () => false),
        3,
      ),
    ).toEqual(Int32Array.from({ length: W }, (_, w) => w));
  });
});
