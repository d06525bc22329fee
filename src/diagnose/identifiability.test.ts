import { describe, expect, it } from "vitest";
import { gate } from "../../test/datasets.ts";
import { randomCrowd } from "../../test/random-crowd.ts";
import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { fromRows } from "../data/from-rows.ts";
import { namesOf } from "../data/names.ts";
import { createRandom } from "../math/random.ts";
import { confusionCrowd } from "../simulate/confusion.ts";
import { hammerSpammerCrowd } from "../simulate/hammer-spammer.ts";
import { mixedCrowd } from "../simulate/mixed.ts";
import { type CheckId, identifiability } from "./identifiability.ts";
import { scoreRank } from "./score-rank.ts";
import { workerGraph } from "./worker-graph.ts";

/** Good workers on tasks given by a design; right four times in five. */
function designed(tasks: number, K: number, workers: (t: number) => readonly number[]) {
  const random = createRandom(1).split("design");
  return fromRows(
    Array.from({ length: tasks }, (_, t) => {
      const truth = Math.floor(random.next() * K);
      return workers(t).map((w) => {
        const label = random.next() < 0.8 ? truth : Math.floor(random.next() * K);
        return { task: `t${t}`, worker: `w${w}`, label: `${label}` };
      });
    }).flat(),
  );
}

const chain = (K: number) => designed(600, K, (t) => [t % 5, (t % 5) + 1]);
const star = (K: number) => designed(600, K, (t) => [0, 1 + (t % 5)]);
const three = (K: number) => designed(600, K, () => [0, 1, 2]);
const guessers = (seed: number, classes: number) =>
  hammerSpammerCrowd({
    seed,
    classes,
    tasks: 500,
    workers: 20,
    hammers: 0,
    adversaries: 0,
    spammers: 1,
  }).data;

function checkOf(data: CategoricalData, id: CheckId, result: Aggregation = dawidSkene(data)) {
  const found = identifiability(data, result).checks.find((check) => check.id === id);
  if (!found) throw new Error(`no check ${id}`);
  return found;
}

describe("published numbers", () => {
  it.each([2, 3])("a chain of two workers per task is bipartite (%s classes)", (K) => {
    const check = checkOf(chain(K), "co-labelling");
    expect(check).toMatchObject({ serious: true, facts: { bipartite: 1, triangles: 0 } });
    expect(check.finding).toContain("bipartite");
    expect(checkOf(chain(K), "local-information")).toMatchObject({ status: "warn", serious: true });
  });

  it.each([2, 3])("a star is bipartite (%s classes)", (K) => {
    const check = checkOf(star(K), "co-labelling");
    expect(check).toMatchObject({ serious: true, facts: { bipartite: 1, triangles: 0 } });
    expect(checkOf(star(K), "local-information")).toMatchObject({ status: "warn", serious: true });
  });

  it.each([2, 3])("three workers on every task pass all checks (%s classes)", (K) => {
    const { status, checks } = identifiability(three(K), dawidSkene(three(K)));
    expect(status, checks.map(({ finding }) => finding).join("\n")).toBe("ok");
    expect(checks.every(({ advice }) => advice === "")).toBe(true);
  });

  it.each([2, 3, 4])("a crowd of guessers fails rank and better-than-random (%s classes)", (K) => {
    for (let seed = 0; seed < 4; seed++) {
      const data = guessers(seed, K);
      const { status, checks } = identifiability(data, dawidSkene(data));
      expect(status).toBe("warn");
      for (const id of ["rank", "better-than-random"] as const) {
        const check = checks.find((found) => found.id === id);
        expect(check?.serious, `${seed}: ${check?.finding}`).toBe(true);
        expect(check?.advice).not.toBe("");
      }
    }
  });

  it("sound crowds do not fail", () => {
    for (let seed = 0; seed < 3; seed++) {
      for (const { data } of [confusionCrowd({ seed }), mixedCrowd({ seed, workers: 200 })]) {
        for (const result of [dawidSkene(data), majorityVote(data)]) {
          const failed = identifiability(data, result).checks.filter(({ serious }) => serious);
          expect(failed.map(({ finding }) => finding)).toEqual([]);
        }
      }
    }
  });

  gate("bluebird", "all workers on all tasks, nothing to complain of", (data) => {
    const { status, checks } = identifiability(data, dawidSkene(data));
    expect(status).toBe("ok");
    expect(checks[0].facts).toMatchObject({ workers: 39, components: 1, bipartite: 0 });
  });
});

