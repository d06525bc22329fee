/** The log-determinant of a symmetric positive definite matrix, whose gradient is the inverse. */
import { CholeskyDecomposition, inverse as invert, Matrix } from "ml-matrix";
import { defineOp, type Tensor, type Value } from "../graph.ts";
import { badShape, type Shape, showShape } from "../shape.ts";
import { multiply, negate } from "./arithmetic.ts";
import { matmul } from "./matmul.ts";

function checkSquare(who: string, shape: Shape): void {
  if (shape.length !== 2 || shape[0] !== shape[1] || typeof shape[0] === "string") {
    throw badShape(`${who}: ${showShape(shape)} is not one square matrix.`);
  }
}

const toMatrix = ({ shape, data }: Value) => Matrix.from1DArray(shape[0], shape[0], data);

const makeInverse = defineOp<null>({
  name: "inverse",
  shape: ([x]) => {
    checkSquare("inverse", x.shape);
    return x.shape;
  },
  gradient: (y, g) => [negate(matmul(matmul(y, g, { left: true }), y, { right: true }))],
  evaluate: ([x]) => ({
    shape: x.shape,
    data: Float64Array.from(invert(toMatrix(x)).to1DArray()),
  }),
  lower: (emit, [x]) => emit.node("Inverse", [x], {}, "com.microsoft"),
});

/** Inverse of a square matrix. */
export const inverse = (x: Tensor): Tensor => makeInverse([x], null);

const makeLogDet = defineOp<null>({
  name: "logDet",
  shape: ([x]) => {
    checkSquare("logDet", x.shape);
    return [];
  },
  gradient: ({ inputs: [x] }, g) => [multiply(inverse(x), g)],
  evaluate: ([x]) => {
    const factor = new CholeskyDecomposition(toMatrix(x));
    let total = factor.isPositiveDefinite() ? 0 : Number.NaN;
    for (let k = 0; k < x.shape[0]; k++) {
      total += 2 * Math.log(factor.lowerTriangularMatrix.get(k, k));
    }
    return { shape: [], data: Float64Array.of(total) };
  },
  // Elimination, pivot by pivot, and the sum of their logarithms: a determinant of many classes that
  // are told apart badly is too small for single precision.
  lower: (emit, [x], { inputs }) => {
    const K = Number(inputs[0].shape[0]);
    const part = (of: string, from: readonly number[], to: readonly number[]) =>
      emit.node("Slice", [of, emit.ints(from), emit.ints(to), emit.ints([0, 1])]);
    const pivots: string[] = [];
    let rest = x;
    for (let n = K; n > 0; n--) {
      const pivot = part(rest, [0, 0], [1, 1]);
      pivots.push(pivot);
      if (n === 1) break;
      const column = part(rest, [1, 0], [n, 1]);
      const row = emit.node("Div", [part(rest, [0, 1], [1, n]), pivot]);
      const product = emit.node("MatMul", [column, row]);
      rest = emit.node("Sub", [part(rest, [1, 1], [n, n]), product]);
    }
    const all = emit.node("Log", [emit.node("Concat", pivots, { axis: 0 })]);
    return emit.node("ReduceSum", [all], { keepdims: 0 });
  },
});

/** log det of a symmetric positive definite matrix; not a number where it is not. */
export const logDet = (x: Tensor): Tensor => makeLogDet([x], null);
