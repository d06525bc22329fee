import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { splitAccuracy } from "../../../../test/datasets.ts";
import { randomCrowd } from "../../../../test/random-crowd.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { fromRows } from "../../../data/from-rows.ts";
import { namesOf } from "../../../data/names.ts";
import { createRandom } from "../../../math/random.ts";
import { load, save } from "../save.ts";
import { crowdlab } from "./crowdlab.ts";
import { majorityVote } from "./majority-vote.ts";

/** A classifier that is right with this probability, and rather sure. */
function classifier(data: CategoricalData, accuracy: number, seed = 0): Float64Array {
  const random = createRandom(seed).split("classifier");
  const K = data.classes.length;
  const f = new Float64Array(data.tasks.length * K);
  data.gold.forEach((k, t) => {
    const right = random.next() < accuracy;
    const said = right ? k : (k + 1 + Math.floor((K - 1) * random.next())) % K;
    const sure = 0.4 + 0.5 * random.next();
    for (let c = 0; c < K; c++) f[t * K + c] = c === said ? sure : (1 - sure) / (K - 1);
  });
  return f;
}

describe("invariants", () => {
  it("takes predictions in any scale, and leaves them alone", () => {
    const data = randomCrowd(1);
    const predictions = classifier(data, 0.7);
    const before = predictions.slice();
    const result = crowdlab(data, {}, { predictions });
    expect(predictions).toEqual(before);
    const scaled = crowdlab(data, {}, { predictions: predictions.map((p) => 7 * p) });
    scaled.posterior.forEach((p, at) => {
      expect(p).toBeCloseTo(result.posterior[at], 12);
    });
    expect(load(save(result))).toEqual(result);
  });

  it("lets a heavy label decide its task", () => {
    const data = fromRows(
      "0xa 0ya 0zb 1xa 1ya 1za 2xb 2yb 2zb".split(" ").map(([task, worker, label]) => ({
        task,
        worker,
        label,
      })),
    );
    const predictions = new Float64Array(6).fill(0.5);
    expect(crowdlab(data, {}, { predictions }).consensus[0]).toBe(0);
    const weight = new Float64Array(9).fill(1);
    weight[2] = 9;
    expect(crowdlab({ ...data, weight }, {}, { predictions }).consensus[0]).toBe(1);
  });
});

describe("brute force", () => {
  it("repeats the formulas, task by task", () => {
    for (let seed = 0; seed < 6; seed++) {
      const data = randomCrowd(seed, { tasks: 25, workers: 6, classes: 2 + (seed % 3), rate: 0.4 });
      const predictions = classifier(data, 0.6, seed);
      const ours = crowdlab(data, {}, { predictions });
      const { posterior, quality } = naive(data, predictions);
      posterior.forEach((p, at) => {
        expect(ours.posterior[at]).toBeCloseTo(p, 10);
      });
      quality.forEach((q, w) => {
        if (!Number.isNaN(q)) expect(ours.skill[w]).toBeCloseTo(q, 10);
      });
    }
  });
});

/** Made by test/fixtures/crowdlab.py. */
interface Cleanlab {
  readonly classes: number;
  /** A row per task with labels, a letter per worker: the class, or a dot. */
  readonly labels: readonly string[];
  /** Also of tasks without labels, which come last. */
  readonly predictions: readonly number[];
  readonly onePass: CleanlabPass;
  readonly twoPasses: CleanlabPass;
  /** With the labels of each class counted right, for the temperature. */
  readonly activeLab: CleanlabScores;
  /** cleanlab 2.9.0 counts labels that all name one class for the first class. */
  readonly activeLabAsReleased: CleanlabScores;
}

interface CleanlabScores {
  readonly temperature: number;
  readonly scores: readonly number[];
}

interface CleanlabPass {
  readonly consensus: readonly number[];
  /** Of the classes that somebody named, as posterior[task * K + class]; null elsewhere. */
  readonly posterior: readonly (number | null)[];
  readonly quality: readonly (number | null)[];
  readonly weights: readonly number[];
  readonly modelWeight: number;
}

