/** The largest of each window of an image; windows do not overlap. */
import { defineOp, type Tensor } from "../graph.ts";
import { badShape, type Shape, showShape } from "../shape.ts";

interface Window {
  readonly size: number;
}

function pooledShape(shape: Shape, { size }: Window): Shape {
  const [batch, channels, height, width] = shape;
  const out = [Math.floor(Number(height) / size), Math.floor(Number(width) / size)];
  if (shape.length !== 4 || !out.every((pixels) => pixels >= 1)) {
    throw badShape(`maxPool: a window of ${size} does not fit into ${showShape(shape)}.`);
  }
  return [batch, channels, ...out] as Shape;
}

type Places = (element: number, window: number) => void;

/** Calls `visit` with each element that is in a window, and the number of that window. */
function inWindows(shape: readonly number[], { size }: Window, visit: Places): void {
  const [B, C, H, W] = shape;
  const [P, Q] = [Math.floor(H / size), Math.floor(W / size)];
  for (let plane = 0; plane < B * C; plane++) {
    for (let h = 0; h < P * size; h++) {
      for (let w = 0; w < Q * size; w++) {
        const window = (plane * P + Math.floor(h / size)) * Q + Math.floor(w / size);
        visit((plane * H + h) * W + w, window);
      }
    }
  }
}

const makeMaxPool = defineOp<Window>({
  name: "maxPool",
  shape: ([x], window) => pooledShape(x.shape, window),
  gradient: (y, g) => [makeMaxPoolGradient([g, y.inputs[0], y], y.attributes)],
  evaluate: ([x], window) => {
    const shape = pooledShape(x.shape, window) as readonly number[];
    const data = new Float64Array(shape.reduce((a, b) => a * b)).fill(-Infinity);
    inWindows(x.shape, window, (i, o) => {
      data[o] = Math.max(data[o], x.data[i]);
    });
    return { shape, data };
  },
  lower: (emit, [x], { attributes: { size } }) =>
    emit.node("MaxPool", [x], { kernel_shape: [size, size], strides: [size, size] }),
});

/**
 * Inputs: gradient of the result, the image, the result. Where several are the largest they share the
 * gradient, as in `largest`; that takes a third of the time of asking MaxPool where they stand.
 */
const makeMaxPoolGradient = defineOp<Window>({
  name: "maxPoolGradient",
  shape: ([, x]) => x.shape,
  evaluate: ([g, x, y], window) => {
    const ties = new Float64Array(y.data.length);
    inWindows(x.shape, window, (i, o) => {
      if (x.data[i] === y.data[o]) ties[o]++;
    });
    const data = new Float64Array(x.data.length);
    inWindows(x.shape, window, (i, o) => {
      if (x.data[i] === y.data[o]) data[i] = g.data[o] / ties[o];
    });
    return { shape: x.shape, data };
  },
  lower: (emit, [g, x, y], { inputs, attributes: { size } }) => {
    const window = { kernel_shape: [size, size], strides: [size, size] };
    const [height, width] = inputs[1].shape.slice(2).map(Number);
    const [rest, axes] = [[height % size, width % size], emit.ints([2, 3])];
    const whole = rest.every((pixels) => pixels === 0);
    const spread = (values: string) =>
      emit.node("Resize", [values, "", emit.floats([1, 1, size, size])], {
        mode: "nearest",
        coordinate_transformation_mode: "asymmetric",
        nearest_mode: "floor",
      });
    const covered = whole
      ? x
      : emit.node("Slice", [
          x,
          emit.ints([0, 0]),
          emit.ints([height - rest[0], width - rest[1]]),
          axes,
        ]);
    // On a card it is faster to stretch over axes of the window's rows and columns than over larger images.
    const columns = Math.floor(width / size);
    const windows = (values: string, side: number) =>
      emit.card ? emit.node("Reshape", [values, emit.ints([-1, side, columns, side])]) : values;
    const stretched = (values: string) => (emit.card ? windows(values, 1) : spread(values));
    const image = [inputs[1].shape[0], inputs[1].shape[1], height - rest[0], width - rest[1]];
    const asImage = (values: string) =>
      emit.card ? emit.node("Reshape", [values, emit.target(image)]) : values;
    const isLargest = emit.node("Equal", [windows(covered, size), stretched(y)]);
    const mask = emit.node("Cast", [isLargest], { to: 1 });
    const share = emit.node("AveragePool", [asImage(mask)], window);
    const each = emit.node("Div", [g, emit.node("Mul", [share, emit.floats([size * size], [])])]);
    const gradient = asImage(emit.node("Mul", [mask, stretched(each)]));
    return whole
      ? gradient
      : emit.node("Pad", [gradient, emit.ints([0, 0, ...rest]), emit.floats([0], []), axes]);
  },
});

/** The largest of each window of size × size pixels; what is left over at the edge is dropped. */
export const maxPool = (x: Tensor, size: number): Tensor => makeMaxPool([x], { size });
