import { describe, expect, it } from "vitest";
import { normalCdf } from "./incomplete.ts";
import { drawLogConcave, type LogConcave } from "./log-concave.ts";
import { createRandom } from "./random.ts";

const draws = 20_000;

/** Densities with their distribution functions. */
const cases: [string, LogConcave, (x: number) => number][] = [
  ...[1e-6, 1, 1e8].map((scale): (typeof cases)[number] => [
    `normal, searched from ${scale}`,
    { log: (x) => (-x * x) / 2, slope: (x) => -x, mode: 0, scale },
    normalCdf,
  ]),
  [
    "narrow normal far away",
    { log: (x) => -((x - 1e4) ** 2) * 5e5, slope: (x) => -(x - 1e4) * 1e6, mode: 1e4, scale: 1 },
    (x) => normalCdf((x - 1e4) * 1e3),
  ],
  [
    "two exponentials, one steep",
    {
      log: (x) => (x < 0 ? 10 * x : -x),
      slope: (x) => (x < 0 ? 10 : -1),
      mode: 0,
      scale: 1,
    },
    (x) => (x < 0 ? Math.exp(10 * x) / 11 : 1 - (10 * Math.exp(-x)) / 11),
  ],
  [
    "flat, then steep",
    {
      log: (x) => Math.min(0, 50 * (1 - Math.abs(x))),
      slope: (x) => (Math.abs(x) < 1 ? 0 : -50 * Math.sign(x)),
      mode: 0.7,
      scale: 1,
    },
    (x) => {
      const half = 1 + 1 / 50;
      const right = (y: number) => (y < 1 ? y : 1 + (1 - Math.exp(-50 * (y - 1))) / 50);
      return (half + Math.sign(x) * right(Math.abs(x))) / (2 * half);
    },
  ],
];

describe("draws follow their distribution function", () => {
  it.each(cases)("%s", (name, density, cdf) => {
    const random = createRandom(3).split(name);
    const values = Float64Array.from({ length: draws }, () =>
      drawLogConcave(random, density),
    ).sort();
    let distance = 0;
    values.forEach((x, i) => {
      const p = cdf(x);
      distance = Math.max(distance, Math.abs(p - i / draws), Math.abs(p - (i + 1) / draws));
    });
    // Kolmogorov: √n D is above 2.5 with probability 7e-6.
    expect(Math.sqrt(draws) * distance).toBeLessThan(2.5);
  });
});

describe("cost", () => {
  it.each(cases)("takes more than a third of what it proposes: %s", (name, density) => {
    let asked = 0;
    const counted = {
      ...density,
      log(x: number) {
        asked++;
        return density.log(x);
      },
    };
    const random = createRandom(4).split(name);
    drawLogConcave(random, counted);
    const before = asked;
    const search = searches(density);
    for (let i = 0; i < 1000; i++) drawLogConcave(random, counted);
    expect((asked - before) / 1000 - search).toBeLessThan(3);
  });
});

/** Looks at the log before the first proposal. */
function searches(density: LogConcave): number {
  let before = 0;
  const stop = () => {
    throw new Error("proposed");
  };
  const counted = {
    ...density,
    log(x: number) {
      before++;
      return density.log(x);
    },
  };
  expect(() => drawLogConcave({ next: stop, split: stop }, counted)).toThrow("proposed");
  return before;
}
