import { describe, expect, it } from "vitest";
import { categoricalSets, gate, hasSet, loadSet, splitAccuracy } from "../../test/datasets.ts";
import { randomCrowd } from "../../test/random-crowd.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { cutFolds, predict, readOut } from "../belief/hold-out.ts";
import type { Known } from "../belief/known.ts";
import { sampleTasks } from "../belief/sample-tasks.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { fromRows } from "../data/from-rows.ts";
import { namesOf } from "../data/names.ts";
import { logLoss } from "../evaluate/log-loss.ts";
import { drain } from "../method.ts";
import { colludersCrowd } from "../simulate/colluders.ts";
import { confusionCrowd } from "../simulate/confusion.ts";
import { difficultyCrowd } from "../simulate/difficulty.ts";
import { hospitalsCrowd } from "../simulate/hospitals.ts";
import { mixedCrowd } from "../simulate/mixed.ts";
import { auto } from "./auto.ts";
import { misnaming } from "./blend.ts";
import { heldOutScore } from "./compare.ts";
import { weigh } from "./portfolio.ts";

describe("invariants", () => {
  it.each(["fast", "normal", "thorough"] as const)(
    "weighs its candidates to one (%s)",
    (effort) => {
      const { portfolio, temperature, posterior } = auto(randomCrowd(1), { effort });
      expect(portfolio.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 12);
      expect(portfolio.length).toBe({ fast: 4, normal: 11, thorough: 18 }[effort]);
      expect(temperature).toBeGreaterThanOrEqual(1);
      expect(posterior.every((p) => p >= 0 && p <= 1)).toBe(true);
    },
  );

  it("never looks at the gold that comes with the data", () => {
    const data = randomCrowd(2);
    const blind = { ...data, gold: new Int32Array(data.gold.length).fill(-1) };
    expect(auto(blind).posterior).toEqual(auto(data).posterior);
  });

  it("folds hide each label once, whatever the order of rows", () => {
    const data = randomCrowd(3);
    const folds = cutFolds(data, 5, 0);
    const hidden = folds.flatMap((fold) => rows(fold.hidden));
    expect(hidden.sort()).toEqual(rows(data).sort());
    for (const { shown, hidden: part } of folds) {
      expect(shown.label.length + part.label.length).toBe(data.label.length);
    }
    const turned = {
      ...data,
      task: data.task.toReversed(),
      worker: data.worker.toReversed(),
      label: data.label.toReversed(),
    };
    expect(rows(cutFolds(turned, 5, 0)[0].hidden).sort()).toEqual(rows(folds[0].hidden).sort());
    const [once] = cutFolds(data, 1, 0);
    expect(once.hidden.label.length / data.label.length).toBeLessThan(0.25);
  });

  it("samples whole tasks", () => {
    const data = randomCrowd(4, { tasks: 2000 });
    const gold = data.gold;
    const sample = sampleTasks(data, { gold }, 2000, 0);
    expect(sample.data.label.length).toBeGreaterThan(1500);
    expect(sample.data.label.length).toBeLessThan(2500);
    expect(sample.known.gold).toEqual(sample.data.gold);
    const counts = new Map<string, number>();
    for (const t of data.task)
      counts.set(data.tasks.at(t), (counts.get(data.tasks.at(t)) ?? 0) + 1);
    const kept = new Map<string, number>();
    for (const t of sample.data.task)
      kept.set(sample.data.tasks.at(t), (kept.get(sample.data.tasks.at(t)) ?? 0) + 1);
    for (const [name, n] of kept) expect(n).toBe(counts.get(name));
    expect(sampleTasks(data, {}, 1e9, 0).data).toBe(data);
  });
});

