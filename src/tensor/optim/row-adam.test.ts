import { describe, expect, it } from "vitest";
import { createRandom } from "../../math/random.ts";
import { filled } from "../layers/starts.ts";
import { createOptimiser } from "./optimiser.ts";
import { createRowAdam } from "./row-adam.ts";

const random = createRandom(1);
const draw = (length: number) => Float64Array.from({ length }, () => random.next() - 0.5);

describe("row Adam", () => {
  it("is Adam where every step sees every row", () => {
    const rows = createRowAdam(4, 3);
    const shape = { name: "x", shape: [4, 3], start: filled(0), group: "network", decay: false };
    const whole = createOptimiser([shape], { groups: { network: { rate: 0.01 } } });
    for (let n = 0; n < 20; n++) {
      const gradients = draw(12);
      rows.step([0, 1, 2, 3], gradients, 0.01);
      whole.gradients.get("x")?.set(gradients);
      whole.step();
    }
    whole.values.get("x")?.forEach((x, at) => {
      expect(x).toBeCloseTo(rows.values[at], 5);
    });
  });

  it("moves the rows it sees as if there were no others, and leaves the rest", () => {
    const [sparse, alone] = [createRowAdam(3, 2), createRowAdam(1, 2)];
    for (let n = 0; n < 9; n++) {
      const gradients = draw(4);
      sparse.step(n % 3 === 0 ? [2, 0] : [0], n % 3 === 0 ? gradients : gradients.slice(2), 0.1);
      alone.step([0], gradients.slice(2), 0.1);
    }
    expect(sparse.values.slice(0, 2)).toEqual(alone.values);
    expect([...sparse.values.slice(2, 4)]).toEqual([0, 0]);
    expect([...sparse.state.steps]).toEqual([9, 0, 3]);
    expect(sparse.values[4]).not.toBe(0);
  });

  it("cuts a long gradient, row by row", () => {
    const [cut, given] = [createRowAdam(2, 2, { clip: 1 }), createRowAdam(2, 2)];
    cut.step([0, 1], [3, 4, 0.3, 0.4], 0.1);
    given.step([0, 1], [0.6, 0.8, 0.3, 0.4], 0.1);
    expect([...cut.state.first]).toEqual([...given.state.first].map((x) => expect.closeTo(x, 12)));
    createRowAdam(1, 2, { clip: 1 }).step([0], [0, 0], 0.1);
  });

  it("goes on from a saved state to the same bits", () => {
    const steps = Array.from({ length: 10 }, () => draw(4));
    const [whole, first, second] = [1, 2, 3].map(() => createRowAdam(2, 2));
    for (const gradients of steps) whole.step([1, 0], gradients, 0.01);
    for (const gradients of steps.slice(0, 6)) first.step([1, 0], gradients, 0.01);
    second.state.values.set(first.state.values);
    second.state.first.set(first.state.first);
    second.state.second.set(first.state.second);
    second.state.steps.set(first.state.steps);
    for (const gradients of steps.slice(6)) second.step([1, 0], gradients, 0.01);
    expect(second.values).toEqual(whole.values);
  });
});
