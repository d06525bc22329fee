import { describe, expect, it } from "vitest";
import {
  close,
  fixture,
  ordinalGates,
  ordinalLaws,
  randomLevels,
} from "../../../test/ordinal-checks.ts";
import { asLabels } from "../../data/ordinal.ts";
import { ibcc } from "../categorical/bayesian/ibcc.ts";
import { thresholdIbcc } from "./threshold-ibcc.ts";

it("the fixture", () => {
  expect([...thresholdIbcc(fixture).posterior]).toEqual(
    close([
      0.946039, 0.052304, 0.001657, 0.002579, 0.008967, 0.988454, 0.002579, 0.968069, 0.029351,
      0.008887, 0.681075, 0.310038, 0.786075, 0.155666, 0.058258,
    ]),
  );
});

it("is iBCC with two levels", () => {
  const data = randomLevels(1, { levels: 2 });
  expect([...thresholdIbcc(data).posterior]).toEqual(
    close([...ibcc(asLabels(data)).posterior], 12),
  );
});

it("tells informative workers from guessers", () => {
  const data = randomLevels(4, { tasks: 300 });
  const random = data.label.map((k, i) => (data.worker[i] === 0 ? (i * 7) % 5 : k));
  const { informativeness } = thresholdIbcc({ ...data, label: random });
  expect(informativeness[0]).toBeLessThan(0.2);
  for (const each of informativeness.subarray(1)) expect(each).toBeGreaterThan(0.35);
});

describe("laws", () => ordinalLaws(thresholdIbcc));

ordinalGates(thresholdIbcc, {
  ord_truth_politics: [0.2583, 1.3333, 1.7416, 0.2973],
  time_relevance: [0.7083, 0.2917, 0.5401, 0.6821],
});
