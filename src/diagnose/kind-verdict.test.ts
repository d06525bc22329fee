import { describe, expect, it } from "vitest";
import { checkOf, type Found } from "./checks.ts";
import { type KindEvidence, kindVerdict, reliabilityOf } from "./kind-verdict.ts";

const check = (found: Found, facts: Record<string, number> = {}) =>
  checkOf(found, { id: "agreement", title: "A?", finding: "Found.", advice: "Do.", facts });

const sound: KindEvidence = {
  checks: [check("ok", { alpha: 0.7 })],
  reliability: 0.9,
  effective: { crowd: 9.5, workers: 10 },
  thing: "task",
  count: 40,
};

const levelOf = (more: Partial<KindEvidence>) => kindVerdict({ ...sound, ...more }).level;

describe("kindVerdict", () => {
  it("trusts what nothing speaks against, and asks for gold", () => {
    const { level, reasons, next } = kindVerdict(sound);
    expect(level).toBe("trust");
    expect(reasons).toEqual(["Reliability: 90 % of the variance between answers is not error."]);
    expect(next[0]).toMatch(/^Answer 40 random tasks yourself/);
  });

  it.each([
    ["a serious check", { checks: [check("serious")] }, "do not trust yet"],
    ["a warning", { checks: [check("warn")] }, "use with care"],
    ["too little to tell", { checks: [check("unknown")] }, "use with care"],
    ["little agreement", { checks: [check("ok", { alpha: 0.3 })] }, "use with care"],
    ["much error", { reliability: 0.5 }, "use with care"],
    ["hardly anything but error", { reliability: 0.1 }, "do not trust yet"],
    ["copies", { effective: { crowd: 6, workers: 10 } }, "use with care"],
    ["nearly all copies", { effective: { crowd: 1.5, workers: 10 } }, "do not trust yet"],
    ["intervals that miss the gold", { intervals: { held: 49, of: 120 } }, "do not trust yet"],
    ["intervals a little too short", { intervals: { held: 106, of: 120 } }, "use with care"],
    ["intervals that hold it", { intervals: { held: 112, of: 120 } }, "trust"],
    ["little gold", { intervals: { held: 1, of: 10 } }, "trust"],
  ] as const)("judges %s", (_, more, level) => {
    expect(levelOf(more)).toBe(level);
  });

  it("raises an alarm if answers are overconfident, and then asks for no more gold", () => {
    const gold = { value: 0.7, high: 0.75, of: 100 };
    const found = kindVerdict({ ...sound, confidence: 0.95, gold });
    expect(found).toMatchObject({ level: "do not trust yet", expected: 0.7 });
    expect(found.alarm).toContain("mean probability is 95 %");
    expect(found.next.join()).not.toContain("yourself");
    expect(levelOf({ confidence: 0.74, gold })).toBe("trust");
  });
});

describe("reliabilityOf", () => {
  it("is the share of the variance that is no error", () => {
    const value = Float64Array.of(0, 2, 4, Number.NaN);
    expect(reliabilityOf(value, Float64Array.of(1, 1, 1, 1))).toBeCloseTo(1 - 1 / 4, 12);
    expect(reliabilityOf(value, Float64Array.of(1, Number.NaN, Number.NaN, 1))).toBeNaN();
    expect(reliabilityOf(Float64Array.of(1, 1), Float64Array.of(0, 0))).toBeNaN();
  });
});
