import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { folder, withSet } from "../../../test/datasets.ts";
import { checkLoss, linearOutputs, softmaxOf } from "../../../test/loss-check.ts";
import { pairAnswers, pairCrowd } from "../../../test/pair-answers.ts";
import { fromMatrix } from "../../data/features.ts";
import { fromRows, type PairRow } from "../../data/from-rows.ts";
import { evaluateClusters } from "../../evaluate/similarity.ts";
import { normal } from "../../math/distributions.ts";
import { createRandom } from "../../math/random.ts";
import { openFeatures } from "../../node/features.ts";
import { openRuntime } from "../../node/runtime.ts";
import { clusterNet, pairLoss } from "./cluster-net.ts";

const executor = await openRuntime();

it("loss and gradient are those of the definition", () => {
  const K = 3;
  const { outcome: _, ...pairs } = pairAnswers;
  const same = Float64Array.from([1, 0, 1, 1, 0, 0]);
  const alike = Float64Array.from([0.9, 0.9, 0.8, 0.8, 0.7, 0.7]);
  const apart = Float64Array.from([0.2, 0.2, 0.1, 0.1, 0.4, 0.4]);
  const { loss, fed } = checkLoss((io) => ({ loss: pairLoss(io) }), {
    crowd: { ...pairCrowd, outputs: K, answers: { ...pairs, same, alike, apart } },
  });
  const raw = linearOutputs(fed, 4, K);
  const f = [0, 1, 2, 3].map((i) => softmaxOf(raw.slice(i * K, (i + 1) * K)));
  let [sum, total] = [0, 0];
  same.forEach((y, i) => {
    const s = f[pairs.left[i]].reduce((all, p, c) => all + p * f[pairs.right[i]][c], 0);
    const p = alike[i] * s + apart[i] * (1 - s);
    sum -= pairs.weight[i] * Math.log(y === 1 ? p : 1 - p);
    total += pairs.weight[i];
  });
  expect(loss).toBeCloseTo(sum / total, 10);
});

/** Random pairs of items, answered rightly with a probability by ten workers. */
function pairsOf(
  seed: number,
  items: readonly (readonly [name: string, cluster: string])[],
  each: number,
  right: number,
) {
  const random = createRandom(seed).split("pairs");
  const rows: PairRow[] = [];
  for (let i = 0; i < items.length; i++) {
    for (let k = 0; k < each; k++) {
      const j = (i + 1 + Math.floor(random.next() * (items.length - 1))) % items.length;
      const same = (items[i][1] === items[j][1]) === random.next() < right;
      const worker = `w${Math.floor(random.next() * 10)}`;
      const label = same ? "same" : "different";
      rows.push({ worker, left: items[i][0], right: items[j][0], label });
    }
  }
  return fromRows(rows, { kind: "similarity", gold: items });
}

it("finds how many clusters there are, and numbers them as the classifier does", async () => {
  const random = createRandom(3).split("blobs");
  const items = Array.from({ length: 90 }, (_, i) => [`i${i}`, `c${i % 3}`] as const);
  const matrix = Float32Array.from({ length: 180 }, (_, at) => {
    const angle = ((at >> 1) % 3) * 2.1;
    return 3 * (at % 2 === 0 ? Math.cos(angle) : Math.sin(angle)) + normal(random);
  });
  const features = fromMatrix(
    items.map(([name]) => name),
    [2],
    matrix,
  );
  const data = pairsOf(1, items, 5, 0.85);
  const result = await clusterNet(data, features, { epochs: 40 }, { executor });
  expect(result.clusters).toBe(3);
  expect(result.tried.length).toBeGreaterThan(2);
  const { adjustedRand } = evaluateClusters({ ...result, gold: data.gold });
  expect(adjustedRand.value).toBeGreaterThan(0.8);
  const said = await result.predictor.predict(
    features,
    Array.from(data.items, (name) => Number(name.slice(1))),
  );
  result.cluster.forEach((c, i) => {
    const own = said.subarray(i * 3, i * 3 + 3);
    expect(own.indexOf(own.reduce((a, b) => Math.max(a, b)))).toBe(c);
  });
});

withSet("digits", "three digits from six pairs per item: at least .80", async () => {
  const lines = readFileSync(join(folder, "digits/gold.csv"), "utf8").trim().split("\n").slice(1);
  const items = lines
    .map((line) => line.split(",") as [string, string])
    .filter(([, digit]) => Number(digit) < 3);
  const features = await openFeatures(join(folder, "digits/features.npy"), {});
  for (const seed of [0, 1, 2]) {
    const data = pairsOf(seed, items, 3, 0.75);
    const result = await clusterNet(data, features, { clusters: 3 }, { executor });
    const { adjustedRand } = evaluateClusters({ ...result, gold: data.gold });
    expect(adjustedRand.value, `seed ${seed}`).toBeGreaterThan(0.8);
  }
  features.close?.();
});