describe("brute force", () => {
  it("components, two-colourings and triangles from all subsets of a small crowd", () => {
    for (let seed = 0; seed < 40; seed++) {
      const data = randomCrowd(seed, { tasks: 5, workers: 7, rate: 0.2 });
      const graph = workerGraph(data);
      const on = (w: number) => new Set([...data.task].filter((_, i) => data.worker[i] === w));
      const sets = Array.from(data.workers, (_, w) => on(w));
      const joined = (a: number, b: number) =>
        a !== b && [...sets[a]].some((task) => sets[b].has(task));
      const all = Array.from(data.workers, (_, w) => w).filter((w) => sets[w].size > 0);
      let triangles = 0;
      for (const a of all) {
        for (const b of all) {
          for (const c of all) {
            if (a < b && b < c && joined(a, b) && joined(b, c) && joined(a, c)) triangles++;
          }
        }
      }
      expect(graph.triangles).toBe(triangles);
      // Reachability by repeated squaring of the relation.
      let reach = all.map((a) => all.map((b) => a === b || joined(a, b)));
      for (let n = 0; n < 3; n++) {
        reach = all.map((_, a) =>
          all.map((_, b) => all.some((_, c) => reach[a][c] && reach[c][b])),
        );
      }
      const groups = new Set(reach.map((row) => row.map(Number).join("")));
      const sizes = [...groups].map((row) => [...row].filter((x) => x === "1").length);
      const big = sizes.filter((size) => size > 1).sort((a, b) => b - a);
      expect(graph.components).toEqual(big);
      expect(graph.isolated).toBe(sizes.filter((size) => size === 1).length);
      // A component is bipartite if some colouring of its workers leaves no edge of one colour.
      const bipartite = [...groups]
        .map((row) => all.filter((_, at) => row[at] === "1"))
        .filter((group) => group.length > 1)
        .filter((group) =>
          Array.from({ length: 2 ** group.length }, (_, code) => code).some((code) =>
            group.every((a, i) =>
              group.every((b, j) => !joined(a, b) || ((code >> i) & 1) !== ((code >> j) & 1)),
            ),
          ),
        );
      expect(graph.bipartite.length).toBe(bipartite.length);
    }
  });

  it("rings of pairs: even ones are bipartite, odd ones are not, only three make a triangle", () => {
    for (const [size, bipartite, triangles] of [
      [3, 0, 1],
      [4, 1, 0],
      [5, 0, 0],
      [6, 1, 0],
    ]) {
      const ring = workerGraph(designed(60, 2, (t) => [t % size, (t + 1) % size]));
      expect(ring.components).toEqual([size]);
      expect([ring.bipartite.length, ring.triangles]).toEqual([bipartite, triangles]);
      expect([ring.smallestDegree, ring.medianDegree]).toEqual([2, 2]);
    }
  });

  it("purity of labels from the confusions themselves", () => {
    const data = three(3);
    // Label 0 says class 0 with .9 / 1.05, label 1 class 1 with .8 / 1.2, label 2 class 2 with .7 / .75.
    const block = [0.9, 0.1, 0, 0.15, 0.8, 0.05, 0, 0.3, 0.7];
    const confusion = Float64Array.from({ length: 27 }, (_, at) => block[at % 9]);
    const check = checkOf(data, "anchors", { ...dawidSkene(data), confusion });
    expect(check).toMatchObject({
      status: "warn",
      facts: { experts: 0, near: 2, fewestNearPure: 0 },
    });
    expect(check.finding).toContain('None for "1"');
    const identity = confusion.map((_, at) => ((at % 9) % 4 === 0 ? 1 : 0));
    const sharp = checkOf(data, "anchors", { ...dawidSkene(data), confusion: identity });
    expect(sharp.facts).toMatchObject({ experts: 3, near: 3, fewestNearPure: 3 });
    expect(sharp.facts["scatter"]).toBeCloseTo(1 / 3, 12);
  });

  it("the rank of the information: one worker, two, three", () => {
    // K = 2: one worker shows 1 number, two 3, three 7; there are 3, 5 and 7 to know.
    const model = (W: number) => ({
      confusion: Float64Array.from({ length: 4 * W }, (_, at) => [0.8, 0.2, 0.3, 0.7][at % 4]),
      prior: Float64Array.of(0.4, 0.6),
      given: 2,
    });
    for (const [W, parameters, rank] of [
      [1, 3, 1],
      [2, 5, 3],
      [3, 7, 7],
      [4, 9, 9],
    ]) {
      const data = designed(200, 2, () => Array.from({ length: W }, (_, w) => w));
      expect(scoreRank(data, model(W))).toMatchObject({ parameters, rank });
    }
  });
});

describe("invariants", () => {
  it("gives the same twice, each check once, and an advice exactly where something is wrong", () => {
    const data = randomCrowd(3);
    const found = identifiability(data, dawidSkene(data));
    expect(identifiability(data, dawidSkene(data))).toEqual(found);
    expect(new Set(found.checks.map(({ id }) => id)).size).toBe(8);
    for (const { status, advice, finding, facts } of found.checks) {
      expect(advice === "").toBe(status === "ok");
      expect(finding).toMatch(/\.$/);
      expect(Object.values(facts).every(Number.isFinite)).toBe(true);
    }
  });

  it("does not care about names of workers or order of labels", () => {
    const data = randomCrowd(4);
    const turned = {
      ...data,
      task: data.task.toReversed(),
      worker: data.worker.toReversed(),
      label: data.label.toReversed(),
    };
    const statuses = (d: CategoricalData) =>
      identifiability(d, dawidSkene(d)).checks.map(({ status }) => status);
    expect(statuses(turned)).toEqual(statuses(data));
  });
});

