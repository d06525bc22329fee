import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../test/random-crowd.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { fromRows } from "../data/from-rows.ts";
import { checkOf } from "./checks.ts";
import { type SharedErrors, sharedErrors } from "./shared-errors.ts";
import { expectedAccuracy, type VerdictEvidence, verdict } from "./verdict.ts";

const independent: SharedErrors = {
  correlation: 0,
  deviation: 0.01,
  pairs: 1000,
  labelsPerTask: 8,
  effectiveLabels: 8,
  misled: 0,
};
const good = randomCrowd(1, {
  tasks: 200,
  workers: 12,
  classes: 2,
  rate: 0.7,
  skill: [0.85, 0.95],
});
const result = dawidSkene(good);

function judge(more: Partial<VerdictEvidence> = {}) {
  return verdict(good, result, { shared: independent, ...more });
}

describe("levels", () => {
  it("trusts many labels of good workers", () => {
    const { level, reasons, next, expected, alarm } = judge();
    expect(level).toBe("trust");
    expect(expected).toBeGreaterThan(0.95);
    expect(alarm).toBeUndefined();
    expect(reasons[0]).toMatch(/^About \d+ % of the answers are expected to be right/);
    // What no labels can tell is always said.
    expect(next.at(-1)).toMatch(/labels alone cannot show what all workers mistake alike/);
  });

  it("asks for care, or stops, the fewer answers are expected to be right", () => {
    const level = (skill: readonly [number, number]) => {
      const data = randomCrowd(2, { tasks: 300, workers: 10, classes: 3, rate: 0.4, skill });
      return verdict(data, dawidSkene(data), { shared: { ...independent, labelsPerTask: 4 } })
        .level;
    };
    expect(level([0.5, 0.65])).toBe("use with care");
    expect(level([0.35, 0.45])).toBe("do not trust yet");
  });

  it("stops where most answers rest on one label", () => {
    expect(judge({ shared: { ...independent, labelsPerTask: 1.2 } }).level).toBe(
      "do not trust yet",
    );
    const few = judge({ shared: { ...independent, labelsPerTask: 2.5 } });
    expect(few.level).toBe("use with care");
    expect(few.next[0]).toBe("Collect at least three labels per task.");
  });

  it("stops where workers may be wrong together, and then promises nothing", () => {
    const shared = { ...independent, correlation: 0.15, effectiveLabels: 4, misled: 0.12 };
    const { level, reasons } = judge({ shared });
    expect(level).toBe("do not trust yet");
    expect(reasons[0]).toMatch(/8\.0 labels per task are worth 4\.0 independent ones/);
    expect(reasons.join()).not.toMatch(/expected to be right/);
    expect(judge({ shared: { ...shared, misled: 0.05 } }).level).toBe("use with care");
    // A correlation within its error is none.
    expect(judge({ shared: { ...shared, deviation: 0.1 } }).level).toBe("trust");
  });

  it("stops at groups that still have their weight, and asks for care if they have lost it", () => {
    const groups = [{ workers: [0, 1, 2, 3, 4] }];
    expect(judge({ groups }).level).toBe("do not trust yet");
    expect(judge({ groups: [{ workers: [0, 1] }] }).level).toBe("use with care");
    const numbers = Int32Array.from(good.workers, (_, w) => (w < 5 ? 0 : w));
    const handled = verdict(good, { ...result, groups: numbers } as typeof result, {
      shared: independent,
      groups,
    });
    expect(handled.level).toBe("use with care");
    expect(handled.reasons[0]).toMatch(
      /5 workers with \d+ % of the labels err together in 1 group/,
    );
  });

  it("stops where workers do not agree beyond chance", () => {
    expect(judge({ alpha: { value: -0.02, high: 0.01 } }).level).toBe("do not trust yet");
    expect(judge({ alpha: { value: 0.05, high: 0.08 } }).level).toBe("use with care");
    expect(judge({ alpha: { value: 0.15, high: 0.2 } }).level).toBe("trust");
  });

  it("stops where many workers are copies", () => {
    expect(judge({ effective: { crowd: 2, workers: 100 } }).level).toBe("do not trust yet");
    expect(judge({ effective: { crowd: 40, workers: 100 } }).level).toBe("use with care");
    expect(judge({ effective: { crowd: 90, workers: 100 } }).level).toBe("trust");
  });

  it("says how many labels come from workers who guess, and passes serious checks on", () => {
    const workers = good.workers.length;
    const guessing = Array.from({ length: workers }, (_, w) => ({
      labels: 100,
      standing: w < 8 ? ("guessing" as const) : ("better" as const),
    }));
    const { level, reasons } = judge({ workers: guessing });
    expect(level).toBe("use with care");
    expect(reasons[0]).toMatch(/67 % of the labels come from 8 workers who cannot be told/);
    const right = { value: 0.96, low: 0.93, high: 0.98 };
    const gold = { tasks: 300, accuracy: right, confidence: 0.95 };
    expect(judge({ workers: guessing, gold }).level).toBe("trust");
    const check = { id: "x", title: "X", finding: "Found.", advice: "Do.", facts: {} };
    expect(judge({ checks: [checkOf("serious", check)] })).toMatchObject({
      level: "use with care",
      reasons: ["Found.", expect.any(String)],
    });
    expect(judge({ checks: [checkOf("warn", check)] }).level).toBe("trust");
  });
});

