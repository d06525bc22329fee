import { describe, expect, it } from "vitest";
import { adjustedRand } from "../../test/community-crowd.ts";
import { doubledLabels, randomCrowd } from "../../test/random-crowd.ts";
import { symmetricEigen } from "../math/matrix.ts";
import { createRandom } from "../math/random.ts";
import { groupsCrowd } from "../simulate/groups.ts";
import {
  centredAgreement,
  clusterWorkers,
  groupSizes,
  leadingVectors,
  numberGroups,
  quartetScores,
  workerAffinity,
} from "./worker-groups.ts";

describe("centred agreement", () => {
  it("is the share of equal labels less what two who do not look would agree on", () => {
    const data = randomCrowd(3, { tasks: 80, workers: 5, classes: 3, rate: 0.7 });
    const order = Int32Array.of(4, 1, 0, 3, 2);
    const table = centredAgreement(data, order);
    const said = (w: number, t: number) => {
      const at = data.label.findIndex((_, i) => data.worker[i] === w && data.task[i] === t);
      return at < 0 ? -1 : data.label[at];
    };
    for (let i = 0; i < 5; i++) {
      expect(table[i * 5 + i]).toBeNaN();
      for (let j = 0; j < i; j++) {
        const pairs = Array.from(data.tasks, (_, t) => [said(order[i], t), said(order[j], t)]);
        const both = pairs.filter(([a, b]) => a >= 0 && b >= 0);
        const share = (test: (pair: number[]) => boolean) => both.filter(test).length / both.length;
        let expected = share(([a, b]) => a === b);
        for (let k = 0; k < 3; k++) expected -= share(([a]) => a === k) * share(([, b]) => b === k);
        expect(both.length).toBeGreaterThanOrEqual(20);
        expect(table[i * 5 + j]).toBeCloseTo(expected, 12);
        expect(table[j * 5 + i]).toBe(table[i * 5 + j]);
      }
    }
  });

  it("counts a task once if a worker labelled it twice, or with a weight", () => {
    const data = randomCrowd(4, { tasks: 60, workers: 4, classes: 2, rate: 0.9 });
    const order = Int32Array.of(0, 1, 2, 3);
    const plain = centredAgreement(data, order);
    const { doubled, weighted } = doubledLabels(data);
    const expectSame = (table: Float64Array) =>
      table.forEach((q, at) => {
        if (Number.isNaN(plain[at])) expect(q).toBeNaN();
        else expect(q).toBeCloseTo(plain[at], 12);
      });
    expectSame(centredAgreement(doubled, order));
    expectSame(centredAgreement(weighted, order));
  });

  it("says nothing of pairs with fewer than 20 common tasks", () => {
    const data = randomCrowd(5, { tasks: 19, workers: 3, rate: 1 });
    const order = Int32Array.of(0, 1, 2);
    expect(centredAgreement(data, order).every(Number.isNaN)).toBe(true);
    // Labels that come twice do not make a task two tasks.
    const { doubled } = doubledLabels(data);
    expect(centredAgreement(doubled, order).every(Number.isNaN)).toBe(true);
  });
});

describe("scores of pairs", () => {
  it("are the mean over all other two workers, by the definition", () => {
    const n = 6;
    const random = createRandom(1);
    const q = new Float64Array(n * n);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < i; j++) q[i * n + j] = q[j * n + i] = random.next() - 0.3;
    }
    const scores = quartetScores(q, n, random);
    for (let u = 0; u < n; u++) {
      for (let v = 0; v < u; v++) {
        const terms: number[] = [];
        for (let w = 0; w < n; w++) {
          for (let x = 0; x < n; x++) {
            if (new Set([u, v, w, x]).size < 4) continue;
            terms.push(Math.abs(q[u * n + v] * q[w * n + x] - q[u * n + x] * q[w * n + v]));
          }
        }
        const mean = terms.reduce((a, b) => a + b, 0) / terms.length;
        expect(scores[u * n + v]).toBeCloseTo(mean, 12);
      }
    }
  });

  it("are 0 if agreement is a product of skills", () => {
    const n = 7;
    const skill = Array.from({ length: n }, (_, i) => 0.2 + 0.1 * i);
    const q = Float64Array.from(
      { length: n * n },
      (_, at) => skill[Math.floor(at / n)] * skill[at % n],
    );
    expect(Math.max(...quartetScores(q, n, createRandom(0)))).toBeLessThan(1e-15);
  });
});

it("finds planted groups when told how many, with a sample of quartets as well", () => {
  const { data, roles } = groupsCrowd({ tasks: 800, workers: 72, groups: 4 });
  const affinity = workerAffinity(data, 4, 0);
  const truth = Int32Array.from(affinity.workers, (w) => Number(roles?.[w].slice(-1)));
  expect(affinity.eigenvalues[0]).toBeCloseTo(1, 9);
  expect(adjustedRand(clusterWorkers(affinity, 4, 0), truth)).toBe(1);
});

it("finds the leading eigenvectors of many workers as of few", () => {
  const n = 240;
  const random = createRandom(3);
  const a = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      const together = i % 4 === j % 4 ? 0.006 + 0.002 * (i % 4) : 0.001;
      a[i * n + j] = a[j * n + i] = together * random.next();
    }
  }
  const { values, vectors } = symmetricEigen(a, n);
  const found = leadingVectors(a, n, 4, random);
  for (let j = 0; j < 4; j++) {
    expect(found.eigenvalues[j]).toBeCloseTo(values[j], 8);
    let along = 0;
    for (let i = 0; i < n; i++) along += vectors[i * n + j] * found.vectors[j][i];
    expect(Math.abs(along)).toBeCloseTo(1, 6);
  }
});

it("numbers groups by their first worker, and workers without one by themselves", () => {
  expect([...numberGroups([7, -1, 3, 7, -1, 3])]).toEqual([0, 1, 2, 0, 3, 2]);
  expect([...groupSizes(Int32Array.of(0, 1, 2, 0, 3, 2))]).toEqual([2, 1, 2, 1]);
  expect([...groupSizes(new Int32Array(0))]).toEqual([]);
});
