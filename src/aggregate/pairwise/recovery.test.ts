/** What methods for comparisons find of planted judges: scores, bad judges, and copies of one model, over ten seeds. */
import { describe, expect, it } from "vitest";
import { effectiveJudges } from "../../diagnose/effective/effective-judges.ts";
import { pairwiseWorkers } from "../../diagnose/pairwise-workers.ts";
import { evaluateScores } from "../../evaluate/pairwise.ts";
import { judgesCrowd } from "../../simulate/judges.ts";
import { bradleyTerry } from "./bradley-terry.ts";
import { crowdBt } from "./crowd-bt.ts";
import { flipRate } from "./flip-rate.ts";
import { noisyBradleyTerry } from "./noisy-bradley-terry.ts";
import type { PairwiseResult } from "./ranker.ts";

/** Twelve honest judges, two guessers, two adversaries, two of one side, and three copies of one model. */
const crowds = Array.from({ length: 10 }, (_, s) => judgesCrowd({ seed: 400 + s }));
const INDEPENDENT = 19;

const methods = { bradleyTerry, crowdBt, noisyBradleyTerry, flipRate };
const fits = new Map<string, readonly PairwiseResult[]>(
  Object.entries(methods).map(([id, method]) => [id, crowds.map(({ data }) => method(data))]),
);

/** Mean Kendall's tau with the true scores. */
function tau(id: keyof typeof methods): number {
  const each = (fits.get(id) ?? []).map(
    (fit, c) => evaluateScores({ ...fit, gold: crowds[c].data.gold }).kendall,
  );
  return each.reduce((sum, x) => sum + x, 0) / each.length;
}

/** What a method says of every judge of a role, over all crowds. */
function ofRole<T>(id: string, role: RegExp, say: (fit: PairwiseResult, judge: number) => T): T[] {
  return (fits.get(id) ?? []).flatMap((fit, c) =>
    crowds[c].roles.flatMap((each, judge) => (role.test(each) ? [say(fit, judge)] : [])),
  );
}

const share = (list: readonly boolean[]) => list.filter(Boolean).length / list.length;

describe.each(["crowdBt", "noisyBradleyTerry", "flipRate"] as const)("%s", (id) => {
  it("recovers the scores better than Bradley–Terry", () => {
    expect(tau(id)).toBeGreaterThan(tau("bradleyTerry") + 0.01);
    expect(tau(id)).toBeGreaterThan(0.8);
  });

  it("finds every adversary, and takes no honest judge for one", () => {
    const below = (role: RegExp) =>
      ofRole(id, role, ({ reliability = [] }, u) => reliability[u] < 0.5);
    expect(share(below(/adversary/))).toBe(1);
    expect(share(below(/honest|model/))).toBe(0);
  });
});

it("noisy-bradley-terry: judges of one side are flagged, or known by their side and unreliable", () => {
  const found = (fit: PairwiseResult, u: number) => {
    const side = Math.abs((fit.position?.[u] ?? 0.5) - 0.5) > 0.35;
    return fit.flags?.[u].includes("one-sided") || (side && (fit.reliability?.[u] ?? 1) < 0.5);
  };
  expect(share(ofRole("noisyBradleyTerry", /chooses/, (fit, u) => found(fit, u) === true))).toBe(1);
  const others = ofRole("noisyBradleyTerry", /honest|model|guesser/, (fit, u) => found(fit, u));
  expect(others.filter(Boolean)).toEqual([]);
});

it("guessers stand no better than guessing nearly always, honest judges do", () => {
  const standing = (role: RegExp) =>
    crowds.flatMap(({ data, roles }, c) =>
      pairwiseWorkers(data, (fits.get("crowdBt") ?? [])[c])
        .filter((_, u) => role.test(roles[u]))
        .map((judged) => judged.standing),
    );
  expect(share(standing(/guesser/).map((each) => each !== "better"))).toBeGreaterThanOrEqual(0.9);
  expect(share(standing(/honest|model/).map((each) => each === "better"))).toBeGreaterThan(0.98);
  expect(share(standing(/adversary/).map((each) => each === "worse"))).toBeGreaterThanOrEqual(0.9);
});

it("three copies of one model count as one judge, whatever the others do", () => {
  for (const { data, roles } of crowds) {
    const { crowd, correlations } = effectiveJudges(data);
    expect(Math.abs(crowd - INDEPENDENT)).toBeLessThan(0.3);
    const together = correlations.filter(({ dependent }) => dependent);
    expect(together.flatMap(({ judges }) => judges.map((u) => roles[u]))).toEqual(
      Array.from({ length: 6 }, () => "copy of a model"),
    );
  }
});
