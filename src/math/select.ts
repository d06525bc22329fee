/** The n smallest of some numbers to the front, without sorting the rest. */

/** Reorders values[from..to) so that no value before from + n is above one after it. O(to - from) on average. */
export function smallestFirst(values: Float64Array, from: number, to: number, n: number): void {
  let [low, high] = [from, to - 1];
  const target = from + n;
  if (n <= 0 || target > high) return;
  while (low < high) {
    // The median of three keeps sorted and reversed input from being the worst case.
    const pivot = medianOf(values[low], values[(low + high) >> 1], values[high]);
    let [i, j] = [low, high];
    while (i <= j) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i > j) break;
      const smaller = values[j];
      values[j--] = values[i];
      values[i++] = smaller;
    }
    if (target <= j) high = j;
    else if (target >= i) low = i;
    else return;
  }
}

function medianOf(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
