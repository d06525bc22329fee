import { describe, expect, it } from "vitest";
import { runtimes } from "../../test/runtimes.ts";
import { createRandom } from "../math/random.ts";
import type { Numbers } from "./executor.ts";
import { gradient } from "./gradient.ts";
import { input, type Tensor } from "./graph.ts";
import { interpret } from "./interpreter.ts";
import * as a from "./ops/arithmetic.ts";
import { batchMean, batchNormalise, batchVariance } from "./ops/batch-normalise.ts";
import * as b from "./ops/broadcast.ts";
import { convolve } from "./ops/convolution.ts";
import * as e from "./ops/elementwise.ts";
import * as g from "./ops/gather.ts";
import * as l from "./ops/layout.ts";
import * as la from "./ops/linear-algebra.ts";
import { affine, matmul } from "./ops/matmul.ts";
import { maxPool } from "./ops/pooling.ts";
import * as r from "./ops/reduce.ts";
import { reshape } from "./ops/reshape.ts";
import { logSoftmax, softmax } from "./ops/softmax.ts";

interface Case {
  readonly name: string;
  /** Shapes of the float inputs; "n" is 5 when it runs. */
  readonly shapes: readonly (readonly (number | string)[])[];
  build(inputs: readonly Tensor[]): Tensor;
  /** How a drawn number in (-1, 1) becomes an element. */
  readonly draw?: (u: number) => number;
  readonly rows?: readonly number[];
  /** Masks and signs have no gradient. */
  readonly flat?: boolean;
}

const SIZE = 5;
const positive = (u: number) => 1.5 + u;
/** Away from 0, where the slope jumps. */
const apart = (u: number) => u + 0.2 * Math.sign(u);
const index = (rows: number) => input("rows", [rows === SIZE ? "n" : rows], "int");

