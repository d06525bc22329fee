import { describe, expect, it } from "vitest";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { mean } from "../aggregate/numeric/mean.ts";
import { bradleyTerry } from "../aggregate/pairwise/bradley-terry.ts";
import { selectLabels } from "../data/categorical.ts";
import { fromRows } from "../data/from-rows.ts";
import { createRandom } from "../math/random.ts";
import { hammerSpammerCrowd } from "../simulate/hammer-spammer.ts";
import { numericWorkers, numericWorstFirst } from "./numeric-workers.ts";
import { pairwiseWorkers } from "./pairwise-workers.ts";
import { isSuspect, standingOf, worstFirst } from "./standing.ts";
import { scoreWorkers } from "./worker-scores.ts";

describe("worst first", () => {
  it("puts those worse than guessing first, then those who cannot be told from it", () => {
    const workers = [
      { labels: 100, skill: 0.9 },
      { labels: 100, skill: 0.5, flags: ["spammer"] },
      { labels: 100, skill: 0.6 },
      { labels: 100, skill: 0.2, standing: "worse" },
      { labels: 0, skill: 0 },
    ] as const;
    expect(worstFirst(workers)).toEqual([3, 1, 2, 0, 4]);
  });

  it("puts nobody on top by few labels", () => {
    const workers = [
      { labels: 2, skill: 0 },
      { labels: 200, skill: 0.7 },
      { labels: 3, skill: 0.3, high: 0.95 },
    ];
    // Two wrong labels leave a skill of .66 possible, 200 labels at .7 one of .76.
    expect(worstFirst(workers)).toEqual([0, 1, 2]);
    expect(worstFirst([{ labels: 1, skill: 0 }, workers[1]])).toEqual([1, 0]);
  });

  it("keeps the order of weights that are no probabilities", () => {
    const workers = [3, -2, 1.5].map((skill) => ({ labels: 9, skill }));
    expect(worstFirst(workers)).toEqual([1, 2, 0]);
  });

  it("reads standings from flags", () => {
    expect(standingOf({ flags: ["few-labels"] })).toBe("unknown");
    expect(standingOf({ flags: ["one-class"] })).toBe("guessing");
    expect(standingOf({ flags: [] })).toBe(undefined);
    expect(isSuspect({ flags: ["few-labels"] })).toBe(false);
    expect(isSuspect({ flags: ["adversary"] })).toBe(true);
    expect(isSuspect({ flags: [] })).toBe(false);
  });
});

/** Five workers on 60 tasks: three good ones, one who guesses, one who answers the opposite; and one with 3 answers. */
function numbers() {
  const random = createRandom(4).split("numbers");
  return fromRows(
    Array.from({ length: 60 }, (_, t) => {
      const truth = 10 * random.next();
      const near = () => truth + random.next();
      const rows = ["ann", "bob", "cid"].map((worker) => ({
        task: `t${t}`,
        worker,
        value: near(),
      }));
      rows.push({ task: `t${t}`, worker: "guess", value: 10 * random.next() });
      rows.push({ task: `t${t}`, worker: "turned", value: 10 - near() });
      if (t < 3) rows.push({ task: `t${t}`, worker: "few", value: 50 });
      return rows;
    }).flat(),
    { kind: "numeric" },
  );
}

describe("numbers", () => {
  const data = numbers();
  const judged = numericWorkers(data, mean(data));
  const standing = Object.fromEntries(
    judged.map((worker, w) => [data.workers.at(w), worker.standing]),
  );

  it("are better, guessed, worse or too few", () => {
    expect(standing).toEqual({
      ann: "better",
      bob: "better",
      cid: "better",
      guess: "guessing",
      turned: "worse",
      few: "unknown",
    });
  });

  it("are listed worst first", () => {
    const names = numericWorstFirst(judged).map((w) => data.workers.at(w));
    expect(names.slice(0, 2)).toEqual(["turned", "guess"]);
  });
});

describe("comparisons", () => {
  const random = createRandom(2).split("comparisons");
  const items = ["a", "b", "c", "d", "e"];
  const rows = Array.from({ length: 60 }, (_, i) => {
    const [left, right] = [items[i % 5], items[(i + 1 + (i % 4)) % 5]];
    const [better] = [left, right].sort();
    const other = better === left ? right : left;
    const row = (worker: string, label: string) => ({ worker, left, right, label });
    return [
      ...["ann", "bob", "cid"].map((worker) => row(worker, better)),
      row("guess", random.next() < 0.5 ? left : right),
      row("turned", other),
      ...(i < 4 ? [row("few", better)] : []),
    ];
  }).flat();
  const data = fromRows(rows, { kind: "pairwise" });

  it("follow the scores, are guessed, run against them or are too few", () => {
    const judged = pairwiseWorkers(data, bradleyTerry(data));
    expect(
      Object.fromEntries(judged.map(({ standing }, w) => [data.workers.at(w), standing])),
    ).toEqual({
      ann: "better",
      bob: "better",
      cid: "better",
      guess: "guessing",
      turned: "worse",
      few: "unknown",
    });
    expect(
      worstFirst(judged)
        .map((w) => data.workers.at(w))
        .slice(0, 2),
    ).toEqual(["turned", "guess"]);
  });
});

describe("labels", () => {
  const { data, roles } = hammerSpammerCrowd({ seed: 7, tasks: 300, workers: 20 });
  const scores = scoreWorkers(data, dawidSkene(data));

  it("of guessers cannot be told from guessing, those of good workers can", () => {
    const standings = (role: string) =>
      scores.filter((_, w) => roles[w] === role).map(({ standing }) => standing);
    expect(standings("spammer").filter((each) => each === "guessing").length).toBeGreaterThan(3);
    expect(standings("spammer").filter((each) => each === "better").length).toBeLessThan(2);
    expect(new Set(standings("hammer"))).toEqual(new Set(["better"]));
  });

  it("of which there are few leave it unknown", () => {
    const few = selectLabels(data, (i) => i < 60);
    for (const { labels, standing } of scoreWorkers(few, dawidSkene(few))) {
      if (labels < 5) expect(standing).toBe("unknown");
    }
  });
});
