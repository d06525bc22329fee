import { expect, it } from "vitest";
import { loadSimilarities, withSet } from "../../test/datasets.ts";
import { crowdClusters } from "../aggregate/similarity/crowd-clusters.ts";
import { fromRows } from "../data/from-rows.ts";
import { evaluateClusters } from "../evaluate/similarity.ts";
import { createRandom } from "../math/random.ts";
import { similarityAuto } from "./similarity.ts";

withSet(
  "same_dogs3",
  "adjusted Rand index not below that of crowd-clusters by more than .01",
  () => {
    const data = loadSimilarities("same_dogs3");
    const rand = ({ cluster }: { readonly cluster: Int32Array }) =>
      evaluateClusters({ cluster, gold: data.gold }).adjustedRand.value;
    const found = similarityAuto(data, { clusters: 3 });
    expect(rand(found)).toBeGreaterThan(rand(crowdClusters(data, { clusters: 3 })) - 0.01);
  },
);

it("chooses the number of clusters once, for all candidates", () => {
  const random = createRandom(1);
  const item = () => Math.floor(random.next() * 12);
  const rows = Array.from({ length: 300 }, (_, i) => ({
    worker: `w${i % 5}`,
    a: item(),
    b: item(),
  }))
    .filter(({ a, b }) => a !== b)
    .map(({ worker, a, b }) => ({
      worker,
      left: `i${a}`,
      right: `i${b}`,
      label: a % 2 === b % 2 ? "same" : "different",
    }));
  const data = fromRows(rows, { kind: "similarity" });
  const { clusters, portfolio, method } = similarityAuto(data, { folds: 2 });
  expect(method).toBe("auto");
  expect(clusters).toBe(2);
  for (const { options } of portfolio) expect(options["clusters"]).toBe(2);
});