const cases: readonly Case[] = [
  { name: "add", shapes: [["n", 3], [3]], build: ([x, y]) => a.add(x, y) },
  {
    name: "add to a column",
    shapes: [
      ["n", 1],
      ["n", 4],
    ],
    build: ([x, y]) => a.add(x, y),
  },
  {
    name: "subtract",
    shapes: [
      [2, 3],
      [2, 1],
    ],
    build: ([x, y]) => a.subtract(x, y),
  },
  {
    name: "multiply",
    shapes: [
      ["n", 3],
      ["n", 3],
    ],
    build: ([x, y]) => a.multiply(x, y),
  },
  { name: "multiply by itself", shapes: [["n", 3]], build: ([x]) => a.multiply(x, x) },
  { name: "multiply by a number", shapes: [["n"], []], build: ([x, y]) => a.multiply(x, y) },
  { name: "divide", shapes: [[2, 3], [3]], build: ([x, y]) => a.divide(x, y), draw: positive },
  {
    name: "maximum",
    shapes: [
      ["n", 3],
      ["n", 3],
    ],
    build: ([x, y]) => a.maximum(x, y),
  },
  {
    name: "minimum",
    shapes: [
      ["n", 3],
      ["n", 3],
    ],
    build: ([x, y]) => a.minimum(x, y),
  },
  { name: "clip", shapes: [["n", 3]], build: ([x]) => a.clip(x, -0.5, 0.4) },
  { name: "negate", shapes: [["n"]], build: ([x]) => a.negate(x) },
  { name: "atLeast", shapes: [["n"], ["n"]], build: ([x, y]) => a.atLeast(x, y), flat: true },
  { name: "exp", shapes: [["n", 2]], build: ([x]) => e.exp(x) },
  { name: "log", shapes: [["n", 2]], build: ([x]) => e.log(x), draw: positive },
  { name: "sqrt", shapes: [["n", 2]], build: ([x]) => e.sqrt(x), draw: positive },
  { name: "square", shapes: [["n", 2]], build: ([x]) => e.square(x) },
  { name: "sign", shapes: [["n", 2]], build: ([x]) => e.sign(x), draw: apart, flat: true },
  { name: "absolute", shapes: [["n", 2]], build: ([x]) => e.absolute(x), draw: apart },
  { name: "tanh", shapes: [["n", 2]], build: ([x]) => e.tanh(x) },
  { name: "sigmoid", shapes: [["n", 2]], build: ([x]) => e.sigmoid(x), draw: (u) => 9 * u },
  { name: "softplus", shapes: [["n", 2]], build: ([x]) => e.softplus(x), draw: (u) => 9 * u },
  { name: "relu", shapes: [["n", 2]], build: ([x]) => e.relu(x), draw: apart },
  { name: "power", shapes: [["n", 2]], build: ([x]) => e.power(x, 0.2), draw: positive },
  { name: "stopGradient", shapes: [["n"]], build: ([x]) => e.stopGradient(x), flat: true },
  {
    name: "expand",
    shapes: [
      [1, 3],
      ["n", 3],
    ],
    build: ([x, y]) => a.add(b.expand(x, y), y),
  },
  { name: "sum", shapes: [["n", 3]], build: ([x]) => b.sum(x) },
  { name: "sum of rows", shapes: [["n", 3, 2]], build: ([x]) => b.sum(x, [0, 2]) },
  { name: "sum of pixels and rows", shapes: [["n", 3, 2, 2]], build: ([x]) => b.sum(x, [0, 2, 3]) },
  {
    name: "sum of pixels and rows kept",
    shapes: [["n", 3, 2, 2]],
    build: ([x]) => b.sum(x, [0, 2, 3], true),
  },
  { name: "sum kept", shapes: [["n", 3]], build: ([x]) => b.sum(x, [-1], true) },
  { name: "sizeOf", shapes: [["n", 3]], build: ([x]) => b.sizeOf(x, [0, 1]), flat: true },
  { name: "mean", shapes: [["n", 3]], build: ([x]) => r.mean(x) },
  { name: "mean of columns", shapes: [["n", 3]], build: ([x]) => r.mean(x, [1]) },
  { name: "batchMean", shapes: [["n", 3, 2, 2]], build: ([x]) => batchMean(x) },
  {
    name: "batchVariance",
    shapes: [["n", 3, 2, 2]],
    build: ([x]) => batchVariance(x, batchMean(x)),
  },
  ...[
    ["n", 3],
    ["n", 3, 2],
    ["n", 3, 2, 3],
  ].map((shape): Case => {
    const wide = shape.map((_, axis) => (axis === 1 ? 3 : 1));
    return {
      name: `batchNormalise of ${shape.length} axes`,
      shapes: [shape, wide, wide],
      build: ([x, scale, shift]) => {
        const mean = batchMean(x);
        const variance = batchVariance(x, mean);
        return batchNormalise({ x, scale, shift, mean, variance }, 1e-3);
      },
    };
  }),
  { name: "largest", shapes: [["n", 4]], build: ([x]) => r.largest(x) },
  { name: "logSumExp", shapes: [["n", 4]], build: ([x]) => r.logSumExp(x) },
  {
    name: "logSumExp of large",
    shapes: [["n", 4]],
    build: ([x]) => r.logSumExp(x),
    draw: (u) => 500 * u,
  },
  { name: "softmax", shapes: [["n", 4]], build: ([x]) => softmax(x) },
  { name: "softmax in three axes", shapes: [[2, 3, 4]], build: ([x]) => softmax(x) },
  { name: "logSoftmax", shapes: [["n", 4]], build: ([x]) => logSoftmax(x) },
  {
    name: "matmul",
    shapes: [
      ["n", 3],
      [3, 4],
    ],
    build: ([x, y]) => matmul(x, y),
  },
  {
    name: "matmul, left swapped",
    shapes: [
      ["n", 3],
      ["n", 4],
    ],
    build: ([x, y]) => matmul(x, y, { left: true }),
  },
  {
    name: "matmul, right swapped",
    shapes: [
      ["n", 3],
      [4, 3],
    ],
    build: ([x, y]) => matmul(x, y, { right: true }),
  },
  {
    name: "matmul, both swapped",
    shapes: [
      [3, 2],
      [4, 3],
    ],
    build: ([x, y]) => matmul(x, y, { left: true, right: true }),
  },
  {
    name: "matmul in batches",
    shapes: [
      ["n", 2, 3],
      ["n", 3, 4],
    ],
    build: ([x, y]) => matmul(x, y),
  },
  {
    name: "matmul in batches, left swapped",
    shapes: [
      ["n", 3, 2],
      ["n", 3, 4],
    ],
    build: ([x, y]) => matmul(x, y, { left: true }),
  },
  {
    name: "matmul in batches, both swapped",
    shapes: [
      ["n", 3, 2],
      ["n", 4, 3],
    ],
    build: ([x, y]) => matmul(x, y, { left: true, right: true }),
  },
  {
    name: "matmul of a batch and one",
    shapes: [
      ["n", 2, 3],
      [3, 4],
    ],
    build: ([x, y]) => matmul(x, y),
  },
  { name: "affine", shapes: [["n", 3], [3, 4], [4]], build: ([x, w, c]) => affine(x, w, c) },
  { name: "reshape", shapes: [["n", 6]], build: ([x]) => reshape(x, ["n", 2, 3]) },
  { name: "transpose", shapes: [["n", 2, 3]], build: ([x]) => l.transpose(x, [2, 0, 1]) },
  { name: "slice", shapes: [["n", 6]], build: ([x]) => l.slice(x, 1, 1, 4) },
  { name: "pad", shapes: [["n", 3]], build: ([x]) => l.pad(x, 1, 2, 1) },
  {
    name: "concat",
    shapes: [
      ["n", 3],
      ["n", 2],
    ],
    build: ([x, y]) => l.concat([x, y, x], 1),
  },
  {
    name: "gather",
    shapes: [[4, 3]],
    rows: [2, 0, 2, 3, 1],
    build: ([x]) => g.gather(x, index(5)),
  },
  {
    name: "gather of matrices",
    shapes: [[4, 2, 3]],
    rows: [2, 0, 2, 3, 1],
    build: ([x]) => g.gather(x, index(5)),
  },
  {
    name: "scatterAdd",
    shapes: [
      ["n", 3],
      [4, 3],
    ],
    rows: [2, 0, 2, 3, 1],
    build: ([x, y]) => a.add(g.scatterAdd(x, index(5), y), y),
  },
  { name: "pick", shapes: [["n", 4]], rows: [2, 0, 2, 3, 1], build: ([x]) => g.pick(x, index(5)) },
  {
    name: "place",
    shapes: [["n"], ["n", 4]],
    rows: [2, 0, 2, 3, 1],
    build: ([x, y]) => a.add(g.place(x, index(5), y), y),
  },
  { name: "inverse", shapes: [["n", 3]], build: ([x]) => la.inverse(gram(x)) },
  { name: "logDet", shapes: [["n", 3]], build: ([x]) => la.logDet(gram(x)) },
  {
    name: "convolve",
    shapes: [["n", 2, 5, 6], [3, 2, 3, 3], [3]],
    build: ([x, w, c]) => convolve(x, w, c),
  },
  {
    name: "convolve, padded",
    shapes: [["n", 2, 4, 5], [3, 2, 3, 3], [3]],
    build: ([x, w, c]) => convolve(x, w, c, { padding: 1 }),
  },
  {
    name: "convolve, stride 2",
    shapes: [["n", 2, 6, 5], [3, 2, 3, 3], [3]],
    build: ([x, w, c]) => convolve(x, w, c, { padding: 1, stride: 2 }),
  },
  {
    name: "convolve 1 × 1",
    shapes: [["n", 2, 3, 4], [3, 2, 1, 1], [3]],
    build: ([x, w, c]) => convolve(x, w, c),
  },
  {
    name: "convolve, padded, of unequal sides, stride 2",
    shapes: [["n", 2, 5, 4], [3, 2, 3, 2], [3]],
    build: ([x, w, c]) => convolve(x, w, c, { padding: 1, stride: 2 }),
  },
  {
    name: "convolve 1 × 1, stride 2",
    shapes: [["n", 2, 6, 5], [3, 2, 1, 1], [3]],
    build: ([x, w, c]) => convolve(x, w, c, { stride: 2 }),
  },
  { name: "maxPool", shapes: [["n", 2, 5, 4]], build: ([x]) => maxPool(x, 2) },
  { name: "maxPool of even sides", shapes: [["n", 2, 6, 4]], build: ([x]) => maxPool(x, 2) },
  { name: "maxPool of three", shapes: [["n", 1, 7, 6]], build: ([x]) => maxPool(x, 3) },
];

