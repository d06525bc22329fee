/** Where the pairs of a fit lie: which part and which row of its matrix each item has, and the edges of large parts. */
import { CrowdError } from "../../error.ts";
import { createForest } from "../../math/forest.ts";
import { type Edges, edgesOf } from "../../math/laplacian.ts";
import type { Pairs, Part } from "./pairs.ts";

/** Items up to which a part is solved as a whole matrix: below, that is the faster way. */
const FEW_ITEMS = 200;

/** The pairs of a large part. */
interface PartEdges {
  readonly edges: Edges;
  /** The pair of each edge. */
  readonly pair: Int32Array;
}

/** Where items and pairs lie. */
export interface Layout {
  /** The part of each item; -1 for those without comparisons. */
  readonly block: Int32Array;
  /** The place of each item within its part. */
  readonly place: Int32Array;
  /** The edges of each part that is large. */
  readonly edges: readonly (PartEdges | undefined)[];
}

export function layoutOf(
  id: string,
  pairs: Pairs,
  parts: readonly Part[],
  items: number,
  proper: boolean,
): Layout {
  const place = new Int32Array(items);
  const block = new Int32Array(items).fill(-1);
  parts.forEach((part, c) => {
    part.forEach((item, i) => {
      place[item] = i;
      block[item] = c;
    });
  });
  const edges = parts.map((part, c) => {
    if (part.length <= FEW_ITEMS) return undefined;
    const found = partEdges(pairs, block, place, c, part.length);
    if (!proper && !connected(found.edges)) throw untold(id);
    return found;
  });
  return { block, place, edges };
}

/** Scores that these comparisons do not determine. */
export function untold(id: string): CrowdError {
  return new CrowdError(
    "not-supported",
    `${id}: the scores cannot be told apart from these comparisons. Use a penalty above 0.`,
  );
}

function partEdges(
  { first, second }: Pairs,
  block: Int32Array,
  place: Int32Array,
  part: number,
  n: number,
): PartEdges {
  const [one, other, pair] = [0, 1, 2].map(() => new Int32Array(first.length));
  let count = 0;
  for (let p = 0; p < first.length; p++) {
    if (block[first[p]] !== part) continue;
    one[count] = place[first[p]];
    other[count] = place[second[p]];
    pair[count++] = p;
  }
  const edges = edgesOf(n, one.subarray(0, count), other.slice(0, count));
  return { edges, pair: pair.slice(0, count) };
}

/** Tells whether a part holds together; comparisons that were left out may have done it. */
function connected({ n, start, second }: Edges): boolean {
  const { root, join } = createForest(n);
  for (let a = 0; a < n; a++) for (let e = start[a]; e < start[a + 1]; e++) join(a, second[e]);
  const top = root(0);
  for (let a = 1; a < n; a++) if (root(a) !== top) return false;
  return true;
}
