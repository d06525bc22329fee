/**
 * Gives each different name a number, in the order of first appearance, without making a string a
 * row: the names lie in UTF-8 in one growing buffer, found by open addressing, and are decoded once.
 */
import { CrowdError } from "../error.ts";
import { type Changes, type ChangesByWay, type Cleaner, countName } from "./cleaning.ts";
import { decodeLatin1, isUtf8 } from "./encoding.ts";

export interface Interner {
  /** How many different names there are. */
  readonly size: number;
  /** How many times bytes were not UTF-8, and were taken for Latin-1. */
  readonly latin1: number;
  /** True once a name holds a NUL. */
  readonly nul: boolean;
  /** True as long as all names are ASCII. */
  readonly ascii: boolean;
  /** What cleaning changed. */
  readonly changes: ChangesByWay;
  /** Bytes of memory held. */
  byteLength(): number;
  /** The number of the name in bytes[start..end), or -1 if nothing is left of it once it is clean. */
  add(bytes: Uint8Array, start: number, end: number): number;
  addText(text: string): number;
  /** One name. */
  name(code: number): string;
  /** All names, by number. */
  names(): string[];
}

/**
 * Slots are four numbers wide: two words of key, the length, and code + 1, which is 0 where free. A name that cleaning
 * changes has the number of its alias instead, below zero.
 */
const WIDTH = 4;
const SPACE = 0x20;
const FIRST_SLOTS = 1024;
/** Which bits of the first and of the second four bytes belong to a name, by its length. */
const LOW_MASK = Int32Array.of(0, 0xff, 0xffff, 0xffffff, -1, -1, -1, -1, -1);
const HIGH_MASK = Int32Array.of(0, 0, 0, 0, 0, 0xff, 0xffff, 0xffffff, -1);
const MAX_POOL = 2 ** 31 - 1;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

/** A name as files write it, where cleaning made another of it. */
interface Alias {
  readonly bytes: Uint8Array;
  readonly code: number;
  readonly counts: readonly Changes[];
}

/** An interner with its names, and the table by which they are found. */
interface Names extends Interner {
  size: number;
  latin1: number;
  nul: boolean;
  ascii: boolean;
  clean: Cleaner | undefined;
  aliases: Alias[];
  /** Name `code` stands at pool[starts[code]..starts[code + 1]). */
  pool: Uint8Array<ArrayBuffer>;
  starts: Int32Array;
  slots: Int32Array;
  /** Number of slots less one; slots are a power of two. */
  mask: number;
  /** Room to encode a text. */
  scratch: Uint8Array<ArrayBuffer>;
  /** The bytes that `view` looks at. */
  viewed: Uint8Array;
  view: DataView;
}

/** Makes an interner without names; names are cleaned once each, when they first come in. */
export function createInterner(clean?: Cleaner): Interner {
  const scratch = new Uint8Array(256);
  // Plain fields: getters would give each interner a shape of its own, and make calls slow.
  const names: Names = {
    size: 0,
    latin1: 0,
    nul: false,
    ascii: true,
    changes: new Map(),
    clean,
    aliases: [],
    pool: new Uint8Array(4096),
    starts: new Int32Array(FIRST_SLOTS + 1),
    slots: new Int32Array(FIRST_SLOTS * WIDTH),
    mask: FIRST_SLOTS - 1,
    scratch,
    viewed: scratch,
    view: new DataView(scratch.buffer),
    add: (bytes, start, end) => add(names, bytes, start, end),
    addText: (text) => addText(names, text),
    name: (code) => nameOf(names, code),
    names: () => allNames(names),
    byteLength: () => names.pool.byteLength + names.starts.byteLength + names.slots.byteLength,
  };
  return names;
}

/**
 * Finds or adds the name in bytes[start..end). Up to eight bytes are their own key, so that looking them up
 * touches one place in memory; of longer names the key is a hash, and what it finds is compared.
 */