describe("cleanlab", () => {
  const stored: readonly Cleanlab[] = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../../../test/fixtures/crowdlab.json"), "utf8"),
  );

  it("finds what cleanlab finds, in one pass and in two", () => {
    expect(stored.length).toBe(4);
    for (const crowd of stored) {
      const { data, known } = readCleanlab(crowd);
      const names = Array.from(data.workers, Number);
      for (const passes of [1, 2]) {
        const theirs = passes === 1 ? crowd.onePass : crowd.twoPasses;
        const ours = crowdlab(data, { passes }, known);
        expect(Math.abs(ours.modelWeight - theirs.modelWeight)).toBeLessThan(1e-9);
        expectClose(ours.posterior, theirs.posterior);
        expectClose(
          ours.weights,
          names.map((w) => theirs.weights[w]),
        );
      }
      // The second pass moves the weights, and is what the answers of the first are scored by.
      expect(Math.abs(crowd.onePass.modelWeight - crowd.twoPasses.modelWeight)).toBeGreaterThan(
        0.1,
      );
      const first = crowdlab(data, {}, known);
      expect([...first.consensus.subarray(0, crowd.labels.length)]).toEqual(
        crowd.twoPasses.consensus,
      );
    }
  });

  it("scores workers as cleanlab does where the second pass keeps the answers of the first", () => {
    const kept = stored.filter((crowd) => {
      const { data, known } = readCleanlab(crowd);
      const { consensus, skill } = crowdlab(data, { passes: 2 }, known);
      const same = crowd.twoPasses.consensus.every((k, t) => k === consensus[t]);
      if (same) {
        const names = Array.from(data.workers, Number);
        expectClose(
          skill,
          names.map((w) => crowd.twoPasses.quality[w]),
        );
      }
      return same;
    });
    expect(kept.length).toBeGreaterThan(0);
  });

  it("scores tasks for the next label as ActiveLab of cleanlab does", () => {
    for (const crowd of stored) {
      const { data, known } = readCleanlab(crowd);
      const options = { passes: 2, calibration: "temperature" } as const;
      const ours = crowdlab(data, options, known);
      expect(ours.temperature).toBeCloseTo(crowd.activeLab.temperature, 12);
      expectClose(ours.activeLab, crowd.activeLab.scores);
      // As it is released: the same scores from its temperature.
      const { temperature, scores } = crowd.activeLabAsReleased;
      const predictions = known.predictions.map((p) => p ** (1 / temperature));
      expectClose(crowdlab(data, { passes: 2 }, { predictions }).activeLab, scores);
    }
  });
});

describe("which task next", () => {
  it("asks where labels are few or disagree, before where all are of one mind", () => {
    const says: [string, string][] = [
      ["abc", "xxx"],
      ["abc", "xxy"],
      ["a", "x"],
      ["", ""],
      ["abc", "yyy"],
    ];
    const rows = says.flatMap(([who, what], t) =>
      [...who].map((worker, i) => ({ task: `t${t}`, worker, label: what[i] })),
    );
    const base = fromRows(rows, { classes: ["x", "y"] });
    const order = ["t0", "t1", "t2", "t3", "t4"];
    const place = base.task.map((t) => order.indexOf(base.tasks.at(t)));
    const data = { ...base, tasks: namesOf(order), task: place, gold: new Int32Array(5).fill(-1) };
    const predictions = Float64Array.of(0.8, 0.2, 0.8, 0.2, 0.8, 0.2, 0.8, 0.2, 0.2, 0.8);
    const { activeLab, posterior, weights, modelWeight } = crowdlab(data, {}, { predictions });
    const mean = (weights[0] + weights[1] + weights[2]) / 3;
    const byHand = says.map(([who], t) => {
      const spoken = [...who].reduce(
        (sum, name) => sum + weights[data.workers.indexOf(name)],
        modelWeight,
      );
      const sure = Math.max(posterior[2 * t], posterior[2 * t + 1]);
      return (spoken * sure + mean / 2) / (spoken + mean);
    });
    expect([...activeLab]).toEqual(byHand.map((x) => expect.closeTo(x, 12)));
    expect(activeLab[1]).toBeLessThan(activeLab[0]);
    expect(activeLab[2]).toBeLessThan(activeLab[0]);
    expect(activeLab[3]).toBeLessThan(activeLab[2]);
  });
});

