import { describe, expect, it } from "vitest";
import { gate } from "../../test/datasets.ts";
import { featureCrowd, featuresOf } from "../../test/feature-crowd.ts";
import { labelMeFeatures, labelMeTest } from "../../test/labelme.ts";
import { checkLoss, toyCrowd } from "../../test/loss-check.ts";
import { runCase, runTable } from "../../test/protocols/max-mig.ts";
import { zeroLogistic } from "../../test/zero-logistic.ts";
import { voteShares } from "../belief/votes.ts";
import { namesOf } from "../data/names.ts";
import { createRandom } from "../math/random.ts";
import { openRuntime } from "../node/runtime.ts";
import { tenMadeClasses, twoMadeClasses } from "../reproduce/max-mig-crowds.ts";
import { copiedCoinCrowd } from "../simulate/copied-coin.ts";
import { withFeatures } from "../simulate/features.ts";
import { maxMigCrowd } from "../simulate/max-mig.ts";
import { gradient } from "../tensor/gradient.ts";
import { input } from "../tensor/graph.ts";
import { interpret } from "../tensor/interpreter.ts";
import { flatten } from "../tensor/layers/layers.ts";
import { filled, given } from "../tensor/layers/starts.ts";
import type { Model } from "../tensor/models.ts";
import { affine } from "../tensor/ops/matmul.ts";
import { infer, voteEvidence } from "./evidence.ts";
import { type Divergence, desaturation, gains, maxMig, negativeGain } from "./max-mig.ts";

const executor = await openRuntime();
const divergences = ["kl", "pearson", "js"] as const;

/** df(S), f*(df(S)), and their derivatives by S. */
const forms = {
  kl: [(s) => 1 + Math.log(s), (s) => s, (s) => 1 / s, () => 1],
  pearson: [(s) => 2 * (s - 1), (s) => s * s - 1, () => 2, (s) => 2 * s],
  js: [
    (s) => Math.log((2 * s) / (1 + s)),
    (s) => -Math.log(2 / (1 + s)),
    (s) => 1 / s - 1 / (1 + s),
    (s) => 1 / (1 + s),
  ],
} satisfies Record<Divergence, ((s: number) => number)[]>;

/** The gain as it is defined, from the whole matrix of agreements, with its gradient by h and g. */
function defined(divergence: Divergence, h: Float64Array, g: Float64Array, p: readonly number[]) {
  const [df, conjugate, slope, conjugateSlope] = forms[divergence];
  const K = p.length;
  const B = h.length / K;
  const byH = new Float64Array(h.length);
  const byG = new Float64Array(g.length);
  let value = 0;
  for (let i = 0; i < B; i++) {
    for (let j = 0; j < B; j++) {
      let s = 0;
      for (let k = 0; k < K; k++) s += (h[i * K + k] * g[j * K + k]) / p[k];
      const share = i === j ? 1 / B : -1 / (B * (B - 1));
      value += share * (i === j ? df(s) : conjugate(s));
      const pull = share * (i === j ? slope(s) : conjugateSlope(s));
      for (let k = 0; k < K; k++) {
        byH[i * K + k] += (pull * g[j * K + k]) / p[k];
        byG[j * K + k] += (pull * h[i * K + k]) / p[k];
      }
    }
  }
  return { value, byH, byG };
}

/** The same by the graph that is trained, in double precision. */
function computed(divergence: Divergence, h: Float64Array, g: Float64Array, p: readonly number[]) {
  const K = p.length;
  const [left, right] = [input("h", ["batch", K]), input("g", ["batch", K])];
  const value = gains[divergence](left, right);
  const [byH, byG] = gradient(value, [left, right]);
  const found = interpret({ value, byH, byG }).runNow({
    h: h.map((x, at) => Math.log(x / p[at % K])),
    g: g.map(Math.log),
  });
  // By h and g themselves, not by their logarithms.
  return {
    value: found["value"][0],
    byH: found["byH"].map((x, at) => x / h[at]),
    byG: found["byG"].map((x, at) => x / g[at]),
  };
}

