import { describe, expect, it } from "vitest";
import { fixtureData, publicComparisons, shuffled, splitRows } from "../../../test/comparisons.ts";
import { loadComparisons, withSet } from "../../../test/datasets.ts";
import { fromRows } from "../../data/from-rows.ts";
import { LEFT, type PairwiseData, TIE } from "../../data/pairwise.ts";
import { preferenceLines, preferences, preferenceVotes } from "./preferences.ts";

/** Accuracy of the votes of shown pairs on hidden answers; unknown and equal votes count half. */
function hiddenAccuracy(data: PairwiseData, which: "plain" | "weighted"): number {
  const { shown, hidden } = splitRows(data);
  const votes = preferenceVotes(shown);
  const key = (task: number, a: number, b: number) => `${task} ${a} ${b}`;
  const of = new Map(
    votes.first.map((a, p) => [key(votes.task[p], a, votes.second[p]), votes[which][p]]),
  );
  let [right, all] = [0, 0];
  hidden.label.forEach((label, i) => {
    if (label === TIE) return;
    const [a, b] = [hidden.left[i], hidden.right[i]];
    const vote = of.get(key(hidden.task[i], Math.min(a, b), Math.max(a, b))) ?? 0;
    const lead = vote * (a < b ? 1 : -1) * (label === LEFT ? 1 : -1);
    right += Math.abs(lead) < 1e-9 ? 0.5 : lead > 0 ? 1 : 0;
    all++;
  });
  return right / all;
}

describe("published numbers", () => {
  for (const [name, plain, weighted, tasks] of [
    ["dots", 0.6512, 0.6512, false],
    ["puzzle", 0.6643, 0.6643, false],
    ["pair_llmfao", 0.7044, 0.7154, true],
    ["pair_music", 0.734, 0.7394, true],
    ["convarg", 0.7444, 0.7459, false],
  ] as const) {
    withSet(name, "hidden answers, by plain and weighted vote", () => {
      const data = tasks
        ? loadComparisons(name, "comparisons.csv", { tasks })
        : publicComparisons(name);
      const decided = splitRows(data).hidden.label.filter((l) => l !== TIE).length;
      const near = 1 / decided + 5e-5;
      expect(Math.abs(hiddenAccuracy(data, "plain") - plain)).toBeLessThan(near);
      expect(Math.abs(hiddenAccuracy(data, "weighted") - weighted)).toBeLessThan(near);
    });
  }
});

describe("weights", () => {
  it("are those of the definition", () => {
    // u and v agree on the first pair, w does not; nobody else compared b and c.
    const row = (worker: string, left: string, right: string, label: string) => ({
      worker,
      left,
      right,
      label,
    });
    const rows = [row("u", "a", "b", "a"), row("v", "b", "a", "a"), row("w", "a", "b", "b")];
    const data = fromRows([...rows, row("u", "b", "c", "c")], { kind: "pairwise" });
    const { weight, weighted, plain } = preferenceVotes(data);
    // Of the two others one chose a and one b: half. For w both chose a: none.
    const odds = (c: number, n: number) => Math.log((c + 2.8) / (n + 4 - c - 2.8));
    expect([...weight]).toEqual(
      [odds(0.5, 1), odds(0.5, 1), odds(0, 1)].map((x) => expect.closeTo(x, 12)),
    );
    expect([...plain]).toEqual([1, -1]);
    expect(weighted[0]).toBeCloseTo(2 * odds(0.5, 1) - odds(0, 1), 12);
  });

  it("do not depend on the order of rows", () => {
    const [one, other] = [preferences(fixtureData()), preferences(shuffled(fixtureData(), 3))];
    const sorted = (all: typeof one) =>
      all.map(({ chosen, rejected, p }) => `${chosen} ${rejected} ${p.toFixed(6)}`).sort();
    expect(sorted(other)).toEqual(sorted(one));
  });
});

describe("lines", () => {
  it("hold what training on preferences needs, and leave out what is open", () => {
    const rows = ["a", "a", "a", "b"].map((label, u) => ({
      task: "q1",
      worker: `w${u}`,
      left: "a",
      right: "b",
      label,
    }));
    const open = ["c", "d"].map((label, u) => ({
      task: "q2",
      worker: `x${u}`,
      left: "c",
      right: "d",
      label,
    }));
    const data = fromRows([...rows, ...open], { kind: "pairwise" });
    const found = preferences(data, new Float64Array(6).fill(0.75));
    expect(found.map(({ flip }) => flip)).toEqual([0.25, 0.25]);
    const lines = [...preferenceLines(found)].map((line) => JSON.parse(line));
    expect(lines).toEqual([
      { prompt: "q1", chosen: "a", rejected: "b", p: expect.any(Number), weight: 1, flip: 0.25 },
    ]);
    expect(lines[0].p).toBeGreaterThan(0.55);
    expect(
      preferences(
        fromRows([{ worker: "u", left: "a", right: "b", label: "tie" }], { kind: "pairwise" }),
      ),
    ).toEqual([]);
  });
});
