/** The same numbers under another shape. */
import { defineOp, type Tensor } from "../graph.ts";
import { badShape, countOf, type Shape, sameShape, showShape } from "../shape.ts";

const makeReshape = defineOp<{ readonly shape: Shape }>({
  name: "reshape",
  shape: ([x], { shape }) => {
    const known = (sizes: Shape) => countOf(sizes.filter((size) => typeof size === "number"));
    const named = (sizes: Shape) => sizes.filter((size) => typeof size === "string");
    const names = [named(x.shape), named(shape)];
    // A size known only at run time must be there before and after; then the rest must match.
    if (String(names[0]) !== String(names[1]) || known(x.shape) !== known(shape)) {
      throw badShape(`reshape: ${showShape(x.shape)} cannot become ${showShape(shape)}.`);
    }
    if (names[1].length > 1) {
      throw badShape(`reshape: ${showShape(shape)} has more than one size known only at run time.`);
    }
    return shape;
  },
  gradient: ({ inputs: [x] }, upstream) => [reshape(upstream, x.shape)],
  evaluate: ([x], { shape }) => {
    const rest = countOf(shape.filter((size) => typeof size === "number"));
    const filled = shape.map((size) => (typeof size === "number" ? size : x.data.length / rest));
    return { shape: filled, data: x.data };
  },
  lower: (emit, [x], { attributes: { shape } }) => emit.node("Reshape", [x, emit.target(shape)]),
});

/** Gives a tensor another shape of the same size. */
export const reshape = (x: Tensor, shape: Shape): Tensor =>
  sameShape(x.shape, shape) ? x : makeReshape([x], { shape });
