/**
 * Opens LZ4 frames, as Arrow and Feather files use them:
 * https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md. Checksums are skipped, not checked.
 */

const MAGIC = 0x184d2204;

export function decodeLz4Frame(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 7 || view.getUint32(0, true) !== MAGIC) throw new Error("no LZ4 frame");
  const flags = bytes[4];
  if (flags >> 6 !== 1) throw new Error("an LZ4 frame of an unknown version");
  const blockChecksum = flags & 0x10 ? 4 : 0;
  const maxBlock = 2 ** (8 + 2 * ((bytes[5] >> 4) & 7));
  let at = 6 + (flags & 8 ? 8 : 0) + (flags & 1 ? 4 : 0) + 1;
  const out = { bytes: new Uint8Array(Math.max(1024, bytes.length * 3)), length: 0 };
  for (;;) {
    const size = view.getUint32(at, true);
    at += 4;
    if (size === 0) return out.bytes.subarray(0, out.length);
    const length = size & 0x7fffffff;
    const block = bytes.subarray(at, at + length);
    if (block.length < length) throw new Error("an LZ4 block is cut off");
    if (size >>> 31) {
      ensure(out, length);
      out.bytes.set(block, out.length);
      out.length += length;
    } else decodeBlock(block, out, out.length + maxBlock);
    at += length + blockChecksum;
  }
}

interface Output {
  bytes: Uint8Array;
  length: number;
}

/** A block may refer back to the blocks before it, so all go to one output. */
function decodeBlock(block: Uint8Array, out: Output, limit: number): void {
  let at = 0;
  const lengthOf = (start: number) => {
    let length = start;
    if (start === 15) {
      let more = 255;
      while (more === 255) {
        if (at >= block.length) throw new Error("an LZ4 block is cut off");
        more = block[at++];
        length += more;
      }
    }
    return length;
  };
  while (at < block.length) {
    const token = block[at++];
    const literals = lengthOf(token >> 4);
    if (at + literals > block.length || out.length + literals > limit) {
      throw new Error("an LZ4 block does not fit");
    }
    ensure(out, literals);
    out.bytes.set(block.subarray(at, at + literals), out.length);
    out.length += literals;
    at += literals;
    if (at === block.length) return;
    const distance = block[at] | (block[at + 1] << 8);
    at += 2;
    const length = lengthOf(token & 15) + 4;
    if (!(distance > 0 && distance <= out.length) || out.length + length > limit) {
      throw new Error("an LZ4 block refers to what is not there");
    }
    ensure(out, length);
    // Byte by byte: what is copied may overlap with where it goes.
    for (let i = 0; i < length; i++, out.length++) {
      out.bytes[out.length] = out.bytes[out.length - distance];
    }
  }
}

function ensure(out: Output, more: number): void {
  if (out.length + more <= out.bytes.length) return;
  const grown = new Uint8Array(Math.max(out.bytes.length * 2, out.length + more));
  grown.set(out.bytes.subarray(0, out.length));
  out.bytes = grown;
}
