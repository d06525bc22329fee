/**
 * Reads an ONNX model without believing it: every length is checked against the file, sizes against
 * each other, and weights that lie in other files are refused. Field numbers are those of onnx.proto.
 */
import { CrowdError } from "../error.ts";
import { append } from "../math/lists.ts";
import type { OnnxNode } from "./emitter.ts";
import { countOf, type Shape } from "./shape.ts";

interface OnnxTensorValue {
  readonly type: "float" | "int64";
  readonly shape: readonly number[];
  readonly values: Float64Array;
}

interface OnnxValue {
  readonly name: string;
  readonly shape: Shape;
}

export interface OnnxModel {
  readonly nodes: readonly OnnxNode[];
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
  readonly constants: ReadonlyMap<string, OnnxTensorValue>;
  readonly metadata: ReadonlyMap<string, string>;
}

const MOST_NODES = 100_000;

export function readOnnx(bytes: Uint8Array, file = "The model"): OnnxModel {
  const bad = (what: string) => new CrowdError("bad-data", `${file}: ${what}`);
  const model = { graph: undefined as Uint8Array | undefined, metadata: new Map<string, string>() };
  try {
    for (const { field, bytes: part } of fields(bytes)) {
      if (field === 7) model.graph = part;
      if (field === 14) model.metadata.set(...entry(part));
    }
    if (!model.graph) throw bad("this is no ONNX model: it has no graph.");
    return { ...readGraph(model.graph), metadata: model.metadata };
  } catch (error) {
    if (error instanceof CrowdError) {
      throw error.message.startsWith(file) ? error : bad(error.message);
    }
    throw error;
  }
}

function readGraph(bytes: Uint8Array): Omit<OnnxModel, "metadata"> {
  const nodes: OnnxNode[] = [];
  const inputs: OnnxValue[] = [];
  const outputs: OnnxValue[] = [];
  const constants = new Map<string, OnnxTensorValue>();
  for (const { field, bytes: part } of fields(bytes)) {
    if (field === 1) {
      if (nodes.length === MOST_NODES) throw broken(`it has more than ${MOST_NODES} nodes.`);
      const node = readNode(part, constants);
      if (node) nodes.push(node);
    } else if (field === 5) {
      const { name, value } = readTensor(part);
      constants.set(name, value);
    } else if (field === 11) inputs.push(readValue(part));
    else if (field === 12) outputs.push(readValue(part));
  }
  return { nodes, inputs: inputs.filter(({ name }) => !constants.has(name)), outputs, constants };
}

/** A node; one that only holds a constant becomes one. */
function readNode(
  bytes: Uint8Array,
  constants: Map<string, OnnxTensorValue>,
): OnnxNode | undefined {
  const inputs: string[] = [];
  const outputs: string[] = [];
  const attributes: Record<string, number | readonly number[] | string> = {};
  let [type, domain] = ["", ""];
  let tensor: OnnxTensorValue | undefined;
  for (const { field, bytes: part } of fields(bytes)) {
    if (field === 1) inputs.push(text(part));
    else if (field === 2) outputs.push(text(part));
    else if (field === 4) type = text(part);
    else if (field === 7) domain = text(part);
    else if (field === 5) {
      const { name, value, held } = readAttribute(part);
      if (held) tensor = held;
      else if (value !== undefined) attributes[name] = value;
    }
  }
  if (type !== "Constant") return { type, domain, inputs, outputs, attributes };
  if (!tensor || outputs.length !== 1) throw broken("a constant has no value.");
  constants.set(outputs[0], tensor);
  return undefined;
}

function readAttribute(bytes: Uint8Array) {
  let name = "";
  let value: number | string | undefined;
  let held: OnnxTensorValue | undefined;
  const list: number[] = [];
  for (const { field, wire, bytes: part, number } of fields(bytes)) {
    if (field === 1) name = text(part);
    else if (field === 2) value = float(part);
    else if (field === 3) value = number;
    else if (field === 4) value = text(part);
    else if (field === 5) held = readTensor(part).value;
    else if (field === 7 && wire === 5) list.push(float(part));
    else if (field === 7)
      for (let at = 0; at + 4 <= part.length; at += 4) list.push(float(part.subarray(at, at + 4)));
    else if (field === 8 && wire === 0) list.push(number);
    else if (field === 8) append(list, varints(part));
    else if (field === 6 || field === 11)
      throw broken("it has a graph within a node, which is not read.");
  }
  return { name, held, value: list.length > 0 ? list : value };
}

