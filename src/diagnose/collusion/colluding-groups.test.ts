import { describe, expect, it } from "vitest";
import { categoricalSets, gate } from "../../../test/datasets.ts";
import { fromRows } from "../../data/from-rows.ts";
import { drain } from "../../method.ts";
import { confusionCrowd } from "../../simulate/confusion.ts";
import { labelScenarios, scenarios } from "../../simulate/index.ts";
import { colludingGroups } from "./colluding-groups.ts";

/** Crowds whose workers copy or follow each other by design. */
const dependent = ["hospitals", "colluders", "groups", "copied-coin"];

describe("no false alarm", () => {
  const independent = labelScenarios.filter(({ id }) => !dependent.includes(id));
  it.each(independent.map((scenario) => [scenario.id, scenario] as const))(
    "%s, ten seeds",
    (_, scenario) => {
      for (let seed = 0; seed < 10; seed++) {
        expect(drain(colludingGroups(scenario({ seed }).data, { seed })).groups).toEqual([]);
      }
    },
  );

  it("a million labels of a thousand Dawid–Skene workers, in seconds", () => {
    const { data } = confusionCrowd({
      tasks: 200_000,
      workers: 1000,
      classes: 4,
      labelsPerTask: 5,
      seed: 1,
    });
    expect(data.label.length).toBeGreaterThan(900_000);
    const before = process.cpuUsage();
    const found = drain(colludingGroups(data));
    const { user } = process.cpuUsage(before);
    expect(found.groups).toEqual([]);
    // About a second alone.
    expect(user / 1e6).toBeLessThan(8);
  });

  for (const name of categoricalSets) {
    gate(name, "no group", (data) => {
      expect(drain(colludingGroups(data)).groups).toEqual([]);
    });
  }
});

describe("finds", () => {
  it.each([0.1, 0.3, 0.45])("the colluders, and nobody else (share %f)", (share) => {
    for (let seed = 0; seed < 2; seed++) {
      const { data, roles = [] } = scenarios.colluders({ share, seed });
      const { groups, pairs, reasons, share: labels } = drain(colludingGroups(data, { seed }));
      const expected = roles.flatMap((role, w) => (role === "colluder" ? [w] : []));
      expect(groups.map((group) => [...group])).toEqual([expected]);
      expect(pairs[0]).toHaveLength((expected.length * (expected.length - 1)) / 2);
      expect(reasons[0]).toMatch(
        /The rest of the crowd contradicts (8[6-9]|9[0-4]) % of their equal answers/,
      );
      expect(labels).toBeCloseTo(share, 2);
    }
  });

  it("small groups are left alone", () => {
    // Two of 60 workers hold 3 % of the labels.
    const { data } = scenarios.colluders({ share: 2 / 60, seed: 1 });
    expect(drain(colludingGroups(data)).groups).toEqual([]);
  });

  it("nothing in nothing", () => {
    expect(drain(colludingGroups(fromRows([])))).toMatchObject({
      groups: [],
      share: 0,
      sampled: false,
    });
  });
});