describe("brute force", () => {
  it("predicts hidden labels as the definition says", () => {
    const data = randomCrowd(5, { tasks: 10 });
    const { posterior } = dawidSkene(data);
    const rates = readOut(data, posterior, 3);
    let expected = 0;
    for (let i = 0; i < data.label.length; i++) {
      let p = 0;
      for (let k = 0; k < 3; k++) {
        p += posterior[data.task[i] * 3 + k] * rates[(data.worker[i] * 3 + k) * 3 + data.label[i]];
      }
      expected += Math.log(p);
    }
    expect(predict(data, posterior, rates, 3)).toBeCloseTo(expected, 9);
    for (let row = 0; row < rates.length; row += 3) {
      expect(rates[row] + rates[row + 1] + rates[row + 2]).toBeCloseTo(1, 12);
    }
  });
});

describe("weights", () => {
  const entries = [
    { family: "votes" },
    { family: "votes" },
    { family: "one number per worker" },
    { family: "confusions" },
  ] as const;

  it("are the say of each family, shared within it, if nothing is evidence", () => {
    expect(weigh(entries, [-1, -2, -3, -4], 0)).toEqual([1, 1, 2, 1]);
  });

  it("follow the evidence for the best of each family", () => {
    const [a, b, coin, table] = weigh(entries, [-1, -1.5, -0.9, -0.8], 10);
    expect(a + b).toBeCloseTo(2 * Math.exp(-2), 12);
    expect(b / a).toBeCloseTo(Math.exp(-5), 12);
    expect(coin).toBeCloseTo(2 * Math.exp(-1), 12);
    expect(table).toBe(1);
  });
});

