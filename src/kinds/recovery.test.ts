/** Simulated crowds of every kind: `auto` gains where workers differ and loses little where they do not; bad workers are found. */
import { describe, expect, it } from "vitest";
import { gaussian } from "../aggregate/numeric/gaussian.ts";
import { effectiveAnswerers } from "../diagnose/effective/effective-answerers.ts";
import { kindNamed } from "../kinds.ts";
import { drain } from "../method.ts";
import type { AnyAnswerScenario } from "../simulate/answers.ts";
import { judgesCrowd } from "../simulate/judges.ts";
import { matchersCrowd } from "../simulate/matchers.ts";
import { measurersCrowd } from "../simulate/measurers.ts";
import { pickersCrowd } from "../simulate/pickers.ts";
import { ratersCrowd } from "../simulate/raters.ts";
import { taggersCrowd } from "../simulate/taggers.ts";
import { methodsOf } from "./kind.ts";

const SEEDS = [500, 501, 502, 503];
/** Pairs in order say little of one crowd. */
const MORE_SEEDS = Array.from({ length: 10 }, (_, s) => 500 + s);

function run(kindId: string, methodId: string, data: ReturnType<AnyAnswerScenario>["data"]) {
  const method = methodsOf(kindNamed(kindId)).find(({ id }) => id === methodId);
  if (!method) throw new Error(`no method ${methodId}`);
  return drain(method.steps(data));
}

/** How much better `auto` is than the baseline by the first metric of the kind, for each seed. */
async function gains(
  scenario: AnyAnswerScenario,
  options: object,
  seeds = SEEDS,
): Promise<number[]> {
  const kind = kindNamed(scenario.kind);
  const [metric] = kind.metrics;
  const found: number[] = [];
  for (const seed of seeds) {
    const { data } = scenario({ ...options, seed });
    const scores = [kind.baseline, "auto"].map(async (id) => {
      const result = run(kind.id, id, data);
      return (await kind.score(data, result, {}, async () => result)).values[metric.id];
    });
    const [plain, own] = await Promise.all(scores);
    found.push(metric.better === "higher" ? own - plain : plain - own);
  }
  return found;
}

const mean = (list: readonly number[]) => list.reduce((sum, x) => sum + x, 0) / list.length;

const nobody = { guessers: 0 };

describe("auto against the baseline", () => {
  it.each<[string, AnyAnswerScenario, object, number, object]>([
    [
      "raters",
      ratersCrowd,
      { tasks: 300 },
      0.05,
      { ...nobody, shifted: 0, reversed: 0, low: 0.4, high: 0.4, tasks: 200, workers: 10 },
    ],
    [
      "measurers",
      measurersCrowd,
      { tasks: 200 },
      0.05,
      { outliers: 0, copies: 0, offset: 0, low: 0.6, high: 0.6, tasks: 150, workers: 12 },
    ],
    [
      "judges",
      judgesCrowd,
      { comparisons: 80 },
      0.01,
      { ...nobody, adversaries: 0, oneSided: 0, copies: 0, comparisons: 40, items: 10 },
    ],
    [
      "matchers",
      matchersCrowd,
      { items: 50, answers: 60, low: 0.75 },
      0.05,
      { ...nobody, poor: 0, lumpers: 0, low: 0.85, high: 0.85, items: 40, answers: 40 },
    ],
    [
      "taggers",
      taggersCrowd,
      { tasks: 100 },
      0.015,
      { ...nobody, missing: 0, shifting: 0, confusing: 0, tasks: 80, workers: 8 },
    ],
    [
      "pickers",
      pickersCrowd,
      { tasks: 200 },
      0.005,
      { ...nobody, sparing: 0, generous: 0, low: 0.85, high: 0.85, tasks: 150, workers: 12 },
    ],
  ])("%s: gains where workers differ, and loses little where they do not", async (...given) => {
    const [, scenario, differ, least, alike] = given;
    expect(
      mean(await gains(scenario, differ, scenario.kind === "pairwise" ? MORE_SEEDS : SEEDS)),
    ).toBeGreaterThan(least);
    const cheap = scenario.kind === "ordinal" || scenario.kind === "numeric";
    const seeds = cheap ? MORE_SEEDS : SEEDS.slice(0, 3);
    expect(mean(await gains(scenario, alike, seeds))).toBeGreaterThan(-0.015);
  });
});

describe("bad workers", () => {
  /** The standing of every worker by role, over the seeds. */
  const standings = (scenario: AnyAnswerScenario, methodId: string, role: RegExp) =>
    SEEDS.flatMap((seed) => {
      const { data, roles } = scenario({ seed });
      const kind = kindNamed(scenario.kind);
      return [...kind.workers(data, run(kind.id, methodId, data))]
        .filter((_, w) => role.test(roles[w]))
        .map((row) => row["standing"]);
    });
  const share = (list: readonly unknown[], ...of: unknown[]) =>
    list.filter((each) => of.includes(each)).length / list.length;

  it.each<[string, AnyAnswerScenario, string, RegExp]>([
    ["raters", ratersCrowd, "auto", /guesser|reversed/],
    ["matchers", matchersCrowd, "crowd-clusters", /guesser|lumper/],
    ["taggers", taggersCrowd, "bsc-seq", /guesser/],
    ["pickers", pickersCrowd, "shared-workers", /guesser/],
  ])("%s: guessers stand out, careful workers do not", (_, scenario, method, bad) => {
    expect(share(standings(scenario, method, bad), "guessing", "worse")).toBeGreaterThanOrEqual(
      0.8,
    );
    expect(share(standings(scenario, method, /careful/), "better")).toBe(1);
  });

  it("measurers: outliers have the largest noise, and copies count as one worker", () => {
    for (const seed of SEEDS) {
      const { data, roles } = measurersCrowd({ labelsPerTask: 0, seed });
      const { noise } = gaussian(data);
      const order = [...noise.keys()].sort((a, b) => noise[b] - noise[a]);
      expect(order.slice(0, 2).map((w) => roles[w])).toEqual(["outlier", "outlier"]);
      // Sixteen workers, of whom two copy the first.
      expect(Math.abs(effectiveAnswerers(data).crowd - 14)).toBeLessThan(0.3);
    }
  });

  it("measurers: near-copies who make one worker seem exact do not break the fit", () => {
    const { low, high } = gaussian(measurersCrowd({ labelsPerTask: 0, seed: 403 }).data);
    expect([...low, ...high].every(Number.isFinite)).toBe(true);
  });

  it("raters: workers of a method for labels are judged too", () => {
    const { data } = ratersCrowd({ tasks: 60, seed: 1 });
    const judged = [...kindNamed("ordinal").workers(data, run("ordinal", "dawid-skene", data))];
    expect(judged).toHaveLength(20);
  });
});
