import { describe, expect, it } from "vitest";
import { accuracyGates } from "../../../../test/datasets.ts";
import { drawCrowd, randomCrowd } from "../../../../test/random-crowd.ts";
import { expectIsland, expectVote, spectralInvariants } from "../../../../test/spectral-crowds.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { namesOf } from "../../../data/names.ts";
import { symmetricEigen } from "../../../math/matrix.ts";
import { createRandom } from "../../../math/random.ts";
import { dalvi } from "./dalvi.ts";

describe("invariants", () => {
  spectralInvariants(dalvi);

  it("orders one-coin workers by skill, and comes near to 2·skill - 1", () => {
    // Not to it: a worker agrees with themselves always, not as often as with an equal.
    const { data, skill } = coins(20_000);
    const { reliability } = dalvi(data);
    skill.forEach((p, w) => {
      expect(Math.abs(reliability[2 * w] - (2 * p - 1))).toBeLessThan(0.15);
      if (w > 0) expect(reliability[2 * w]).toBeGreaterThan(reliability[2 * w - 2]);
    });
  });
});

describe("brute force", () => {
  it.each([
    [2, true],
    [3, true],
    [2, false],
    [3, false],
  ])("is the ratio of two dense eigenvectors (K = %i, normalise %s)", (classes, normalise) => {
    const data = randomCrowd(7, { tasks: 25, workers: 8, classes, rate: 0.3 });
    const { reliability } = dalvi(data, { normalise });
    for (let k = 0; k < classes; k++) {
      const expected = naive(data, k, normalise);
      const turn = Math.sign(expected[0] * reliability[k]);
      for (let w = 0; w < 8; w++) {
        const clipped = Math.max(-1, Math.min(1, turn * expected[w]));
        expect(reliability[w * classes + k]).toBeCloseTo(clipped, 8);
      }
    }
  });
});

describe("published numbers", () => {
  accuracyGates({ bluebird: 0.7222, rte: 0.91 }, 0.003, (data) => dalvi(data));
});

describe("limits", () => {
  it("answers per part of the crowd that the rest does not reach", () => expectIsland(dalvi));
  it("votes where each worker has one label", () => expectVote(dalvi));

  it("does not follow a few workers with most of the labels", () => {
    // A spammer who labels everything and one who says the same, beside good workers with few labels.
    const { data } = drawCrowd(3, {
      tasks: 400,
      workers: 30,
      classes: 2,
      rate: 0.1,
      skill: [0.8, 0.9],
    });
    const random = createRandom(1);
    const guesses = Array.from(data.tasks, () => (random.next() < 0.5 ? 0 : 1));
    const tasks = Array.from(data.tasks, (_, t) => t);
    const crowd: CategoricalData = {
      ...data,
      workers: namesOf([...data.workers, "s1"]),
      task: Int32Array.of(...data.task, ...tasks),
      worker: Int32Array.of(...data.worker, ...tasks.map(() => 30)),
      label: Int32Array.of(...data.label, ...guesses),
    };
    const { reliability } = dalvi(crowd);
    expect(Math.abs(reliability[60])).toBeLessThan(0.2);
    for (let w = 0; w < 30; w++) expect(reliability[2 * w]).toBeGreaterThan(0.2);
  });
});

/** Eigenvectors of the full tables between workers, from the definition. */
function naive(data: CategoricalData, k: number, normalise: boolean): number[] {
  const W = data.workers.length;
  const x = Array.from({ length: W }, () => new Map<number, number>());
  data.label.forEach((l, i) => {
    x[data.worker[i]].set(data.task[i], l === k ? 1 : -1);
  });
  const one = new Float64Array(W * W);
  const two = new Float64Array(W * W);
  for (let w = 0; w < W; w++) {
    for (let v = 0; v < W; v++) {
      let [sum, n] = [0, 0];
      for (const [t, said] of x[w]) {
        const other = x[v].get(t);
        if (other === undefined) continue;
        sum += said * other;
        n++;
      }
      one[w * W + v] = normalise ? (n > 0 ? sum / n : 0) : sum;
      two[w * W + v] = normalise ? (n > 0 ? 1 : 0) : n;
    }
  }
  const [a, b] = [symmetricEigen(one, W), symmetricEigen(two, W)];
  const scale = Math.sqrt(a.values[0] / b.values[0]);
  return x.map((_, w) => (scale * a.vectors[w * W]) / Math.abs(b.vectors[w * W]));
}

/** Twelve workers with one skill each, who label a random half of the tasks. */
function coins(tasks: number): { data: CategoricalData; skill: number[] } {
  const random = createRandom(4);
  const skill = Array.from({ length: 12 }, (_, w) => 0.35 + 0.05 * w);
  const [task, worker, label]: [number[], number[], number[]] = [[], [], []];
  for (let t = 0; t < tasks; t++) {
    for (let w = 0; w < 12; w++) {
      if (random.next() < 0.5) continue;
      task.push(t);
      worker.push(w);
      label.push(random.next() < skill[w] ? t % 2 : 1 - (t % 2));
    }
  }
  return {
    skill,
    data: {
      kind: "categorical",
      tasks: namesOf(Array.from({ length: tasks }, (_, t) => `t${t}`)),
      workers: namesOf(skill.map((_, w) => `w${w}`)),
      classes: namesOf(["a", "b"]),
      task: Int32Array.from(task),
      worker: Int32Array.from(worker),
      label: Int32Array.from(label),
      gold: Int32Array.from({ length: tasks }, (_, t) => t % 2),
      notes: [],
    },
  };
}
