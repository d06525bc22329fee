import { describe, expect, it } from "vitest";
import { folder, withSet } from "../../test/datasets.ts";
import { cli } from "../../test/world.ts";
import { findingReport } from "../report/finding-report.ts";
import { topKOracle } from "./bayes-dgc.ts";
import { halfWidth, larger, shareRight } from "./experiment.ts";
import { experiments } from "./index.ts";

describe("experiments", () => {
  it("have names of their own and say what they do", () => {
    expect(new Set(experiments.map(({ id }) => id)).size).toBe(experiments.length);
    for (const { id, title, about, paper, seeds } of experiments) {
      expect(id).toMatch(/^[a-z0-9-]+$/);
      for (const text of [title, about, paper]) expect(text.length, id).toBeGreaterThan(20);
      expect(seeds.full).toBeGreaterThanOrEqual(seeds.quick);
    }
  });

  it("are listed, found by nearly their name, and say what is missing", async () => {
    const list = await cli(["reproduce"]);
    for (const { id } of experiments) expect(list.out).toContain(id);
    const wrong = await cli(["reproduce", "max-mig-table-9"]);
    expect(wrong.code).toBe(2);
    expect(wrong.said).toMatch(/Did you mean max-mig-table-/);
    const missing = await cli(["reproduce", "deep-bp-fig-10", "--data", "/nowhere"]);
    expect(missing.out).toMatch(/The set temp is not there/);
  });

  withSet("temp", "those who label most guess, as the paper's figure 10 shows", async () => {
    const { code, out } = await cli(["reproduce", "deep-bp-fig-10", "--data", folder]);
    expect(out.match(/^pass/gm)).toHaveLength(7);
    expect(code).toBe(0);
  });

  withSet(
    "web",
    "colluders are found in simulated crowds and do their harm in public ones",
    async () => {
      const { code, out } = await cli([
        "reproduce",
        "tutorial-colluders",
        "--quick",
        "--data",
        folder,
      ]);
      expect(out.match(/^pass/gm)?.length).toBeGreaterThanOrEqual(8);
      expect(out).not.toMatch(/^FAIL/m);
      expect(code).toBe(0);
    },
  );

  it("find confusions by moments where EM from the votes is lost", async () => {
    const { code, out } = await cli(["reproduce", "identifiability", "--quick"]);
    expect(out.match(/^pass/gm)).toHaveLength(15);
    expect(code).toBe(0);
  });

  withSet(
    "web",
    "prune spammers as the tutorial does on bluebird, and refuse it on web",
    async () => {
      const { out } = await cli(["reproduce", "tutorial-spammers", "--quick", "--data", folder]);
      expect(out.match(/^pass/gm)).toHaveLength(6);
      expect(out).toMatch(/pass {2}bluebird: the printed row is reproduced: 22 pruned/);
      expect(out).toMatch(/FAIL {2}web: the printed row is reproduced/);
    },
  );
  it("find groups of workers who err together, and answers that one large group does not decide", async () => {
    const { out } = await cli([
      "reproduce",
      "tutorial-groups",
      "--seeds",
      "1",
      "--data",
      "/nowhere",
    ]);
    expect(out).toMatch(/The set bluebird is not there/);
    // The mean of .96 is claimed of ten seeds; the first alone has .9525.
    expect(out.match(/^pass/gm)).toHaveLength(9);
  });

  it("show that a classifier learns the bias of workers if it sees the group", async () => {
    const { out } = await cli(["reproduce", "tutorial-fairness", "--seeds", "2"]);
    expect(out).toMatch(/pass {2}A classifier that sees the group learns the bias of votes/);
    expect(out).toMatch(/pass {2}One matrix per group lowers Delta/);
    // Means of parity differences are claimed of ten seeds; of two, chance moves them by .01.
    expect(out.match(/^pass/gm)?.length).toBeGreaterThanOrEqual(10);
  });

  withSet(
    "web",
    "reach .75 with the least sure task for the best worker, with at most 60 % of random's labels",
    async () => {
      const args = ["reproduce", "tutorial-active", "--seeds", "1", "--data", folder];
      const { code, out } = await cli(args);
      expect(out).toMatch(/pass {2}web: the tutorial's choice reaches .75 with at most 60 %/);
      expect(out).toMatch(/The set dog is not there/);
      expect(out).not.toMatch(/^FAIL/m);
      expect(code).toBe(0);
    },
  );

  it("compare belief propagation by draws with the exact one", async () => {
    const { code, out } = await cli(["reproduce", "deep-bp-fig-8", "--seeds", "2"]);
    expect(out).toMatch(/pass {2}400 draws are within .006 of exact, Dir\(0.5, 0.25\)/);
    expect(code).toBe(0);
  });
});

it("a finding without a picture gets one for each group of settings", () => {
  const row = (name: string, setting: string) => ({ name, setting, ours: [0.5, 0.7], theirs: 0.6 });
  const rows = [row("a", "last epoch"), row("a", "crowd, B.1"), row("a", "crowd, B.2")];
  const [section] = findingReport(experiments[0], {
    rows,
    charts: [],
    checks: [],
    notes: [],
  }).sections;
  expect(section.charts?.map((chart) => [chart.title, "rows" in chart && chart.rows])).toEqual([
    ["last epoch", [{ name: "a", value: 0.6, half: halfWidth([0.5, 0.7]), theirs: 0.6 }]],
    [
      "crowd",
      [expect.objectContaining({ name: "B.1: a" }), expect.objectContaining({ name: "B.2: a" })],
    ],
  ]);
});

it("the oracle's F1 is the share of hits, its accuracy follows", () => {
  const gold = Int32Array.of(1, 1, 0, 0, 0);
  // Neither of the most likely two is one.
  const posterior = Float64Array.from([0.1, 0.2, 0.9, 0.3, 0.4].flatMap((p) => [1 - p, p]));
  expect(topKOracle(posterior, gold, 1)).toEqual({ f1: 0, accuracy: 1 - 4 / 5 });
  const better = Float64Array.from([0.8, 0.2, 0.7, 0.1, 0.1].flatMap((p) => [1 - p, p]));
  const { f1, accuracy } = topKOracle(better, gold, 1);
  expect(f1).toBeCloseTo(0.5, 12);
  expect(accuracy).toBeCloseTo(1 - 2 / 5, 12);
});

it("intervals and differences are those of the books", () => {
  expect(halfWidth([1, 2, 3, 4])).toBeCloseTo((5.841 * Math.sqrt(5 / 3)) / 2, 6);
  expect(larger("", [2, 3], [1, 1]).passed).toBe(true);
  expect(larger("", [2, 3], [1, 1], 1.5).passed).toBe(false);
  expect(shareRight(Float64Array.of(0.2, 0.8, 0.6, 0.4, 1, 0), Int32Array.of(1, 1, -1))).toBe(0.5);
});
