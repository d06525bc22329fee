/** Bytes of a file that wait to be read, because what they belong to has not arrived whole. */

/** What waits is bytes[from..to). */
export interface HeldBytes {
  bytes: Uint8Array<ArrayBuffer>;
  from: number;
  to: number;
}

/** Makes room for so many bytes; it grows when needed. */
export function createHeldBytes(length: number): HeldBytes {
  return { bytes: new Uint8Array(length), from: 0, to: 0 };
}

/** Copies more bytes behind those that wait, which may move to the front or to a larger array. */
export function hold(held: HeldBytes, more: Uint8Array): void {
  if (held.to + more.length > held.bytes.length) {
    const { bytes, from, to } = held;
    const length = to - from;
    if (length + more.length > bytes.length) {
      held.bytes = new Uint8Array(Math.max(bytes.length * 2, length + more.length));
      held.bytes.set(bytes.subarray(from, to));
    } else bytes.copyWithin(0, from, to);
    held.from = 0;
    held.to = length;
  }
  held.bytes.set(more, held.to);
  held.to += more.length;
}
