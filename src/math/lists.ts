/** Lists of any length: what a call with every item as an argument cannot do for long ones. */

/** Returns the largest of the values, `least` where there are none. */
export function maxOf(values: Iterable<number>, least = -Infinity): number {
  let most = least;
  for (const value of values) most = Math.max(most, value);
  return most;
}

/** Returns the smallest of the values, `most` where there are none. */
export function minOf(values: Iterable<number>, most = Infinity): number {
  let least = most;
  for (const value of values) least = Math.min(least, value);
  return least;
}

/** Adds every item to the end of a list. */
export function append<Item>(list: Item[], items: Iterable<Item>): void {
  for (const item of items) list.push(item);
}

/** Returns the Euclidean length of a vector, scaled by its largest part so that no square overflows. */
export function lengthOf(vector: ArrayLike<number>): number {
  let most = 0;
  for (let i = 0; i < vector.length; i++) most = Math.max(most, Math.abs(vector[i]));
  if (most === 0 || !Number.isFinite(most)) return most;
  let [sum, lost] = [0, 0];
  for (let i = 0; i < vector.length; i++) {
    const part = vector[i] / most;
    const square = part * part - lost;
    const next = sum + square;
    lost = next - sum - square;
    sum = next;
  }
  return Math.sqrt(sum) * most;
}