function add(names: Names, bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  let low = 0;
  let high = 0;
  if (length <= 8 && start + 8 <= bytes.length) {
    if (bytes !== names.viewed) {
      names.viewed = bytes;
      names.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    low = names.view.getInt32(start, true) & LOW_MASK[length];
    high = names.view.getInt32(start + 4, true) & HIGH_MASK[length];
  } else if (length <= 8) {
    for (let i = 0; i < length && i < 4; i++) low |= bytes[start + i] << (i * 8);
    for (let i = 4; i < length; i++) high |= bytes[start + i] << (i * 8 - 32);
  } else {
    for (let i = start; i < end; i++) {
      low = Math.imul(low ^ bytes[i], 0x01000193);
      high = (Math.imul(high, 31) + bytes[i]) | 0;
    }
  }
  const { slots, mask } = names;
  let slot = mix(low, high, length) & mask;
  for (;;) {
    const at = slot * WIDTH;
    const entry = slots[at + 3];
    if (entry === 0) break;
    if (slots[at] === low && slots[at + 1] === high && slots[at + 2] === length) {
      if (entry < 0) {
        const alias = names.aliases[-entry - 1];
        if (isAlias(alias, bytes, start)) return useAlias(alias);
      } else if (length <= 8 || isName(names, entry - 1, bytes, start, end)) return entry - 1;
    }
    slot = (slot + 1) & mask;
  }
  const plain = isAscii(bytes, start, end);
  if (!plain) {
    if (!isUtf8(bytes, start, end)) {
      names.latin1++;
      return addText(names, decodeLatin1(bytes, start, end));
    }
    names.ascii = false;
  }
  // Most names begin and end with a letter and are plain ASCII, which cleaning leaves as they are.
  if (names.clean && (!plain || bytes[start] <= SPACE || bytes[end - 1] <= SPACE)) {
    const alias = aliasOf(names, names.clean, bytes, start, end);
    if (alias) {
      names.aliases.push(alias);
      insert(names, low, high, length, -names.aliases.length);
      return useAlias(alias);
    }
  }
  slots[slot * WIDTH] = low;
  slots[slot * WIDTH + 1] = high;
  slots[slot * WIDTH + 2] = length;
  slots[slot * WIDTH + 3] = names.size + 1;
  return append(names, bytes, start, end);
}

/** Returns what a name stands for if cleaning changes it. */
function aliasOf(
  names: Names,
  clean: Cleaner,
  bytes: Uint8Array,
  start: number,
  end: number,
): Alias | undefined {
  const from = decoder.decode(bytes.subarray(start, end));
  const { text, ways } = clean(from);
  if (text === from) return undefined;
  const counts = countName(names.changes, ways, from, text);
  // Copied first: the bytes may be those to which the other text is encoded.
  const copy = new Uint8Array(bytes.subarray(start, end));
  return { bytes: copy, code: text === "" ? -1 : addText(names, text), counts };
}

function isAlias(alias: Alias, bytes: Uint8Array, start: number): boolean {
  for (let i = 0; i < alias.bytes.length; i++) {
    if (alias.bytes[i] !== bytes[start + i]) return false;
  }
  return true;
}

/** Counts a cell that was changed. */
function useAlias({ code, counts }: Alias): number {
  for (const each of counts) each.cells++;
  return code;
}

/** Puts an entry into the first slot that is free. */
function insert(names: Names, low: number, high: number, length: number, entry: number): void {
  if (names.size + names.aliases.length > 0.8 * names.mask) rehash(names);
  const { slots, mask } = names;
  let slot = mix(low, high, length) & mask;
  while (slots[slot * WIDTH + 3] !== 0) slot = (slot + 1) & mask;
  slots[slot * WIDTH] = low;
  slots[slot * WIDTH + 1] = high;
  slots[slot * WIDTH + 2] = length;
  slots[slot * WIDTH + 3] = entry;
}

/** Returns whether bytes[start..end) are the name with this number. */
function isName(
  { pool, starts }: Names,
  code: number,
  bytes: Uint8Array,
  start: number,
  end: number,
): boolean {
  for (let i = start, at = starts[code]; i < end; i++, at++) {
    if (pool[at] !== bytes[i]) return false;
  }
  return true;
}

/** Copies a new name behind the others; returns its number. */
function append(names: Names, bytes: Uint8Array, start: number, end: number): number {
  const code = names.size;
  const from = names.starts[code];
  const to = from + end - start;
  if (to > names.pool.length) names.pool = grown(names.pool, to);
  const { pool } = names;
  for (let i = start, at = from; i < end; i++, at++) {
    pool[at] = bytes[i];
    if (bytes[i] === 0) names.nul = true;
  }
  names.size = code + 1;
  if (names.size === names.starts.length) {
    const more = new Int32Array(names.starts.length * 2);
    more.set(names.starts);
    names.starts = more;
  }
  names.starts[names.size] = to;
  if (names.size + names.aliases.length > 0.8 * names.mask) rehash(names);
  return code;
}

/** Doubles the number of slots. */
function rehash(names: Names): void {
  const old = names.slots;
  const mask = names.mask * 2 + 1;
  const slots = new Int32Array((mask + 1) * WIDTH);
  for (let from = 0; from < old.length; from += WIDTH) {
    if (old[from + 3] === 0) continue;
    let slot = mix(old[from], old[from + 1], old[from + 2]) & mask;
    while (slots[slot * WIDTH + 3] !== 0) slot = (slot + 1) & mask;
    for (let i = 0; i < WIDTH; i++) slots[slot * WIDTH + i] = old[from + i];
  }
  names.slots = slots;
  names.mask = mask;
}

/** Finds or adds a text, encoded to `scratch`. */
function addText(names: Names, text: string): number {
  const length = text.length;
  if (length * 3 > names.scratch.length) names.scratch = new Uint8Array(length * 6);
  const { scratch } = names;
  let i = 0;
  for (; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 127) break;
    scratch[i] = unit;
  }
  const end = i === length ? length : encoder.encodeInto(text, scratch).written;
  return add(names, scratch, 0, end);
}

