/**
 * Hashes of what things are like, in place of their names: a draw by them depends neither on what things are
 * called nor on the order in which they came.
 */

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);

/** Hashes a number by its bits. */
export function hashNumber(x: number): number {
  double[0] = x;
  return mix(words[0], words[1]);
}

/** Hashes a text by its characters. */
export function hashText(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = mix(hash, text.charCodeAt(i));
  return hash;
}

/** Mixes two numbers into 32 bits, by the final steps of MurmurHash3. */
export function mix(a: number, b: number): number {
  let h = Math.imul(a ^ Math.imul(b + 0x9e3779b9, 0x85ebca6b), 0xcc9e2d51);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A hash taken as often as an answer counts; what is left of a count that is not whole changes it as well. */
export function times(count: number, hash: number): number {
  if (count === 1) return hash;
  const whole = Math.floor(count);
  const rest = count === whole ? 0 : mix(hash, hashNumber(count - whole));
  return Math.imul(hash, whole) + rest;
}

const ROUNDS = 3;

/** Things that answers are about: which of them each answer names, in one column or several, and how many there are. */
export interface Role {
  /** Columns whose order does not matter: both items of a pair, say. */
  readonly of: readonly Int32Array[];
  readonly count: number;
}

/**
 * Hashes each answer by what it says and by what its task, worker and items are like: by all other answers on them,
 * and those on the things that these share, for three rounds (Weisfeiler & Leman 1968). Answers that are alike in all
 * this, and are not the same answer given twice, are told apart by their order, which then makes no difference.
 */
export function answerHashes(
  said: Uint32Array,
  roles: readonly Role[],
  weight?: Float64Array,
): Uint32Array {
  let things = roles.map(({ count }) => new Uint32Array(count).fill(1));
  const hash = (i: number) => {
    let sum = 0;
    roles.forEach(({ of }, r) => {
      for (const column of of) sum = (sum + mix(things[r][column[i]], r)) >>> 0;
    });
    return mix(said[i], sum);
  };
  for (let round = 0; round < ROUNDS; round++) {
    const next = things.map((list) => list.slice());
    for (let i = 0; i < said.length; i++) {
      const edge = hash(i);
      // Sums do not depend on the order of the answers.
      roles.forEach(({ of }, r) => {
        const added = times(weight ? weight[i] : 1, mix(edge, r));
        for (const column of of) next[r][column[i]] += added;
      });
    }
    things = next.map((list) => list.map((sum) => mix(sum, round)));
  }
  const seen = new Map<number, Map<number, number>>();
  return said.map((_, i) => {
    const own = hash(i);
    const alike = seen.get(own) ?? new Map<number, number>();
    seen.set(own, alike);
    const thing = roles.reduce(
      (h, { of }) =>
        mix(
          h,
          of.reduce((sum, column) => sum + mix(column[i], 0), 0),
        ),
      0,
    );
    const before = alike.get(thing) ?? alike.size;
    alike.set(thing, before);
    return mix(own, before);
  });
}
