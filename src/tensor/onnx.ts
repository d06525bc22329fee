/**
 * Writes a graph as an ONNX model: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
 * The numbers of fields below are those of that file.
 */
import { version } from "../version.ts";
import { createEmitter, type OnnxAttribute, type OnnxConstant, type OnnxNode } from "./emitter.ts";
import { type Element, inputName, sortGraph, type Tensor } from "./graph.ts";
import { Message } from "./protobuf.ts";
import type { Shape } from "./shape.ts";

/** ONNX 1.13; read by every ONNX Runtime since 1.14. */
const OPSET = 18;
const IR_VERSION = 8;
const types = { float: 1, int: 6, int64: 7 } as const;

export interface OnnxOptions {
  /** Values of inputs that become part of the model: the weights. */
  readonly weights?: ReadonlyMap<string, Float32Array>;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** The model that computes the named outputs; every input without a value must be fed. */
export function toOnnx(
  outputs: Readonly<Record<string, Tensor>>,
  { weights, metadata = {} }: OnnxOptions = {},
): Uint8Array<ArrayBuffer> {
  const emit = createEmitter();
  const names = new Map<Tensor, string>();
  const inputs = new Map<string, Tensor>();
  for (const node of sortGraph(Object.values(outputs))) {
    const name = inputName(node);
    if (name !== undefined) inputs.set(name, node);
    const sources = node.inputs.map((x) => names.get(x) as string);
    names.set(node, node.op.lower(emit, sources, node));
  }
  const graph = new Message();
  const results = Object.entries(outputs).map(([name, node]): OnnxNode => {
    const from = names.get(node) as string;
    return { type: "Identity", domain: "", inputs: [from], outputs: [name], attributes: {} };
  });
  for (const node of [...emit.written, ...results]) graph.message(1, nodeMessage(node));
  graph.text(2, "consilience");
  for (const constant of emit.constants) graph.message(5, tensorMessage(constant));
  for (const [name, { shape, type }] of inputs) {
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
  const model = new Message()
    .int(1, IR_VERSION)
    .text(2, "consilience")
    .text(3, version)
    .message(7, graph)
    .message(8, new Message().text(1, "").int(2, OPSET));
  if (emit.written.some(({ domain }) => domain === "com.microsoft")) {
    model.message(8, new Message().text(1, "com.microsoft").int(2, 1));
  }
  for (const [key, value] of Object.entries(metadata)) {
    model.message(14, new Message().text(1, key).text(2, value));
  }
  return model.finish() as Uint8Array<ArrayBuffer>;
}

function nodeMessage({ type, domain, inputs, outputs, attributes }: OnnxNode): Message {
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
  for (const item of value) attribute.int(8, item);
  return attribute.int(20, 7);
}

function tensorMessage({ name, type, shape, values }: OnnxConstant): Message {
  const tensor = new Message().ints(1, shape).int(2, types[type]).text(8, name);
  const data =
    type === "float"
      ? Float32Array.from(values)
      : BigInt64Array.from(Array.from(values, (value) => BigInt(value)));
  return tensor.bytes(9, new Uint8Array(data.buffer));
}

function valueMessage(name: string, shape: Shape, type: Element): Message {
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