describe("published numbers", () => {
  // The paper's claim, not its tables: with few labels the two together beat either.
  it("beats the vote and the classifier where tasks have about three labels", () => {
    const sums = { ours: 0, model: 0, votes: 0 };
    for (let seed = 0; seed < 5; seed++) {
      const data = randomCrowd(seed, { tasks: 600, workers: 12, rate: 0.2, skill: [0.4, 0.9] });
      const predictions = classifier(data, 0.75, seed);
      sums.ours += splitAccuracy(data, crowdlab(data, {}, { predictions }).posterior) / 5;
      sums.model += splitAccuracy(data, predictions) / 5;
      sums.votes += splitAccuracy(data, majorityVote(data).posterior) / 5;
    }
    expect(sums.ours).toBeGreaterThan(sums.model + 0.02);
    expect(sums.ours).toBeGreaterThan(sums.votes + 0.02);
  });
});

describe("limits", () => {
  it("is the vote where predictions say nothing and all workers agree as much", () => {
    // Three workers who are each wrong on a task of their own.
    const said = ["aabbb", "abbab", "bbbbb"];
    const data = fromRows(
      said.flatMap((labels, w) =>
        [...labels].map((label, t) => ({ task: `t${t}`, worker: `w${w}`, label })),
      ),
    );
    const { consensus, weights } = crowdlab(
      data,
      {},
      { predictions: new Float64Array(10).fill(0.5) },
    );
    expect(consensus).toEqual(majorityVote(data).consensus);
    expect(weights.length).toBe(3);
  });

  it("breaks a tied vote by the prediction", () => {
    const rows = "0xa 0yb 1xa 1ya 2xb 2yb 3xa 3ya".split(" ");
    const data = fromRows(rows.map(([task, worker, label]) => ({ task, worker, label })));
    const towards = (p: number) => Float64Array.of(p, 1 - p, 0.9, 0.1, 0.1, 0.9, 0.9, 0.1);
    expect(crowdlab(data, {}, { predictions: towards(0.6) }).consensus[0]).toBe(0);
    expect(crowdlab(data, {}, { predictions: towards(0.4) }).consensus[0]).toBe(1);
  });

  it("says so where no task has two labels, and mixes labels and predictions", () => {
    const rows = "0xa 1yb 2xa".split(" ");
    const data = fromRows(rows.map(([task, worker, label]) => ({ task, worker, label })));
    const predictions = Float64Array.of(0.9, 0.1, 0.3, 0.7, 0.4, 0.6);
    const { posterior, notes } = crowdlab(data, {}, { predictions });
    expect(notes.join(" ")).toMatch(/No task has two labels/);
    // Labels are right as often as the model thinks, 2/3, and count as much as it does.
    expect(posterior[0]).toBeCloseTo((0.9 + 2 / 3) / 2, 9);
    expect(posterior[4]).toBeCloseTo((0.4 + 2 / 3) / 2, 9);
  });

  it("gives a task without labels what the model says", () => {
    const base = randomCrowd(3);
    const data = {
      ...base,
      tasks: namesOf([...base.tasks, "new"]),
      gold: Int32Array.of(...base.gold, -1),
    };
    const predictions = new Float64Array(41 * 3).fill(1 / 3);
    predictions.set([0.2, 0.7, 0.1], 120);
    const { posterior } = crowdlab(data, {}, { predictions });
    expect([...posterior.subarray(120)]).toEqual([0.2, 0.7, 0.1].map((p) => expect.closeTo(p, 12)));
  });

  it("all but ignores a model that is no better than naming one class", () => {
    const data = randomCrowd(4, { tasks: 200, skill: [0.8, 0.95] });
    const useless = crowdlab(data, {}, { predictions: classifier(data, 0) });
    expect(useless.modelWeight).toBeLessThan(1e-5);
    const good = crowdlab(data, {}, { predictions: classifier(data, 0.95) });
    expect(good.modelWeight).toBeGreaterThan(1);
  });

  it("refuses labels alone, and predictions of the wrong size", () => {
    const data = randomCrowd(1);
    expect(() => crowdlab(data)).toThrow("crowdlab needs known.predictions");
    expect(crowdlab.needs).toBe("predictions");
    expect(() => crowdlab(data, {}, { predictions: new Float64Array(3) })).toThrow(
      "known.predictions must hold 120 numbers, not 3",
    );
  });
});

/** The numbers of cleanlab to 1e-9, where it has some. */
function expectClose(ours: Float64Array, theirs: readonly (number | null)[]): void {
  let compared = 0;
  theirs.forEach((x, at) => {
    if (x === null) return;
    expect(Math.abs(ours[at] - x)).toBeLessThan(1e-9);
    compared++;
  });
  expect(compared).toBeGreaterThan(theirs.length / 3);
}

