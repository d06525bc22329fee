import { describe, expect, it } from "vitest";
import { splitAccuracy } from "../../test/datasets.ts";
import { asNumbers, expectConfusions } from "../../test/simulations.ts";
import { oracle } from "../aggregate/categorical/bayesian/oracle.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { labelsPerTask, labelsPerWorker } from "../data/crowd-data.ts";
import { fingerprint } from "../data/fingerprint.ts";
import { colludersCrowd } from "./colluders.ts";
import { difficultyCrowd } from "./difficulty.ts";
import { hammerSpammerCrowd } from "./hammer-spammer.ts";
import { hospitalsCrowd } from "./hospitals.ts";
import { labelScenarios } from "./index.ts";
import { maxMigCrowd } from "./max-mig.ts";
import { mixedCrowd } from "./mixed.ts";
import { oneCoinCrowd } from "./one-coin.ts";
import { regularCrowd } from "./regular.ts";

describe.each(labelScenarios.map((scenario) => [scenario.id, scenario] as const))(
  "%s",
  (_, scenario) => {
    it("gives the same crowd for the same seed, and another for another", () => {
      expect(asNumbers(scenario({ tasks: 60 }))).toEqual(asNumbers(scenario({ tasks: 60 })));
      expect(scenario({ tasks: 60, seed: 1 }).data.label).not.toEqual(
        scenario({ tasks: 60 }).data.label,
      );
    });

    it("labels as often as the confusions say", () => {
      const crowd = scenario({ tasks: 3000, seed: 3 });
      if (crowd.confusion) expectConfusions(crowd);
      expect(crowd.roles.length).toBe(crowd.data.workers.length);
      expect(crowd.data.gold.every((k) => k >= 0)).toBe(true);
      expect(crowd.prior.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12);
    });

    it("has no pair of task and worker twice", () => {
      const { data } = scenario({ tasks: 200 });
      const pairs = new Set(
        Array.from(data.task, (t, i) => t * data.workers.length + data.worker[i]),
      );
      expect(pairs.size).toBe(data.label.length);
    });

    it("says which option is wrong", () => {
      expect(() => scenario({ tasks: 0 })).toThrow(
        `${scenario.id}: tasks must be at least 1, not 0.`,
      );
    });
  },
);

it("regular: every task and every worker has its exact number of labels", () => {
  const { data } = regularCrowd({ tasks: 1000, labelsPerTask: 3, labelsPerWorker: 4, spammers: 2 });
  expect(new Set(labelsPerTask(data))).toEqual(new Set([5]));
  const perWorker = labelsPerWorker(data);
  expect(new Set(perWorker.slice(0, 750))).toEqual(new Set([4]));
  expect([...perWorker.slice(750)]).toEqual([1000, 1000]);
  expect(() => regularCrowd({ tasks: 10, labelsPerWorker: 7 })).toThrow(/to divide by/);
});

it("one-coin: activity makes some workers do far more than others", () => {
  const even = labelsPerWorker(oneCoinCrowd({ tasks: 2000 }).data);
  const uneven = labelsPerWorker(oneCoinCrowd({ tasks: 2000, activity: 1.5 }).data);
  expect(Math.max(...even) / Math.min(...even)).toBeLessThan(2);
  expect(Math.max(...uneven) / Math.min(...uneven)).toBeGreaterThan(10);
});

it("mixed: the shares of roles are exact", () => {
  const { roles } = mixedCrowd({ workers: 1000, tasks: 10 });
  const count = (role: string) => roles.filter((each) => each === role).length;
  expect(["good", "mediocre", "spammer", "one class", "swaps"].map(count)).toEqual([
    620, 180, 120, 50, 30,
  ]);
});

it("hospitals: vote and Dawid–Skene follow the largest group, votes of groups do better", () => {
  const { data } = hospitalsCrowd({ seed: 1 });
  const vote = majorityVote(data);
  expect(splitAccuracy(data, vote.posterior)).toBeCloseTo(0.8, 1);
  const fit = dawidSkene(data);
  expect(splitAccuracy(data, fit.posterior)).toBeCloseTo(splitAccuracy(data, vote.posterior), 1);
  const W = data.workers.length;
  let right = 0;
  for (let t = 0; t < data.tasks.length; t++) {
    const groups = [
      [0, 5],
      [5, 55],
      [55, 60],
    ].map(([from, to]) => {
      const ones = data.label.subarray(t * W + from, t * W + to).reduce((sum, l) => sum + l, 0);
      return 2 * ones > to - from ? 1 : 0;
    });
    if (groups.filter((g) => g === data.gold[t]).length >= 2) right++;
  }
  expect(right / data.tasks.length).toBeGreaterThan(0.87);
});

