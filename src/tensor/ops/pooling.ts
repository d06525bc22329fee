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

/** The largest element of each window, and where it stands. */
function pool(
  x: { readonly shape: readonly number[]; readonly data: Float64Array },
  window: Window,
) {
  const shape = pooledShape(x.shape, window) as readonly number[];
  const [B, C, P, Q] = shape;
  const [, , H, W] = x.shape;
  const data = new Float64Array(B * C * P * Q);
  const places = new Int32Array(data.length);
  for (let o = 0; o < data.length; o++) {
    const [plane, p, q] = [Math.floor(o / (P * Q)), Math.floor(o / Q) % P, o % Q];
    let best = -1;
    for (let r = 0; r < window.size; r++) {
      for (let s = 0; s < window.size; s++) {
        const at = (plane * H + p * window.size + r) * W + q * window.size + s;
        if (best < 0 || x.data[at] > x.data[best]) best = at;
      }
    }
    data[o] = x.data[best];
    places[o] = best;
  }
  return { shape, data, places };
}

const makeMaxPool = defineOp<Window>({
  name: "maxPool",
  shape: ([x], window) => pooledShape(x.shape, window),
  gradient: ({ inputs: [x], attributes }, g) => [makeMaxPoolGradient([g, x], attributes)],
  evaluate: ([x], window) => pool(x, window),
  lower: (emit, [x], { attributes: { size } }) =>
    emit.node("MaxPool", [x], { kernel_shape: [size, size], strides: [size, size] }),
});

const makeMaxPoolGradient = defineOp<Window>({
  name: "maxPoolGradient",
  shape: ([, x]) => x.shape,
  evaluate: ([g, x], window) => {
    const data = new Float64Array(x.data.length);
    pool(x, window).places.forEach((at, o) => {
      data[at] += g.data[o];
    });
    return { shape: x.shape, data };
  },
  lower: (emit, [g, x], { attributes: { size } }) => {
    const window = { kernel_shape: [size, size], strides: [size, size] };
    const [, places] = emit.nodes("MaxPool", [x], 2, window);
    return emit.node("MaxUnpool", [g, places, emit.node("Shape", [x])], window);
  },
});

/** The largest of each window of size × size pixels; what is left over at the edge is dropped. */
export const maxPool = (x: Tensor, size: number): Tensor => makeMaxPool([x], { size });
