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
  // Divided by its mean diagonal first, so that the determinant stays within single precision.
  lower: (emit, [x], { inputs }) => {
    const K = Number(inputs[0].shape[0]);
    const diagonal = emit.node("Mul", [x, emit.floats(identity(K), [K, K])]);
    const trace = emit.node("ReduceSum", [diagonal], { keepdims: 0 });
    const scale = emit.node("Div", [trace, emit.floats([K], [])]);
    const scaled = emit.node("Log", [emit.node("Det", [emit.node("Div", [x, scale])])]);
    const back = emit.node("Mul", [emit.node("Log", [scale]), emit.floats([K], [])]);
    return emit.node("Add", [scaled, back]);
  },
});

const identity = (K: number) =>
  Float64Array.from({ length: K * K }, (_, i) => (i % (K + 1) === 0 ? 1 : 0));

/** log det of a symmetric positive definite matrix; not a number where it is not. */
export const logDet = (x: Tensor): Tensor => makeLogDet([x], null);
