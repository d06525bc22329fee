/**
 * Writes a graph as an ONNX model: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
 * The numbers of fields below are those of that file.
 */
import { version } from "../version.ts";
import {
  createEmitter,
  type Emitter,
  type OnnxAttribute,
  type OnnxConstant,
  type OnnxNode,
} from "./emitter.ts";
import { inputName, sortGraph, type Tensor } from "./graph.ts";
import { Message } from "./protobuf.ts";
import type { Shape } from "./shape.ts";

/** ONNX 1.13; read by every ONNX Runtime since 1.14. */
const OPSET = 18;
const IR_VERSION = 8;
const types = { float: 1, int: 6, int64: 7, bool: 9 } as const;

export interface OnnxOptions {
  /** Values of inputs that become part of the model: the weights. */
  readonly weights?: ReadonlyMap<string, Float32Array>;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Whether it is for a graphics card. */
  readonly card?: boolean;
}

/** The model that computes the named outputs; every input without a value must be fed. */
export function toOnnx(
  outputs: Readonly<Record<string, Tensor>>,
  { weights, metadata = {}, card = false }: OnnxOptions = {},
): Uint8Array<ArrayBuffer> {
  const emit = createEmitter({ card });
  const names = lowerAll(emit, sortGraph(Object.values(outputs)));
  const graph = new Message();
  for (const node of emit.written) graph.message(1, nodeMessage(node));
  for (const [name, node] of Object.entries(outputs)) {
    graph.message(1, identityMessage(names.get(node) as string, name));
  }
  graph.text(2, "consilience");
  for (const constant of emit.constants) graph.message(5, tensorMessage(constant));
  for (const node of names.keys()) {
    const name = inputName(node);
    if (name === undefined) continue;
    const { shape, type } = node;
    const values = weights?.get(name);
    if (values) {
      graph.message(5, tensorMessage({ name, type: "float", shape: shape.map(Number), values }));
    } else {
      graph.message(11, valueMessage(name, shape, type));
    }
  }
  for (const [name, { shape, type }] of Object.entries(outputs)) {
    graph.message(12, valueMessage(name, shape, type));
  }
  return modelBytes(graph, emit.written, metadata);
}

/** Writes the nodes of a sorted graph; returns the names of their results. Inputs go by their names, or by others. */
export function lowerAll(
  emit: Emitter,
  sorted: readonly Tensor[],
  inputAs: (name: string, names: ReadonlyMap<Tensor, string>) => string = (name) => name,
): ReadonlyMap<Tensor, string> {
  const names = new Map<Tensor, string>();
  for (const node of sorted) {
    const input = inputName(node);
    const sources = node.inputs.map((x) => names.get(x) as string);
    names.set(
      node,
      input === undefined ? node.op.lower(emit, sources, node) : inputAs(input, names),
    );
  }
  return names;
}

/** A graph with its versions and what else a model says, as bytes of a file. */
export function modelBytes(
  graph: Message,
  nodes: readonly OnnxNode[],
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  const model = new Message()
    .int(1, IR_VERSION)
    .text(2, "consilience")
    .text(3, version)
    .message(7, graph)
    .message(8, new Message().text(1, "").int(2, OPSET));
  if (nodes.some(({ domain }) => domain === "com.microsoft")) {
    model.message(8, new Message().text(1, "com.microsoft").int(2, 1));
  }
  for (const [key, value] of Object.entries(metadata)) {
    model.message(14, new Message().text(1, key).text(2, value));
  }
  return model.finish() as Uint8Array<ArrayBuffer>;
}

export const identityMessage = (from: string, to: string): Message =>
  nodeMessage({ type: "Identity", domain: "", inputs: [from], outputs: [to], attributes: {} });

export function nodeMessage({ type, domain, inputs, outputs, attributes }: OnnxNode): Message {
  const node = new Message();
  for (const name of inputs) node.text(1, name);
  for (const name of outputs) node.text(2, name);
  node.text(4, type);
  for (const [name, value] of Object.entries(attributes)) {
    node.message(5, attributeMessage(name, value));
  }
  return domain ? node.text(7, domain) : node;
}

function attributeMessage(name: string, value: OnnxAttribute): Message {
  const attribute = new Message().text(1, name);
  if (typeof value === "number") return attribute.int(3, value).int(20, 2);
  if (typeof value === "string") return attribute.text(4, value).int(20, 3);
  if ("float" in value) return attribute.float(2, value.float).int(20, 1);
  if ("graph" in value) return attribute.message(6, value.graph).int(20, 5);
  for (const item of value) attribute.int(8, item);
  return attribute.int(20, 7);
}

export function tensorMessage({ name, type, shape, values }: OnnxConstant): Message {
  const tensor = new Message().ints(1, shape).int(2, types[type]).text(8, name);
  const data =
    type === "float"
      ? Float32Array.from(values)
      : BigInt64Array.from(Array.from(values, (value) => BigInt(value)));
  return tensor.bytes(9, new Uint8Array(data.buffer));
}

export function valueMessage(name: string, shape: Shape, type: keyof typeof types): Message {
  const dimensions = new Message();
  for (const size of shape) {
    const dimension = new Message();
    dimensions.message(
      1,
      typeof size === "number" ? dimension.int(1, size) : dimension.text(2, size),
    );
  }
  const tensor = new Message().int(1, types[type]).message(2, dimensions);
  return new Message().text(1, name).message(2, new Message().message(1, tensor));
}
