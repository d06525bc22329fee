import { expect, it } from "vitest";
import { normal } from "./distributions.ts";
import { kMeans } from "./k-means.ts";
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
