import { describe, expect, it } from "vitest";
import { checkOf, worstOf } from "./checks.ts";
import { agreementCheck, connectedCheck, guessingCheck, overlapCheck } from "./kind-checks.ts";
import type { Standing } from "./standing.ts";

const crowd = (...standings: Standing[]) => standings.map((standing) => ({ standing }));

describe("each check says ok, warn and unknown", () => {
  it("overlap", () => {
    expect(overlapCheck([2, 3, 1], 3)).toMatchObject({ status: "ok", advice: "" });
    expect(overlapCheck([2, 1, 1], 3)).toMatchObject({ status: "warn", serious: false });
    expect(overlapCheck([1, 1, 1], 3)).toMatchObject({ status: "warn", serious: true });
    expect(overlapCheck([1, 1, 1], 1)).toMatchObject({ status: "unknown" });
    expect(overlapCheck([], 0)).toMatchObject({ status: "unknown" });
  });

  it("connected", () => {
    expect(connectedCheck(4, 1).status).toBe("ok");
    expect(connectedCheck(4, 2).status).toBe("warn");
    expect(connectedCheck(0, 0).status).toBe("unknown");
  });

  it("agreement", () => {
    expect(agreementCheck({ value: 0.5, low: 0.4, high: 0.6 }).status).toBe("ok");
    expect(agreementCheck({ value: 0.1, low: 0.05, high: 0.15 }).status).toBe("warn");
    expect(agreementCheck({ value: -0.2, low: -0.3, high: -0.1 })).toMatchObject({
      status: "warn",
      serious: true,
    });
    const wide = agreementCheck({ value: 0.3, low: -0.2, high: 0.8 });
    expect(wide.status).toBe("unknown");
    expect(wide.finding).toContain("too few answers to tell");
    const none = { value: Number.NaN, low: Number.NaN, high: Number.NaN };
    expect(agreementCheck(none)).toMatchObject({ status: "unknown", facts: {} });
    expect(agreementCheck({ value: 0, low: -1, high: 1, defined: false }).status).toBe("unknown");
  });

  it("workers against guessing", () => {
    expect(guessingCheck(crowd("better", "better", "better", "unknown")).status).toBe("ok");
    expect(guessingCheck(crowd("better", "better", "guessing")).status).toBe("warn");
    expect(guessingCheck(crowd("better", "guessing", "worse"))).toMatchObject({
      status: "warn",
      serious: true,
    });
    expect(guessingCheck(crowd("better", "better", "unknown", "unknown")).status).toBe("unknown");
  });
});

it("the worst of several is a warning, then what cannot be told", () => {
  const made = (found: "ok" | "warn" | "serious" | "unknown") =>
    checkOf(found, { id: found, title: "", finding: "", advice: "do", facts: {} });
  expect(worstOf([made("ok"), made("unknown"), made("serious")])).toBe("warn");
  expect(worstOf([made("ok"), made("unknown")])).toBe("unknown");
  expect(worstOf([made("ok")])).toBe("ok");
  expect([made("ok").advice, made("unknown").advice]).toEqual(["", "do"]);
});
