import { describe, expect, it } from "vitest";
import { drawSession, play } from "../../test/live-session.ts";
import { randomCrowd } from "../../test/random-crowd.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { oneCoin } from "../aggregate/categorical/em/one-coin.ts";
import { fromRows } from "../data/from-rows.ts";
import { createRandom } from "../math/random.ts";
import { online } from "./online.ts";

const step = "stochastic";

describe("stochastic steps", () => {
  it("leave the data, the fit and what sweeps climb as they are", () => {
    for (let seed = 5000; seed < 5060; seed++) {
      const session = drawSession(seed);
      const [exact, steps] = [play(session), play(session, { step })];
      expect(steps.data()).toEqual(exact.data());
      for (const { skill } of steps.skills()) expect(skill >= 0 && skill <= 1).toBe(true);
      let last = steps.objective();
      for (let sweep = 0; sweep < 1000 && steps.sweep() > 1e-11; sweep++) {
        const now = steps.objective();
        if (!session.options["shrinkage"]) expect(now).toBeGreaterThanOrEqual(last - 1e-9);
        last = now;
      }
      const batch = session.method(steps.data(), session.options, steps.known());
      expect(steps.refit()).toEqual(batch);
    }
  });

  it("move a worker's mean by n^-exponent, n being the worker's labels", () => {
    // Two certain tasks, so that beliefs do not move: x is right on both, then wrong on a third.
    const rows = fromRows(
      ["a", "b"].map((task) => ({ task, worker: "x", label: "yes" })),
      { classes: ["no", "yes"] },
    );
    const known = { gold: Int32Array.of(1, 1) };
    const result = oneCoin(rows, { comparePriors: false }, known);
    for (const exponent of [0.5, 0.6, 1]) {
      const live = online(rows, result, known, { step, exponent });
      live.setGold("c", "no");
      live.apply({ task: "c", worker: "x", label: "yes" });
      expect(live.skills()[0].skill).toBeCloseTo(1 - 3 ** -exponent, 9);
      expect(live.skills()[0].labels).toBe(3);
    }
    // With weight two it is two steps; with a step of 1/n the mean is that of all labels.
    const live = online(rows, result, known, { step, exponent: 1 });
    live.setGold("c", "no");
    live.apply({ task: "c", worker: "x", label: "yes", weight: 2 });
    expect(live.skills()[0].skill).toBeCloseTo((1 - 1 / 4) ** 2, 9);
  });

  it("of all labels move one mean of all workers, by t^-exponent, and with 1 / t count every label once", () => {
    const rows = fromRows([], { classes: ["no", "yes"] });
    const says = [
      ["x", "no"],
      ["x", "yes"],
      ["y", "yes"],
      ["x", "yes"],
      ["y", "no"],
    ];
    for (const exponent of [0.6, 1]) {
      const result = oneCoin(rows, { comparePriors: false, right: 1, wrong: 1 });
      const live = online(rows, result, {}, { step, exponent, clock: "all" });
      const [right, wrong] = [new Map<string, number>(), new Map<string, number>()];
      says.forEach(([worker, label], i) => {
        live.setGold(`t${i}`, "yes");
        live.apply({ task: `t${i}`, worker, label });
        // One mean over all labels, times the number of labels: t s ← t (1 − t^-a) s + t^(1 − a).
        const t = i + 1;
        const keep = t > 1 ? ((1 - t ** -exponent) * t) / (t - 1) : 0;
        for (const counts of [right, wrong]) {
          for (const name of counts.keys()) counts.set(name, keep * (counts.get(name) ?? 0));
        }
        const counts = label === "yes" ? right : wrong;
        counts.set(worker, (counts.get(worker) ?? 0) + t ** (1 - exponent));
      });
      for (const { worker, skill } of live.skills()) {
        const [r, w] = [right.get(worker) ?? 0, wrong.get(worker) ?? 0];
        expect(skill).toBeCloseTo((r + 1) / (r + w + 2), 9);
      }
    }
  });

  it("keep the mean when a label is taken away, and forget a worker without labels", () => {
    const rows = fromRows([{ task: "a", worker: "x", label: "yes" }], { classes: ["no", "yes"] });
    const known = { gold: Int32Array.of(1) };
    const result = oneCoin(rows, { comparePriors: false, right: 1, wrong: 1 }, known);
    const live = online(rows, result, known, { step });
    live.withdraw({ task: "a", worker: "x", label: "yes" });
    expect(live.skills()).toEqual([{ worker: "x", skill: 0.5, labels: 0 }]);
    live.apply({ task: "a", worker: "x", label: "yes" });
    expect(live.skills()[0].skill).toBeCloseTo(2 / 3, 9);
  });

  it("follow a worker who turns, faster than the incremental form", () => {
    const data = randomCrowd(1, { tasks: 300, workers: 6, rate: 1, skill: [0.8, 0.9] });
    const result = dawidSkene(data);
    const models = [online(data, result), online(data, result, {}, { step })];
    const random = createRandom(1);
    for (let t = 0; t < 100; t++) {
      const k = Math.floor(random.next() * 3);
      for (let w = 0; w < 6; w++) {
        const said = w === 0 ? (k + 1) % 3 : k;
        for (const live of models) {
          live.apply({ task: `late${t}`, worker: `w${w}`, label: `c${said}` });
        }
      }
    }
    const [incremental, stochastic] = models.map((live) => live.skills()[0].skill);
    expect(stochastic).toBeLessThan(0.2);
    expect(incremental).toBeGreaterThan(0.5);
  });
});
