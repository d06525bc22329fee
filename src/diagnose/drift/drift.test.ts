import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folder, withSet } from "../../../test/datasets.ts";
import { dawidSkene } from "../../aggregate/categorical/em/dawid-skene.ts";
import { majorityVote } from "../../aggregate/categorical/votes/majority-vote.ts";
import type { CategoricalData } from "../../data/categorical.ts";
import { fromRows } from "../../data/from-rows.ts";
import { namesOf } from "../../data/names.ts";
import { shuffle } from "../../math/distributions.ts";
import { createRandom } from "../../math/random.ts";
import type { Progress } from "../../method.ts";
import { driftingCrowd } from "../../simulate/drifting.ts";
import { drift, driftSteps } from "./drift.ts";

const { data, roles } = driftingCrowd({ tasks: 300, workers: 15, turning: 0.2, seed: 3 });
const result = dawidSkene(data);
const found = drift(data, result);

/** The rows in another order. */
function reordered(each: CategoricalData, order: Int32Array): CategoricalData {
  const ints = (column: Int32Array) => Int32Array.from(order, (i) => column[i]);
  const { time = new Float64Array() } = each;
  return {
    ...each,
    ...{ task: ints(each.task), worker: ints(each.worker), label: ints(each.label) },
    time: Float64Array.from(order, (i) => time[i]),
  };
}

describe("invariants", () => {
  it("finds the workers who turn, and says so in words", () => {
    const turned = roles.flatMap((role, w) => (role.startsWith("turns") ? [w] : []));
    expect(turned.length).toBe(3);
    for (const w of turned) {
      const { drift: changed, change, flags, reasons } = found.workers[w];
      expect(changed).toBe(true);
      expect(flags[0]).toBe("change");
      const place = Number(/after (\d+)/.exec(roles[w])?.[1]);
      expect(Math.abs((change?.label ?? 0) - place)).toBeLessThanOrEqual(20);
      expect(reasons[0]).toMatch(
        /^After \d+ of \d+ labels \(between \d+ and \d+\), on 2026-01-\d\d \d\d:\d\d, the probability of a right label fell from \d+ % to \d+ % \(log Bayes factor \d+\.\d\)\.$/,
      );
      expect(reasons.length).toBe(flags.length);
    }
  });

  it("curves and windows are in the order of time, with the skill inside the interval", () => {
    for (const { curve, windows, judged } of found.workers) {
      for (const spans of [curve, windows]) {
        spans.forEach(({ from, to, skill, low, high }, at) => {
          expect(from).toBeLessThanOrEqual(to);
          if (at > 0) expect(from).toBeGreaterThan(spans[at - 1].from);
          expect(low).toBeLessThanOrEqual(skill);
          expect(skill).toBeLessThanOrEqual(high);
        });
      }
      expect(curve.reduce((sum, { labels }) => sum + labels, 0)).toBe(judged);
    }
  });

  it("other names of workers change nothing but the names", () => {
    const renamed = {
      ...data,
      workers: namesOf([...data.workers].map((name) => `x${name}`).toReversed()),
    };
    const again = drift(renamed, dawidSkene(renamed));
    again.workers.forEach(({ worker, ...rest }, w) => {
      const { worker: before, ...expected } = found.workers[w];
      expect(worker).not.toBe(before);
      expect(rest.flags).toEqual(expected.flags);
      expect(rest.changeLogBayes).toBeCloseTo(expected.changeLogBayes, 6);
      expect(rest.change?.label).toBe(expected.change?.label);
    });
  });

  it("the order of rows changes nothing", () => {
    const order = Int32Array.from(data.label.keys());
    shuffle(createRandom(1), order);
    const again = drift(reordered(data, order), result);
    again.workers.forEach(({ flags, changeLogBayes, driftLogBayes, change }, w) => {
      const expected = found.workers[w];
      expect(flags).toEqual(expected.flags);
      expect(changeLogBayes).toBeCloseTo(expected.changeLogBayes, 6);
      expect(driftLogBayes).toBeCloseTo(expected.driftLogBayes, 6);
      expect(change?.at).toBe(expected.change?.at);
    });
  });

  it("is the same from the votes, twice, and leaves its input alone", () => {
    const before = structuredClone({ time: data.time, label: data.label });
    expect(drift(data, result)).toEqual(found);
    expect({ time: data.time, label: data.label }).toEqual(before);
    expect(drift(data, majorityVote(data)).workers.map(({ flags }) => flags)).toEqual(
      found.workers.map(({ flags }) => flags),
    );
  });

  it("reports its progress", () => {
    const steps = driftSteps(data, result);
    const seen: Progress[] = [];
    let step = steps.next();
    while (!step.done) {
      seen.push(step.value);
      step = steps.next();
    }
    expect(seen.length).toBe(1 + data.workers.length);
    expect(new Set(seen.map(({ stage }) => stage)).size).toBe(2);
    expect(step.value).toEqual(found);
  });

  it("bins of a day hold the labels of that day", () => {
    const { workers } = drift(data, result, { bin: "day" });
    const day = (time: number) => Math.floor(time / 86_400_000);
    for (const { curve, judged } of workers) {
      expect(curve.reduce((sum, { labels }) => sum + labels, 0)).toBe(judged);
      for (const { from, to } of curve) expect(day(from)).toBe(day(to));
    }
  });
});