const gram = (x: Tensor) => matmul(x, x, { left: true });

/** A number that weighs every element of the result differently, its gradients, and what to feed. */
function prepare({ name, shapes, build, draw = (u) => u, rows }: Case) {
  const random = createRandom(7).split(name);
  const inputs = shapes.map((shape, i) => input(`x${i}`, shape));
  const result = build(inputs);
  const fill = (shape: readonly (number | string)[]) =>
    Float64Array.from(
      { length: shape.reduce<number>((n, size) => n * (size === "n" ? SIZE : Number(size)), 1) },
      () => random.next() * 2 - 1,
    );
  const weights = input("weights", result.shape);
  const value = b.sum(a.multiply(result, weights));
  const feeds: Record<string, Numbers> = { weights: fill(result.shape) };
  shapes.forEach((shape, i) => {
    feeds[`x${i}`] = fill(shape).map((u) => draw(u));
  });
  if (rows) feeds["rows"] = Int32Array.from(rows);
  return { inputs, result, value, feeds };
}

describe("the gradient of", () => {
  it.each(cases.filter(({ flat }) => !flat))(
    "$name agrees with central differences",
    (testCase) => {
      const { inputs, value, feeds } = prepare(testCase);
      const gradients = gradient(value, inputs);
      const found = interpret(Object.fromEntries(gradients.map((x, i) => [`g${i}`, x]))).runNow(
        feeds,
      );
      const { runNow } = interpret({ value });
      const h = 1e-5;
      inputs.forEach((_, i) => {
        const x = feeds[`x${i}`] as Float64Array;
        expect(found[`g${i}`].length).toBe(x.length);
        for (let j = 0; j < x.length; j++) {
          const at = (step: number) =>
            runNow({ ...feeds, [`x${i}`]: x.with(j, x[j] + step) })["value"][0];
          const numeric = (at(h) - at(-h)) / (2 * h);
          const error = Math.abs(found[`g${i}`][j] - numeric) / Math.max(1, Math.abs(numeric));
          expect(error, `input ${i}, element ${j}`).toBeLessThan(1e-8);
        }
      });
    },
  );

  it.each(cases.filter(({ flat }) => flat))("$name is not there", (testCase) => {
    const { inputs, value } = prepare(testCase);
    expect(() => gradient(value, inputs)).toThrow(/does not depend on/);
  });
});

