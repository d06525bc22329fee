/** Arrays that grow: their room doubles, so that one more number costs O(1) on average. */

/** Returns a copy with room for a quarter more, so that what comes first need not wait for growth. */
export function copiedInts(array: Int32Array, fill = 0): Int32Array {
  const copy = new Int32Array(extended(array.length)).fill(fill, array.length);
  copy.set(array);
  return copy;
}

/** Returns a copy with room for a quarter more, so that what comes first need not wait for growth. */
export function copiedDoubles(array: Float64Array, fill = 0): Float64Array {
  const copy = new Float64Array(extended(array.length)).fill(fill, array.length);
  copy.set(array);
  return copy;
}

function extended(length: number): number {
  return length + (length >> 2) + 16;
}

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
