/**
 * Writes steps of a training as one ONNX model: a Loop whose body is a step. What steps hand on stays where the body
 * runs, on a graphics card or not; what each step is fed comes for all steps at once.
 *
 * An input whose sizes are the same in all steps comes as [steps, ...shape], and the body takes its own with Gather.
 * One whose first size varies comes as all rows one after another; the body cuts out its own from where they start.
 */
import { createEmitter, type Emitter } from "./emitter.ts";
import type { Steps } from "./executor.ts";
import { inputName, sortGraph, type Tensor } from "./graph.ts";
import {
  identityMessage,
  lowerAll,
  modelBytes,
  nodeMessage,
  tensorMessage,
  valueMessage,
} from "./onnx.ts";
import { Message } from "./protobuf.ts";
import { badShape, countOf, type Shape, showShape } from "./shape.ts";

/** An input of the steps, as the model takes it. */
export interface LoopInput {
  readonly name: string;
  readonly type: "float" | "int";
  /** What a step sees; with a table, the numbers of its rows. */
  readonly shape: Shape;
  /** The size that varies from step to step: its first one. */
  readonly varies?: string;
}

/** A model, and what it is to be fed. */
export interface LoopModel {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly inputs: readonly LoopInput[];
  /** Names of the sizes that vary; where the rows of each step start is fed as `startsOf` it. */
  readonly varying: readonly string[];
  /** Tables as the model looks for them: by the place of their bytes in a file of this name. */
  readonly files: readonly { readonly path: string; readonly data: Uint8Array }[];
}

/** The input that takes the number of steps. */
export const STEPS = "number of steps";
/** The input that takes where the rows of each step start, and where the last ones end. */
export const startsOf = (size: string): string => `starts of ${size}`;

const TABLE = "table of ";
const ITERATION = "iteration";

/** Writes the model, for a graphics card. */
export function toLoop(steps: Steps): LoopModel {
  const { carried, derived, outputs, tables } = steps;
  const emit = createEmitter({ prefix: "step ", card: true });
  const all = [...Object.values(carried), ...Object.values(outputs)];
  const sorted = sortGraph([...derived.values(), ...all]);
  const inputs = loopInputs(sorted, steps);
  const varying = [...new Set(inputs.flatMap(({ varies }) => varies ?? []))];
  const own = new Map(inputs.map((each) => [each.name, takeOwn(emit, each, tables)]));
  // What is derived stands first in the sorted graph, before the inputs that it takes the place of.
  const results = lowerAll(emit, sorted, (name, names) => {
    const from = derived.get(name);
    return (from && names.get(from)) ?? own.get(name) ?? name;
  });
  const body = bodyGraph(emit, steps, results);
  return {
    bytes: wholeModel(steps, inputs, varying, body, emit),
    inputs,
    varying,
    files: Object.entries(tables).map(([name, { shape, read }]) => {
      const data = new Float32Array(countOf(shape));
      read(
        Int32Array.from({ length: shape[0] }, (_, row) => row),
        data,
      );
      return { path: fileOf(name), data: new Uint8Array(data.buffer) };
    }),
  };
}

const fileOf = (name: string): string => `${name}.bin`;

/** What each step is fed: all inputs that are neither carried nor derived. */
function loopInputs(sorted: readonly Tensor[], steps: Steps): readonly LoopInput[] {
  const inputs = new Map<string, LoopInput>();
  for (const node of sorted) {
    const name = inputName(node);
    if (name === undefined || name in steps.carried || steps.derived.has(name)) continue;
    const filled = node.shape.map((size) => steps.sizes[size] ?? size);
    const isRows = name in steps.tables;
    const shape = isRows ? filled.slice(0, 1) : filled;
    const [first, ...rest] = shape;
    if (rest.some((size) => typeof size === "string")) {
      throw badShape(`steps: "${name}" ${showShape(shape)} may vary in its first size only.`);
    }
    const type = isRows ? "int" : node.type;
    inputs.set(name, { name, type, shape, ...(typeof first === "string" && { varies: first }) });
  }
  return [...inputs.values()];
}

/** Takes what a step is to see out of what came for all of them; returns its name. */
function takeOwn(emit: Emitter, { name, varies }: LoopInput, tables: Steps["tables"]): string {
  const own =
    varies === undefined ? emit.node("Gather", [name, ITERATION]) : cut(emit, name, varies);
  return name in tables ? emit.node("Gather", [TABLE + name, own]) : own;
}

