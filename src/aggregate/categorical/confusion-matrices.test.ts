import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../../test/random-crowd.ts";
import { fromMatrices, toMatrices } from "./confusion-matrices.ts";
import { dawidSkene } from "./em/dawid-skene.ts";

// One worker who always sees cats, and takes a third of the dogs for cats.
const confusion = Float64Array.of(1, 0, 1 / 3, 2 / 3);

describe("brute force", () => {
  it("has the truth in rows, or in columns", () => {
    expect(toMatrices(confusion, { classes: 2, rows: "true" })).toEqual([
      [
        [1, 0],
        [1 / 3, 2 / 3],
      ],
    ]);
    expect(toMatrices(confusion, { classes: 2, rows: "given" })).toEqual([
      [
        [1, 1 / 3],
        [0, 2 / 3],
      ],
    ]);
  });
});

describe("invariants", () => {
  it.each(["true", "given"] as const)("comes back from matrices with rows %s", (rows) => {
    const fit = dawidSkene(randomCrowd(3, { classes: 3 }));
    const back = fromMatrices(toMatrices(fit.confusion, { classes: 3, rows }), {
      classes: 3,
      rows,
    });
    expect(back).toEqual(fit.confusion);
  });

  it("sums to one along the truth, also where workers may abstain", () => {
    const wide = Float64Array.of(0.5, 0.3, 0.2, 0.1, 0.6, 0.3);
    const [byTruth] = toMatrices(wide, { classes: 2, given: 3, rows: "true" });
    for (const row of byTruth) expect(row.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
    const [byLabel] = toMatrices(wide, { classes: 2, given: 3, rows: "given" });
    expect(byLabel).toHaveLength(3);
    expect(byLabel.reduce((sum, row) => sum + row[1], 0)).toBeCloseTo(1, 12);
  });
});

describe("limits", () => {
  it("refuses what has another shape", () => {
    expect(() => toMatrices(confusion, { classes: 3, rows: "true" })).toThrow(/4 numbers are no/);
    const rows = "true" as const;
    expect(() => fromMatrices([[[1, 0]]], { classes: 2, rows })).toThrow(
      /Matrix 0 .* it has 1 row/,
    );
    expect(() => fromMatrices([[[1], [0, 1]]], { classes: 2, rows })).toThrow(/row 0 has 1/);
  });

  it("nobody has no matrix", () => {
    expect(fromMatrices([], { classes: 2, rows: "true" })).toHaveLength(0);
  });
});
