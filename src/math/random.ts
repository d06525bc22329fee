/**
 * A seeded stream of random numbers, and the only source of randomness here.
 *
 * Streams are split by key, not by order of use: a split depends on the seed and on the keys that
 * led to it, never on how many numbers were drawn before or which other splits were made.
 *
 * Every stream has a 128-bit name. A seed or a key is hashed into it in blocks of 128 bits, each a
 * bijection of the name for a given block and of the block for a given name, so two seeds, or two
 * numeric keys of one stream, never get the same name.
 *
 * Numbers: sfc32, Chris Doty-Humphrey, PractRand (2010). https://pracrand.sourceforge.net
 * Names: the block and final steps of MurmurHash3_x86_128, Austin Appleby (public domain).
 */
import { CrowdError } from "../error.ts";

/** A seeded stream of random numbers. */
export interface Random {
  /** Uniform in [0, 1), 53 bits. */
  next(): number;
  /**
   * An independent stream; the same key always gives the same stream. The number 1 and the text "1"
   * are different keys; 0 and -0 are the same.
   */
  split(key: string | number): Random;
}

type Name = readonly [number, number, number, number];

/** The first stream of a seed. Any finite number is a seed, and different numbers differ. */
export function createRandom(seed: number): Random {
  return createStream(rename([0, 0, 0, 0], toBlocks(seed, "createRandom: seed")));
}

function createStream(name: Name): Random {
  let [a, b, c, counter] = name;
  const draw = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (rotate(c, 21) + sum) | 0;
    return sum;
  };
  // PractRand's own seeding discards as many, so that no bit of the name shows in the numbers.
  for (let i = 0; i < 15; i++) draw();
  return {
    next() {
      const high = draw() >>> 5;
      return (high * 0x4000000 + (draw() >>> 6)) / 0x20000000000000;
    },
    split: (key) => createStream(rename(name, toBlocks(key, "split: key"))),
  };
}

/** A key as whole blocks of four 32-bit words; different keys give different blocks. */
function toBlocks(key: string | number, what: string): Int32Array {
  if (typeof key === "number") {
    if (!Number.isFinite(key)) {
      throw new CrowdError("bad-option", `${what} must be a finite number, not ${key}.`);
    }
    const bytes = new DataView(new ArrayBuffer(8));
    bytes.setFloat64(0, key === 0 ? 0 : key);
    return Int32Array.of(0, 1, bytes.getInt32(0), bytes.getInt32(4));
  }
  // The length comes first, so that no text is another one with zeros after it.
  const blocks = new Int32Array(4 * (1 + Math.ceil(key.length / 8)));
  blocks[0] = key.length;
  blocks[1] = 2;
  for (let i = 0; i < key.length; i++) {
    blocks[4 + (i >> 1)] |= key.charCodeAt(i) << (16 * (i & 1));
  }
  return blocks;
}

/** The name of the stream reached from `name` by a key. */
function rename(name: Name, blocks: Int32Array): Name {
  let [h1, h2, h3, h4] = name;
  for (let i = 0; i < blocks.length; i += 4) {
    h1 ^= Math.imul(rotate(Math.imul(blocks[i], 0x239b961b), 15), 0xab0e9789);
    h1 = (Math.imul((rotate(h1, 19) + h2) | 0, 5) + 0x561ccd1b) | 0;
    h2 ^= Math.imul(rotate(Math.imul(blocks[i + 1], 0xab0e9789), 16), 0x38b34ae5);
    h2 = (Math.imul((rotate(h2, 17) + h3) | 0, 5) + 0x0bcaa747) | 0;
    h3 ^= Math.imul(rotate(Math.imul(blocks[i + 2], 0x38b34ae5), 17), 0xa1e38b93);
    h3 = (Math.imul((rotate(h3, 15) + h4) | 0, 5) + 0x96cd1c35) | 0;
    h4 ^= Math.imul(rotate(Math.imul(blocks[i + 3], 0xa1e38b93), 18), 0x239b961b);
    h4 = (Math.imul((rotate(h4, 13) + h1) | 0, 5) + 0x32ac3b17) | 0;
  }
  [h1, h2, h3, h4] = spread(h1, h2, h3, h4);
  return spread(scramble(h1), scramble(h2), scramble(h3), scramble(h4));
}

/** Lets each word depend on all four. */
function spread(h1: number, h2: number, h3: number, h4: number): Name {
  const all = (h1 + h2 + h3 + h4) | 0;
  return [all, (h2 + all) | 0, (h3 + all) | 0, (h4 + all) | 0];
}

/** Lets each bit of a word depend on all 32. */
function scramble(h: number): number {
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

function rotate(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

/**
 * Returns a uniform number in [0, 1) that depends on two whole numbers alone: a draw for each pair of things,
 * whatever the order in which pairs come.
 */
export function pairUniform(a: number, b: number): number {
  const first = scramble(
    Math.imul(a, 0x9e3779b1) ^ scramble(Math.imul(b, 0x85ebca77) ^ 0x27d4eb2f),
  );
  return (scramble(first ^ Math.imul(b, 0xc2b2ae3d)) >>> 0) / 0x100000000;
}
