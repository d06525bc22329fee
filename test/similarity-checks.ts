/** What the tests of methods for similarities share: a fixture, planted clusters, the laws that all of them keep. */
import { expect, it } from "vitest";
import type { SimilarityResult } from "../src/aggregate/similarity/clusterer.ts";
import { fromRows, type PairRow } from "../src/data/from-rows.ts";
import type { SimilarityData } from "../src/data/similarity.ts";
import { evaluateClusters } from "../src/evaluate/similarity.ts";
import { createRandom } from "../src/math/random.ts";

type Fit = (data: SimilarityData, options?: object) => SimilarityResult;

const answers = "0101 0211 1221 3401 3411 0300 1410 2320 2400 0421 1320 1201".split(" ");

/** Twelve answers about five items: left, right, worker, same or not. */
export const fixture = fromRows(
  answers.map(([left, right, worker, label]) => ({ left, right, worker, label })),
  { kind: "similarity" },
);

export const near = (values: Iterable<number>, digits = 6) =>
  Array.from(values, (x) => (Number.isNaN(x) ? Number.NaN : expect.closeTo(x, digits)));

/** Answers about random pairs of items in equal blocks; some workers are right less often. */
export function plantedBlocks(
  seed: number,
  {
    items = 150,
    blocks = 3,
    perItem = 15,
    workers = 10,
    right = 0.9,
    poor = 0,
    poorRight = 0.6,
  } = {},
): SimilarityData {
  const random = createRandom(seed).split("blocks");
  const rows: PairRow[] = [];
  const pick = (n: number) => Math.floor(random.next() * n);
  for (let at = 0; at < (items * perItem) / 2; at++) {
    const i = pick(items);
    const j = (i + 1 + pick(items - 1)) % items;
    const w = pick(workers);
    const truth = i % blocks === j % blocks;
    const said = random.next() < (w < poor ? poorRight : right) ? truth : !truth;
    const label = said ? "same" : "different";
    rows.push({ worker: `w${w}`, left: `i${i}`, right: `i${j}`, label });
  }
  const met = new Set(rows.flatMap(({ left, right }) => [left, right]));
  const gold = Array.from({ length: items }, (_, i) => [`i${i}`, `b${i % blocks}`] as const).filter(
    ([item]) => met.has(item),
  );
  return fromRows(rows, { kind: "similarity", gold });
}

export const rowsOf = (data: SimilarityData): PairRow[] =>
  Array.from(data.label, (said, i) => ({
    worker: data.workers.at(data.worker[i]),
    left: data.items.at(data.left[i]),
    right: data.items.at(data.right[i]),
    label: said,
    ...(data.weight && { weight: data.weight[i] }),
  }));

const read = (rows: readonly PairRow[]) => fromRows(rows, { kind: "similarity" });

/** The items of each cluster by name, however clusters are numbered. */
export function partitionOf({ items, cluster, clusters }: SimilarityResult): string[] {
  const members = Array.from({ length: clusters }, (): string[] => []);
  cluster.forEach((c, i) => {
    members[c].push(items.at(i));
  });
  return members.map((list) => list.sort().join(" ")).sort();
}

export const rand = (data: SimilarityData, { cluster }: SimilarityResult): number =>
  evaluateClusters({ cluster, gold: data.gold }).adjustedRand.value;

/** Expects that memberships, confidences and rates are some, and that clusters are numbered by size. */
function expectSound(result: SimilarityResult): void {
  const { membership, items, confidence, cluster, clusters, alike, apart, component } = result;
  const K = membership.length / Math.max(1, items.length);
  for (let i = 0; i < items.length; i++) {
    const sum = membership.subarray(i * K, (i + 1) * K).reduce((a, b) => a + b, 0);
    expect(sum).toBeCloseTo(1, 9);
  }
  for (const p of [...confidence.filter((x) => !Number.isNaN(x)), ...alike, ...apart]) {
    expect(p).toBeGreaterThanOrEqual(0);
    expect(p).toBeLessThanOrEqual(1 + 1e-12);
  }
  const sizes = Array.from({ length: clusters }, (_, c) => cluster.filter((x) => x === c).length);
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  expect(Math.min(1, ...sizes)).toBe(Math.min(1, clusters + 1));
  const parts = new Map<number, number>();
  cluster.forEach((c, i) => {
    expect(parts.get(c) ?? component[i]).toBe(component[i]);
    parts.set(c, component[i]);
  });
}