describe("recovery", () => {
  it("is at least as good as the vote on crowds of many kinds", () => {
    for (const crowd of [
      (seed: number) => mixedCrowd({ tasks: 2000, workers: 1000, seed }),
      (seed: number) => confusionCrowd({ tasks: 500, workers: 20, seed }),
      (seed: number) => confusionCrowd({ tasks: 300, workers: 100, diagonal: 2, seed }),
    ]) {
      const gains = [0, 1, 2, 3, 4].map((seed) => {
        const { data } = crowd(seed);
        const [blend, vote] = [auto(data, { effort: "fast" }), majorityVote(data)];
        return splitAccuracy(data, blend.posterior) - splitAccuracy(data, vote.posterior);
      });
      expect(gains.reduce((sum, gain) => sum + gain, 0) / gains.length).toBeGreaterThan(-0.002);
    }
  });

  it("lets evidence say nothing for a candidate whose classes do not mean what they are called", () => {
    // Hard tasks, and a third class that hardly anybody names: the flexible model fills it with them.
    const { data } = difficultyCrowd({
      tasks: 1500,
      workers: 20,
      labelsPerTask: 6,
      easeMean: 0.3,
      easeSpread: 1.2,
      seed: 1,
    });
    const crowd = {
      ...data,
      classes: namesOf(["a", "b", "skip"]),
      label: data.label.map((l, i) => (i % 97 === 0 ? 2 : l)),
    };
    const shrunk = dawidSkene(crowd, { shrinkage: 4 });
    const { wrong } = misnaming(crowd, shrunk.posterior, 3);
    expect(wrong).toBeGreaterThan(0.1);
    expect(wrong).toBeLessThan(0.3);
    const { portfolio, posterior } = auto(crowd, { effort: "fast" });
    const weight = portfolio.find(({ method }) => method === "dawid-skene")?.weight ?? 1;
    expect(weight).toBeLessThan(0.5);
    expect(splitAccuracy(crowd, posterior)).toBeGreaterThan(
      splitAccuracy(crowd, shrunk.posterior) + 0.1,
    );
  });

  it("takes the right model where workers err independently and labels are many", () => {
    const { data } = confusionCrowd({ tasks: 20_000, workers: 100, seed: 4 });
    const [blend, right] = [auto(data, { effort: "fast" }), dawidSkene(data)];
    const weight = blend.portfolio.find(({ method }) => method === "dawid-skene")?.weight;
    expect(weight).toBeGreaterThan(0.9);
    expect(splitAccuracy(data, blend.posterior)).toBeGreaterThan(
      splitAccuracy(data, right.posterior) - 0.002,
    );
  });

  it("is less sure the more the errors of workers go together", () => {
    const { data } = confusionCrowd({ tasks: 400, workers: 12, labelsPerTask: 6, seed: 2 });
    // The same labels again by other workers, but for a few: twice as many, and nothing new.
    const W = data.workers.length;
    const twice = (label: Int32Array) => ({
      ...data,
      workers: namesOf([...data.workers, ...Array.from(data.workers, (name) => `${name} again`)]),
      task: Int32Array.of(...data.task, ...data.task),
      worker: Int32Array.of(...data.worker, ...data.worker.map((w) => w + W)),
      label: Int32Array.of(...data.label, ...label),
    });
    const nearly = data.label.map((l, i) => (i % 10 === 0 ? (l + 1) % data.classes.length : l));
    const [once, copied] = [auto(data), auto(twice(nearly))];
    // Exact copies change next to nothing.
    const exact = auto(twice(data.label));
    expect(new Set(exact.copies).size).toBe(W);
    const changed = exact.consensus.filter((k, t) => k !== once.consensus[t]);
    expect(changed.length / data.tasks.length).toBeLessThan(0.05);
    expect(Math.abs(exact.temperature - once.temperature)).toBeLessThan(0.05);
    expect(copied.sharedErrors.correlation).toBeGreaterThan(once.sharedErrors.correlation + 0.05);
    expect(copied.temperature).toBeGreaterThan(once.temperature);
  });

  it("counts workers who err together as one, and finds the truth against colluders", () => {
    const { data: alike } = colludersCrowd({ tasks: 600, seed: 5 });
    const K = alike.classes.length;
    const exact = auto(alike, { effort: "fast" });
    expect(splitAccuracy(alike, exact.posterior)).toBeGreaterThan(0.98);
    expect(exact.notes.join()).toMatch(/18 of 60 workers are copies of one another in 1 group/);
    // Who differs now and then is no copy.
    const data = {
      ...alike,
      label: alike.label.map((l, i) => ((7919 * i) % 41 === 0 ? (l + 1) % K : l)),
    };
    const blend = auto(data, { effort: "fast" });
    expect(splitAccuracy(data, majorityVote(data).posterior)).toBeLessThan(0.7);
    expect(splitAccuracy(data, dawidSkene(data).posterior)).toBeLessThan(0.3);
    expect(splitAccuracy(data, blend.posterior)).toBeGreaterThan(0.98);
    expect(blend.notes.join()).toMatch(/18 of 60 workers err together in 1 group/);
    expect(blend.portfolio.map(({ name }) => name)).toContain("group Dawid–Skene");
    // Nothing of the kind where workers are independent.
    expect(auto(randomCrowd(6), { effort: "fast" }).groups).toBeUndefined();
  });

  it("takes groups that are given", () => {
    const { data } = hospitalsCrowd({ tasks: 400, seed: 5 });
    const groups = Int32Array.from(data.workers, (_, w) => (w < 5 ? 0 : w < 55 ? 1 : 2));
    const told = auto(data, { effort: "fast" }, { groups });
    expect(told.groups).toEqual(groups);
    expect(told.notes.join()).not.toMatch(/ignores/);
  });

  it("lets known answers set how sure it is", () => {
    // All workers copy one who is right in three of four.
    const crowd = fromRows(
      Array.from({ length: 9 * 300 }, (_, i) => {
        const t = i % 300;
        return { task: `t${t}`, worker: `w${i % 7}`, label: `c${(t + (t % 4 === 0 ? 1 : 0)) % 2}` };
      }),
      {
        gold: Array.from({ length: 300 }, (_, t) => [`t${t}`, `c${t % 2}`] as const),
        repeats: "all",
      },
    );
    const gold = crowd.gold.map((k, t) => (t % 3 === 0 ? k : -1));
    const sure = (known: Known) => {
      const { confidence } = auto(crowd, { effort: "fast" }, known);
      const rest = confidence.filter((_, t) => gold[t] < 0);
      return rest.reduce((sum, p) => sum + p, 0) / rest.length;
    };
    const right = splitAccuracy(crowd, majorityVote(crowd).posterior);
    expect(sure({})).toBeGreaterThan(right + 0.1);
    expect(Math.abs(sure({ gold }) - right)).toBeLessThan(0.07);
  });
});