function distributions(seed: number, rows: number, K: number): Float64Array {
  const random = createRandom(seed).split("rows");
  const table = Float64Array.from({ length: rows * K }, () => 0.01 + random.next());
  for (let from = 0; from < table.length; from += K) {
    const total = table.subarray(from, from + K).reduce((a, b) => a + b);
    for (let k = from; k < from + K; k++) table[k] /= total;
  }
  return table;
}

describe("the gain", () => {
  it.each(divergences)("is the definition's, and so are its slopes (%s)", (divergence) => {
    for (const [seed, B, p] of [
      [1, 2, [0.5, 0.5]],
      [2, 9, [0.2, 0.3, 0.5]],
      [3, 40, [0.1, 0.2, 0.3, 0.4]],
    ] as const) {
      const [h, g] = [distributions(seed, B, p.length), distributions(seed + 9, B, p.length)];
      const exact = defined(divergence, h, g, p);
      const found = computed(divergence, h, g, p);
      expect(found.value).toBeCloseTo(exact.value, 12);
      for (let at = 0; at < h.length; at++) {
        expect(found.byH[at]).toBeCloseTo(exact.byH[at], 10);
        expect(found.byG[at]).toBeCloseTo(exact.byG[at], 10);
      }
    }
  });

  const perfect = (B: number) =>
    Float64Array.from({ length: 2 * B }, (_, at) => Number((at >> 1) % 2 === at % 2));

  it("of a perfect pair on a balanced batch is known, and so is its limit", () => {
    const { log } = Math;
    for (const B of [4, 64, 512]) {
      const w = (B / 2 - 1) / (B - 1);
      const expected = {
        kl: 1 + log(2) - 2 * w,
        pearson: 3 - 4 * w,
        js: log(4 / 3) + w * log(2 / 3) + (1 - w) * log(2),
      };
      const limits = { kl: log(2), pearson: 1, js: 1.5 * log(4 / 3) };
      for (const divergence of divergences) {
        const { value } = computed(divergence, perfect(B), perfect(B), [0.5, 0.5]);
        expect(value).toBeCloseTo(expected[divergence], 10);
        expect(Math.abs(value - limits[divergence])).toBeLessThan(2.1 / (B - 1));
      }
    }
    const at64 = divergences.map((each) => computed(each, perfect(64), perfect(64), [0.5, 0.5]));
    expect(at64.map(({ value }) => value.toFixed(6))).toEqual(["0.709020", "1.031746", "0.440242"]);
  });

  it("is 0 for a classifier that always says the prior, and not more for any other constant", () => {
    const p = [0.2, 0.3, 0.5];
    const g = distributions(4, 30, 3);
    for (const divergence of divergences) {
      const same = (row: readonly number[]) => Float64Array.from(g, (_, at) => row[at % 3]);
      expect(computed(divergence, same(p), g, p).value).toBeCloseTo(0, 13);
      for (let seed = 0; seed < 20; seed++) {
        const { value } = computed(divergence, same([...distributions(seed, 1, 3)]), g, p);
        expect(value).toBeLessThan(0);
      }
    }
  });

  it("is largest at the truth, where it is the mutual information of features and labels", () => {
    // A feature that is the class with probability .8, a worker right with .7 or .6 by class: 100 tasks
    // hold every combination as often as it should be.
    const [seen, said] = [
      [0.8, 0.2],
      [0.7, 0.4],
    ];
    const chance = (table: readonly number[], z: number, y: number) =>
      y === 0 ? table[z] : 1 - table[z];
    const cells = [0, 1, 2, 3].map((cell) => [cell >> 1, cell & 1] as const);
    const joint = cells.map(([x, y]) =>
      [0, 1].reduce((sum, z) => sum + 0.5 * chance(seen, z, x) * chance(said, z, y), 0),
    );
    const apart = cells.map(
      (_, c) => (joint[c & 2] + joint[c | 1]) * (joint[c & 1] + joint[(c & 1) | 2]),
    );
    const places = cells.flatMap((cell, c) => Array(Math.round(100 * joint[c])).fill(cell));
    const rows = (at: 0 | 1, table: readonly number[]) =>
      Float64Array.from(
        places.flatMap((cell) => {
          const both = [0, 1].map((z) => chance(table, z, cell[at]));
          return both.map((p) => p / (both[0] + both[1]));
        }),
      );
    const [h, g] = [rows(0, seen), rows(1, said)];
    for (const divergence of divergences) {
      const [df, conjugate] = forms[divergence];
      const mean = (shares: number[], f: (s: number) => number) =>
        shares.reduce((sum, share, c) => sum + share * f(joint[c] / apart[c]), 0);
      const information = mean(joint, df) - mean(apart, conjugate);
      // In a batch a task is no pair with itself, which makes this much of a difference.
      const own = (mean(joint, conjugate) - mean(apart, conjugate)) / 99;
      const truth = computed(divergence, h, g, [0.5, 0.5]).value;
      expect(truth).toBeCloseTo(information + own, 10);
      for (let seed = 0; seed < 25; seed++) {
        // Other answers, the same for all tasks that look the same.
        const other = [distributions(seed, 2, 2), distributions(seed + 100, 2, 2)];
        const mixed = (table: Float64Array, at: 0 | 1) =>
          table.map((p, i) => 0.6 * p + 0.4 * other[at][2 * places[i >> 1][at] + (i % 2)]);
        const { value } = computed(divergence, mixed(h, 0), mixed(g, 1), [0.5, 0.5]);
        expect(value).toBeLessThan(truth);
      }
    }
  });
});