describe.each(await runtimes())("on $name", (executor) => {
  it.each(cases)("$name and its gradient are those of the interpreter", async (testCase) => {
    const { inputs, result, value, feeds } = prepare(testCase);
    const outputs: Record<string, Tensor> = { result, value };
    if (!testCase.flat)
      gradient(value, inputs).forEach((x, i) => {
        outputs[`g${i}`] = x;
      });
    const single = Object.fromEntries(
      Object.entries(feeds).map(([name, data]) => [
        name,
        data instanceof Int32Array ? data : Float32Array.from(data),
      ]),
    );
    const wanted = interpret(outputs).runNow(single);
    const program = await executor.compile(outputs);
    const found = await program.run(single);
    await program.dispose();
    for (const [name, data] of Object.entries(wanted)) {
      const scale = data.reduce((top, x) => Math.max(top, Math.abs(x)), 1);
      expect(found[name].length, name).toBe(data.length);
      data.forEach((x, i) => {
        expect(Math.abs(found[name][i] - x) / scale, `${name} ${i}`).toBeLessThan(3e-6);
      });
    }
  });

  it("lets the largest of a window share its gradient", async () => {
    const x = input("x", [1, 1, 2, 6]);
    const program = await executor.compile({ g: gradient(b.sum(maxPool(x, 2)), [x])[0] });
    const { g } = await program.run({ x: Float32Array.of(0, 0, 3, 1, 2, 2, 0, 0, 1, 3, 1, 1) });
    await program.dispose();
    expect(Array.from(g)).toEqual([0.25, 0.25, 0.5, 0, 0.5, 0.5, 0.25, 0.25, 0, 0.5, 0, 0]);
  });
});
