/**
 * A step of the optimiser as a graph, for executors that make many steps in one run: values and moments then stay where
 * the network is computed. The same formulas as in the kernels, over all parameters that move alike at once.
 */
import { input, type Tensor } from "../graph.ts";
import { add, divide, maximum, multiply, subtract } from "../ops/arithmetic.ts";
import { sum } from "../ops/broadcast.ts";
import { sqrt } from "../ops/elementwise.ts";
import { concat, pad, slice, split } from "../ops/layout.ts";
import { reshape } from "../ops/reshape.ts";
import { ALIGNMENT, type Optimiser, type Part, type Rule } from "./optimiser.ts";

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
  const lists = parts.flatMap((part, at) => listsOf(part).map((list) => ({ ...list, at })));
  const slopes = shortened(
    lists.map((list) => joined(list, gradients)),
    rule.clip,
  );
  lists.forEach((list, i) => {
    const take = (name: "values" | "first" | "second") => {
      const data = list[name] as Float32Array;
      memory[`${name} ${i}`] = data;
      return input(`${name} ${i}`, [data.length]);
    };
    const values = take("values");
    cut(list, values, shapes, parameters);
    const [rate, shrink, root] = [0, 1, 2].map((k) =>
      slice(pace, 0, 3 * list.at + k, 3 * list.at + k + 1),
    );
    const given = { slope: slopes[i], values, first: take("first"), rate, shrink, root };
    const next =
      rule.kind === "adam"
        ? adam({ ...given, second: take("second") }, list.decay, rule)
        : descent(given, list.decay, rule);
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

/** Parameters of more numbers are moved on their own. */
const LARGE = 65_536;

/**
 * Cuts a part into lists: small parameters that stand side by side are moved together, a large one alone. Joining and
 * cutting cost ONNX Runtime an entry in a table for each row of a list, made anew on the CPU in every step.
 */
function listsOf({ places, ...part }: Part): readonly Part[] {
  const lists: (readonly Part["places"][number][])[] = [];
  for (const place of places) {
    const [, from, to] = place;
    const last = lists.at(-1);
    const joins = last && to - from <= LARGE && last.every((each) => each[2] - each[1] <= LARGE);
    if (joins) lists[lists.length - 1] = [...last, place];
    else lists.push([place]);
  }
  return lists.map((list, i) => {
    const [start, end] = [list[0][1], lists[i + 1]?.[0][1] ?? part.values.length];
    const { values, first, second } = part;
    return {
      decay: part.decay,
      values: values.subarray(start, end),
      first: first.subarray(start, end),
      ...(second && { second: second.subarray(start, end) }),
      places: list.map(([name, from, to]) => [name, from - start, to - start] as const),
    };
  });
}

/** What lies in a list, in order: parameters, each with the zeros that follow it. */
function blocksOf({ places, values }: Part) {
  return places.map(([name, from, to], i) => {
    const next = places[i + 1]?.[1] ?? values.length;
    return { name, size: to - from, gap: next - to };
  });
}

const rowsOf = (count: number): number => count / ALIGNMENT;

/** The gradients of a list, laid out as its memory is. */
function joined(list: Part, gradients: ReadonlyMap<string, Tensor>): Tensor {
  const rows = blocksOf(list).map(({ name, size, gap }) => {
    const flat = reshape(gradients.get(name) as Tensor, [size]);
    return reshape(pad(flat, 0, 0, gap), [rowsOf(size + gap), ALIGNMENT]);
  });
  const all = rows.length === 1 ? rows[0] : concat(rows, 0);
  return reshape(all, [list.values.length]);
}

/** Cuts the parameters out of a list. */
function cut(
  list: Part,
  values: Tensor,
  shapes: ReadonlyMap<string, readonly number[]>,
  into: Map<string, Tensor>,
): void {
  const blocks = blocksOf(list);
  const rows = reshape(values, [rowsOf(list.values.length), ALIGNMENT]);
  const sizes = blocks.map(({ size, gap }) => rowsOf(size + gap));
  const cuts = blocks.length === 1 ? [rows] : split(rows, sizes);
  blocks.forEach(({ name, size, gap }, at) => {
    const flat = reshape(cuts[at], [size + gap]);
    into.set(name, reshape(gap === 0 ? flat : slice(flat, 0, 0, size), shapes.get(name) ?? []));
  });
}