describe("the loss", () => {
  const weights = voteEvidence(toyCrowd, voteShares(toyCrowd), 1e-4);

  it.each(divergences.flatMap((each) => [[each, false] as const, [each, true] as const]))(
    "has the gradient of central differences (%s, prior learnt: %s)",
    (divergence, learned) => {
      const prior = Float64Array.of(0.2, 0.3, 0.5);
      const settings = { divergence, learned, prior, weights };
      const { gradients } = checkLoss((io) => ({ loss: negativeGain(io, settings) }));
      const names = ["head/bias", "head/weight", ...(learned ? ["prior"] : []), "weights"];
      expect(Object.keys(gradients).sort()).toEqual(names);
      // The worker without labels is not moved.
      expect(gradients["weights"].subarray(4 * 9).every((g) => g === 0)).toBe(true);
      if (learned) expect(Math.max(...gradients["prior"].map(Math.abs))).toBeGreaterThan(1e-3);
    },
  );
});

describe("the start", () => {
  const frozen = { rate: 0, crowdRate: 0, epochs: 1, patience: 0, calibrate: false };
  const still = { ...frozen, model: "logistic" } as const;

  it("is what the votes say, unless there is so much of it that no gradient is left", async () => {
    const { data, features } = featureCrowd(1);
    const result = await maxMig(data, features, still, { executor });
    const expected = voteEvidence(data, voteShares(data), 1e-4);
    result.workerWeights?.forEach((w, at) => {
      expect(w).toBeCloseTo(expected[at], 5);
    });
    const zero = await maxMig(data, features, { ...still, start: "zero" }, { executor });
    expect(zero.workerWeights?.every((w) => w === 0)).toBe(true);
  });

  it("is scaled down where a hundred workers say the same", async () => {
    const { data, features = missing() } = copiedCoinCrowd();
    const weights = voteEvidence(data, voteShares(data), 1e-4);
    const even = Float64Array.of(0.5, 0.5);
    const scale = desaturation(data, weights, even);
    expect(scale).toBeLessThan(0.1);
    const scaled = weights.map((w) => w * scale);
    expect(desaturation(data, scaled, even)).toBeCloseTo(1, 10);
    expect(
      desaturation(
        data,
        scaled.map((w) => w / 2),
        even,
      ),
    ).toBe(1);
    const { workerWeights, notes } = await maxMig(data, features, still, { executor });
    expect(workerWeights?.[0]).toBeCloseTo(scaled[0], 5);
    expect(notes.join(" ")).toMatch(/weights start at 0\.0\d+ of what the votes say/);
  });

  it("is not moved by tasks without labels, which are in no batch", async () => {
    const { data } = featureCrowd(2);
    const tasks = [...data.tasks, "unlabelled"];
    const gold = Int32Array.from([...data.gold, 0]);
    const features = featuresOf({ ...data, tasks: namesOf(tasks), gold }, 6, 3, 2);
    const quick = { epochs: 3, batch: 16, hidden: "4", dropout: 0 };
    const plain = await maxMig(data, features, quick, { executor });
    const other = await maxMig({ ...data, tasks: namesOf(tasks), gold }, features, quick, {
      executor,
    });
    expect(other.workerWeights).toEqual(plain.workerWeights);
  });
});