function nameOf({ pool, starts }: Names, code: number): string {
  return decoder.decode(pool.subarray(starts[code], starts[code + 1]));
}

/** Returns all names. Blocks of plain ASCII are decoded in one go and cut, which is ten times faster. */
function allNames(names: Names): string[] {
  const { pool, starts, size } = names;
  const all = new Array<string>(size);
  const blockBytes = 1 << 20;
  for (let first = 0; first < size; ) {
    let last = first + 1;
    while (last < size && starts[last + 1] - starts[first] <= blockBytes) last++;
    const from = starts[first];
    const block = pool.subarray(from, starts[last]);
    if (isAscii(block, 0, block.length)) {
      const text = decoder.decode(block);
      for (let code = first; code < last; code++) {
        all[code] = text.slice(starts[code] - from, starts[code + 1] - from);
      }
    } else {
      for (let code = first; code < last; code++) all[code] = nameOf(names, code);
    }
    first = last;
  }
  return all;
}

/** Spreads a key over the slots; two rounds of multiplying and folding. */
function mix(low: number, high: number, length: number): number {
  let hash = Math.imul(low ^ length, 0x2c1b3c6d) ^ Math.imul(high, 0x297a2d39);
  hash = Math.imul(hash ^ (hash >>> 15), 0x45d9f3b);
  return hash ^ (hash >>> 13);
}

function grown(pool: Uint8Array<ArrayBuffer>, needed: number): Uint8Array<ArrayBuffer> {
  if (needed > MAX_POOL) {
    throw new CrowdError(
      "too-large",
      "The different names in one column take more than 2 GB. Use shorter names, or fewer.",
    );
  }
  const more = new Uint8Array(Math.min(Math.max(pool.length * 2, needed), MAX_POOL));
  more.set(pool);
  return more;
}

function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  let all = 0;
  for (let i = start; i < end; i++) all |= bytes[i];
  return all < 128;
}
