import { describe, expect, it } from "vitest";
import {
  close,
  fixture,
  ordinalGates,
  ordinalLaws,
  randomLevels,
} from "../../../test/ordinal-checks.ts";
import { fromRows } from "../../data/from-rows.ts";
import { minimise } from "../../math/lbfgs.ts";
import { cumulativeLink } from "./cumulative-link.ts";
import { fitScale, scaleTable, startOfScale } from "./link-scale.ts";

describe("the fixture", () => {
  it("starts between the levels", () => {
    const start = startOfScale(3);
    expect([...start]).toEqual(close([0.405465, -0.75, 0.405465]));
    const table = new Float64Array(9);
    scaleTable(start, 3, table);
    expect([...table.subarray(0, 3)]).toEqual(close([0.679179, 0.225472, 0.095349]));
  });

  it("first iteration", () => {
    const { posterior, trace, discrimination, thresholds } = cumulativeLink(fixture, {
      maxIterations: 1,
    });
    const scale = (w: number) => {
      const [t1, t2] = thresholds.subarray(2 * w, 2 * w + 2);
      return [Math.log(discrimination[w]), t1, Math.log(t2 - t1)];
    };
    expect(scale(0)).toEqual(close([0.562547, -0.77443, 0.409972]));
    expect(scale(2)).toEqual(close([0.44977, -0.830959, 0.637145]));
    expect([...posterior]).toEqual(
      close([
        0.754764, 0.23468, 0.010556, 0.001154, 0.067859, 0.930987, 0.044386, 0.508149, 0.447464,
        0.056298, 0.386629, 0.557073, 0.644577, 0.271118, 0.084305,
      ]),
    );
    expect(trace[0]).toBeCloseTo(-15.280489, 5);
  });

  it("at the end", () => {
    const { posterior, trace, iterations } = cumulativeLink(fixture);
    expect(iterations).toBe(17);
    expect(trace[16]).toBeCloseTo(-15.205169, 5);
    expect([...posterior.subarray(0, 3)]).toEqual(close([0.75851, 0.225829, 0.015661]));
  });
});

it("the scale of a worker is the one that a general optimiser finds", () => {
  const counts = Float64Array.of(5, 2, 0.5, 0, 1, 4, 2, 0.3, 0, 2, 6, 1, 0.2, 0, 3, 7);
  const centre = startOfScale(4);
  const x = centre.slice();
  fitScale(x, counts, centre, 4);
  const table = new Float64Array(16);
  const value = (at: Float64Array) => {
    scaleTable(at, 4, table);
    const fit = counts.reduce((sum, n, cell) => sum + n * Math.log(table[cell]), 0);
    return 2 * at.reduce((sum, each, j) => sum + (each - centre[j]) ** 2, 0) - fit;
  };
  const slopes = (at: Float64Array, gradient: Float64Array) => {
    for (let j = 0; j < 4; j++) {
      const [up, down] = [at.slice(), at.slice()];
      up[j] += 1e-6;
      down[j] -= 1e-6;
      gradient[j] = (value(up) - value(down)) / 2e-6;
    }
    return value(at);
  };
  const best = minimise(slopes, centre.slice(), { maxIterations: 500, tolerance: 1e-12 }).x;
  expect([...x]).toEqual(close([...best], 5));
});

it("the objective rises between updates of the crowd's mean", () => {
  for (let seed = 0; seed < 5; seed++) {
    const { trace } = cumulativeLink(randomLevels(seed));
    for (let i = 1; i < trace.length; i++) {
      if (i % 5 !== 0) expect(trace[i]).toBeGreaterThanOrEqual(trace[i - 1] - 1e-9);
    }
  }
});

it("turns a scale round that is used upside down, and says so", () => {
  const data = randomLevels(6, { tasks: 200 });
  const label = data.label.map((k, i) => (data.worker[i] === 2 ? 4 - k : k));
  const { notes, consensus, confusion } = cumulativeLink({ ...data, label });
  expect(notes.join(" ")).toContain("1 worker uses the scale upside down");
  const hits = consensus.filter(
    (k, t) => Math.abs(k - data.truth[Number(data.tasks.at(t).slice(1))]) <= 1,
  );
  expect(hits.length).toBeGreaterThan(190);
  // In terms of what the worker said, low levels are called high.
  const row = confusion.subarray(2 * 25, 2 * 25 + 5);
  expect(row[4]).toBeGreaterThan(row[0]);
});

it("does not drift when few levels are in use", () => {
  const rows = ["a", "b"].flatMap((task) =>
    ["x", "y"].map((worker) => ({ task, worker, label: "1" })),
  );
  rows.push({ task: "c", worker: "x", label: "2" });
  const { consensus } = cumulativeLink(
    fromRows(rows, { kind: "ordinal", classes: ["0", "1", "2"] }),
  );
  expect([...consensus.subarray(0, 2)]).toEqual([1, 1]);
});

// The prior is on the first threshold and the gaps, so a mirrored scale has another prior.
describe("laws", () => ordinalLaws(cumulativeLink, { digits: 4, mirrors: false }));

ordinalGates(cumulativeLink, {
  ord_truth_politics: [0.175, 1.3167, 1.6021, 0.2524],
  time_relevance: [0.675, 0.3583, 0.6519, 0.70704],
});