function cut(emit: Emitter, name: string, size: string): string {
  const bounds = emit.once(`bounds of ${size}`, () => {
    const place = emit.node("Reshape", [ITERATION, emit.ints([1])]);
    const next = emit.node("Add", [place, emit.ints([1])]);
    return [place, next].map((at) => emit.node("Gather", [startsOf(size), at]));
  });
  return emit.node("Slice", [name, ...bounds, emit.ints([0])]);
}

/** The body: from number of the step, condition and what is carried to the same of the next step, and the outputs. */
function bodyGraph(
  emit: ReturnType<typeof createEmitter>,
  { carried, outputs }: Steps,
  names: ReadonlyMap<Tensor, string>,
): Message {
  const graph = new Message();
  for (const node of emit.written) graph.message(1, nodeMessage(node));
  graph.message(1, identityMessage("go on", "next go on"));
  const results = { ...carried, ...outputs };
  for (const [name, node] of Object.entries(results)) {
    graph.message(1, identityMessage(names.get(node) as string, `next ${name}`));
  }
  graph.text(2, "step");
  for (const constant of emit.constants) graph.message(5, tensorMessage(constant));
  graph.message(11, valueMessage(ITERATION, [], "int64"));
  graph.message(11, valueMessage("go on", [], "bool"));
  for (const [name, { shape }] of Object.entries(carried)) {
    graph.message(11, valueMessage(name, shape, "float"));
  }
  graph.message(12, valueMessage("next go on", [], "bool"));
  for (const [name, { shape }] of Object.entries(results)) {
    graph.message(12, valueMessage(`next ${name}`, shape, "float"));
  }
  return graph;
}

function wholeModel(
  { carried, outputs, tables }: Steps,
  inputs: readonly LoopInput[],
  varying: readonly string[],
  body: Message,
  emit: ReturnType<typeof createEmitter>,
): Uint8Array<ArrayBuffer> {
  const graph = new Message();
  const names = [...Object.keys(carried), ...Object.keys(outputs)];
  const wide = (from: string, to: string) =>
    nodeMessage({ type: "Cast", domain: "", inputs: [from], outputs: [to], attributes: { to: 7 } });
  graph.message(1, wide(`${STEPS} as fed`, STEPS));
  for (const size of varying) {
    graph.message(1, wide(`${startsOf(size)} as fed`, startsOf(size)));
  }
  graph.message(
    1,
    nodeMessage({
      type: "Loop",
      domain: "",
      inputs: [STEPS, "", ...Object.keys(carried).map((name) => `first ${name}`)],
      outputs: names.map((name) => `last ${name}`),
      attributes: { body: { graph: body } },
    }),
  );
  graph.text(2, "consilience");
  for (const [name, { shape }] of Object.entries(tables)) {
    graph.message(5, tableMessage(name, shape));
  }
  graph.message(11, valueMessage(`${STEPS} as fed`, [], "int"));
  for (const size of varying) {
    graph.message(11, valueMessage(`${startsOf(size)} as fed`, [`${size} starts`], "int"));
  }
  for (const { name, type, shape, varies } of inputs) {
    const whole = varies === undefined ? ["steps", ...shape] : [`all ${varies}`, ...shape.slice(1)];
    graph.message(11, valueMessage(name, whole, type));
  }
  for (const [name, { shape }] of Object.entries(carried)) {
    graph.message(11, valueMessage(`first ${name}`, shape, "float"));
    graph.message(12, valueMessage(`last ${name}`, shape, "float"));
  }
  for (const name of Object.keys(outputs)) {
    graph.message(12, valueMessage(`last ${name}`, ["steps"], "float"));
  }
  return modelBytes(graph, emit.written);
}

/** A constant whose numbers lie in a file of their own, which is handed over in memory. */
function tableMessage(name: string, shape: readonly number[]): Message {
  const bytes = countOf(shape) * Float32Array.BYTES_PER_ELEMENT;
  const entry = (key: string, value: string) => new Message().text(1, key).text(2, value);
  return new Message()
    .ints(1, shape)
    .int(2, 1)
    .text(8, TABLE + name)
    .message(13, entry("location", fileOf(name)))
    .message(13, entry("offset", "0"))
    .message(13, entry("length", String(bytes)))
    .int(14, 1);
}
