/** Comparisons added up by pair of items, and the connected parts that they make. */
import { componentsOf, LEFT, type PairwiseData, TIE } from "../../data/pairwise.ts";
import { plural } from "../../error.ts";

/** Pairs of items with the (weighted) comparisons that each had. */
export interface Pairs {
  /** The item of the smaller number, or the left one where sides are kept apart. */
  readonly first: Int32Array;
  readonly second: Int32Array;
  /** Comparisons that the first item won. */
  readonly won: Float64Array;
  /** Comparisons that the second item won. */
  readonly lost: Float64Array;
  readonly tied: Float64Array;
  /** The pair of each row of the data; -1 where it was left out. */
  readonly ofRow: Int32Array;
}

/** How comparisons are added up. */
interface Collapse {
  /** Ties are left out unless they are kept. */
  readonly ties?: "keep" | "drop";
  /** Keeps (a, b) and (b, a) apart: the first item is the left one. */
  readonly sides?: boolean;
}

/** Adds up the comparisons of each pair; pairs are in the order of their first item. */
export function collapse(
  data: PairwiseData,
  { ties = "keep", sides = false }: Collapse = {},
): Pairs {
  const { left, right, label, weight } = data;
  const kept = (i: number) => ties === "keep" || label[i] !== TIE;
  const { first, second, ofRow } = pairsOf(data, kept, sides);
  const [won, lost, tied] = [0, 1, 2].map(() => new Float64Array(first.length));
  for (let i = 0; i < label.length; i++) {
    const at = ofRow[i];
    if (at < 0) continue;
    const count = weight ? weight[i] : 1;
    if (label[i] === TIE) tied[at] += count;
    else if ((label[i] === LEFT ? left[i] : right[i]) === first[at]) won[at] += count;
    else lost[at] += count;
  }
  return { first, second, won, lost, tied, ofRow };
}

/** Numbers the pairs: rows are sorted by their first item, then each second item of its rows is seen once. */
function pairsOf(
  { items, left, right }: PairwiseData,
  kept: (row: number) => boolean,
  sides: boolean,
): Pick<Pairs, "first" | "second" | "ofRow"> {
  const n = items.length;
  const N = left.length;
  const start = new Int32Array(n + 1);
  const one = (i: number) => (sides || left[i] < right[i] ? left[i] : right[i]);
  for (let i = 0; i < N; i++) if (kept(i)) start[one(i) + 1]++;
  for (let a = 0; a < n; a++) start[a + 1] += start[a];
  const rows = new Int32Array(start[n]);
  const next = start.slice();
  for (let i = 0; i < N; i++) if (kept(i)) rows[next[one(i)]++] = i;
  const [first, second] = [new Int32Array(rows.length), new Int32Array(rows.length)];
  const ofRow = new Int32Array(N).fill(-1);
  const seen = new Int32Array(n).fill(-1);
  let count = 0;
  for (let a = 0; a < n; a++) {
    const before = count;
    for (let k = start[a]; k < start[a + 1]; k++) {
      const b = left[rows[k]] + right[rows[k]] - a;
      if (seen[b] < before) {
        first[count] = a;
        second[count] = b;
        seen[b] = count++;
      }
      ofRow[rows[k]] = seen[b];
    }
  }
  return { first: first.slice(0, count), second: second.slice(0, count), ofRow };
}

/** One connected part: its items, by their numbers. */
export type Part = readonly number[];

/** Finds the parts of two items or more. */
export function partsOf(data: PairwiseData): Part[] {
  const { ofItem, count } = componentsOf(data);
  const parts = Array.from({ length: count }, (): number[] => []);
  for (let item = 0; item < ofItem.length; item++) parts[ofItem[item]].push(item);
  return parts.filter((part) => part.length > 1);
}

/** Shifts values so that their mean is 0 within each part; writes them. */
export function centre(values: Float64Array, parts: readonly Part[]): void {
  for (const part of parts) {
    const mean = part.reduce((sum, item) => sum + values[item], 0) / part.length;
    for (const item of part) values[item] -= mean;
  }
}

/** Counts the items that always won or always lost: nothing but a penalty bounds their scores. */
function unbounded({ first, second, won, lost, tied }: Pairs, n: number): number {
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

/** The note that counts the items whose scores only the penalty bounds. */
export function boundNote(pairs: Pairs, n: number, penalty: number): string[] {
  const bound = unbounded(pairs, n);
  const why = penalty > 0 ? "only the penalty bounds their scores" : "their scores have no maximum";
  return bound > 0 ? [`${plural(bound, "item", "items")} always won or always lost: ${why}.`] : [];
}

/** Tells whether both sides were chosen, without which an advantage of one has no maximum; of pairs that keep sides apart. */
export function bothSides({ won, lost, tied }: Pairs): boolean {
  const any = (counts: Float64Array) => counts.some((count) => count > 0);
  return any(tied) || (any(won) && any(lost));
}
