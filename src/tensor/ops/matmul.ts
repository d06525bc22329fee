/** Products of matrices, alone or in batches, and the affine map of a dense layer. */
import { defineOp, type Tensor, type Value } from "../graph.ts";
import { badShape, broadcastShapes, countOf, type Shape, showShape } from "../shape.ts";
import { broadcastIndex, sum, sumTo } from "./broadcast.ts";

interface Sides {
  /** Whether the last two axes of the left or the right factor are swapped first. */
  readonly left: boolean;
  readonly right: boolean;
}

/** Rows and columns of a factor after swapping. */
function matrixSizes(shape: Shape, swapped: boolean) {
  const [rows, columns] = shape.slice(-2);
  return swapped ? [columns, rows] : [rows, columns];
}

function productShape([a, b]: readonly { readonly shape: Shape }[], sides: Sides): Shape {
  if (a.shape.length < 2 || b.shape.length < 2) {
    throw badShape(
      `matmul: ${showShape(a.shape)} and ${showShape(b.shape)} are not both matrices.`,
    );
  }
  const [rows, inner] = matrixSizes(a.shape, sides.left);
  const [other, columns] = matrixSizes(b.shape, sides.right);
  if (inner !== other) {
    const turned = (side: boolean) => (side ? " (swapped)" : "");
    throw badShape(
      `matmul: ${showShape(a.shape)}${turned(sides.left)} and ${showShape(b.shape)}${turned(sides.right)} do not fit.`,
    );
  }
  return [
    ...broadcastShapes(a.shape.slice(0, -2), b.shape.slice(0, -2), "matmul"),
    rows,
    columns,
  ] as Shape;
}

function evaluateProduct(a: Value, b: Value, sides: Sides): Value {
  const shape = productShape([a, b], sides) as readonly number[];
  const batch = shape.slice(0, -2);
  const [rows, columns] = shape.slice(-2);
  const inner = matrixSizes(a.shape, sides.left)[1] as number;
  const lefts = broadcastIndex(a.shape.slice(0, -2), batch);
  const rights = broadcastIndex(b.shape.slice(0, -2), batch);
  const data = new Float64Array(countOf(shape));
  for (let m = 0; m < lefts.length; m++) {
    const left = lefts[m] * rows * inner;
    const right = rights[m] * inner * columns;
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < columns; j++) {
        let total = 0;
        for (let k = 0; k < inner; k++) {
          const x = a.data[left + (sides.left ? k * rows + i : i * inner + k)];
          const y = b.data[right + (sides.right ? j * inner + k : k * columns + j)];
          total += x * y;
        }
        data[(m * rows + i) * columns + j] = total;
      }
    }
  }
  return { shape, data };
}

const makeMatmul = defineOp<Sides>({
  name: "matmul",
  shape: productShape,
  gradient: ({ inputs: [a, b], attributes: { left, right } }, g) => {
    const da = left ? multiplied(b, g, right, true) : multiplied(g, b, false, !right);
    const db = right ? multiplied(g, a, true, left) : multiplied(a, g, !left, false);
    return [sumTo(da, a.shape), sumTo(db, b.shape)];
  },
  evaluate: ([a, b], sides) => evaluateProduct(a, b, sides),
  lower: (emit, [a, b], { inputs, attributes: { left, right } }) => {
    if (inputs.every(({ shape }) => shape.length === 2)) {
      return emit.node("Gemm", [a, b], { transA: left ? 1 : 0, transB: right ? 1 : 0 });
    }
    const turned = (name: string, { shape }: Tensor, swap: boolean) => {
      if (!swap) return name;
      const axes = shape.map((_, axis) => axis);
      return emit.node("Transpose", [name], {
        perm: [...axes.slice(0, -2), ...axes.slice(-2).reverse()],
      });
    };
    return emit.node("MatMul", [turned(a, inputs[0], left), turned(b, inputs[1], right)]);
  },
});

const multiplied = (a: Tensor, b: Tensor, left: boolean, right: boolean): Tensor =>
  makeMatmul([a, b], { left, right });

/** The product of matrices in the last two axes; axes before them are batches. */
export const matmul = (a: Tensor, b: Tensor, sides: Partial<Sides> = {}): Tensor =>
  multiplied(a, b, sides.left ?? false, sides.right ?? false);

const makeAffine = defineOp<null>({
  name: "affine",
  shape: ([x, weight, bias]) => {
    const shape = productShape([x, weight], { left: false, right: false });
    if (x.shape.length !== 2 || bias.shape.length !== 1 || bias.shape[0] !== shape[1]) {
      throw badShape(
        `affine: ${showShape(x.shape)} · ${showShape(weight.shape)} + ${showShape(bias.shape)} do not fit.`,
      );
    }
    return shape;
  },
  gradient: ({ inputs: [x, weight] }, g) => [
    matmul(g, weight, { right: true }),
    matmul(x, g, { left: true }),
    sum(g, [0]),
  ],
  evaluate: ([x, weight, bias]) => {
    const { shape, data } = evaluateProduct(x, weight, { left: false, right: false });
    return { shape, data: data.map((element, i) => element + bias.data[i % bias.data.length]) };
  },
  lower: (emit, inputs) => emit.node("Gemm", inputs),
});

/** x · weight + bias. */
export const affine = (x: Tensor, weight: Tensor, bias: Tensor): Tensor =>
  makeAffine([x, weight, bias], null);
