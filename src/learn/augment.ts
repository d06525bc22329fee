/**
 * Images that are shifted, cropped and flipped at random in training, so that a network learns from each of them in
 * many places and sizes.
 *
 * Every row of the result looks at one place between the rows of the image, place = zoom · (row - middle) + centre, and
 * so does every column: zoom is 1, less to crop, negative to flip, and the centre moves to shift. Places beyond the
 * edge are those of the edge, which needs no colour to fill with. With R[row][i] = max(0, 1 - |place(row) - i|) that is
 * R · image · Cᵀ: linear interpolation, exact where places are whole. Four numbers per image are drawn on the host;
 * matrices and products are part of the training graph, and run where it runs.
 */
import { CrowdError, hint } from "../error.ts";
import type { Random } from "../math/random.ts";
import { constant, type Tensor } from "../tensor/graph.ts";
import { add, clip, multiply, subtract } from "../tensor/ops/arithmetic.ts";
import { absolute, relu } from "../tensor/ops/elementwise.ts";
import { slice } from "../tensor/ops/layout.ts";
import { matmul } from "../tensor/ops/matmul.ts";
import type { Scope } from "../tensor/scope.ts";

/** For the scope of a training step: a function from images to what the network sees, alike for all images it is given. */
export type Augment = (scope: Scope) => (images: Tensor) => Tensor;

/** The texts that say what is done to images, each word once. */
export const AUGMENT_PATTERN =
  "none|(?!.*(shift|crop|flip).*\\1)(shift(=[1-9]\\d*)?|crop(=0?\\.\\d+)?|flip)(,(shift(=[1-9]\\d*)?|crop(=0?\\.\\d+)?|flip))*";

/** What is done to images at most. */
interface Augmentation {
  /** Pixels, up or down and left or right. */
  readonly shift: number;
  /** Share of each side that is cut off before the rest is stretched to the old size. */
  readonly crop: number;
  /** Whether half of the images are turned left to right. */
  readonly flip: boolean;
}

/** Share of the shorter side by which images are shifted, and of each side that is cut off, where none is named. */
const [USUAL_SHIFT, USUAL_CROP] = [1 / 8, 0.2];

/** Reads what is to be done to the images; refuses features that are no images. */
export function createAugment(
  id: string,
  shape: readonly number[],
  words: string,
): Augment | undefined {
  if (words === "none") return undefined;
  if (shape.length !== 3) {
    throw new CrowdError(
      "bad-option",
      `${id}: ${hint("augment", words)} changes images [channels, height, width], but these features are rows of shape [${shape.join(", ")}]. Leave it out, or give images as features.`,
    );
  }
  const [, height, width] = shape;
  const side = Math.min(height, width);
  const amount = (name: string, usual: number) => {
    const word = words.split(",").find((each) => each.startsWith(name));
    return word === undefined ? 0 : Number(word.split("=")[1] ?? usual);
  };
  const wanted = {
    shift: amount("shift", Math.max(1, Math.floor(side * USUAL_SHIFT))),
    crop: amount("crop", USUAL_CROP),
    flip: words.includes("flip"),
  };
  if (wanted.shift >= side) {
    throw new CrowdError(
      "bad-option",
      `${id}: ${hint("augment", words)} shifts images of ${height} × ${width} pixels out of sight. Choose less than ${side} pixels.`,
    );
  }
  return (scope) => {
    const views = scope.draw("views", ["batch", 1, 1, 4], (random, into) =>
      drawViews(random, into, [height, width], wanted),
    );
    const [rowZoom, rowCentre, columnZoom, columnCentre] = [0, 1, 2, 3].map((at) =>
      slice(views, 3, at, at + 1),
    );
    const rows = lookAt(rowZoom, rowCentre, height, "rows");
    const columns = lookAt(columnZoom, columnCentre, width, "columns");
    return (images) => matmul(matmul(rows, images), columns);
  };
}

/** Draws zoom and centre of the rows and of the columns of each image. */
export function drawViews(
  random: Random,
  into: Float32Array,
  [height, width]: readonly [number, number],
  { shift, crop, flip }: Augmentation,
): void {
  for (let at = 0; at < into.length; at += 4) {
    const zoom = 1 - crop * random.next();
    const centre = (size: number) => {
      const pixels = Math.floor(random.next() * (2 * shift + 1)) - shift;
      // What is left of the image lies anywhere within it.
      return (size - 1) / 2 + pixels + (1 - zoom) * size * (random.next() - 0.5);
    };
    into[at] = zoom;
    into[at + 1] = centre(height);
    into[at + 2] = flip && random.next() < 0.5 ? -zoom : zoom;
    into[at + 3] = centre(width);
  }
}

/** The matrix of how much each place sees of each row or column; that of columns is turned, to multiply from the right. */
function lookAt(zoom: Tensor, centre: Tensor, size: number, what: "rows" | "columns"): Tensor {
  const [upright, lying] = [
    [size, 1],
    [1, size],
  ];
  const [places, seen] = what === "rows" ? [upright, lying] : [lying, upright];
  const numbers = Float64Array.from({ length: size }, (_, i) => i);
  const fromMiddle = constant(
    numbers.map((i) => i - (size - 1) / 2),
    places,
  );
  const place = clip(add(multiply(zoom, fromMiddle), centre), 0, size - 1);
  return relu(subtract(1, absolute(subtract(place, constant(numbers, seen)))));
}
