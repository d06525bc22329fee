import { describe, expect, it } from "vitest";
import { featureCrowd } from "../../test/feature-crowd.ts";
import { namesOf } from "../data/names.ts";
import {
  diagonalStart,
  rowSoftmax,
  rowSoftplus,
  startingLogits,
  whoLabelled,
} from "./worker-matrix.ts";

const crowd = (classes: number) => featureCrowd(1, { classes }).data;

describe("starts", () => {
  it("diagonal has the share asked for, and the rest in equal parts", () => {
    for (const K of [2, 3, 10]) {
      const logits = startingLogits(crowd(K), { start: "diagonal", startDiagonal: 0.7 });
      rowSoftmax(logits, K).forEach((p, at) => {
        const right = Math.floor(at / K) % K === at % K;
        expect(p).toBeCloseTo(right ? 0.7 : 0.3 / (K - 1), 12);
      });
    }
  });

  it.each([
    [2, 0.731],
    [8, 0.28],
    [10, 0.232],
  ])("the softmax of the identity is far from it: %s classes, %s", (K, share) => {
    const logits = startingLogits(crowd(K), { start: "softmaxIdentity", startDiagonal: 0.9 });
    expect(rowSoftmax(logits, K)[0]).toBeCloseTo(share, 3);
  });

  it.each([
    [2, 0.9949],
    [8, 0.9654],
    [10, 0.956],
  ])("6 I - 5 behind a softplus: %s classes, %s", (K, share) => {
    expect(rowSoftplus(diagonalStart(1, K, "softplus", 0), K)[0]).toBeCloseTo(share, 4);
  });

  it("both forms start at a share that was asked for", () => {
    for (const share of [0.6, 0.99]) {
      expect(rowSoftplus(diagonalStart(2, 4, "softplus", share), 4)[5]).toBeCloseTo(share, 10);
      expect(rowSoftmax(diagonalStart(2, 4, "softmax", share), 4)[5]).toBeCloseTo(share, 10);
    }
  });

  it("votes: the share of a class's votes among what a worker calls so", () => {
    const data = crowd(3);
    const confusion = rowSoftmax(
      startingLogits(data, { start: "votes", startDiagonal: 0.9 }),
      data.classes.length,
    );
    const votes = Array.from(data.tasks, (_, t) => data.label.filter((_, i) => data.task[i] === t));
    const q = (t: number, k: number) => votes[t].filter((l) => l === k).length / votes[t].length;
    for (const [w, k, l] of [
      [0, 0, 0],
      [2, 1, 2],
      [5, 2, 2],
    ]) {
      let [said, all] = [0, 0];
      for (let i = 0; i < data.label.length; i++) {
        if (data.worker[i] !== w) continue;
        all += q(data.task[i], k);
        if (data.label[i] === l) said += q(data.task[i], k);
      }
      // 1e-4 is added to every share before its logarithm.
      expect(confusion[(w * 3 + k) * 3 + l]).toBeCloseTo((said / all + 1e-4) / (1 + 3e-4), 10);
    }
  });
});

it("says who gave labels", () => {
  const data = crowd(2);
  const more = { ...data, workers: namesOf([...data.workers, "idle"]) };
  expect([...whoLabelled(more)]).toEqual([...Array.from(data.workers, () => 1), 0]);
});
