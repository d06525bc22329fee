/** Two-dimensional convolution of images [batch, channels, height, width], and its two gradients. */
import type { Emitter } from "../emitter.ts";
import { defineOp, type Tensor } from "../graph.ts";
import { badShape, type Shape, showShape } from "../shape.ts";
import { sum } from "./broadcast.ts";

/** How the kernel moves: steps, and zeros added on every side. */
export interface Sliding {
  readonly stride: number;
  readonly padding: number;
}

/** The size after sliding a window along an axis. */
const slid = (size: number, window: number, { stride, padding }: Sliding): number =>
  Math.floor((size + 2 * padding - window) / stride) + 1;

function convolvedShape(x: Shape, weight: Shape, sliding: Sliding): Shape {
  const [batch, channels, height, width] = x;
  const [filters, depth, rows, columns] = weight;
  if (x.length !== 4 || weight.length !== 4 || channels !== depth) {
    throw badShape(`convolve: ${showShape(x)} and kernels ${showShape(weight)} do not fit.`);
  }
  const out = [
    slid(Number(height), Number(rows), sliding),
    slid(Number(width), Number(columns), sliding),
  ];
  if (!out.every((size) => size >= 1)) {
    throw badShape(
      `convolve: a kernel ${rows} × ${columns} does not fit into ${height} × ${width} pixels.`,
    );
  }
  return [batch, filters, ...out] as Shape;
}

/** Visits every (image element, kernel element, result element) that meet. */
function visit(
  x: readonly number[],
  weight: readonly number[],
  out: readonly number[],
  { stride, padding }: Sliding,
  meet: (x: number, weight: number, out: number) => void,
): void {
  const [B, C, H, W] = x;
  const [F, , R, S] = weight;
  const [, , P, Q] = out;
  for (let b = 0; b < B; b++)
    for (let f = 0; f < F; f++)
      for (let c = 0; c < C; c++)
        for (let r = 0; r < R; r++)
          for (let s = 0; s < S; s++)
            for (let p = 0; p < P; p++) {
              const row = p * stride + r - padding;
              if (row < 0 || row >= H) continue;
              for (let q = 0; q < Q; q++) {
                const column = q * stride + s - padding;
                if (column < 0 || column >= W) continue;
                meet(
                  ((b * C + c) * H + row) * W + column,
                  ((f * C + c) * R + r) * S + s,
                  ((b * F + f) * P + p) * Q + q,
                );
              }
            }
}

const makeConvolve = defineOp<Sliding>({
  name: "convolve",
  shape: ([x, weight], sliding) => convolvedShape(x.shape, weight.shape, sliding),
  gradient: ({ inputs: [x, weight], attributes }, g) => [
    makeImageGradient([g, weight, x], attributes),
    makeKernelGradient([g, x, weight], attributes),
    sum(g, [0, 2, 3]),
  ],
  evaluate: ([x, weight, bias], sliding) => {
    const shape = convolvedShape(x.shape, weight.shape, sliding) as readonly number[];
    const size = shape[2] * shape[3];
    const data = Float64Array.from(
      { length: shape[0] * shape[1] * size },
      (_, i) => bias.data[Math.floor(i / size) % shape[1]],
    );
    visit(x.shape, weight.shape, shape, sliding, (i, j, o) => {
      data[o] += x.data[i] * weight.data[j];
    });
    return { shape, data };
  },
  lower: (emit, inputs, { attributes: { stride, padding } }) =>
    emit.node("Conv", inputs, {
      strides: [stride, stride],
      pads: [padding, padding, padding, padding],
    }),
});

/** Inputs: gradient of the result, kernels, the image (for its shape). */
const makeImageGradient = defineOp<Sliding>({
  name: "convolveImageGradient",
  shape: ([, , x]) => x.shape,
  evaluate: ([g, weight, x], sliding) => {
    const data = new Float64Array(x.data.length);
    visit(x.shape, weight.shape, g.shape, sliding, (i, j, o) => {
      data[i] += g.data[o] * weight.data[j];
    });
    return { shape: x.shape, data };
  },
  lower: (emit, [g, weight], { inputs, attributes: { stride, padding } }) => {
    const [upstream, { shape: kernel }, { shape: image }] = inputs;
    const [rows, columns] = [Number(kernel[2]), Number(kernel[3])];
    if (stride === 1) {
      // A convolution with the kernels turned round: faster here than ConvTranspose.
      const turned = emit.node("Slice", [
        emit.node("Transpose", [weight], { perm: [1, 0, 2, 3] }),
        emit.ints([-1, -1]),
        emit.ints([-9999, -9999]),
        emit.ints([2, 3]),
        emit.ints([-1, -1]),
      ]);
      const [top, left] = [rows - 1 - padding, columns - 1 - padding];
      return emit.node("Conv", [g, turned], { pads: [top, left, top, left] });
    }
    // What the last step of the window did not reach.
    const rest = [2, 3].map(
      (axis) =>
        Number(image[axis]) -
        ((Number(upstream.shape[axis]) - 1) * stride + Number(kernel[axis]) - 2 * padding),
    );
    return emit.node("ConvTranspose", [g, weight], {
      strides: [stride, stride],
      pads: [padding, padding, padding, padding],
      output_padding: rest,
    });
  },
});

