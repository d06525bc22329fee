import { describe, expect, it } from "vitest";
import type { NumericResult } from "../aggregate/numeric/estimator.ts";
import { mean } from "../aggregate/numeric/mean.ts";
import { fromRows } from "../data/from-rows.ts";
import type { NumericData } from "../data/numeric.ts";
import { CrowdError } from "../error.ts";
import { drain, type Steps } from "../method.ts";
import { hiddenParts, hideInTurn } from "./hidden-answers.ts";
import { pairedGain, pickerFor, pickOptions } from "./pick.ts";

describe("pairedGain", () => {
  it("is the mean difference, with an error over clusters", () => {
    // Twelve clusters; the first has two answers, 0 and 2, the others the answer of their number.
    const logs = Float64Array.of(0, 2, Number.NaN, ...Array.from({ length: 11 }, (_, c) => c + 1));
    const cluster = Int32Array.of(0, 0, 0, ...Array.from({ length: 11 }, (_, c) => c + 1));
    const found = pairedGain(logs, new Float64Array(14), cluster);
    const gain = 68 / 13;
    let squares = (2 - 2 * gain) ** 2;
    for (let c = 1; c <= 11; c++) squares += (c - gain) ** 2;
    expect(found.gain).toBeCloseTo(gain, 12);
    expect(found.error).toBeCloseTo(Math.sqrt((squares * 12) / 11) / 13, 12);
  });

  it("counts answers by weight, and is sure of nothing with few clusters", () => {
    const logs = Float64Array.of(1, 3);
    const none = new Float64Array(2);
    expect(pairedGain(logs, none, Int32Array.of(0, 0), Float64Array.of(3, 1))).toEqual({
      gain: 1.5,
      error: 1.5,
    });
  });
});

describe("hidden parts", () => {
  const rows = Array.from({ length: 120 }, (_, i) => ({
    task: `t${i % 30}`,
    worker: `w${(i * 7) % 11}`,
    value: (i * 37) % 50,
  }));
  const units = (data: NumericData) => {
    const kept = { of: data.task, count: data.tasks.length };
    const roles = [
      { of: [data.task], count: data.tasks.length },
      { of: [data.worker], count: data.workers.length },
    ];
    return { said: Uint32Array.from(data.value), roles, kept };
  };

  it("depend neither on names nor on order", () => {
    const cut = (list: typeof rows) => {
      const data = fromRows(list, { kind: "numeric", repeats: "all" });
      return [...hiddenParts(units(data), 5, 1).part];
    };
    const renamed = rows.map((row) => ({ ...row, task: `x${row.task}`, worker: `y${row.worker}` }));
    expect(cut(renamed)).toEqual(cut(rows));
    expect(cut(rows.toReversed()).toReversed()).toEqual(cut(rows));
    expect(new Set(cut(rows)).size).toBeGreaterThanOrEqual(5);
  });

  it("keep an answer for every task, and hide every part once", () => {
    const data = fromRows(rows, { kind: "numeric", repeats: "all" });
    const parts = hiddenParts(units(data), 4, 0);
    const steps = hideInTurn(parts, function* (shown, hidden): Steps<number[]> {
      const left = new Set(Array.from(shown, (i) => data.task[i]));
      for (const i of hidden) expect(left.has(data.task[i])).toBe(true);
      return Array.from(hidden, (i) => i);
    });
    const seen = drain(steps);
    seen.forEach((x, i) => {
      expect(x).toBe(parts.part[i] < 0 ? Number.NaN : i);
    });
  });

  it("do not hide alike answers together", () => {
    // Forty workers who each gave the same answer to a task of their own: nothing tells them apart.
    const said = new Uint32Array(80).fill(1);
    const task = { of: Int32Array.from({ length: 80 }, (_, i) => i % 40), count: 40 };
    const worker = Int32Array.from({ length: 80 }, (_, i) => i);
    const roles = [
      { of: [task.of], count: 40 },
      { of: [worker], count: 80 },
    ];
    const { part } = hiddenParts({ said, roles, kept: task }, 5, 0);
    expect(new Set(part).size).toBeGreaterThan(3);
  });
});

describe("picker", () => {
  const data = fromRows(
    Array.from({ length: 40 }, (_, i) => ({ task: `t${i % 10}`, worker: `w${i % 4}`, value: i })),
    { kind: "numeric" },
  );
  const scored = (logs: Readonly<Record<string, number>>) =>
    pickerFor<NumericData, object, NumericResult>()(
      "numeric",
      "none",
      { ...pickOptions },
      {
        choices: Object.keys(logs).map((name) => ({
          name,
          method: { ...mean, id: name, steps: mean.steps },
        })),
        *judge({ id }): Steps<Float64Array> {
          if (Number.isNaN(logs[id])) throw new CrowdError("bad-data", `${id} cannot.`);
          return data.value.map((_, i) => logs[id] + (id === "plain" ? 0 : i % 3));
        },
        cluster: ({ task }: NumericData) => task,
        size: ({ value }: NumericData) => value.length,
      },
    );

  it("takes the best beyond chance, and says why", () => {
    const { portfolio, notes, method } = scored({ plain: 0, better: 0.5, best: 1 })(data);
    expect(method).toBe("auto");
    expect(portfolio.map(({ weight }) => weight)).toEqual([0, 0, 1]);
    expect(notes[0]).toMatch(/^Chosen: best, which predicts hidden answers by 1\.97/);
  });

  it("takes the first of those that are equal but for chance", () => {
    const { portfolio } = scored({ plain: 0, better: 0.99, best: 1 })(data);
    expect(portfolio.map(({ weight }) => weight)).toEqual([0, 1, 0]);
  });

  it("stays with the baseline if the others are worse or not surely better", () => {
    const { portfolio, notes } = scored({ plain: 0, worse: -3, unsure: -0.97 })(data);
    expect(portfolio[0].weight).toBe(1);
    expect(notes[0]).toContain("none of the 2 others");
  });

  it("leaves out what refuses the data, but not the baseline", () => {
    const { portfolio } = scored({ plain: 0, refuses: Number.NaN, good: 1 })(data);
    expect(portfolio[1]).toMatchObject({ leftOut: "refuses cannot.", weight: 0 });
    expect(portfolio[2].weight).toBe(1);
    expect(() => scored({ plain: Number.NaN, good: 1 })(data)).toThrow("plain cannot.");
  });
});
