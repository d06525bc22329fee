/**
 * Columns that grow by blocks, so that nothing is copied while a file is read. At the end a column
 * is put together and its blocks are let go.
 */

const BLOCK = 65_536;

type Codes = Uint8Array | Uint16Array | Int32Array;

export interface GrowingCodes {
  push(code: number): void;
  /** The column in one piece; it is empty afterwards. */
  join(): Int32Array;
  byteLength(): number;
}

/** Numbers from 0 upwards; each block is as narrow as its numbers allow. */
export function createGrowingCodes(): GrowingCodes {
  let blocks: Codes[] = [];
  let block: Codes = new Uint8Array(0);
  let limit = 0xff;
  let at = 0;

  /** A new block, or a wider one in the place of the last. */
  function widen(code: number, from: Codes | undefined) {
    while (code > limit) limit = limit === 0xff ? 0xffff : 2 ** 31 - 1;
    const Kind = limit === 0xff ? Uint8Array : limit === 0xffff ? Uint16Array : Int32Array;
    block = new Kind(BLOCK);
    if (from) {
      block.set(from);
      blocks.pop();
    } else at = 0;
    blocks.push(block);
  }

  return {
    push(code) {
      if (at === block.length) widen(code, undefined);
      else if (code > limit) widen(code, block);
      block[at++] = code;
    },
    join() {
      const column = new Int32Array(length());
      for (let i = 0; i < blocks.length; i++) {
        const start = i * BLOCK;
        column.set(blocks[i].subarray(0, column.length - start), start);
      }
      blocks = [];
      block = new Uint8Array(0);
      at = 0;
      return column;
    },
    byteLength() {
      return blocks.reduce((sum, { byteLength }) => sum + byteLength, 0);
    },
  };

  function length(): number {
    return blocks.length === 0 ? 0 : (blocks.length - 1) * BLOCK + at;
  }
}

export interface GrowingNumbers {
  /** True once a number was set. */
  readonly used: boolean;
  /** The number of a row; rows never set have the number they all begin with. */
  set(row: number, value: number): void;
  join(rows: number): Float64Array;
  byteLength(): number;
}

/** Numbers that most rows may not have: blocks without any take no memory. */
export function createGrowingNumbers(absent: number): GrowingNumbers {
  let blocks: (Float64Array | undefined)[] = [];
  return {
    get used() {
      return blocks.length > 0;
    },
    set(row, value) {
      const i = Math.floor(row / BLOCK);
      blocks[i] ??= new Float64Array(BLOCK).fill(absent);
      blocks[i][row % BLOCK] = value;
    },
    join(rows) {
      const column = new Float64Array(rows).fill(absent);
      for (let i = 0; i < blocks.length; i++) {
        const block = blocks[i];
        if (block) column.set(block.subarray(0, rows - i * BLOCK), i * BLOCK);
      }
      blocks = [];
      return column;
    },
    byteLength() {
      return blocks.reduce((sum, block) => sum + (block?.byteLength ?? 0), 0);
    },
  };
}

export interface GrowingRows {
  /** Adds a row of these numbers. */
  push(row: Float32Array): void;
  /** All rows in one piece; they are let go of afterwards. */
  join(): Float32Array;
  byteLength(): number;
}

/** Rows of numbers, all of one width. */
export function createGrowingRows(width: number): GrowingRows {
  const blockSize = Math.max(1, Math.floor(BLOCK / width)) * width;
  let blocks: Float32Array[] = [];
  let at = blockSize;
  return {
    push(row) {
      if (at === blockSize) {
        blocks.push(new Float32Array(blockSize));
        at = 0;
      }
      blocks[blocks.length - 1].set(row, at);
      at += width;
    },
    join() {
      const all = new Float32Array(blocks.length * blockSize - (blockSize - at));
      for (let i = 0; i < blocks.length; i++) {
        const start = i * blockSize;
        all.set(blocks[i].subarray(0, all.length - start), start);
      }
      blocks = [];
      at = blockSize;
      return all;
    },
    byteLength() {
      return blocks.length * blockSize * 4;
    },
  };
}
