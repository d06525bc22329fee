import { describe, expect, it } from "vitest";
import { logBeta } from "./gamma.ts";
import { gaussJacobi } from "./gauss-jacobi.ts";

const shapes = [
  [2, 1],
  [1, 1],
  [0.5, 0.5],
  [0.2, 0.1],
  [1e-3, 1e-3],
  [40, 3],
  [1e4, 200],
] as const;

describe("gaussJacobi", () => {
  it.each(shapes)("is exact to twice its size, less one (Beta(%s, %s))", (a, b) => {
    for (const size of [1, 2, 3, 7, 20, 64]) {
      const { nodes, weights } = gaussJacobi(size, a, b);
      for (let right = 0; right < 2 * size; right++) {
        for (const wrong of [0, Math.floor((2 * size - 1 - right) / 2), 2 * size - 1 - right]) {
          const exact = Math.exp(logBeta(a + right, b + wrong) - logBeta(a, b));
          let sum = 0;
          nodes.forEach((q, s) => {
            sum += weights[s] * q ** right * (1 - q) ** wrong;
          });
          expect(Math.abs(sum / exact - 1)).toBeLessThan(1e-9);
        }
      }
    }
  });

  it("has the nodes of Gauss and Legendre for the flat prior", () => {
    const { nodes, weights } = gaussJacobi(3, 1, 1);
    const far = Math.sqrt(0.6) / 2;
    [0.5 - far, 0.5, 0.5 + far].forEach((q, s) => {
      expect(nodes[s]).toBeCloseTo(q, 14);
    });
    [5 / 18, 8 / 18, 5 / 18].forEach((weight, s) => {
      expect(weights[s]).toBeCloseTo(weight, 14);
    });
  });

  it("keeps nodes inside, apart and in order, and weights above 0, for a thousand nodes", () => {
    for (const [a, b] of shapes.slice(0, 6)) {
      const { nodes, weights } = gaussJacobi(1000, a, b);
      expect(Math.min(...weights)).toBeGreaterThan(0);
      expect(nodes[0]).toBeGreaterThan(0);
      expect(nodes[999]).toBeLessThan(1);
      for (let s = 1; s < 1000; s++) expect(nodes[s]).toBeGreaterThan(nodes[s - 1]);
    }
  });

  it("stays finite for the strongest priors", () => {
    for (const a of [1e12, 1e160, 1e300]) {
      const { nodes, weights } = gaussJacobi(4, a, 3 * a);
      for (const q of nodes) expect(q).toBeCloseTo(0.25, 5);
      expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
    }
  });

  it("refuses what is no Beta distribution", () => {
    expect(() => gaussJacobi(3, 0, 1)).toThrow(/a and b above 0, not 3, 0 and 1/);
    expect(() => gaussJacobi(0, 1, 1)).toThrow(/size from 1/);
  });
});