describe("the prior", () => {
  it.each(["uniform", "votes", "learned"] as const)(
    "%s: comes back as probabilities",
    async (prior) => {
      const { data, features } = featureCrowd(3, { tasks: 200 });
      const options = { prior, epochs: 20, rate: 0.01, hidden: "8", dropout: 0 };
      const result = await maxMig(data, features, options, { executor });
      expect(result.prior.reduce((a, b) => a + b)).toBeCloseTo(1, 6);
      if (prior === "uniform") expect(result.prior[0]).toBeCloseTo(1 / 3, 6);
      else expect(result.prior[0]).not.toBeCloseTo(1 / 3, 6);
    },
  );

  it.each(divergences)("is in the aggregator and in the agreement (%s)", async (divergence) => {
    const { data, features } = featureCrowd(6);
    const frozen = { rate: 0, crowdRate: 0, epochs: 1, patience: 0 };
    const still = { ...frozen, batch: 1000, hidden: "4", dropout: 0 };
    const options = { ...still, divergence, prior: "votes" } as const;
    const result = await maxMig(data, features, options, { executor });
    const p = [...result.prior];
    const h = await result.predictor.predict(features);
    const g = h.map((_, at) => p[at % 3]);
    infer(data, g, result.evidence ?? new Float64Array(), g);
    expect(result.trace[0]).toBeCloseTo(defined(divergence, h, g, p).value, 4);
  });

  it("cancels in what classifier and labels say together", async () => {
    const { data, features } = featureCrowd(4);
    const options = { prior: "votes", epochs: 2, hidden: "4" } as const;
    const { posterior, predictor, evidence } = await maxMig(data, features, options, { executor });
    const f = await predictor.predict(features);
    const both = new Float64Array(f.length);
    infer(data, f, evidence ?? new Float64Array(), both);
    expect(posterior).toEqual(both);
  });
});

