/** The labels that remain, in the order in which they came: a list linked both ways. */
import { copiedInts, grownInts } from "./growing.ts";

export interface ArrivalOrder {
  before: Int32Array;
  after: Int32Array;
  first: number;
  last: number;
  length: number;
}

/** Returns the order 0, 1, …, N - 1. */
export function createArrivalOrder(N: number): ArrivalOrder {
  const before = copiedInts(new Int32Array(N));
  const after = before.slice();
  for (let i = 0; i < N; i++) {
    before[i] = i - 1;
    after[i] = i + 1 < N ? i + 1 : -1;
  }
  return {
    before,
    after,
    first: N > 0 ? 0 : -1,
    last: N - 1,
    length: N,
  };
}

/** Puts label `i`, which is not in the list, at its end. */
export function arrive(order: ArrivalOrder, i: number): void {
  order.before = grownInts(order.before, i + 1);
  order.after = grownInts(order.after, i + 1);
  order.before[i] = order.last;
  order.after[i] = -1;
  if (order.last >= 0) order.after[order.last] = i;
  else order.first = i;
  order.last = i;
  order.length++;
}

/** Takes label `i` out of the list. */
export function leave(order: ArrivalOrder, i: number): void {
  const { before, after } = order;
  if (before[i] >= 0) after[before[i]] = after[i];
  else order.first = after[i];
  if (after[i] >= 0) before[after[i]] = before[i];
  else order.last = before[i];
  order.length--;
}

/** Returns the labels of the list, the earliest first. */
export function inOrder({ after, first, length }: ArrivalOrder): Int32Array {
  const rows = new Int32Array(length);
  for (let i = first, row = 0; i >= 0; i = after[i]) rows[row++] = i;
  return rows;
}