/** Inputs: gradient of the result, the image, the kernels (for their shape). */
const makeKernelGradient = defineOp<Sliding>({
  name: "convolveKernelGradient",
  shape: ([, , weight]) => weight.shape,
  evaluate: ([g, x, weight], sliding) => {
    const data = new Float64Array(weight.data.length);
    visit(x.shape, weight.shape, g.shape, sliding, (i, j, o) => {
      data[j] += g.data[o] * x.data[i];
    });
    return { shape: weight.shape, data };
  },
  // One matrix product per batch: result gradients times the image pieces that each kernel place saw.
  lower: (emit, [g, x], { inputs, attributes }) => {
    const [{ shape: out }, { shape: image }, { shape: kernel }] = inputs;
    const [F, C, R, S] = kernel.map(Number);
    const [P, Q] = [Number(out[2]), Number(out[3])];
    const { padding } = attributes;
    const padded =
      padding === 0
        ? x
        : emit.node("Pad", [
            x,
            emit.ints([padding, padding, padding, padding]),
            emit.floats([0], []),
            emit.ints([2, 3]),
          ]);
    const pieces = emit.card ? gatheredPieces : slicedPieces;
    const columns = pieces(emit, padded, { image, kernel: [R, S], out: [P, Q], ...attributes });
    const flat = emit.node("Reshape", [g, emit.target([image[0], F, P * Q])]);
    const turned = emit.node("Transpose", [columns], { perm: [0, 2, 1] });
    const products = emit.node("MatMul", [flat, turned]);
    const total = emit.node("ReduceSum", [products, emit.ints([0])], { keepdims: 0 });
    if (emit.card) return emit.node("Reshape", [total, emit.ints([F, C, R, S])]);
    const ordered = emit.node("Reshape", [total, emit.ints([F, R, S, C])]);
    return emit.node("Transpose", [ordered], { perm: [0, 3, 1, 2] });
  },
});

interface Pieces extends Sliding {
  /** The shape of the images, without padding. */
  readonly image: Shape;
  readonly kernel: readonly [rows: number, columns: number];
  readonly out: readonly [rows: number, columns: number];
}

/** What each kernel place saw of padded images, [batch, places · channels, pixels of the result]. */
function slicedPieces(
  emit: Emitter,
  x: string,
  { image: [batch, channels], kernel: [R, S], out: [P, Q], stride }: Pieces,
): string {
  const pieces: string[] = [];
  for (let r = 0; r < R; r++) {
    for (let s = 0; s < S; s++) {
      const piece = emit.node("Slice", [
        x,
        emit.ints([r, s]),
        emit.ints([r + (P - 1) * stride + 1, s + (Q - 1) * stride + 1]),
        emit.ints([2, 3]),
        emit.ints([stride, stride]),
      ]);
      pieces.push(emit.node("Reshape", [piece, emit.target([batch, channels, P * Q])]));
    }
  }
  return emit.node("Concat", pieces, { axis: 1 });
}

/** The same as one node, [batch, channels · places, pixels of the result]: a card is slow to start a node. */
function gatheredPieces(
  emit: Emitter,
  x: string,
  { image, kernel: [R, S], out: [P, Q], stride, padding }: Pieces,
): string {
  const [batch, channels] = [image[0], Number(image[1])];
  const [height, width] = image.slice(2).map((size) => Number(size) + 2 * padding);
  const shape = emit.target([batch, channels * R * S, P * Q]);
  if (R * S === 1 && stride === 1) return emit.node("Reshape", [x, shape]);
  const seen = Array.from({ length: R * S * P * Q }, (_, i) => {
    const [place, pixel] = [Math.floor(i / (P * Q)), i % (P * Q)];
    const row = Math.floor(place / S) + Math.floor(pixel / Q) * stride;
    return row * width + (place % S) + (pixel % Q) * stride;
  });
  const pixels = emit.node("Reshape", [x, emit.target([batch, channels, height * width])]);
  // Half as much to read as with 64 bits.
  const [places] = emit.once(`places ${image.slice(2)} ${[R, S, stride, padding]}`, () => [
    emit.node("Cast", [emit.ints(seen)], { to: 6 }),
  ]);
  return emit.node("Reshape", [emit.node("Gather", [pixels, places], { axis: 2 }), shape]);
}

/** Images with kernels [filters, channels, rows, columns], plus a bias for each filter. */
export const convolve = (
  x: Tensor,
  weight: Tensor,
  bias: Tensor,
  { stride = 1, padding = 0 }: Partial<Sliding> = {},
): Tensor => makeConvolve([x, weight, bias], { stride, padding });
