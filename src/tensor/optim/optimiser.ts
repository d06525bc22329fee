/**
 * Turns gradients into steps. Values, gradients and moments lie in one memory, where the gradients
 * land and the kernel updates the values in place.
 *
 * Adam: Kingma and Ba, Adam: A Method for Stochastic Optimization, ICLR 2015.
 */
import { arenaBytes, createEngine } from "../../kernels/engine.ts";
import type { Parameter } from "../scope.ts";
import { countOf } from "../shape.ts";

/** How the parameters of one group are moved. */
interface GroupOptions {
  /** Learning rate. */
  readonly rate: number;
  /** Weight decay. */
  readonly decay?: number;
}

export interface OptimiserOptions {
  readonly kind?: "adam" | "sgd";
  /** By name of the group; those not named move like "network". */
  readonly groups: Readonly<Record<string, GroupOptions>> & { readonly network: GroupOptions };
  /** Whether weight decay is taken from the values (AdamW) or added to the gradient. */
  readonly decoupled?: boolean;
  /** Longest that all gradients together may be; longer ones are shortened. */
  readonly clip?: number;
  readonly momentum?: number;
  readonly beta1?: number;
  readonly beta2?: number;
  readonly epsilon?: number;
}

/** Of the learning rate: one for all, or by name of the group (1 for those not named). */
export type Share = number | Readonly<Record<string, number>>;

export interface Optimiser {
  /** Views of each parameter and of its gradient. */
  readonly values: ReadonlyMap<string, Float32Array>;
  readonly gradients: ReadonlyMap<string, Float32Array>;
  /** One step with `share` of the learning rate. */
  step(share?: Share): void;
  /** What moves alike, and the memory it lies in, for those who make the steps themselves. */
  readonly parts: readonly Part[];
  readonly rule: Rule;
  /** Counts a step that somebody else makes; returns its numbers, three for each part. */
  pace(share?: Share): Float32Array;
  /** Everything that changes, to go on from: values, moments, and the number of steps. */
  save(): { readonly steps: number; readonly arrays: readonly Float32Array[] };
  load(state: { readonly steps: number; readonly arrays: readonly Float32Array[] }): void;
}

/** Parameters that move alike, one after another in memory. */
export interface Part {
  readonly values: Float32Array;
  /** Adam's first moment, or the velocity. */
  readonly first: Float32Array;
  /** Adam's second moment. */
  readonly second?: Float32Array;
  /** The names of parameters, and from where to where each of them lies here. */
  readonly places: readonly (readonly [name: string, from: number, to: number])[];
  readonly decay: number;
}

/** The numbers of a rule that never change. */
export interface Rule {
  readonly kind: "adam" | "sgd";
  readonly decoupled: boolean;
  readonly clip: number;
  readonly momentum: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
}

interface Segment {
  readonly from: number;
  readonly to: number;
  readonly name: string;
  readonly group: GroupOptions;
  readonly decay: number;
}

/** Every parameter begins at a multiple of so many numbers, 64 bytes; up to there zeros follow it. */
export const ALIGNMENT = 16;

