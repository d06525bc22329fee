/** Reverse-mode differentiation: builds the graph of the gradient beside that of the value. */
import { constant, describe, sortGraph, type Tensor } from "./graph.ts";
import { add } from "./ops/arithmetic.ts";
import { badShape, showShape } from "./shape.ts";

/** The gradient of a number with respect to tensors it was computed from. */
export function gradient(value: Tensor, wanted: readonly Tensor[]): readonly Tensor[] {
  if (value.shape.length > 0) {
    throw badShape(`gradient: only of one number, not of ${showShape(value.shape)}.`);
  }
  const sorted = sortGraph([value]);
  const needed = new Set(wanted);
  for (const node of sorted) if (node.inputs.some((x) => needed.has(x))) needed.add(node);
  const upstream = new Map<Tensor, Tensor>([[value, constant(1)]]);
  for (const node of [...sorted].reverse()) {
    const arriving = upstream.get(node);
    if (!arriving || !needed.has(node) || node.inputs.length === 0) continue;
    if (!node.op.gradient) throw badShape(`gradient: ${node.op.name} has no gradient.`);
    node.op.gradient(node, arriving).forEach((part, i) => {
      const input = node.inputs[i];
      if (!part || !needed.has(input)) return;
      const before = upstream.get(input);
      upstream.set(input, before ? add(before, part) : part);
    });
  }
  return wanted.map((node) => {
    const result = upstream.get(node);
    if (!result) throw badShape(`gradient: the value does not depend on ${describe(node)}.`);
    return result;
  });
}
