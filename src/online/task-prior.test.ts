import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../test/random-crowd.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { oneCoin } from "../aggregate/categorical/em/one-coin.ts";
import { createRandom } from "../math/random.ts";
import { online } from "./online.ts";

const data = randomCrowd(3);
const K = data.classes.length;
const random = createRandom(5).split("priors");
const rows = Array.from(data.tasks, () => {
  const row = Float64Array.from({ length: K }, () => 0.1 + random.next());
  const sum = row.reduce((total, p) => total + p, 0);
  return row.map((p) => p / sum);
});

describe("priors of tasks, set one at a time", () => {
  for (const method of [dawidSkene, oneCoin]) {
    it(`are those that ${method.id} is given at once`, () => {
      const live = online(data, method(data));
      [...data.tasks].forEach((task, t) => {
        live.setTaskPrior(task, rows[t]);
      });
      const taskPrior = live.known().taskPrior;
      expect(taskPrior?.length).toBe(rows.length * K);
      rows.forEach((row, t) => {
        expect(taskPrior?.slice(t * K, (t + 1) * K)).toEqual(row.map((p) => p / sumOf(row)));
      });
      const batch = method(live.data(), {}, { taskPrior: taskPrior ?? new Float64Array() });
      expect(live.refit().posterior).toEqual(batch.posterior);
      // They stay in force after a refit.
      expect(live.known().taskPrior).toEqual(taskPrior);
    });
  }

  it("count at once, for tasks without labels too, and can be replaced", () => {
    const live = online(data, dawidSkene(data, { shrinkage: 4 }));
    expect(live.has("new")).toBe(false);
    const prior = Float64Array.from({ length: K }, (_, k) => (k === 1 ? 0.7 : 0.3 / (K - 1)));
    live.setTaskPrior("new", prior);
    expect(live.has("new")).toBe(true);
    prior.forEach((p, k) => {
      expect(live.posterior("new").posterior[k]).toBeCloseTo(p, 12);
    });
    const [task] = data.tasks;
    const before = live.posterior(task).posterior[1];
    live.setTaskPrior(task, prior);
    const once = live.posterior(task).posterior.slice();
    expect(once[1]).toBeGreaterThan(before);
    live.setTaskPrior(task, prior.toReversed());
    live.setTaskPrior(task, prior);
    live.posterior(task).posterior.forEach((p, k) => {
      expect(p).toBeCloseTo(once[k], 6);
    });
    expect(live.votes("new")).toEqual([]);
    expect(live.votes(task).length).toBe(live.posterior(task).labels);
  });

  it("are refused if they are no probabilities of all classes", () => {
    const live = online(data, dawidSkene(data));
    expect(() => live.setTaskPrior("a", [1])).toThrow(`must be ${K} probabilities that sum to 1`);
    expect(() => live.setTaskPrior("a", new Array(K).fill(1))).toThrow("sum to 1");
  });
});

const sumOf = (row: Float64Array) => row.reduce((total, p) => total + p, 0);
