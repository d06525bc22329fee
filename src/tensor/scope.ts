/**
 * Where a module finds its weights. A module is a function from a tensor to a tensor that asks the
 * scope for parameters by name; building it twice, for training and for use, finds the same ones.
 */
import type { Random } from "../math/random.ts";
import { input, type Tensor } from "./graph.ts";
import { badShape, type Shape, sameShape, showShape } from "./shape.ts";

/** How the numbers of a parameter are drawn at first. */
export type Start = (shape: readonly number[], random: Random) => Float32Array;

export interface ParameterOptions {
  /** Parameters of one group share learning rate and weight decay. */
  readonly group?: string;
  /** Whether weight decay applies to it, in a group that has some. */
  readonly decay?: boolean;
}

export interface Parameter extends Required<ParameterOptions> {
  readonly name: string;
  readonly shape: readonly number[];
  readonly start: Start;
}

/** Numbers without a gradient: running statistics of the batches, or what a method sets itself. */
export interface State {
  readonly name: string;
  readonly shape: readonly number[];
  readonly start: number;
  /** What it follows; absent: training leaves it as it is. */
  readonly follows?: Followed;
}

/** A statistic of the batch: after each step, running = (1 - momentum) · running + momentum · batch. */
export interface Followed {
  /** As many numbers as the state has. */
  readonly batch: Tensor;
  readonly momentum: number;
}

/** Zeros and equal numbers drawn anew for every step: each is kept with probability `keep`. */
export interface Mask {
  readonly name: string;
  readonly shape: Shape;
  readonly keep: number;
}

/** Fills an array with numbers that are drawn at random. */
export type Fill = (random: Random, numbers: Float32Array) => void;

/** Numbers that are no mask, drawn anew for every step too. */
export interface Draw {
  readonly name: string;
  readonly shape: Shape;
  readonly fill: Fill;
}

/** What a module asks for while it is built: parameters, running statistics, dropout masks and other draws. */
export interface Scope {
  readonly training: boolean;
  parameter(
    name: string,
    shape: readonly number[],
    start: Start,
    options?: ParameterOptions,
  ): Tensor;
  state(name: string, shape: readonly number[], start: number, follows?: Followed): Tensor;
  mask(name: string, shape: Shape, keep: number): Tensor;
  /** Numbers that `fill` draws anew for every training step. */
  draw(name: string, shape: Shape, fill: Fill): Tensor;
  child(name: string): Scope;
}

/** What modules asked for while they were built. */
export interface Requests {
  readonly parameters: Map<string, Parameter & { readonly node: Tensor }>;
  readonly states: Map<string, State & { readonly node: Tensor }>;
  readonly masks: (Mask | Draw)[];
}

/** A layer, a network, any piece of one. */
export type Module = (x: Tensor, scope: Scope) => Tensor;

/** Creates the scope of a network; everything that modules ask for is in its `requests`. */
export function createScope(training: boolean): Scope & { readonly requests: Requests } {
  const requests: Requests = { parameters: new Map(), states: new Map(), masks: [] };
  // A module that is built twice, for two inputs, draws different numbers for each.
  const drawn = (path: string, request: Mask | Draw) => {
    const name = `${path}${request.name}#${requests.masks.length}`;
    requests.masks.push({ ...request, name });
    return input(name, request.shape);
  };
  const at = (path: string): Scope => ({
    training,
    parameter(local, shape, start, { group = "network", decay = true } = {}) {
      const name = path + local;
      const before = requests.parameters.get(name);
      if (before) {
        if (sameShape(before.shape, shape)) return before.node;
        throw badShape(
          `The parameter "${name}" is asked for as ${showShape(before.shape)} and as ${showShape(shape)}.`,
        );
      }
      const node = input(name, shape);
      requests.parameters.set(name, { name, shape, start, group, decay, node });
      return node;
    },
    state(local, shape, start, follows) {
      const name = path + local;
      const node = input(name, shape);
      const state = { name, shape, start, node };
      requests.states.set(name, training && follows ? { ...state, follows } : state);
      return node;
    },
    mask: (name, shape, keep) => drawn(path, { name, shape, keep }),
    draw: (name, shape, fill) => drawn(path, { name, shape, fill }),
    child: (name) => at(`${path}${name}/`),
  });
  return { ...at(""), requests };
}
