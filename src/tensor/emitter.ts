/** What ops write their ONNX nodes to. */
import type { Message } from "./protobuf.ts";
import type { Shape } from "./shape.ts";

export type OnnxAttribute =
  | number
  | readonly number[]
  | string
  | { readonly float: number }
  | { readonly graph: Message };

export interface OnnxNode {
  readonly type: string;
  readonly domain: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: Readonly<Record<string, OnnxAttribute>>;
}

export interface OnnxConstant {
  readonly name: string;
  readonly type: "float" | "int64";
  readonly shape: readonly number[];
  readonly values: ArrayLike<number>;
}

export interface Emitter {
  /** Whether what is written is for a graphics card, which is slow to start a node and fast at large ones. */
  readonly card: boolean;
  /** Writes a node with one result, whose name is returned. */
  node(
    type: string,
    inputs: readonly string[],
    attributes?: Readonly<Record<string, OnnxAttribute>>,
    domain?: string,
  ): string;
  /** Writes a node with several results. */
  nodes(
    type: string,
    inputs: readonly string[],
    results: number,
    attributes?: Readonly<Record<string, OnnxAttribute>>,
  ): readonly string[];
  /** What `make` wrote when first asked for under this key. */
  once(key: string, make: () => readonly string[]): readonly string[];
  floats(values: ArrayLike<number>, shape?: readonly number[]): string;
  /** 64-bit whole numbers: axes, sizes, positions. */
  ints(values: readonly number[], shape?: readonly number[]): string;
  /** A shape as ONNX wants it for Reshape; at most one size may be known only at run time. */
  target(shape: Shape): string;
}

/** An emitter and what was written to it; names begin with `prefix`. Equal constants are written once. */
export function createEmitter({ prefix = "", card = false } = {}): Emitter & {
  readonly written: readonly OnnxNode[];
  readonly constants: readonly OnnxConstant[];
} {
  const written: OnnxNode[] = [];
  const constants: OnnxConstant[] = [];
  const known = new Map<string, string>();
  let names = 0;
  const constant = (
    type: "float" | "int64",
    values: ArrayLike<number>,
    shape: readonly number[],
  ) => {
    const key = values.length <= 16 ? `${type} ${shape} ${Array.from(values)}` : undefined;
    const before = key === undefined ? undefined : known.get(key);
    if (before !== undefined) return before;
    const name = `${prefix}c${constants.length}`;
    constants.push({ name, type, shape, values });
    if (key !== undefined) known.set(key, name);
    return name;
  };
  const made = new Map<string, readonly string[]>();
  const emitter: Emitter = {
    card,
    node: (type, inputs, attributes = {}, domain = "") => {
      const name = `${prefix}t${names++}`;
      written.push({ type, domain, inputs, outputs: [name], attributes });
      return name;
    },
    nodes: (type, inputs, results, attributes = {}) => {
      const outputs = Array.from({ length: results }, () => `${prefix}t${names++}`);
      written.push({ type, domain: "", inputs, outputs, attributes });
      return outputs;
    },
    once(key, make) {
      const names = made.get(key) ?? make();
      made.set(key, names);
      return names;
    },
    floats: (values, shape = [values.length]) => constant("float", values, shape),
    ints: (values, shape = [values.length]) => constant("int64", values, shape),
    target: (shape) => emitter.ints(shape.map((size) => (typeof size === "number" ? size : -1))),
  };
  return { ...emitter, written, constants };
}