/** Tests what holds for every method of similarities. */
export function similarityLaws(run: Fit): void {
  const data = plantedBlocks(4, { items: 45, perItem: 18 });
  const found = run(data, { clusters: 3 });

  it("gives sound results", () => {
    expectSound(found);
    expect(found.clusters).toBe(3);
  });

  it("does not depend on the order of items, rows and sides, or on names", () => {
    const turned = run(
      read(
        rowsOf(data)
          .map(({ left, right, ...row }, i) =>
            i % 2 ? { ...row, left, right } : { ...row, left: right, right: left },
          )
          .reverse(),
      ),
      { clusters: 3 },
    );
    expect(partitionOf(turned)).toEqual(partitionOf(found));
    const renamed = run(
      read(
        rowsOf(data).map((row) => ({
          ...row,
          left: `x${row.left}`,
          right: `x${row.right}`,
          worker: `u${row.worker}`,
        })),
      ),
      { clusters: 3 },
    );
    expect([...renamed.cluster]).toEqual([...found.cluster]);
    expect([...renamed.skill]).toEqual([...found.skill]);
    const at = Array.from(data.items, (name) => turned.items.indexOf(name));
    expect(at.map((i) => turned.confidence[i])).toEqual(near(found.confidence, 6));
  });

  it("gives the same bits twice", () => {
    expect(run(data, { clusters: 3 }).membership).toEqual(found.membership);
  });

  it("takes a weight of 2 for the same answer given twice", () => {
    const rows = rowsOf(data);
    const weighted = read(rows.map((row, i) => ({ ...row, weight: i % 3 === 0 ? 2 : 1 })));
    const repeated = read(rows.flatMap((row, i) => (i % 3 === 0 ? [row, row] : [row])));
    const [one, two] = [run(weighted, { clusters: 3 }), run(repeated, { clusters: 3 })];
    expect([...one.cluster]).toEqual([...two.cluster]);
    expect([...one.skill]).toEqual(near(two.skill, 6));
    // The parts that are hidden in turn go by names, so the choice is the same too.
    const [a, b] = [run(weighted), run(repeated)];
    expect(a.tried.map(({ score }) => score)).toEqual(
      near(
        b.tried.map(({ score }) => score),
        6,
      ),
    );
  });

  it("chooses three clusters by itself", () => {
    const { tried, clusters } = run(data);
    expect(clusters).toBe(3);
    const best = tried.toSorted((x, y) => y.score - x.score)[0];
    expect(best.clusters).toBe(3);
  });

  similarityLimits(run);
}

function similarityLimits(run: Fit): void {
  const row = { worker: "w", left: "a", right: "b" };

  it("leaves every item alone where nobody says same, and fits nothing", () => {
    const result = run(
      read([
        { ...row, label: "different" },
        { ...row, left: "c", label: "different" },
      ]),
    );
    expect(result.clusters).toBe(3);
    expect(result.notes.join()).toContain("every item is a cluster of its own");
    expect(result.iterations).toBe(0);
    expectSound(result);
  });

  it("has one cluster per part where nobody says different", () => {
    const result = run(
      read([
        { ...row, label: "same" },
        { ...row, left: "c", right: "d", label: "same" },
        { ...row, left: "d", right: "e", label: "same" },
      ]),
    );
    expect(partitionOf(result)).toEqual(["a b", "c d e"]);
    expect(result.notes.join()).toContain('No answer says "different"');
    expectSound(result);
  });

  it("never puts items of two parts together, and says how many parts there are", () => {
    const one = rowsOf(fixture);
    const two = one.map((each) => ({ ...each, left: `z${each.left}`, right: `z${each.right}` }));
    const data = read([...one, ...two]);
    const result = run(data, { clusters: 2 });
    expect(partitionOf(result)).toEqual(["0 1 2", "3 4", "z0 z1 z2", "z3 z4"]);
    expect([...data.notes, ...result.notes].join()).toContain("2 parts");
    expectSound(result);
  });

  it("refuses more clusters than items, and takes as many", () => {
    expect(() => run(fixture, { clusters: 6 })).toThrow(/5 items/);
    expectSound(run(fixture, { clusters: 5 }));
    expectSound(run(fixture, { clusters: 1 }));
  });

  it("counts items with a single answer, and takes one answer or none", () => {
    const result = run(
      read([...rowsOf(fixture), { ...row, left: "0", right: "9", label: "same" }]),
      { clusters: 2 },
    );
    expect(result.support[result.items.indexOf("9")]).toBe(1);
    expect(result.notes.join()).toContain("1 of 6 items have a single answer (support 1)");
    expect(run(read([{ ...row, label: 1 }])).clusters).toBe(1);
    expect(run(read([{ ...row, label: 0 }])).clusters).toBe(2);
    expect(run(read([])).clusters).toBe(0);
    expectSound(
      run(
        read([
          { ...row, label: 1 },
          { ...row, label: 0 },
        ]),
      ),
    );
  });
}
