/**
 * A step of the optimiser as a graph, for executors that make many steps in one run: values and moments then stay where
 * the network is computed. The same formulas as in the kernels, over all parameters that move alike at once.
 */
import { constant, input, type Tensor } from "../graph.ts";
import { add, divide, maximum, multiply, subtract } from "../ops/arithmetic.ts";
import { sum } from "../ops/broadcast.ts";
import { sqrt } from "../ops/elementwise.ts";
import { concat, slice, split } from "../ops/layout.ts";
import { reshape } from "../ops/reshape.ts";
import type { Optimiser, Part, Rule } from "./optimiser.ts";

/** A step as a graph: what it takes from the step before by name, and what it hands on under the same names. */
export interface OptimiserGraph {
  readonly carried: Readonly<Record<string, Tensor>>;
  /** Where what is carried lies between runs. */
  readonly memory: Readonly<Record<string, Float32Array>>;
  /** The parameters, cut out of what is carried. */
  readonly parameters: ReadonlyMap<string, Tensor>;
}

/** The input that takes what `Optimiser.pace` gives. */
export const PACE = "pace";

/** Builds the graph of a step from the gradients of all parameters. */
export function optimiserGraph(
  { parts, rule }: Optimiser,
  shapes: ReadonlyMap<string, readonly number[]>,
  gradients: ReadonlyMap<string, Tensor>,
): OptimiserGraph {
  const pace = input(PACE, [3 * parts.length]);
  const carried: Record<string, Tensor> = {};
  const memory: Record<string, Float32Array> = {};
  const parameters = new Map<string, Tensor>();
  const slopes = shortened(
    parts.map((part) => joined(part, gradients)),
    rule.clip,
  );
  parts.forEach((part, i) => {
    const take = (name: "values" | "first" | "second") => {
      const data = part[name] as Float32Array;
      memory[`${name} ${i}`] = data;
      return input(`${name} ${i}`, [data.length]);
    };
    const values = take("values");
    cut(part, values, shapes, parameters);
    const [rate, shrink, root] = [0, 1, 2].map((at) => slice(pace, 0, 3 * i + at, 3 * i + at + 1));
    const given = { slope: slopes[i], values, first: take("first"), rate, shrink, root };
    const next =
      rule.kind === "adam"
        ? adam({ ...given, second: take("second") }, part.decay, rule)
        : descent(given, part.decay, rule);
    for (const [name, tensor] of Object.entries(next)) carried[`${name} ${i}`] = tensor;
  });
  return { carried, memory, parameters };
}

interface Given {
  readonly slope: Tensor;
  readonly values: Tensor;
  readonly first: Tensor;
  readonly rate: Tensor;
  readonly shrink: Tensor;
  readonly root: Tensor;
}

function adam(
  { slope, values, first, second, rate, shrink, root }: Given & { readonly second: Tensor },
  decay: number,
  { beta1, beta2, epsilon, decoupled }: Rule,
): Record<string, Tensor> {
  const g = decoupled ? slope : penalised(slope, values, decay);
  const m = add(multiply(first, beta1), multiply(g, 1 - beta1));
  const v = add(multiply(second, beta2), multiply(multiply(g, g), 1 - beta2));
  const move = divide(multiply(m, rate), add(multiply(sqrt(v), root), epsilon));
  const kept = decoupled && decay > 0 ? multiply(values, shrink) : values;
  return { values: subtract(kept, move), first: m, second: v };
}

function descent(
  { slope, values, first, rate, shrink }: Given,
  decay: number,
  { momentum, decoupled }: Rule,
): Record<string, Tensor> {
  const g = decoupled ? slope : penalised(slope, values, decay);
  const velocity = momentum > 0 ? add(multiply(first, momentum), g) : g;
  const kept = decoupled && decay > 0 ? multiply(values, shrink) : values;
  return { values: subtract(kept, multiply(velocity, rate)), first: velocity };
}

const penalised = (slope: Tensor, values: Tensor, decay: number): Tensor =>
  decay > 0 ? add(slope, multiply(values, decay)) : slope;

/** Shortens all gradients together, if they are longer than `clip`. */
function shortened(slopes: readonly Tensor[], clip: number): readonly Tensor[] {
  if (clip === Infinity) return slopes;
  const length = sqrt(slopes.map((slope) => sum(multiply(slope, slope))).reduce(add));
  const factor = divide(clip, maximum(length, clip));
  return slopes.map((slope) => multiply(slope, factor));
}

/** The sizes of parameters and of the gaps between them, in order; gaps have no name. */
function pieces({ places, values }: Part): { readonly name?: string; readonly size: number }[] {
  const list: { readonly name?: string; readonly size: number }[] = [];
  let at = 0;
  for (const [name, from, to] of places) {
    if (from > at) list.push({ size: from - at });
    list.push({ name, size: to - from });
    at = to;
  }
  if (values.length > at) list.push({ size: values.length - at });
  return list;
}

/** The gradients of a part as one list, laid out as its memory is. */
function joined(part: Part, gradients: ReadonlyMap<string, Tensor>): Tensor {
  return concat(
    pieces(part).map(({ name, size }) =>
      name === undefined
        ? constant(new Float64Array(size), [size])
        : reshape(gradients.get(name) as Tensor, [size]),
    ),
    0,
  );
}

/** Cuts the parameters of a part out of its list. */
function cut(
  part: Part,
  values: Tensor,
  shapes: ReadonlyMap<string, readonly number[]>,
  into: Map<string, Tensor>,
): void {
  const list = pieces(part);
  const cuts = split(
    values,
    list.map(({ size }) => size),
  );
  list.forEach(({ name }, at) => {
    if (name !== undefined) into.set(name, reshape(cuts[at], shapes.get(name) ?? []));
  });
}
