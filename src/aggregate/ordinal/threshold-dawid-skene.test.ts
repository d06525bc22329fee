import { describe, expect, it } from "vitest";
import { loadLevels, withSet } from "../../../test/datasets.ts";
import {
  close,
  fixture,
  ordinalGates,
  ordinalLaws,
  randomLevels,
} from "../../../test/ordinal-checks.ts";
import { asLabels } from "../../data/ordinal.ts";
import { dawidSkene } from "../categorical/em/dawid-skene.ts";
import { thresholdDawidSkene } from "./threshold-dawid-skene.ts";
import { thresholdIbcc } from "./threshold-ibcc.ts";
import { fromThresholds } from "./thresholds.ts";

it("the fixture", () => {
  const { posterior, pooled, confusion } = thresholdDawidSkene(fixture);
  expect([...posterior]).toEqual(
    close([
      0.999941, 0, 0.000059, 0.000037, 0.000065, 0.999898, 0.000037, 0.99987, 0.000093, 0.000026,
      0.030266, 0.969708, 0.027969, 0.954981, 0.01705,
    ]),
  );
  expect(pooled).toBe(0.2);
  for (let row = 0; row < confusion.length; row += 3)
    expect(confusion[row] + confusion[row + 1] + confusion[row + 2]).toBeCloseTo(1, 12);
});

it.each([
  [[0.9, 0.2, 0.5, 0.1], [0.1, 0.55, 0, 0.25, 0.1], true],
  [[0.9, 0.5, 0.1], [0.1, 0.4, 0.4, 0.1], false],
  [[0.1, 0.2, 0.3], [0.8, 0, 0, 0.2], true],
  [[], [1], false],
])("pools %j to levels %j", (above, levels, pooled) => {
  const row = new Float64Array(above.length + 1);
  expect(fromThresholds(above, row)).toBe(pooled);
  expect([...row]).toEqual(close(levels, 12));
});

it("is Dawid–Skene with two levels", () => {
  const data = randomLevels(1, { levels: 2 });
  const expected = dawidSkene(asLabels(data)).posterior;
  expect([...thresholdDawidSkene(data).posterior]).toEqual(close([...expected], 12));
});

describe("laws", () => ordinalLaws(thresholdDawidSkene));

ordinalGates(thresholdDawidSkene, {
  ord_truth_politics: [0.2917, 1.325, 1.8235, 0.3843],
  time_relevance: [0.675, 0.3417, 0.6124, 0.7348],
});

withSet("ord_truth_politics", "shares of tasks pooled", () => {
  const data = loadLevels("ord_truth_politics");
  expect(thresholdDawidSkene(data).pooled).toBeCloseTo(0.6648, 4);
  expect(thresholdIbcc(data).pooled).toBeCloseTo(0.2418, 4);
});
