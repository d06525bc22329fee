import { describe, expect, it } from "vitest";
import { splitAccuracy } from "../../test/datasets.ts";
import { expectConfusions } from "../../test/simulations.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { byWorker } from "../data/categorical.ts";
import { fromMatrix } from "../data/features.ts";
import { createRandom } from "../math/random.ts";
import { copiedCoinCrowd } from "./copied-coin.ts";
import { gaussFeatures } from "./features.ts";
import { fiveWorkersCrowd } from "./five-workers.ts";
import { groupsCrowd } from "./groups.ts";
import { instanceDependentCrowd } from "./instance-dependent.ts";
import { machinesCrowd } from "./machines.ts";
import { robustnessCrowd } from "./robustness.ts";
import { readAll } from "./rows.ts";
import { scatteredCrowd } from "./scattered.ts";
import type { Simulation } from "./simulation.ts";

const strictly = { errors: 3, few: 1 };

describe("instance-dependent", () => {
  it("has its share of outliers, and its noise on the other tasks", () => {
    const crowd = instanceDependentCrowd({ tasks: 20_000, classes: 4, seed: 1 });
    const { outliers = new Uint8Array() } = crowd;
    const share = outliers.reduce((sum, o) => sum + o, 0) / 20_000;
    expect(Math.abs(share - 0.3)).toBeLessThan(3 * Math.sqrt(0.21 / 20_000));
    expectConfusions(crowd, strictly);
    expect(crowd.features?.shape).toEqual([20]);
    expect(accuracyOf(crowd, (t) => outliers[t] === 0)).toBeCloseTo(0.8, 1);
    expect(accuracyOf(crowd, (t) => outliers[t] === 1)).toBeCloseTo(0.25, 1);
  });

  it("labels an outlier by what it looks like", () => {
    // All tasks are outliers of one class that look one of two ways, so each way has one softmax.
    const T = 40_000;
    const truth = new Int32Array(T);
    const looks = Float32Array.from({ length: 2 * T }, (_, i) =>
      i % 4 === 0 || i % 4 === 3 ? 5 : 0,
    );
    const features = fromMatrix(
      Array.from({ length: T }, (_, t) => String(t)),
      [2],
      looks,
    );
    const one = { outliers: 1, workers: 1, classes: 3, seed: 6 };
    const { data } = instanceDependentCrowd(one, { truth, features });
    const weights = createRandom(6).split("instance-dependent").split("weights");
    for (const look of [0, 1]) {
      const logits = [weights.next(), weights.next(), weights.next()];
      const labels = data.label.filter((_, t) => t % 2 === look);
      for (const [l, logit] of logits.entries()) {
        const expected = Math.exp(logit) / logits.reduce((sum, each) => sum + Math.exp(each), 0);
        const share = labels.filter((each) => each === l).length / labels.length;
        const error = Math.sqrt((expected * (1 - expected)) / labels.length);
        expect(Math.abs(share - expected)).toBeLessThan(3 * error);
      }
    }
  });

  it("has rates around the noise, or one good worker", () => {
    const first = (options: Parameters<typeof instanceDependentCrowd>[0]) => {
      const { confusion = [] } = instanceDependentCrowd({ tasks: 10, ...options });
      return [0, 1, 2].map((w) => confusion[w * 100].toFixed(3));
    };
    expect(first({})).toEqual(["0.800", "0.800", "0.800"]);
    expect(first({ rates: "spread" })).toEqual(["0.850", "0.800", "0.750"]);
    expect(first({ rates: "one-good" })).toEqual(["0.800", "0.100", "0.100"]);
  });
});