function readTensor(bytes: Uint8Array): { name: string; value: OnnxTensorValue } {
  const shape: number[] = [];
  const values: number[] = [];
  let [name, kind] = ["", 0];
  let raw: Uint8Array | undefined;
  for (const { field, wire, bytes: part, number } of fields(bytes)) {
    if (field === 1) append(shape, wire === 0 ? [number] : varints(part));
    else if (field === 2) kind = number;
    else if (field === 4)
      for (let at = 0; at + 4 <= part.length; at += 4)
        values.push(float(part.subarray(at, at + 4)));
    else if (field === 7) append(values, wire === 0 ? [number] : varints(part));
    else if (field === 8) name = text(part);
    else if (field === 9) raw = part;
    else if (field === 13 || (field === 14 && number === 1)) {
      throw broken(`the weights "${name}" lie in another file, which is not opened.`);
    }
  }
  if (kind !== 1 && kind !== 7) throw broken(`"${name}" is neither float32 nor int64.`);
  const width = kind === 1 ? 4 : 8;
  const count = countOf(shape);
  const wrong = shape.some((size) => !(size >= 0)) || !Number.isSafeInteger(count);
  const held = raw ? raw.length / width : values.length;
  if (wrong || held !== count) {
    throw broken(`"${name}" of shape [${shape}] holds ${held} numbers.`);
  }
  const data = raw ? numbersOf(raw, kind) : Float64Array.from(values);
  return { name, value: { type: kind === 1 ? "float" : "int64", shape, values: data } };
}

function numbersOf(raw: Uint8Array, kind: number): Float64Array {
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
  return kind === 1
    ? Float64Array.from({ length: raw.length / 4 }, (_, i) => view.getFloat32(4 * i, true))
    : Float64Array.from({ length: raw.length / 8 }, (_, i) =>
        Number(view.getBigInt64(8 * i, true)),
      );
}

function readValue(bytes: Uint8Array): OnnxValue {
  let name = "";
  const shape: (number | string)[] = [];
  for (const { field, bytes: part } of fields(bytes)) {
    if (field === 1) name = text(part);
    if (field !== 2) continue;
    for (const type of fields(part)) {
      if (type.field !== 1) continue;
      for (const tensor of fields(type.bytes)) {
        if (tensor.field !== 2) continue;
        for (const dimension of fields(tensor.bytes)) {
          if (dimension.field === 1) shape.push(readSize(dimension.bytes));
        }
      }
    }
  }
  return { name, shape };
}

function readSize(bytes: Uint8Array): number | string {
  for (const { field, bytes: part, number } of fields(bytes)) {
    if (field === 1) return number;
    if (field === 2) return text(part);
  }
  return "batch";
}

function entry(bytes: Uint8Array): [string, string] {
  const pair: [string, string] = ["", ""];
  for (const { field, bytes: part } of fields(bytes)) {
    if (field === 1) pair[0] = text(part);
    if (field === 2) pair[1] = text(part);
  }
  return pair;
}

interface Field {
  readonly field: number;
  readonly wire: number;
  /** The content, where it has a length; four or eight bytes of a fixed number. */
  readonly bytes: Uint8Array;
  /** Of a number. */
  readonly number: number;
}

const NOTHING = new Uint8Array(0);

/** The fields of a message, one by one. */
function* fields(bytes: Uint8Array): Iterable<Field> {
  let at = 0;
  const varint = () => {
    const [value, next] = readVarint(bytes, at);
    at = next;
    return value;
  };
  while (at < bytes.length) {
    const key = varint();
    const [field, wire] = [Math.floor(key / 8), key % 8];
    if (wire === 0) {
      yield { field, wire, bytes: NOTHING, number: varint() };
      continue;
    }
    const length = wire === 2 ? varint() : wire === 5 ? 4 : wire === 1 ? 8 : Number.NaN;
    if (!(length >= 0 && at + length <= bytes.length)) throw broken("it is cut off or damaged.");
    yield { field, wire, bytes: bytes.subarray(at, at + length), number: 0 };
    at += length;
  }
}

function varints(bytes: Uint8Array): number[] {
  const values: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [value, next] = readVarint(bytes, at);
    values.push(value);
    at = next;
  }
  return values;
}

/** A number of up to 64 bits, signed, and where it ends. */
function readVarint(bytes: Uint8Array, start: number): [value: number, next: number] {
  let value = 0n;
  for (let at = start, shift = 0n; ; at++, shift += 7n) {
    if (at >= bytes.length || shift > 63n) throw broken("it is cut off or damaged.");
    value |= BigInt(bytes[at] & 127) << shift;
    if (bytes[at] < 128) return [Number(BigInt.asIntN(64, value)), at + 1];
  }
}

const decoder = new TextDecoder();
const text = (bytes: Uint8Array): string => decoder.decode(bytes);

function float(bytes: Uint8Array): number {
  return bytes.length === 4
    ? new DataView(bytes.buffer, bytes.byteOffset, 4).getFloat32(0, true)
    : Number.NaN;
}

const broken = (what: string) => new CrowdError("bad-data", what);
