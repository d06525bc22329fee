/** Names beside points, so that no two overlap and none covers a point. */

/** A point to be named, in pixels. */
export interface Spot {
  readonly name: string;
  /** Whether a line may lead from the name to the point if there is no room beside it. */
  readonly important: boolean;
  readonly x: number;
  readonly y: number;
}

/** Where a name stands: the middle of its left edge, and whether it is far enough to need a line. */
export interface PlacedLabel extends Spot {
  readonly left: number;
  readonly middle: number;
  readonly far: boolean;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Height of a line of text, and the width of a character at most, in pixels. */
export const LINE = 16;
export const CHARACTER = 7.4;

/** Half the size of a mark. */
const MARK = 6;

/** Directions from a point in which a name may stand, the first that is free wins. */
const sides = [
  [1, -0.6],
  [1, 0.6],
  [1, 0],
  [-1, -0.6],
  [-1, 0.6],
  [-1, 0],
  [0, -1],
  [0, 1],
] as const;

/** Distances from a point, in lines; those beyond the first get a line to the point. */
const distances = [1, 2.2, 3.6, 5, 7];

/** Places the names of spots in turn; those that would overlap anything everywhere are left out. */
export function placeLabels(spots: readonly Spot[], frame: Box): PlacedLabel[] {
  const marks = spots.map(({ x, y }) => boxAround(x, y));
  const taken: Box[] = [];
  const placed: PlacedLabel[] = [];
  for (const [s, spot] of spots.entries()) {
    const others = marks.filter((_, other) => other !== s);
    const free = candidates(spot).find(
      ({ box }) =>
        inside(box, frame) && ![...taken, ...others].some((other) => overlap(box, other)),
    );
    if (!free) continue;
    taken.push(free.box);
    const { left, top, bottom } = free.box;
    placed.push({ ...spot, left, middle: (top + bottom) / 2, far: free.far });
  }
  return placed;
}

function boxAround(x: number, y: number): Box {
  return { left: x - MARK, right: x + MARK, top: y - MARK, bottom: y + MARK };
}

function candidates({
  name,
  x,
  y,
  important,
}: Spot): { readonly box: Box; readonly far: boolean }[] {
  const width = CHARACTER * [...name].length;
  return distances.slice(0, important ? undefined : 1).flatMap((distance, d) =>
    sides.map(([across, down]) => {
      const gap = MARK + 2 + LINE * (distance - 1);
      const left = across > 0 ? x + gap : across < 0 ? x - gap - width : x - width / 2;
      const middle = y + down * (across === 0 ? gap + LINE / 2 : LINE * distance);
      const box = { left, right: left + width, top: middle - LINE / 2, bottom: middle + LINE / 2 };
      return { box, far: d > 0 };
    }),
  );
}

function inside(box: Box, frame: Box): boolean {
  return (
    box.left >= frame.left &&
    box.right <= frame.right &&
    box.top >= frame.top &&
    box.bottom <= frame.bottom
  );
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
