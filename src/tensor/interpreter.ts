/**
 * Runs graphs in double precision, op by op, in plain TypeScript: the oracle of the other executors,
 * and what runs where no ONNX Runtime is at hand. Slow, but everywhere.
 */
import type { Buffers, Executor, Program } from "./executor.ts";
import { inputName, sortGraph, type Tensor, type Value } from "./graph.ts";
import { badShape, type Shape, showShape } from "./shape.ts";

/** The executor in plain TypeScript, which needs no runtime. */
export const interpreter: Executor = {
  name: "typescript",
  compile: async (outputs) => interpret(outputs),
};

/** The same without waiting, for those who know that it is the interpreter. */
export function interpret(outputs: Readonly<Record<string, Tensor>>): Program & {
  runNow(feeds: Buffers): Record<string, Float64Array>;
} {
  const sorted = sortGraph(Object.values(outputs));
  const runNow = (feeds: Buffers) => {
    const sizes = new Map<string, number>();
    const values = new Map<Tensor, Value>();
    for (const node of sorted) {
      const name = inputName(node);
      const inputs = node.inputs.map((x) => values.get(x) as Value);
      values.set(
        node,
        name === undefined
          ? node.op.evaluate(inputs, node.attributes)
          : feed(name, node.shape, feeds[name], sizes),
      );
    }
    return Object.fromEntries(
      Object.entries(outputs).map(([name, node]) => [name, (values.get(node) as Value).data]),
    );
  };
  return {
    runNow,
    run: async (feeds, into = {}) => {
      const results = runNow(feeds);
      return Object.fromEntries(
        Object.entries(results).map(([name, data]) => {
          const given = into[name];
          if (!given) return [name, data];
          given.set(data);
          return [name, given];
        }),
      );
    },
    dispose: async () => {},
  };
}

/** What is fed, under its shape; a size named twice must be the same twice. */
function feed(
  name: string,
  shape: Shape,
  data: ArrayLike<number> | undefined,
  sizes: Map<string, number>,
): Value {
  if (!data) throw badShape(`The input "${name}" was not fed.`);
  return { shape: feedShape(name, shape, data.length, sizes), data: Float64Array.from(data) };
}

/** The shape of what is fed; the sizes known only now are filled in, or found from its length. */
export function feedShape(
  name: string,
  shape: Shape,
  length: number,
  sizes: Map<string, number>,
): readonly number[] {
  const unknown = shape.filter((size) => typeof size === "string" && !sizes.has(size));
  const known = shape.reduce<number>(
    (product, size) => product * (typeof size === "number" ? size : (sizes.get(size) ?? 1)),
    1,
  );
  if (new Set(unknown).size === 1 && unknown.length === 1) {
    sizes.set(String(unknown[0]), known === 0 ? 0 : length / known);
  }
  const filled = shape.map((size) =>
    typeof size === "number" ? size : (sizes.get(size) ?? Number.NaN),
  );
  if (
    filled.reduce((product, size) => product * size, 1) !== length ||
    !filled.every(Number.isInteger)
  ) {
    throw badShape(`The input "${name}" of shape ${showShape(shape)} was fed ${length} numbers.`);
  }
  return filled;
}