describe("gold", () => {
  const gold = (value: number, confidence: number, tasks = 100) => ({
    tasks,
    accuracy: { value, low: value - 0.05, high: value + 0.05 },
    confidence,
  });

  it("raises an alarm if confidence exceeds accuracy by more than its interval", () => {
    const fine = judge({ gold: gold(0.93, 0.96) });
    expect(fine).toMatchObject({ level: "trust", expected: 0.93 });
    expect(fine.alarm).toBeUndefined();
    const off = judge({ gold: gold(0.9, 0.97) });
    expect(off.level).toBe("use with care");
    expect(off.alarm).toMatch(/overconfident/);
    expect(off.reasons).toContain(off.alarm);
    expect(judge({ gold: gold(0.8, 0.97) }).level).toBe("do not trust yet");
  });

  it("decides in place of confidence, unless there is little of it", () => {
    expect(judge({ gold: gold(0.7, 0.7) }).level).toBe("do not trust yet");
    expect(judge({ gold: gold(0.8, 0.8) }).level).toBe("use with care");
    expect(judge({ gold: gold(0.8, 0.84, 10) }).expected).toBeGreaterThan(0.9);
  });

  it("does not advise to collect gold that is there", () => {
    expect(judge({ gold: gold(0.95, 0.95) }).next.join()).not.toMatch(/random task/);
  });
});

describe("what is expected", () => {
  it("allows for shared errors, whatever the method claims", () => {
    const data = randomCrowd(3, {
      tasks: 200,
      workers: 20,
      classes: 2,
      rate: 1,
      skill: [0.6, 0.7],
    });
    const fit = dawidSkene(data);
    const mean = fit.confidence.reduce((sum, p) => sum + p, 0) / fit.confidence.length;
    const expected = expectedAccuracy(data, fit, independent);
    expect(expected).toBeLessThan(mean - 0.02);
    const shared = { ...independent, correlation: 0.2 };
    expect(expectedAccuracy(data, fit, shared)).toBeLessThan(expected);
    // A result that has allowed for them itself is taken by its word.
    const own = { ...fit, sharedErrors: shared } as typeof fit;
    expect(expectedAccuracy(data, own, shared)).toBeCloseTo(mean, 12);
  });

  it("copes with one label, one class, and with nothing", () => {
    for (const data of [
      fromRows([]),
      fromRows([{ task: "a", worker: "w", label: "x" }]),
      fromRows([{ task: "a", worker: "w", label: "x" }], { classes: ["x", "y"] }),
    ]) {
      const { level, expected } = verdict(data, majorityVote(data), { shared: sharedErrors(data) });
      expect(level).toBe("do not trust yet");
      expect(expected).toBeGreaterThanOrEqual(0);
    }
  });
});