it("max-mig: juniors are exact copies, or say one class", () => {
  const { data, roles } = maxMigCrowd({ juniors: "copies", tasks: 300 });
  expect(roles.slice(5)).toEqual(["copies A", "copies A", "copies C", "copies C", "copies C"]);
  for (let t = 0; t < 300; t++) {
    const row = data.label.subarray(t * 10, (t + 1) * 10);
    expect([row[5], row[6], row[7], row[8], row[9]]).toEqual([
      row[0],
      row[0],
      row[2],
      row[2],
      row[2],
    ]);
  }
  const naive = maxMigCrowd({
    juniors: "naive-majority",
    expertise: "low",
    table: "cifar10",
    tasks: 50,
  });
  expect(naive.data.workers.length).toBe(25);
  expect(naive.data.label.filter((_, i) => i % 25 >= 10).every((l) => l === 0)).toBe(true);
});

it("max-mig: ten classes are confused within their pairs only", () => {
  const { confusion = new Float64Array() } = maxMigCrowd({ table: "cifar10", tasks: 10 });
  for (let row = 0; row < 50; row++) {
    expect(
      confusion.subarray(row * 10, row * 10 + 10).filter((p) => p > 0).length,
    ).toBeLessThanOrEqual(2);
  }
});

it("colluders: agree on every attacked task, and break Dawid–Skene", () => {
  const { data, roles } = colludersCrowd({ tasks: 800, seed: 2 });
  const W = data.workers.length;
  const first = roles.indexOf("colluder");
  let attacked = 0;
  for (let t = 0; t < 800; t++) {
    const gang = new Set(data.label.subarray(t * W + first, (t + 1) * W));
    expect(gang.size).toBe(1);
    if (!gang.has(data.gold[t])) attacked++;
  }
  expect(attacked / 800).toBeCloseTo(0.9, 1);
  expect(splitAccuracy(data, dawidSkene(data).posterior)).toBeLessThan(0.5);
});

it("difficulty: hard tasks are got wrong more often", () => {
  const { data, difficulty = new Float64Array() } = difficultyCrowd({
    tasks: 2000,
    labelsPerTask: 10,
  });
  const share = (hard: boolean) => {
    const labels = [...data.label.keys()].filter((i) => difficulty[data.task[i]] > -1 === hard);
    return labels.filter((i) => data.label[i] === data.gold[data.task[i]]).length / labels.length;
  };
  expect(share(false)).toBeGreaterThan(share(true) + 0.1);
});

it("the oracle's error falls by at least the exponent that the confusions give", () => {
  // p = .7, equal priors: beta = -log(2 sqrt(p(1-p))) = .0871767; the slope has a -½ log M term more.
  const error = (workers: number) => {
    const { data, confusion = new Float64Array() } = oneCoinCrowd({
      tasks: 60_000,
      workers,
      labelsPerTask: 0,
      a: 7e8,
      b: 3e8,
      seed: workers,
    });
    return 1 - splitAccuracy(data, oracle(data, {}, { confusion }).posterior);
  };
  const [few, many] = [error(11), error(21)];
  const slope = Math.log(few / many) / 10;
  expect(few).toBeLessThan(0.5 * Math.exp(-11 * 0.0871767));
  expect(many).toBeLessThan(0.5 * Math.exp(-21 * 0.0871767));
  // Exactly .10866 between 11 and 21 workers; three standard errors of the simulation are .0085.
  expect(Math.abs(slope - Math.log(0.0782248 / 0.0263899) / 10)).toBeLessThan(0.0085);
});

it("crowds of earlier versions stay the same", () => {
  const stored = {
    "one-coin": "4a8e3501b099d307",
    "two-coin": "de2f4c49ffb78c6f",
    confusion: "6e8491f7c415944d",
    "class-dependent": "a19daad99aff212a",
    "hammer-spammer": "dc7450e99fdba716",
    difficulty: "ffed4d638777ca75",
    regular: "42050cae73a3cf29",
    mixed: "1ebfcd4f745b83aa",
    hospitals: "6613768754496d0e",
    "max-mig": "bc14333247621419",
    colluders: "8b129be93072a154",
  };
  for (const scenario of labelScenarios.filter(({ id }) => id in stored)) {
    const name = fingerprint(scenario({ tasks: 60, seed: 7 }).data);
    expect([scenario.id, name]).toEqual([scenario.id, stored[scenario.id as keyof typeof stored]]);
  }
});

it("hammer-spammer: the discrete crowds of Liu, Peng and Ihler", () => {
  const accuracies = (shares: Parameters<typeof hammerSpammerCrowd>[0]) => {
    const { confusion = [] } = hammerSpammerCrowd({ workers: 3000, tasks: 1, ...shares });
    const counts = new Map<number, number>();
    for (let cell = 0; cell < confusion.length; cell += 4) {
      counts.set(confusion[cell], (counts.get(confusion[cell]) ?? 0) + 1 / 3000);
    }
    return counts;
  };
  const two = accuracies({ hammers: 0.5, spammers: 0.5, adversaries: 0, hammerErrors: 0 });
  expect([...two.keys()].sort()).toEqual([0.5, 1]);
  expect(two.get(1)).toBeCloseTo(0.5, 1);
  const third = { hammers: 1, spammers: 1, adversaries: 0, malicious: 1, hammerErrors: 0 };
  const three = accuracies(third);
  expect([...three.keys()].sort()).toEqual([0, 0.5, 1]);
  expect(three.get(0)).toBeCloseTo(1 / 3, 1);
});
