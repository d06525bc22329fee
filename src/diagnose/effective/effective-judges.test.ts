import { describe, expect, it } from "vitest";
import { loadComparisons, withSet } from "../../../test/datasets.ts";
import { type ComparisonRow, fromRows } from "../../data/from-rows.ts";
import { normal } from "../../math/distributions.ts";
import { createRandom } from "../../math/random.ts";
import { effectiveJudges } from "./effective-judges.ts";

/** Judges who all compare the same pairs of 20 items; the first few give the same answers. */
function copies(seed: number, same: number, others: number, pairs = 200) {
  const random = createRandom(seed).split("copies");
  const score = Array.from({ length: 20 }, () => normal(random));
  const rows: ComparisonRow[] = [];
  for (let k = 0; k < pairs; k++) {
    const a = Math.floor(random.next() * 20);
    const b = (a + 1 + Math.floor(random.next() * 19)) % 20;
    const say = () => (random.next() < 1 / (1 + Math.exp(score[b] - score[a])) ? a : b);
    const shared = say();
    for (let u = 0; u < same + others; u++) {
      const label = `i${u < same ? shared : say()}`;
      rows.push({ task: `t${k}`, worker: `w${u}`, left: `i${a}`, right: `i${b}`, label });
    }
  }
  return fromRows(rows, { kind: "pairwise" });
}

describe("effective judges", () => {
  it("three copies and seven others are worth eight, ten of ten times", () => {
    for (let seed = 0; seed < 10; seed++) {
      const { crowd, judges, correlations } = effectiveJudges(copies(seed, 3, 7));
      expect([judges, crowd]).toEqual([10, expect.closeTo(8, 3)]);
      const dependent = correlations.filter((each) => each.dependent);
      expect(dependent.map(({ judges: pair }) => [...pair].sort().join())).toEqual(
        expect.arrayContaining(["0,1", "0,2", "1,2"]),
      );
      expect(dependent.length).toBe(3);
    }
  });

  it("independent judges are worth as many as they are; those with few answers do not count", () => {
    expect(effectiveJudges(copies(1, 0, 6))).toMatchObject({ crowd: 6, judges: 6 });
    expect(effectiveJudges(copies(1, 3, 3, 10))).toMatchObject({ crowd: 0, judges: 0 });
  });

  withSet("pair_llmfao", "two models answer independently", () => {
    const files = ["comparisons.csv", "llm_judges.csv"];
    const data = loadComparisons("pair_llmfao", files, { tasks: true });
    const models = ["gpt3", "gpt4"].map((name) => data.workers.indexOf(name));
    const found = effectiveJudges(data).correlations.find(
      ({ judges }) => judges.includes(models[0]) && judges.includes(models[1]),
    );
    expect(found).toMatchObject({ common: 2139, dependent: false });
    expect(found?.correlation).toBeCloseTo(0.0688, 3);
  });
});
