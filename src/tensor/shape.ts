/** Shapes: sizes of the axes. A size known only when a graph runs has a name, such as "batch". */
import { CrowdError } from "../error.ts";

export type Size = number | string;
export type Shape = readonly Size[];

export const showShape = (shape: Shape): string => `[${shape.join(", ")}]`;

export function badShape(what: string): CrowdError {
  return new CrowdError("bad-shape", what);
}

export const sameShape = (a: Shape, b: Shape): boolean =>
  a.length === b.length && a.every((size, axis) => size === b[axis]);

/** The shape of two tensors laid over one another: an axis of size 1 stretches to any size. */
export function broadcastShapes(a: Shape, b: Shape, who: string): Shape {
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, axis) => {
    const left = a[axis - rank + a.length] ?? 1;
    const right = b[axis - rank + b.length] ?? 1;
    if (left !== right && left !== 1 && right !== 1) {
      throw badShape(`${who}: ${showShape(a)} and ${showShape(b)} do not fit together.`);
    }
    return left === 1 ? right : left;
  });
}

/** The number of elements; sizes must be known. */
export const countOf = (shape: readonly number[]): number =>
  shape.reduce((product, size) => product * size, 1);

/** An axis counted from the front; -1 is the last. */
export function axisOf(shape: Shape, axis: number, who: string): number {
  const at = axis < 0 ? axis + shape.length : axis;
  if (!(at >= 0 && at < shape.length)) {
    throw badShape(`${who}: ${showShape(shape)} has no axis ${axis}.`);
  }
  return at;
}
