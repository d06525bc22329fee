/** Comparisons added up by pair of items, and the connected parts that they make. */
import { componentsOf, LEFT, type PairwiseData, TIE } from "../../data/pairwise.ts";
import { CrowdError } from "../../error.ts";

/** Items up to which a matrix of all of them is held whole. */
const MOST_ITEMS = 5000;

/** Pairs of items, smaller number first, with the (weighted) comparisons that each had. */
export interface Pairs {
  readonly first: readonly number[];
  readonly second: readonly number[];
  /** Comparisons that the first item won. */
  readonly won: readonly number[];
  /** Comparisons that the second item won. */
  readonly lost: readonly number[];
  readonly tied: readonly number[];
  /** The pair of each row of the data; -1 where it was left out. */
  readonly ofRow: Int32Array;
}

/** Adds up the comparisons of each pair, with or without ties. */
export function collapse(
  { items, left, right, label, weight }: PairwiseData,
  ties: "keep" | "drop" = "keep",
): Pairs {
  const n = items.length;
  const place = new Map<number, number>();
  const [first, second, won, lost, tied]: number[][] = [[], [], [], [], []];
  const ofRow = new Int32Array(label.length).fill(-1);
  for (let i = 0; i < label.length; i++) {
    if (label[i] === TIE && ties === "drop") continue;
    const [a, b] = [Math.min(left[i], right[i]), Math.max(left[i], right[i])];
    let at = place.get(a * n + b);
    if (at === undefined) {
      at = first.push(a) - 1;
      second.push(b);
      for (const counts of [won, lost, tied]) counts.push(0);
      place.set(a * n + b, at);
    }
    const winner = label[i] === LEFT ? left[i] : right[i];
    const counts = label[i] === TIE ? tied : winner === a ? won : lost;
    counts[at] += weight ? weight[i] : 1;
    ofRow[i] = at;
  }
  return { first, second, won, lost, tied, ofRow };
}

/** One connected part: its items, by their numbers. */
export type Part = readonly number[];

/** Finds the parts of two items or more. */
export function partsOf(id: string, data: PairwiseData): Part[] {
  const { ofItem, count } = componentsOf(data);
  const parts = Array.from({ length: count }, (): number[] => []);
  for (let item = 0; item < ofItem.length; item++) parts[ofItem[item]].push(item);
  for (const part of parts) checkItems(id, part.length);
  return parts.filter((part) => part.length > 1);
}

/** Refuses more items than fit into memory as a matrix. */
function checkItems(id: string, n: number): void {
  if (n <= MOST_ITEMS) return;
  throw new CrowdError(
    "too-large",
    `${id}: ${n} items are connected by comparisons; at most ${MOST_ITEMS} fit into memory ` +
      `as a matrix. Split them into parts that are ranked apart.`,
  );
}

/** Shifts values so that their mean is 0 within each part; writes them. */
export function centre(values: Float64Array, parts: readonly Part[]): void {
  for (const part of parts) {
    const mean = part.reduce((sum, item) => sum + values[item], 0) / part.length;
    for (const item of part) values[item] -= mean;
  }
}

/** Counts the items that always won or always lost: nothing but a penalty bounds their scores. */
export function unbounded({ first, second, won, lost, tied }: Pairs, n: number): number {
  const wins = new Float64Array(n);
  const losses = new Float64Array(n);
  for (let p = 0; p < first.length; p++) {
    wins[first[p]] += won[p] + tied[p];
    losses[first[p]] += lost[p] + tied[p];
    wins[second[p]] += lost[p] + tied[p];
    losses[second[p]] += won[p] + tied[p];
  }
  return wins.filter((sum, i) => sum > 0 !== losses[i] > 0).length;
}
