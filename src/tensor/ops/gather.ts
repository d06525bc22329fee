/** Rows by their number, and their gradient: rows added into place. */
import { defineOp, type Tensor } from "../graph.ts";
import { badShape, countOf, sameShape, showShape } from "../shape.ts";

function checkIndex(who: string, index: Tensor): void {
  if (index.type !== "int" || index.shape.length !== 1) {
    throw badShape(
      `${who}: rows are named by a list of whole numbers, not ${index.type}s of shape ${showShape(index.shape)}.`,
    );
  }
}

const makeGather = defineOp<null>({
  name: "gather",
  shape: ([x, index]) => {
    checkIndex("gather", index);
    return [...index.shape, ...x.shape.slice(1)];
  },
  gradient: ({ inputs: [x, index] }, upstream) => [scatterAdd(upstream, index, x), undefined],
  evaluate: ([x, index]) => {
    const size = countOf(x.shape.slice(1));
    const data = new Float64Array(index.data.length * size);
    index.data.forEach((row, i) => {
      data.set(x.data.subarray(row * size, (row + 1) * size), i * size);
    });
    return { shape: [...index.shape, ...x.shape.slice(1)], data };
  },
  lower: (emit, [x, index]) => emit.node("Gather", [x, index], { axis: 0 }),
});

/** The rows of `x` (along its first axis) named by `index`, in that order. */
export const gather = (x: Tensor, index: Tensor): Tensor => makeGather([x, index], null);

const makeScatterAdd = defineOp<null>({
  name: "scatterAdd",
  shape: ([rows, index, like]) => {
    checkIndex("scatterAdd", index);
    if (!sameShape(rows.shape, [...index.shape, ...like.shape.slice(1)])) {
      throw badShape(
        `scatterAdd: rows ${showShape(rows.shape)} do not fit ${showShape(like.shape)}.`,
      );
    }
    return like.shape;
  },
  gradient: ({ inputs: [, index] }, upstream) => [gather(upstream, index), undefined, undefined],
  evaluate: ([rows, index, like]) => {
    const size = countOf(like.shape.slice(1));
    const data = new Float64Array(like.data.length);
    index.data.forEach((row, i) => {
      for (let j = 0; j < size; j++) data[row * size + j] += rows.data[i * size + j];
    });
    return { shape: like.shape, data };
  },
  lower: (emit, [rows, index, like]) => {
    const zeros = emit.node("Expand", [emit.floats([0], []), emit.node("Shape", [like])]);
    const wide = emit.node("Cast", [index], { to: 7 });
    const column = emit.node("Unsqueeze", [wide, emit.ints([-1])]);
    return emit.node("ScatterND", [zeros, column, rows], { reduction: "add" });
  },
});

/** Zeros shaped like `like`, with each of `rows` added to the row that `index` names. */
export const scatterAdd = (rows: Tensor, index: Tensor, like: Tensor): Tensor =>
  makeScatterAdd([rows, index, like], null);

const makePick = defineOp<null>({
  name: "pick",
  shape: ([x, index]) => {
    checkIndex("pick", index);
    if (x.shape.length !== 2 || x.shape[0] !== index.shape[0]) {
      throw badShape(
        `pick: one column for each row of ${showShape(x.shape)}, not ${showShape(index.shape)}.`,
      );
    }
    return index.shape;
  },
  gradient: ({ inputs: [x, index] }, upstream) => [place(upstream, index, x), undefined],
  evaluate: ([x, index]) => ({
    shape: index.shape,
    data: index.data.map((column, row) => x.data[row * x.shape[1] + column]),
  }),
  lower: (emit, [x, index]) => {
    const column = emit.node("Unsqueeze", [index, emit.ints([-1])]);
    const picked = emit.node("GatherElements", [x, column], { axis: 1 });
    return emit.node("Squeeze", [picked, emit.ints([-1])]);
  },
});

/** One element of each row: the one in the column that `index` names. */
export const pick = (x: Tensor, index: Tensor): Tensor => makePick([x, index], null);

const makePlace = defineOp<null>({
  name: "place",
  shape: ([, , like]) => like.shape,
  gradient: ({ inputs: [, index] }, upstream) => [pick(upstream, index), undefined, undefined],
  evaluate: ([x, index, like]) => {
    const data = new Float64Array(like.data.length);
    index.data.forEach((column, row) => {
      data[row * like.shape[1] + column] = x.data[row];
    });
    return { shape: like.shape, data };
  },
  lower: (emit, [x, index, like]) => {
    const zeros = emit.node("Expand", [emit.floats([0], []), emit.node("Shape", [like])]);
    const column = emit.node("Unsqueeze", [index, emit.ints([-1])]);
    const values = emit.node("Unsqueeze", [x, emit.ints([-1])]);
    return emit.node("ScatterElements", [zeros, column, values], { axis: 1 });
  },
});

/** Zeros shaped like `like`, with one element of each row set: the gradient of `pick`. */
export const place = (x: Tensor, index: Tensor, like: Tensor): Tensor =>
  makePlace([x, index, like], null);