describe("published numbers", () => {
  it("finds the truth behind a coin and its 99 copies (Cao et al., example E.2)", async () => {
    const { data, features = missing() } = copiedCoinCrowd();
    const rates = { rate: 1e-2, crowdRate: 1e-3, patience: 0 };
    const options = {
      ...rates,
      start: "zero",
      model: "logistic",
      batch: 300,
      epochs: 1500,
    } as const;
    const result = await maxMig(data, features, options, { executor });
    const { workerWeights: weights = new Float64Array() } = result;
    const even = new Float64Array(600).fill(0.5);
    const g = even.slice();
    infer(data, even, weights, g);
    // Without a start the names of the classes are up to chance.
    for (const table of [await result.predictor.predict(features), g]) {
      const right = data.gold.filter((k, t) => Number(table[2 * t + 1] > 0.5) === k).length;
      expect(Math.max(right, 300 - right)).toBe(300);
    }
    expect(result.trace.at(-1)).toBeGreaterThan(0.55);
    const size = (w: number) => Math.max(...weights.subarray(4 * w, 4 * w + 4).map(Math.abs));
    expect(size(0)).toBeGreaterThan(1);
    for (let w = 1; w < 101; w++) expect(size(w)).toBeLessThan(0.05);
  });

  // A known limit of the optimisation, one seed in five: what is followed at first is never left.
  it("can stay with the coin when it starts from the votes, in batches and with equal rates", async () => {
    const { data, features = missing() } = copiedCoinCrowd({ seed: 2 });
    const options = {
      model: "logistic",
      batch: 64,
      epochs: 375,
      rate: 1e-2,
      calibrate: false,
      seed: 2,
    } as const;
    const { posterior, trace } = await maxMig(data, features, options, { executor });
    const coin = data.label.filter((_, i) => data.worker[i] === 1);
    expect(coin.every((k, t) => Number(posterior[2 * t + 1] > 0.5) === k)).toBe(true);
    expect(Math.abs(trace.at(-1) ?? 1)).toBeLessThan(0.01);
  });

  const half = { ...twoMadeClasses, tasks: 2000 };

  // The tables of a prototype on Gaussian features, with one seed and half the tasks.
  it.each(["H", "L"] as const)(
    "is as good in all three cases, and AggNet is not with copies (%s)",
    async (level) => {
      const rows = [`B.1${level}`, `B.2${level}`, `B.3${level}`] as const;
      const table = await runTable(executor, rows, ["mig"], half, 1);
      const accuracies = rows.map((row) => table[row].mig);
      const d = accuracies.map((score) => score.d);
      expect(Math.max(...d) - Math.min(...d)).toBeLessThan(level === "H" ? 2 : 3.5);
      expect(Math.min(...d)).toBeGreaterThan(level === "H" ? 84 : 80);
      for (const score of accuracies) expect(score.dc).toBeGreaterThan(score.d - 2);
      const { agg } = await runCase(executor, rows[2], ["agg"], half, 1);
      expect(agg.d).toBeLessThan(table[rows[2]].mig.d - 5);
      expect(agg.dc).toBeLessThan((table[rows[2]].mig.dc ?? 0) - 5);
    },
  );

  it("does not fall for a naive majority, as others do", async () => {
    const names = ["mig", "mv", "cl", "dn"] as const;
    const { mig, mv, cl, dn } = await runCase(executor, "B.2H", names, half, 1);
    expect(mig.d).toBeGreaterThan(84);
    for (const other of [mv, cl, dn]) expect(Math.abs(other.d - 50)).toBeLessThan(3);
  });

  it("learns the prior of rare classes", async () => {
    const crowd = maxMigCrowd({ table: "luna", tasks: 4000, seed: 1 });
    const { data, features } = withFeatures(crowd, { radius: 1.6, dimensions: 20, seed: 1 });
    const training = { ...twoMadeClasses.training, epochs: 5, prior: "learned", seed: 1 } as const;
    const { prior } = await maxMig(data, features, training, { executor });
    const rare = data.gold.filter((k) => k === 1).length / data.gold.length;
    expect(Math.abs((prior?.[1] ?? 0) - rare)).toBeLessThan(0.18);
  });

  it("hardly depends on the divergence", async () => {
    const { mig, pearson, js } = await runCase(executor, "B.3H", ["mig", "pearson", "js"], half, 1);
    for (const other of [pearson, js]) expect(Math.abs(other.d - mig.d)).toBeLessThan(1.5);
  });

  it("ten classes: others are at chance under a naive majority, AggNet behind with copies", async () => {
    const three = await runCase(executor, "B.2H", ["mv", "cl", "dn"], tenMadeClasses, 0);
    for (const { d } of Object.values(three)) expect(Math.abs(d - 10)).toBeLessThan(3);
    for (const name of ["B.3H", "B.3L"] as const) {
      const { agg, mig } = await runCase(executor, name, ["agg", "mig"], tenMadeClasses, 0);
      expect(mig.d).toBeGreaterThan(agg.d + 3);
    }
  });

  // Cao et al., table 2: 86.42 ± 0.36 on other features.
  gate("labelme", "86.42 published, within three points", async (data) => {
    const result = await maxMig(data, await labelMeFeatures(), {}, { executor });
    expect(await labelMeTest(data, result)).toBeGreaterThan(0.834);
  });
});

describe("limits", () => {
  it("says which classes have been lost", async () => {
    const { data, features } = featureCrowd(5, { classes: 3 });
    const options = { rate: 0, crowdRate: 0, epochs: 1, patience: 0 };
    // A classifier that does not learn, and hardly ever says the last class.
    const partial: Model = () => ({
      trunk: flatten,
      head: (x, scope) =>
        affine(
          x,
          scope.parameter("weight", [6, 3], filled(0)),
          scope.parameter("bias", [3], given([0, 0, -9])),
        ),
    });
    const lost = await maxMig(data, features, options, { executor, model: partial });
    expect(lost.notes.join(" ")).toMatch(/hardly ever says c2: it has merged/);
    const fine = await maxMig(data, features, options, { executor, model: zeroLogistic });
    expect(fine.notes.join(" ")).not.toMatch(/hardly ever/);
  });
});

function missing(): never {
  throw new Error("The simulation has no features.");
}
