/** Moving numbers about: swapping axes, cutting, joining. */
import { defineOp, type Tensor, type Value } from "../graph.ts";
import { axisOf, badShape, countOf, type Size, showShape } from "../shape.ts";

const makeTranspose = defineOp<{ readonly order: readonly number[] }>({
  name: "transpose",
  shape: ([x], { order }) => {
    if (String([...order].sort()) !== String(x.shape.map((_, axis) => axis))) {
      throw badShape(`transpose: ${showShape(x.shape)} has no order of axes ${order}.`);
    }
    return order.map((axis) => x.shape[axis]);
  },
  gradient: ({ attributes: { order } }, upstream) => [
    transpose(
      upstream,
      order.map((_, axis) => order.indexOf(axis)),
    ),
  ],
  evaluate: ([x], { order }) => {
    const shape = order.map((axis) => x.shape[axis]);
    const strides = x.shape.map((_, axis) => countOf(x.shape.slice(axis + 1)));
    return collect(
      shape,
      order.map((axis) => strides[axis]),
      0,
      x,
    );
  },
  lower: (emit, [x], { attributes: { order } }) => emit.node("Transpose", [x], { perm: order }),
});

/** The elements of `x` at start + position · strides, for each position of a shape. */
function collect(
  shape: readonly number[],
  strides: readonly number[],
  start: number,
  x: Value,
): Value {
  const data = new Float64Array(countOf(shape));
  const at = new Array<number>(shape.length).fill(0);
  for (let i = 0, from = start; i < data.length; i++) {
    data[i] = x.data[from];
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      from += strides[axis];
      if (++at[axis] < shape[axis]) break;
      from -= strides[axis] * shape[axis];
      at[axis] = 0;
    }
  }
  return { shape, data };
}

/** Reorders the axes. */
export const transpose = (x: Tensor, order: readonly number[]): Tensor =>
  makeTranspose([x], { order });

interface Cut {
  readonly axis: number;
  readonly start: number;
  readonly end: number;
}

const makeSlice = defineOp<Cut>({
  name: "slice",
  shape: ([x], { axis, start, end }) => {
    const size = x.shape[axis];
    if (typeof size === "string" || !(start >= 0 && start < end && end <= size)) {
      throw badShape(
        `slice: axis ${axis} of ${showShape(x.shape)} has no part ${start} to ${end}.`,
      );
    }
    return x.shape.map((old, at) => (at === axis ? end - start : old));
  },
  gradient: ({ inputs: [x], attributes }, upstream) => [
    pad(
      upstream,
      attributes.axis,
      attributes.start,
      Number(x.shape[attributes.axis]) - attributes.end,
    ),
  ],
  evaluate: ([x], { axis, start, end }) => {
    const strides = x.shape.map((_, at) => countOf(x.shape.slice(at + 1)));
    const shape = x.shape.map((size, at) => (at === axis ? end - start : size));
    return collect(shape, strides, start * strides[axis], x);
  },
  lower: (emit, [x], { attributes: { axis, start, end } }) =>
    emit.node("Slice", [x, emit.ints([start]), emit.ints([end]), emit.ints([axis])]),
});

/** The part of one axis from `start` up to, not including, `end`. */
export const slice = (x: Tensor, axis: number, start: number, end: number): Tensor =>
  makeSlice([x], { axis: axisOf(x.shape, axis, "slice"), start, end });

interface Padding {
  readonly axis: number;
  readonly before: number;
  readonly after: number;
}

const makePad = defineOp<Padding>({
  name: "pad",
  shape: ([x], { axis, before, after }) =>
    x.shape.map((size, at) => (at === axis ? Number(size) + before + after : size)),
  gradient: ({ inputs: [x], attributes: { axis, before } }, upstream) => [
    slice(upstream, axis, before, before + Number(x.shape[axis])),
  ],
  evaluate: ([x], { axis, before, after }) => {
    const inner = countOf(x.shape.slice(axis + 1));
    const from = x.shape[axis] * inner;
    const to = (x.shape[axis] + before + after) * inner;
    const data = new Float64Array((x.data.length / from) * to);
    for (let i = 0; i * from < x.data.length; i++) {
      data.set(x.data.subarray(i * from, (i + 1) * from), i * to + before * inner);
    }
    return { shape: x.shape.map((size, at) => (at === axis ? size + before + after : size)), data };
  },
  lower: (emit, [x], { attributes: { axis, before, after } }) =>
    emit.node("Pad", [x, emit.ints([before, after]), emit.floats([0], []), emit.ints([axis])]),
});