describe("machines", () => {
  const options = { tasks: 1500, workers: 8, classes: 4, share: 0.2 } as const;

  it("label their share of the tasks, none that they were trained on, and better than chance", () => {
    const crowd = machinesCrowd({ ...options, smallest: 100, largest: 100 });
    const { start } = byWorker(crowd.data);
    for (let w = 0; w < 8; w++) expect(start[w + 1] - start[w]).toBe(300);
    const kinds = ["nearest neighbours", "logistic regression", "network", "naive Bayes"];
    expect(crowd.roles).toEqual([...kinds, ...kinds]);
    const accuracies = accuracyByWorker(crowd);
    expect(Math.min(...accuracies)).toBeGreaterThan(0.4);
    expect(Math.max(...accuracies)).toBeLessThan(0.95);
  });

  it("with a share of 1 leave out exactly their examples", () => {
    const size = { smallest: 100, largest: 100, share: 1 };
    const { data } = machinesCrowd({ ...options, ...size });
    const { start, other } = byWorker(data);
    const left = Array.from({ length: 8 }, (_, w) => {
      const labelled = new Set(other.subarray(start[w], start[w + 1]));
      return [...[...data.tasks].keys()].filter((t) => !labelled.has(t));
    });
    for (const examples of left) expect(examples.length).toBe(100);
    // Eight times a hundred of 1500: nobody has an example of somebody else.
    expect(new Set(left.flat()).size).toBe(800);
  });

  it("are better as specialists", () => {
    const trained = { ...options, smallest: 20, largest: 20 };
    const weak = accuracyOf(machinesCrowd(trained));
    const special = machinesCrowd({ ...trained, specialists: 1 });
    expect(special.roles[0]).toBe("specialist nearest neighbours");
    expect(accuracyOf(special)).toBeGreaterThan(weak + 0.1);
  });

  it("agree on errors more often than chance, since they see the same features", () => {
    const { data } = machinesCrowd({ ...options, share: 1 });
    let both = 0;
    let same = 0;
    const { start, other, label } = byWorker(data);
    const said = Array.from({ length: 8 }, (_, w) => {
      const tasks = other.subarray(start[w], start[w + 1]);
      return new Map(Array.from(tasks, (t, i) => [t, label[start[w] + i]]));
    });
    for (let w = 1; w < 8; w++) {
      for (const [t, l] of said[w]) {
        const first = said[0].get(t);
        if (first === undefined || first === data.gold[t] || l === data.gold[t]) continue;
        both++;
        if (first === l) same++;
      }
    }
    expect(same / both).toBeGreaterThan(1 / 3 + 0.2);
  });

  it("say which option is wrong", () => {
    expect(() => machinesCrowd({ smallest: 10, largest: 5 })).toThrow(
      "machines: largest must be at least smallest, 10, not 5.",
    );
  });
});

describe("scattered", () => {
  it("has the confusions of its workers, and classes of which none is rare", () => {
    for (const others of ["uniform", "random", "symmetric"] as const) {
      const crowd = scatteredCrowd({ tasks: 20_000, others, seed: 4 });
      expectConfusions(crowd, strictly);
      expect(crowd.roles).toEqual(["expert", others, others, others, others]);
      expect(Math.min(...crowd.prior)).toBeGreaterThan(0.1);
    }
    const { roles, confusion = [] } = scatteredCrowd({ tasks: 9, experts: false });
    expect(roles[0]).toBe("uniform");
    expect(confusion[0] - confusion[1]).toBeCloseTo(1e-4, 7);
  });

  it("with anchors lets the features tell the class; without, never beyond the doubt", () => {
    // Truth is linear in the features: the same row twice has one class, or sometimes two.
    const truthOf = (anchors: boolean) =>
      scatteredCrowd({ tasks: 30_000, anchors, doubt: 0.3, seed: 2 }).data.gold;
    const [certain, doubtful] = [truthOf(true), truthOf(false)];
    const same = certain.filter((k, t) => k === doubtful[t]).length / 30_000;
    // 1 - doubt · (1 - 1 / K)
    expect(Math.abs(same - 0.8)).toBeLessThan(3 * Math.sqrt(0.16 / 30_000));
  });

  it("has features in the unit cube, and classes that a plane parts", () => {
    const crowd = scatteredCrowd({ tasks: 2000, classes: 2, dimensions: 3 });
    const rows = rowsOf(crowd);
    expect(rows.flat().every((x) => x >= 0 && x < 1)).toBe(true);
    // The perceptron stops making mistakes if and only if there is such a plane.
    const w = [0, 0, 0];
    let mistakes = 1;
    for (let round = 0; mistakes > 0 && round < 5000; round++) {
      mistakes = 0;
      rows.forEach((row, t) => {
        const s = crowd.data.gold[t] ? 1 : -1;
        const side = row.reduce((sum, x, j) => sum + w[j] * (x - 0.5), 0);
        if (side * s > 0) return;
        mistakes++;
        row.forEach((x, j) => {
          w[j] += s * (x - 0.5);
        });
      });
    }
    expect(mistakes).toBe(0);
  });
});

it("copied-coin: copies are exact, the feature is the class, and Dawid–Skene follows the coin", () => {
  const { data, features } = copiedCoinCrowd({ seed: 1 });
  expect(data.workers.length).toBe(101);
  for (let t = 0; t < 300; t++) {
    const row = data.label.subarray(t * 101, (t + 1) * 101);
    expect(row[0]).toBe(data.gold[t]);
    expect(new Set(row.subarray(1)).size).toBe(1);
  }
  expect([...readAll(...(features ? [features] : []))]).toEqual([...data.gold]);
  const { posterior } = dawidSkene(data);
  const coin = data.label.filter((_, i) => i % 101 === 1);
  const follows = coin.filter((l, t) => posterior[2 * t + l] > 0.5).length / 300;
  expect(follows).toBeGreaterThan(0.99);
  expect(Math.abs(splitAccuracy(data, posterior) - 0.5)).toBeLessThan(0.1);
});