describe("task drift", () => {
  it("a date at which most workers fall is a change of the tasks", () => {
    // All begin at the same hour and label the same tasks; after half of them seven of ten workers are worse.
    const random = createRandom(5).split("task drift");
    const rows = Array.from({ length: 160 }, (_, t) =>
      Array.from({ length: 10 }, (_, w) => {
        const hard = t >= 80 && w < 7;
        const right = random.next() < (hard ? 0.3 : 0.9);
        return {
          task: `t${t}`,
          worker: `w${w}`,
          label: right ? t % 2 : 1 - (t % 2),
          time: 1e12 + 1e5 * t,
        };
      }),
    ).flat();
    const gold = Array.from({ length: 160 }, (_, t) => [`t${t}`, String(t % 2)] as const);
    const crowd = fromRows(rows, { gold });
    const { workers, taskDrift } = drift(crowd, dawidSkene(crowd), { gold: true });
    expect(taskDrift.length).toBe(1);
    expect(taskDrift[0]).toMatchObject({ direction: "fall", active: 10 });
    expect(taskDrift[0].workers.length).toBe(7);
    expect(Math.abs(taskDrift[0].at - 1e12 - 80e5)).toBeLessThan(15e5);
    for (const { flags, drift: own, reasons, change } of workers.slice(0, 7)) {
      expect(flags).toEqual(["task-drift"]);
      expect(own).toBe(false);
      expect(change).toBeDefined();
      expect(reasons[0]).toMatch(/as it did for 7 of 10 workers on 2001-09-\d\d/);
    }
    for (const { flags } of workers.slice(7)) expect(flags).toEqual([]);
  });
});

describe("limits", () => {
  it("one answer, and workers with few, are too few to tell", () => {
    const one = fromRows([{ task: "a", worker: "w", label: "yes", time: 1 }]);
    const { workers } = drift(one, dawidSkene(one));
    expect(workers[0]).toMatchObject({
      labels: 1,
      judged: 0,
      curve: [],
      windows: [],
      drift: false,
    });
    expect(workers[0].flags).toEqual(["few-labels"]);
    expect(workers[0].reasons).toEqual([
      "Only 0 labels can be judged: too few to see a change (20 are needed).",
    ]);
  });

  it.each([1, 0])("5000 answers that are all right (%i) or all wrong are no drift", (right) => {
    const rows = Array.from({ length: 5000 }, (_, t) => [
      { task: t, worker: "a", label: right ? t % 2 : 1 - (t % 2), time: t },
    ]).flat();
    const gold = Array.from({ length: 5000 }, (_, t) => [String(t), String(t % 2)] as const);
    const crowd = fromRows(rows, { gold });
    const [worker] = drift(crowd, dawidSkene(crowd), { gold: true }).workers;
    expect(worker.driftLogBayes).toBeGreaterThan(3);
    expect(worker).toMatchObject({ judged: 5000, drift: false, flags: [] });
  });

  it("weak evidence is no flag, whatever the control of false discoveries lets through", () => {
    for (const { flags, changeLogBayes, driftLogBayes } of drift(data, result, {
      falseDiscoveries: 1,
    }).workers) {
      expect(flags.includes("change")).toBe(changeLogBayes > 3);
      if (flags.includes("drift")) expect(driftLogBayes).toBeGreaterThan(3);
    }
  });

  it("says which option is wrong", () => {
    expect(() => drift(data, result, { step: 0 })).toThrow(
      "drift: step must be at least 1, not 0.",
    );
    expect(() => drift(data, result, { bin: 0 })).toThrow("drift: bin must be at least 1, not 0.");
    expect(() => drift(data, result, { level: 2 })).toThrow("drift: level must be at most");
  });

  it("data without times are refused", () => {
    const { time: _, ...bare } = data;
    expect(() => drift(bare, result)).toThrow("Drift needs the time of each label");
  });

  it("times that are no dates are named as they are", () => {
    const { time = new Float64Array() } = data;
    const first = Math.min(...time);
    const minutes = { ...data, time: time.map((each) => (each - first) / 60_000) };
    const reasons = drift(minutes, result).workers.flatMap((each) => each.reasons);
    expect(reasons[0]).toMatch(/, at \d+(\.\d+)?, the probability/);
  });
});