/** Zeros before and after, along one axis. */
export const pad = (x: Tensor, axis: number, before: number, after: number): Tensor =>
  before + after === 0 ? x : makePad([x], { axis: axisOf(x.shape, axis, "pad"), before, after });

const makeConcat = defineOp<{ readonly axis: number }>({
  name: "concat",
  shape: (parts, { axis }) => {
    const [first] = parts;
    let total = 0;
    for (const { shape } of parts) {
      const fits = shape.every((size: Size, at) => at === axis || size === first.shape[at]);
      if (!fits || shape.length !== first.shape.length || typeof shape[axis] === "string") {
        throw badShape(
          `concat: ${parts.map((part) => showShape(part.shape)).join(", ")} do not fit.`,
        );
      }
      total += shape[axis];
    }
    return first.shape.map((size, at) => (at === axis ? total : size));
  },
  gradient: ({ inputs, attributes: { axis } }, upstream) => {
    let start = 0;
    return inputs.map(({ shape }) => {
      const end = start + Number(shape[axis]);
      const part = slice(upstream, axis, start, end);
      start = end;
      return part;
    });
  },
  evaluate: (parts, { axis }) => {
    const outer = countOf(parts[0].shape.slice(0, axis));
    const widths = parts.map(({ shape }) => countOf(shape.slice(axis)));
    const width = widths.reduce((a, b) => a + b, 0);
    const data = new Float64Array(outer * width);
    let offset = 0;
    parts.forEach((part, p) => {
      for (let i = 0; i < outer; i++) {
        data.set(part.data.subarray(i * widths[p], (i + 1) * widths[p]), i * width + offset);
      }
      offset += widths[p];
    });
    const total = parts.reduce((sum, { shape }) => sum + shape[axis], 0);
    return { shape: parts[0].shape.map((size, at) => (at === axis ? total : size)), data };
  },
  lower: (emit, parts, { attributes: { axis } }) => emit.node("Concat", parts, { axis }),
});

/** Joined along one axis. */
export const concat = (parts: readonly Tensor[], axis: number): Tensor =>
  makeConcat(parts, { axis: axisOf(parts[0].shape, axis, "concat") });

const makePart = defineOp<{ readonly sizes: readonly number[]; readonly at: number }>({
  name: "part",
  shape: ([x], { sizes, at }) => {
    const total = sum(sizes);
    if (x.shape[0] !== total) throw badShape(`split: ${showShape(x.shape)} has no ${total} rows.`);
    return [sizes[at], ...x.shape.slice(1)];
  },
  evaluate: ([x], { sizes, at }) => {
    const [start, inner] = [sum(sizes.slice(0, at)), countOf(x.shape.slice(1))];
    const data = x.data.slice(start * inner, (start + sizes[at]) * inner);
    return { shape: [sizes[at], ...x.shape.slice(1)], data };
  },
  // One node for all parts: a graphics card is slow to start a node, and fast to copy.
  lower: (emit, [x], { attributes: { sizes, at } }) =>
    emit.once(`split ${x} ${sizes}`, () =>
      emit.nodes("Split", [x, emit.ints(sizes)], sizes.length, { axis: 0 }),
    )[at],
});

const sum = (sizes: readonly number[]) => sizes.reduce((a, b) => a + b, 0);

/** Rows cut into parts of so many; it has no gradient. */
export const split = (x: Tensor, sizes: readonly number[]): readonly Tensor[] =>
  sizes.map((_, at) => makePart([x], { sizes, at }));