describe("published sets", () => {
  const present = categoricalSets.filter(hasSet);
  // Where workers agree on something other than gold, no method that sees only labels can tell.
  const beyond = new Set(["ducks"]);
  for (const name of categoricalSets) {
    gate(name, "not below the vote by more than half a point, or known to be", (data) => {
      const [blend, vote] = [auto(data), majorityVote(data)].map(({ posterior }) =>
        splitAccuracy(data, posterior),
      );
      if (!beyond.has(name)) expect(blend).toBeGreaterThanOrEqual(vote - 0.005);
      else expect(blend).toBeGreaterThan(vote - 0.11);
    });
  }

  gate("bluebird", "a candidate that loses a class is left out", (data) => {
    const lost = auto(data).portfolio.find(({ name }) => name === "one-coin, learnt prior");
    expect(lost?.leftOut).toMatch(/have lost their tasks/);
  });

  it("has the lower log-loss than votes and Dawid–Skene, on average", () => {
    const losses = present
      .filter((name) => !["cifar10n", "fact_eval", "imagenet15n"].includes(name))
      .map((name) => {
        const data = loadSet(name);
        return [auto(data, { effort: "fast" }), majorityVote(data), dawidSkene(data)].map(
          (result) => logLoss({ ...result, gold: data.gold }),
        );
      });
    const mean = (m: number) =>
      losses.reduce((sum, row) => sum + row[m], 0) / Math.max(1, losses.length);
    if (losses.length > 0) {
      expect(mean(0)).toBeLessThan(mean(1));
      expect(mean(0)).toBeLessThan(mean(2));
    }
  });
});

describe("limits", () => {
  it("leaves out what would take too long for so many labels", () => {
    const tried = (tasks: number) =>
      auto(mixedCrowd({ tasks, workers: 200, seed: 1 }).data).portfolio.map(({ name }) => name);
    expect(tried(2000)).toContain("BWA");
    expect(tried(60_000)).not.toContain("BWA");
  });

  it("copes with one label, and with workers who all do the same", () => {
    const one = fromRows([{ task: "a", worker: "w", label: "x" }], { classes: ["x", "y"] });
    expect(auto(one).consensus[0]).toBe(0);
    const same = fromRows(
      Array.from({ length: 30 }, (_, i) => ({
        task: `t${i % 10}`,
        worker: `w${i % 3}`,
        label: "x",
      })),
      { classes: ["x", "y"] },
    );
    expect(new Set(auto(same).consensus)).toEqual(new Set([0]));
  });
});

function rows({ task, worker, label, tasks, workers }: ReturnType<typeof randomCrowd>): string[] {
  return Array.from(task, (t, i) => `${tasks.at(t)} ${workers.at(worker[i])} ${label[i]}`);
}

describe("the score on hidden labels", () => {
  it("does not count abstentions that a method leaves out, nor care for names", () => {
    const data = randomCrowd(3, { tasks: 60 });
    const score = (crowd: CategoricalData) =>
      drain(heldOutScore(crowd, dawidSkene, {}, {}, { folds: 2 }));
    const more = {
      ...data,
      task: Int32Array.of(...data.task, 0, 1, 2),
      worker: Int32Array.of(...data.worker, 7, 7, 7),
      label: Int32Array.of(...data.label, 3, 3, 3),
    };
    const renamed = { ...data, tasks: namesOf(Array.from(data.tasks, (name) => `x${name}`)) };
    expect(score(more)).toBe(score(data));
    expect(score(renamed)).toBe(score(data));
  });
});