/** Lays out the parameters in one memory, all values 0. */
export function createOptimiser(
  parameters: readonly Parameter[],
  {
    kind = "adam",
    groups,
    decoupled = false,
    clip = Infinity,
    momentum = 0,
    beta1 = 0.9,
    beta2 = 0.999,
    epsilon = 1e-8,
  }: OptimiserOptions,
): Optimiser {
  const { segments, places, total } = layOut(parameters, groups);
  const lengths = kind === "adam" ? [total, total, total, total] : [total, total, total];
  const arena = createEngine().arena(arenaBytes([], [], lengths) + 64);
  const [values, gradients, first, second] = lengths.map((length) => arena.floats(length));
  const changing = second ? [values, first, second] : [values, first];
  const views = (all: Float32Array) =>
    new Map([...places].map(([name, [from, to]]) => [name, all.subarray(from, to)]));
  const rule = { kind, decoupled, clip, momentum, beta1, beta2, epsilon };
  let steps = 0;
  /** Of the step at work: the rate, what is left of the values, and what makes up for young second moments. */
  const paceOf = ({ name, group, decay }: Segment, share: Share) => {
    const rate = group.rate * (typeof share === "number" ? share : (share[name] ?? 1));
    const shrink = decoupled ? 1 - rate * decay : 1;
    if (kind === "sgd") return [rate, shrink, 1] as const;
    return [rate / (1 - beta1 ** steps), shrink, 1 / Math.sqrt(1 - beta2 ** steps)] as const;
  };
  return {
    values: views(values),
    gradients: views(gradients),
    step(share = 1) {
      steps++;
      if (clip < Infinity) shorten(gradients, clip);
      for (const segment of segments) {
        const { from, to, decay } = segment;
        const part = (all: Float32Array) => all.subarray(from, to);
        const [rate, shrink, root] = paceOf(segment, share);
        const penalty = decoupled ? 0 : decay;
        if (kind === "adam") {
          const arrays = [values, gradients, first, second].map(part);
          const numbers = [rate, beta1, beta2, epsilon, penalty, shrink, root];
          arena.run("adam", [[to - from, ...arrays, ...numbers]]);
        } else {
          const arrays = [values, gradients, first].map(part);
          arena.run("descend", [[to - from, ...arrays, rate, momentum, penalty, shrink]]);
        }
      }
    },
    rule,
    parts: segments.map((segment) => partOf(segment, places, { values, first, second })),
    pace(share = 1) {
      steps++;
      return Float32Array.from(segments.flatMap((segment) => paceOf(segment, share)));
    },
    save: () => ({ steps, arrays: changing.map((array) => array.slice()) }),
    load(state) {
      steps = state.steps;
      changing.forEach((array, i) => {
        array.set(state.arrays[i]);
      });
    },
  };
}

/** A segment with its own memory and places. */
function partOf(
  { from, to, decay }: Segment,
  places: ReadonlyMap<string, readonly [number, number]>,
  memory: {
    readonly values: Float32Array;
    readonly first: Float32Array;
    readonly second: Float32Array | undefined;
  },
): Part {
  return {
    decay,
    values: memory.values.subarray(from, to),
    first: memory.first.subarray(from, to),
    ...(memory.second && { second: memory.second.subarray(from, to) }),
    places: [...places]
      .filter(([, [start]]) => start >= from && start < to)
      .map(([name, [start, end]]) => [name, start - from, end - from] as const),
  };
}

/** Gives each parameter its place. Those that move alike stand together, so that one call moves them all. */
function layOut(parameters: readonly Parameter[], groups: OptimiserOptions["groups"]) {
  const alike = new Map<string, Parameter[]>();
  for (const parameter of parameters) {
    const { group, decay } = parameter;
    const key = `${group} ${decay && ((groups[group] ?? groups.network).decay ?? 0) > 0}`;
    alike.set(key, [...(alike.get(key) ?? []), parameter]);
  }
  const segments: Segment[] = [];
  const places = new Map<string, readonly [number, number]>();
  let total = 0;
  for (const members of alike.values()) {
    const from = total;
    for (const { name, shape } of members) {
      places.set(name, [total, total + countOf(shape)]);
      total = Math.ceil((total + countOf(shape)) / ALIGNMENT) * ALIGNMENT;
    }
    const [{ group: name, decay }] = members;
    const group = groups[name] ?? groups.network;
    segments.push({ from, to: total, name, group, decay: decay ? (group.decay ?? 0) : 0 });
  }
  return { segments, places, total };
}

/** Shortens the gradients to a length, if they are longer. */
function shorten(gradients: Float32Array, longest: number): void {
  let squares = 0;
  for (let i = 0; i < gradients.length; i++) squares += gradients[i] * gradients[i];
  const length = Math.sqrt(squares);
  if (!(length > longest)) return;
  for (let i = 0; i < gradients.length; i++) gradients[i] *= longest / length;
}
