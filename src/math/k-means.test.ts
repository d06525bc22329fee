import { expect, it } from "vitest";
import { normal } from "./distributions.ts";
import { clusterMeans, kMeans, tightestClusters } from "./k-means.ts";
import { createRandom } from "./random.ts";

it("finds clouds that lie apart", () => {
  const random = createRandom(1);
  const centres = [
    [0, 0],
    [5, 0],
    [0, 5],
  ];
  const points = Float64Array.from({ length: 300 }, (_, at) => {
    const cloud = Math.floor(at / 2) % 3;
    return centres[cloud][at % 2] + 0.3 * normal(random);
  });
  for (let seed = 0; seed < 10; seed++) {
    const cluster = kMeans(points, 2, 3, createRandom(seed));
    expect(new Set(cluster).size).toBe(3);
    cluster.forEach((c, i) => {
      expect(c).toBe(cluster[i % 3]);
    });
  }
});

it("ends where every point is nearest to the mean of its own cluster", () => {
  const random = createRandom(2);
  const points = Float64Array.from({ length: 200 }, () => random.next());
  const cluster = kMeans(points, 2, 5, random);
  const means = Array.from({ length: 5 }, (_, c) => {
    const own = Array.from(cluster.keys()).filter((i) => cluster[i] === c);
    return [0, 1].map((d) => own.reduce((sum, i) => sum + points[2 * i + d], 0) / own.length);
  });
  cluster.forEach((own, i) => {
    const away = means.map(([x, y]) => Math.hypot(points[2 * i] - x, points[2 * i + 1] - y));
    expect(away[own]).toBe(Math.min(...away));
  });
});

it("copes with fewer points than clusters, equal points and none", () => {
  expect(kMeans(Float64Array.of(1, 2), 1, 5, createRandom(0)).length).toBe(2);
  expect([...kMeans(Float64Array.of(3, 3, 3), 1, 2, createRandom(0))]).toEqual([0, 0, 0]);
  expect(kMeans(new Float64Array(0), 1, 2, createRandom(0)).length).toBe(0);
  expect(() => kMeans(new Float64Array(3), 2, 1, createRandom(0))).toThrow("no points of 2");
});

it("of several starts the tightest clusters are kept, and their means are those of the points", () => {
  const random = createRandom(4);
  // Four squares of points, on which some starts end with two centres in one.
  const points = Float64Array.from({ length: 80 }, (_, at) => {
    const square = Math.floor(at / 20);
    return 10 * (at % 2 === 0 ? square % 2 : square >> 1) + random.next();
  });
  const spread = (cluster: Int32Array) => {
    const means = clusterMeans(points, 2, 4, cluster);
    for (let c = 0; c < 4; c++) {
      const own = [...cluster.keys()].filter((i) => cluster[i] === c);
      const x = own.reduce((sum, i) => sum + points[2 * i] / own.length, 0);
      if (own.length > 0) expect(means[2 * c]).toBeCloseTo(x, 12);
    }
    return points.reduce(
      (sum, x, at) => sum + (x - means[2 * cluster[at >> 1] + (at % 2)]) ** 2,
      0,
    );
  };
  for (let seed = 0; seed < 20; seed++) {
    const stream = createRandom(seed);
    const all = Array.from({ length: 5 }, (_, start) => kMeans(points, 2, 4, stream.split(start)));
    const best = tightestClusters(points, 2, 4, { starts: 5, random: stream });
    expect(spread(best)).toBeCloseTo(Math.min(...all.map(spread)), 9);
  }
});
