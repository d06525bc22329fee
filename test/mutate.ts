/** Ways to damage bytes, from a seed. */
import { createRandom, type Random } from "../src/math/random.ts";

/** Numbers at which readers stumble. */
const EDGES = [0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff];

type Change = (bytes: Uint8Array, pick: (below: number) => number) => Uint8Array;

const changes: readonly Change[] = [
  // Some bytes become others.
  (bytes, pick) => {
    for (let i = pick(4); i >= 0; i--) bytes[pick(bytes.length)] = pick(256);
    return bytes;
  },
  // One bit is flipped.
  (bytes, pick) => {
    bytes[pick(bytes.length)] ^= 1 << pick(8);
    return bytes;
  },
  // Four bytes become a number at the edge of what they can hold.
  (bytes, pick) => {
    const at = pick(Math.max(1, bytes.length - 4));
    new DataView(bytes.buffer).setUint32(at, EDGES[pick(EDGES.length)], pick(2) === 0);
    return bytes;
  },
  // Five bytes become a number of 31 or 32 bits, seven bits per byte.
  (bytes, pick) => {
    const number = [254 + pick(2), 255, 255, 255, 7 + pick(2) * 8];
    bytes.set(number, pick(Math.max(1, bytes.length - 5)));
    return bytes;
  },
  // A run of bytes becomes all ones or all zeros.
  (bytes, pick) => bytes.fill(pick(2) * 255, pick(bytes.length), pick(bytes.length)),
  // The end is missing.
  (bytes, pick) => bytes.slice(0, pick(bytes.length)),
  // A piece is missing, or there twice.
  (bytes, pick) => splice(bytes, pick(bytes.length), pick(20), new Uint8Array(0)),
  (bytes, pick) => {
    const at = pick(bytes.length);
    return splice(bytes, at, 0, bytes.slice(at, at + pick(40)));
  },
  // A piece is copied over another.
  (bytes, pick) => bytes.copyWithin(pick(bytes.length), pick(bytes.length), pick(bytes.length)),
];

function splice(bytes: Uint8Array, at: number, gone: number, more: Uint8Array): Uint8Array {
  const head = bytes.subarray(0, at);
  const tail = bytes.subarray(Math.min(bytes.length, at + gone));
  const all = new Uint8Array(head.length + more.length + tail.length);
  all.set(head);
  all.set(more, head.length);
  all.set(tail, head.length + more.length);
  return all;
}

/** Damages a copy of the bytes; mostly once, sometimes in several ways. */
export function mutate(valid: Uint8Array, seed: number): Uint8Array {
  const random: Random = createRandom(seed);
  const pick = (below: number) => Math.floor(random.next() * below);
  let bytes: Uint8Array = Uint8Array.from(valid);
  for (let i = 0; i <= pick(3) && bytes.length > 5; i++) {
    bytes = changes[pick(changes.length)](Uint8Array.from(bytes), pick);
  }
  return bytes;
}
