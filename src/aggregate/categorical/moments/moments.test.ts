import { describe, expect, it } from "vitest";
import { exactMoments, randomConfusions, result } from "../../../../test/moment-crowds.ts";
import { drawCrowd, randomCrowd } from "../../../../test/random-crowd.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { fromRows, type LabelRow } from "../../../data/from-rows.ts";
import { dirichlet } from "../../../math/distributions.ts";
import { createRandom } from "../../../math/random.ts";
import { pairMoments, priorOf } from "./moments.ts";

const all = { minCommon: 1, partners: 0, memory: 1000 };

describe("pairMoments", () => {
  it("counts what a walk over all pairs of labels counts", () => {
    const data = randomCrowd(1, { tasks: 30, workers: 7, classes: 3, rate: 0.35 });
    const moments = result(pairMoments("m", data, 3, { ...all, minCommon: 5 }));
    const { counts, common } = walk(data);
    let pairs = 0;
    for (let u = 0; u < 7; u++) {
      const kept = [...moments.partner.subarray(moments.start[u], moments.start[u + 1])];
      const expected = [...common[u].keys()].filter((v) => v !== u && common[u][v] >= 5);
      expect(kept).toEqual(expected);
      kept.forEach((v, i) => {
        const p = moments.start[u] + i;
        expect(moments.common[p]).toBe(common[u][v]);
        for (let l = 0; l < 3; l++) {
          for (let m = 0; m < 3; m++) {
            expect(moments.joint[(p * 3 + l) * 3 + m]).toBeCloseTo(
              counts[u][v][l * 3 + m] / common[u][v],
              12,
            );
          }
        }
      });
      pairs += kept.length;
    }
    // Both kept and dropped pairs were seen.
    expect(pairs).toBeGreaterThan(10);
    expect(pairs).toBeLessThan(42);
  });

  it("has the share of each label", () => {
    const data = randomCrowd(2);
    const { means, labels } = result(pairMoments("m", data, 3, all));
    for (let w = 0; w < 8; w++) {
      const own = [...data.label.keys()].filter((i) => data.worker[i] === w);
      expect(labels[w]).toBe(own.length);
      for (let l = 0; l < 3; l++) {
        const share = own.filter((i) => data.label[i] === l).length / own.length;
        expect(means[w * 3 + l]).toBeCloseTo(share, 12);
      }
    }
  });

  it("comes near confusionᵀ · diag(prior) · confusion with many tasks", () => {
    const shape = { tasks: 40000, workers: 4, classes: 3, rate: 0.8, skill: [0.4, 0.9] } as const;
    const { data, confusion } = drawCrowd(3, shape);
    const found = result(pairMoments("m", data, 3, all));
    const exact = exactMoments(confusion, new Float64Array(3).fill(1 / 3));
    expect(found.joint.length).toBe(exact.joint.length);
    found.joint.forEach((share, at) => {
      expect(Math.abs(share - exact.joint[at])).toBeLessThan(0.015);
    });
  });

  it("is confusionᵀ · diag(prior) · confusion where every outcome comes as often as it should", () => {
    const prior = Float64Array.of(0.5, 0.3, 0.2);
    const confusion = randomConfusions(1, 3, 3, false);
    const data = everyOutcome(confusion, prior);
    const found = result(pairMoments("m", data, 3, { ...all, minCommon: 1e-9 }));
    const exact = exactMoments(confusion, prior);
    expect([...found.partner]).toEqual([...exact.partner]);
    expect([...found.joint]).toEqual([...exact.joint].map((share) => expect.closeTo(share, 12)));
  });

  it("keeps for each worker the partners with the most common tasks", () => {
    const data = randomCrowd(4, { tasks: 200, workers: 20, rate: 0.3 });
    const { start, partner, common } = result(pairMoments("m", data, 3, { ...all, partners: 3 }));
    const every = result(pairMoments("m", data, 3, all));
    for (let u = 0; u < 20; u++) {
      const kept = new Set(partner.subarray(start[u], start[u + 1]));
      expect(kept.size).toBeGreaterThanOrEqual(3);
      const sizes = every.common
        .slice(every.start[u], every.start[u + 1])
        .sort()
        .reverse();
      for (let p = every.start[u]; p < every.start[u + 1]; p++) {
        if (every.common[p] > sizes[2]) expect(kept).toContain(every.partner[p]);
      }
      // A pair that one of two keeps, both keep.
      for (const v of kept) expect(partner.subarray(start[v], start[v + 1])).toContain(u);
    }
    expect(common.length).toBeLessThan(every.common.length / 2);
  });

  it("says how much memory it would take, and refuses", () => {
    const data = randomCrowd(5, { tasks: 20, workers: 10, rate: 1 });
    expect(() => result(pairMoments("cnmf", data, 3, { ...all, memory: 0.001 }))).toThrow(
      /cnmf: the moments of 45 pairs among 10 workers .* would take 1 MB, more than 0.001/,
    );
  });

  it("multiplies the weights of two labels", () => {
    const data = randomCrowd(6);
    const weight = Float64Array.from(data.label, (_, i) => 1 + (i % 3));
    const { common, start, partner } = result(pairMoments("m", { ...data, weight }, 3, all));
    let sum = 0;
    data.task.forEach((t, i) => {
      data.task.forEach((s, j) => {
        if (t === s && data.worker[i] === 0 && data.worker[j] === 1) sum += weight[i] * weight[j];
      });
    });
    const p = partner.subarray(0, start[1]).indexOf(1);
    expect(common[p]).toBe(sum);
  });
});

describe("priorOf", () => {
  it("finds the prior behind exact moments", () => {
    for (let seed = 0; seed < 10; seed++) {
      const prior = dirichlet(createRandom(seed), Float64Array.of(1, 1, 1, 1));
      const confusion = randomConfusions(seed, 5, 4, false);
      const found = priorOf(exactMoments(confusion, prior), confusion);
      expect([...found]).toEqual([...prior].map((share) => expect.closeTo(share, 9)));
    }
  });
});

/** O(N²): every label with every other of its task. */
function walk(data: CategoricalData) {
  const W = data.workers.length;
  const K = data.classes.length;
  const counts = Array.from({ length: W }, () =>
    Array.from({ length: W }, () => new Float64Array(K * K)),
  );
  const common = Array.from({ length: W }, () => new Float64Array(W));
  for (let i = 0; i < data.label.length; i++) {
    for (let j = 0; j < data.label.length; j++) {
      if (data.task[i] !== data.task[j] || data.worker[i] === data.worker[j]) continue;
      counts[data.worker[i]][data.worker[j]][data.label[i] * K + data.label[j]]++;
      common[data.worker[i]][data.worker[j]]++;
    }
  }
  return { counts, common };
}

/** A task for each class and each way in which three workers can label it, by its probability. */
function everyOutcome(confusion: Float64Array, prior: Float64Array): CategoricalData {
  const rows: LabelRow[] = [];
  const weight: number[] = [];
  for (let at = 0; at < 81; at++) {
    const [k, ...labels] = [27, 9, 3, 1].map((unit) => Math.floor(at / unit) % 3);
    const probability = labels.reduce(
      (product, l, w) => product * confusion[(w * 3 + k) * 3 + l],
      prior[k],
    );
    labels.forEach((l, w) => {
      rows.push({ task: `t${at}`, worker: `w${w}`, label: `c${l}` });
      // The weights of two labels are multiplied.
      weight.push(Math.sqrt(probability));
    });
  }
  return { ...fromRows(rows), weight: Float64Array.from(weight) };
}
