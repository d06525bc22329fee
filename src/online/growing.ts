/** Arrays that grow: their room doubles, so that one more number costs O(1) on average. */

/** Returns the array itself if it holds `length` numbers, else a copy with at least twice the room. */
export function grownInts(array: Int32Array, length: number, fill = 0): Int32Array {
  if (length <= array.length) return array;
  const larger = new Int32Array(roomFor(array.length, length)).fill(fill, array.length);
  larger.set(array);
  return larger;
}

/** Returns the array itself if it holds `length` numbers, else a copy with at least twice the room. */
export function grownDoubles(array: Float64Array, length: number, fill = 0): Float64Array {
  if (length <= array.length) return array;
  const larger = new Float64Array(roomFor(array.length, length)).fill(fill, array.length);
  larger.set(array);
  return larger;
}

function roomFor(before: number, length: number): number {
  return Math.max(16, 2 * before, length);
}
