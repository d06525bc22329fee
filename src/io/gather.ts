/** A whole file in memory, for formats that jump about in it. */
import type { RandomAccess, Reader } from "./format.ts";

/** A reader that gathers the bytes it is pushed, then reads from them as from a file. */
export function gatheringReader(readFrom: (file: RandomAccess) => Promise<void>): Reader {
  let pieces: Uint8Array[] = [];
  return {
    push(bytes) {
      pieces.push(new Uint8Array(bytes));
    },
    finish() {
      const whole = joinBytes(pieces);
      pieces = [];
      return readFrom(inMemory(whole));
    },
    readFrom,
  };
}

/** Puts pieces together. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function inMemory({ buffer }: Uint8Array<ArrayBuffer>): RandomAccess {
  return {
    byteLength: buffer.byteLength,
    slice: async (start, end) => buffer.slice(start, end),
  };
}

/** The whole file as bytes. */
export async function wholeFile(file: RandomAccess): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await file.slice(0, file.byteLength));
}