// Seeds that nothing was chosen by.
const seeds = Array.from({ length: 10 }, (_, i) => 2000 + i);

/** What is found in crowds of 50 workers, five of whom turn and five of whom tire. */
function measure(options: Parameters<typeof driftingCrowd>[0]) {
  const counts = { turning: 0, placed: 0, stable: 0, wrong: 0, labels: 0 };
  for (const seed of seeds) {
    const crowd = driftingCrowd({ seed, workers: 50, labelsPerTask: 6, ...options });
    drift(crowd.data, dawidSkene(crowd.data)).workers.forEach(
      ({ labels, change, ...worker }, w) => {
        const [, turn] = /after (\d+)/.exec(crowd.roles[w]) ?? [];
        counts.labels += labels / 500;
        if (turn) {
          counts.turning++;
          if (worker.drift && change && Math.abs(change.label - Number(turn)) <= 20)
            counts.placed++;
        } else if (crowd.roles[w] === "stable") {
          counts.stable++;
          if (worker.flags.some((flag) => flag !== "few-labels")) counts.wrong++;
        }
      },
    );
  }
  return counts;
}

describe("simulated crowds without gold, ten seeds", () => {
  it.each([
    ["60 labels on each side, from .8–.95 to guessing among four classes", 1000, 4, 0.25],
    ["60 labels on each side, from .8–.95 to .3, two classes", 1000, 2, 0.3],
    ["60 labels in all, from .8–.95 to .1, two classes", 500, 2, 0.1],
  ])(
    "%s: four of five found within 20 labels, at most 2 of 100 stable workers flagged",
    (_, tasks, classes, turned) => {
      const { turning, placed, stable, wrong, labels } = measure({ tasks, classes, turned });
      expect(labels).toBeCloseTo((6 * tasks) / 50, 6);
      expect(turning).toBe(50);
      expect(stable).toBe(400);
      expect(placed / turning).toBeGreaterThanOrEqual(0.8);
      expect(wrong / stable).toBeLessThanOrEqual(0.02);
    },
  );
});

describe("public crowds", () => {
  withSet("time_relevance", "22 workers have enough labels, and nobody is flagged", () => {
    const read = (file: string) =>
      readFileSync(join(folder, "time_relevance", file), "utf8")
        .trim()
        .split(/\r?\n/)
        .slice(1)
        .map((line) => line.split(","));
    const crowd = fromRows(
      read("answers.csv").map(([task, worker, label, seconds]) => {
        return { task, worker, label, time: 1000 * Number(seconds) };
      }),
      { gold: read("gold.csv").map(([task, label]) => [task, label] as const) },
    );
    for (const gold of [false, true]) {
      const { workers, taskDrift } = drift(crowd, dawidSkene(crowd), { gold });
      expect(workers.filter(({ flags }) => !flags.includes("few-labels")).length).toBe(22);
      expect(workers.filter((worker) => worker.drift)).toEqual([]);
      expect(taskDrift).toEqual([]);
    }
  });
});