it("five-workers: have the sensitivities and specificities of the experiment", () => {
  const crowd = fiveWorkersCrowd({ tasks: 20_000, seed: 3 });
  expectConfusions(crowd, strictly);
  const { confusion = [] } = crowd;
  const cells = (at: number) => [0, 1, 2, 3, 4].map((w) => confusion[w * 4 + at]);
  expect(cells(3)).toEqual([0.7, 0.8, 0.5, 0.2, 0.9]);
  expect(cells(0)).toEqual([0.6, 0.9, 0.5, 0.9, 0.9]);
});

it("robustness: one strong feature, many weak ones, five workers", () => {
  const crowd = robustnessCrowd({ tasks: 20_000, weak: 10, seed: 2 });
  expectConfusions(crowd, strictly);
  const signs = Array.from(crowd.data.gold, (k) => (k ? 1 : -1));
  const rows = rowsOf(crowd);
  expect(rows.every(([strong]) => Math.abs(strong) === 1)).toBe(true);
  const agree = rows.filter(([strong], t) => strong === signs[t]).length / 20_000;
  expect(Math.abs(agree - 0.9)).toBeLessThan(3 * Math.sqrt(0.09 / 20_000));
  for (let j = 1; j <= 10; j++) {
    const mean = rows.reduce((sum, row, t) => sum + (row[j] * signs[t]) / 20_000, 0);
    expect(Math.abs(mean - 0.25)).toBeLessThan(4 / Math.sqrt(20_000));
  }
  expect(robustnessCrowd({ tasks: 3 }).features?.shape).toEqual([101]);
});

it("groups: errors within a group go together, between groups they do not", () => {
  const crowd = groupsCrowd({ tasks: 4000, seed: 1 });
  const { data, roles } = crowd;
  const together = (u: number, v: number) => {
    const wrong = (w: number, t: number) => Number(data.label[t * 40 + w] !== data.gold[t]);
    let [a, b, both] = [0, 0, 0];
    for (let t = 0; t < 4000; t++) {
      a += wrong(u, t) / 4000;
      b += wrong(v, t) / 4000;
      both += (wrong(u, t) * wrong(v, t)) / 4000;
    }
    return (both - a * b) / Math.sqrt(a * (1 - a) * b * (1 - b));
  };
  expect(roles.slice(0, 6)).toEqual([0, 1, 2, 3, 4, 0].map((g) => `group ${g}`));
  expect(together(0, 5)).toBeGreaterThan(0.2);
  expect(Math.abs(together(0, 1))).toBeLessThan(0.1);
});

it("groups: with one large group Dawid–Skene falls below the vote", () => {
  const scores = [0, 1, 2].map((seed) => {
    const { data, roles } = groupsCrowd({ tasks: 2000, first: 0.5, seed });
    expect(roles.filter((role) => role === "group 0").length).toBe(20);
    return [dawidSkene, majorityVote].map((method) => splitAccuracy(data, method(data).posterior));
  });
  const mean = (m: number) => scores.reduce((sum, score) => sum + score[m] / 3, 0);
  expect(mean(0)).toBeLessThan(mean(1));
});

it("given features are those that labels follow", () => {
  const truth = Int32Array.from({ length: 600 }, (_, t) => t % 3);
  const clear = gaussFeatures(truth, 3, { separation: 9 }, createRandom(1));
  const crowd = machinesCrowd({ workers: 4, share: 1 }, { truth, features: clear });
  expect(accuracyOf(crowd)).toBeGreaterThan(0.98);
});

function rowsOf({ features }: Simulation): number[][] {
  if (!features) throw new Error("no features");
  const numbers = readAll(features);
  const d = numbers.length / features.tasks.length;
  return Array.from(features.tasks, (_, t) => [...numbers.subarray(t * d, (t + 1) * d)]);
}

/** Share of right labels, of some tasks or all. */
function accuracyOf({ data }: Simulation, of: (t: number) => boolean = () => true): number {
  const labels = [...data.label.keys()].filter((i) => of(data.task[i]));
  return labels.filter((i) => data.label[i] === data.gold[data.task[i]]).length / labels.length;
}

function accuracyByWorker({ data }: Simulation): number[] {
  const { start, other, label } = byWorker(data);
  return Array.from(data.workers, (_, w) => {
    const places = [...label.keys()].slice(start[w], start[w + 1]);
    return places.filter((i) => label[i] === data.gold[other[i]]).length / places.length;
  });
}