/** Tasks by their numbers, those without labels last; workers are named by theirs. */
function readCleanlab({ classes, labels, predictions }: Cleanlab) {
  const names = Array.from({ length: predictions.length / classes }, (_, t) => `t${t}`);
  const base = fromRows(
    labels.flatMap((row, t) =>
      [...row].flatMap((label, w) =>
        label === "." ? [] : [{ task: `t${t}`, worker: `${w}`, label }],
      ),
    ),
    { classes: Array.from({ length: classes }, (_, k) => `${k}`) },
  );
  const task = base.task.map((t) => names.indexOf(base.tasks.at(t)));
  const gold = new Int32Array(names.length).fill(-1);
  const data = { ...base, tasks: namesOf(names), task, gold };
  return { data, known: { predictions: Float64Array.from(predictions) } };
}

/** Lists of answers and plain means, for crowds without tied votes that a rarer class would have to break. */
function naive(data: CategoricalData, f: Float64Array) {
  const { tasks, workers, classes, task, worker, label } = data;
  const K = classes.length;
  const ks = Array.from(classes, (_, k) => k);
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  const answers = Array.from(tasks, (_, t) =>
    Array.from(label, (l, i) => ({ t: task[i], w: worker[i], l })).filter((a) => a.t === t),
  );
  const frequency = ks.map((k) => label.filter((l) => l === k).length);
  const consensus = answers.map((given, t) => {
    const votes = ks.map((k) => given.filter(({ l }) => l === k).length);
    const best = (of: number[], value: (k: number) => number) => {
      const most = Math.max(...of.map(value));
      return of.filter((k) => value(k) >= most - 1e-12);
    };
    const byModel = best(
      best(ks, (k) => votes[k]),
      (k) => f[t * K + k],
    );
    return best(byModel, (k) => -frequency[k])[0];
  });
  const multi = Array.from(tasks, (_, t) => t).filter((t) => answers[t].length > 1);
  const P = mean(multi.map((t) => mean(answers[t].map(({ l }) => (l === consensus[t] ? 1 : 0)))));
  const common = Math.max(...ks.map((k) => multi.filter((t) => consensus[t] === k).length));
  const base = Math.max(1e-6, 1 - common / multi.length);
  const agreement = Array.from(workers, (_, w) => {
    let [same, all] = [0, 0];
    for (const t of multi) {
      const own = answers[t].find((a) => a.w === w);
      if (!own) continue;
      same += answers[t].filter((a) => a.w !== w && a.l === own.l).length;
      all += answers[t].length - 1;
    }
    return all > 0 ? same / all : Number.NaN;
  });
  const some = mean(agreement.filter((a) => !Number.isNaN(a)));
  const weights = agreement.map((a) =>
    Math.max(1e-6, 1 - (1 - (Number.isNaN(a) ? some : a)) / base),
  );
  const miss = mean(
    multi.map((t) => {
      const row = ks.map((k) => f[t * K + k]);
      return row.indexOf(Math.max(...row)) === consensus[t] ? 0 : 1;
    }),
  );
  const perTask = mean(answers.map((given) => given.length));
  const model = Math.max(1e-6, 1 - miss / base) * Math.sqrt(perTask);
  const posterior = [...tasks].flatMap((_, t) =>
    ks.map((k) => {
      const said = answers[t].map(({ w, l }) => weights[w] * (l === k ? P : (1 - P) / (K - 1)));
      const total = model + answers[t].reduce((sum, { w }) => sum + weights[w], 0);
      return (model * f[t * K + k] + said.reduce((a, b) => a + b, 0)) / total;
    }),
  );
  const answer = Array.from(tasks, (_, t) => {
    const row = posterior.slice(t * K, (t + 1) * K);
    return row.indexOf(Math.max(...row));
  });
  const crowd = mean(weights) * perTask;
  const share = model / (model + crowd);
  const quality = Array.from(workers, (_, w) => {
    const own = answers.flat().filter((a) => a.w === w);
    const shared = own.filter(({ t }) => answers[t].length > 1);
    const probable = mean(own.map(({ t, l }) => posterior[t * K + l]));
    if (shared.length === 0) return Number.NaN;
    return (
      share * probable + (1 - share) * mean(shared.map(({ t, l }) => (l === answer[t] ? 1 : 0)))
    );
  });
  return { posterior, quality };
}