describe("limits", () => {
  it("warns of two crowds that never meet, and of a worker alone", () => {
    const apart = designed(600, 2, (t) => (t % 2 === 0 ? [0, 1, 2] : [3, 4, 5]));
    expect(checkOf(apart, "co-labelling")).toMatchObject({
      status: "warn",
      facts: { components: 2, bipartite: 0 },
    });
    const alone = designed(300, 2, (t) => (t < 250 ? [0, 1, 2] : [3]));
    expect(checkOf(alone, "co-labelling")).toMatchObject({
      status: "warn",
      facts: { isolated: 1 },
    });
  });

  it("warns of rare classes and of few labels per worker", () => {
    const rare = { ...three(2), classes: namesOf(["0", "1", "2"]) };
    expect(checkOf(rare, "class-support")).toMatchObject({ status: "warn", facts: { rare: 1 } });
    const sparse = mixedCrowd({ seed: 1 }).data;
    expect(checkOf(sparse, "labels-per-worker").status).toBe("warn");
    const few = designed(40, 4, (t) => [t, t + 1, t + 2]);
    expect(checkOf(few, "labels-per-worker").serious).toBe(true);
  });

  it("says where a class is mostly called by another name", () => {
    const data = designed(600, 3, () => [0, 1, 2]);
    const result = dawidSkene(data);
    const confusion = result.confusion.map((x, at) => (at % 9 >= 6 ? [0.1, 0.7, 0.2][at % 3] : x));
    const check = checkOf(data, "better-than-random", { ...result, confusion });
    expect(check).toMatchObject({ status: "warn", facts: { misnamed: 1 } });
    expect(check.finding).toContain('"2"');
  });

  it("calls what too few labels leave open unknown, never ok", () => {
    const few = fromRows(
      ["000", "110", "001", "111"].flatMap((labels, t) =>
        [...labels].map((label, w) => ({ task: `t${t}`, worker: `w${w}`, label })),
      ),
    );
    const unknown = (data: CategoricalData) =>
      identifiability(data, dawidSkene(data))
        .checks.filter(({ status }) => status === "unknown")
        .map(({ id }) => id);
    expect(unknown(few)).toEqual([
      "rank",
      "class-support",
      "anchors",
      "better-than-random",
      "starts",
    ]);
    for (const id of unknown(few)) {
      expect(checkOf(few, id).finding).toMatch(/Too few/);
      expect(checkOf(few, id).advice).not.toBe("");
    }
    const one = fromRows([{ task: "t", worker: "w", label: "x" }]);
    expect(unknown(one)).toEqual([
      "co-labelling",
      "labels-per-worker",
      "rank",
      "class-support",
      "anchors",
      "better-than-random",
      "local-information",
      "starts",
    ]);
    expect(identifiability(one, dawidSkene(one)).status).toBe("unknown");
    expect(unknown(three(2))).toEqual([]);
    const many = randomCrowd(1, { tasks: 10, workers: 90, rate: 1 });
    expect(checkOf(many, "local-information", majorityVote(many)).status).toBe("unknown");
  });

  it("warns of labels that are surely no better than guesses, alone or together", () => {
    // No worker has labels enough to tell, but together they contradict each other on every task.
    const rows = Array.from({ length: 300 }, (_, t) =>
      [0, 1].map((side) => ({ task: `t${t}`, worker: `w${2 * t + side}`, label: `${side}` })),
    ).flat();
    const data = fromRows(rows);
    expect(checkOf(data, "better-than-random")).toMatchObject({ status: "warn", serious: true });
  });

  it("sees when two starts end apart", () => {
    expect(checkOf(guessers(0, 4), "starts").status).not.toBe("ok");
    expect(checkOf(three(3), "starts")).toMatchObject({ status: "ok", facts: { agreed: 1 } });
  });

  it("bounds the pairs of a crowd where everybody labelled everything", () => {
    const data = randomCrowd(1, { tasks: 30, workers: 60, rate: 1 });
    const { checks } = identifiability(data, majorityVote(data), { mostPairs: 2000 });
    expect(checks[0].facts).toMatchObject({ sampled: 1, components: 1 });
    expect(checks[0].finding).toContain("on a sample");
    // 60 · 6 = 360 rates of 60 workers fit; with 90 there are more than 500.
    const many = randomCrowd(1, { tasks: 10, workers: 90, rate: 1 });
    expect(checkOf(many, "local-information", majorityVote(many)).facts).toEqual({ checked: 0 });
  });

  it("copes with no labels, one label, one class", () => {
    const none = fromRows([]);
    const one = fromRows([{ task: "t", worker: "w", label: "x" }]);
    const same = fromRows(["u", "v", "w"].map((worker) => ({ task: "t", worker, label: "x" })));
    for (const data of [none, one, same]) {
      for (const method of [dawidSkene, majorityVote]) {
        const { checks } = identifiability(data, method(data));
        for (const { facts } of checks) {
          expect(Object.values(facts).every(Number.isFinite)).toBe(true);
        }
      }
    }
    expect(checkOf(one, "co-labelling").finding).toContain("no two workers share a task");
  });
});
