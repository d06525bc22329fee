/** ZIP archives as NumPy writes them, for tests. */
import { crc32, deflateRawSync } from "node:zlib";

/** Packs files by name into an archive. */
export function zipOf(
  files: Readonly<Record<string, Uint8Array>>,
  deflate = true,
): Uint8Array<ArrayBuffer> {
  const parts: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const [name, bytes] of Object.entries(files)) {
    const packed = deflate ? deflateRawSync(bytes) : Buffer.from(bytes);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(deflate ? 8 : 0, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, Buffer.from(name), packed]);
    const offset = Buffer.alloc(14);
    offset.writeUInt32LE(at, 10);
    central.push(
      Buffer.concat([Buffer.from("PK\x01\x02\x14\0"), common, offset, Buffer.from(name)]),
    );
    parts.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", 0, "latin1");
  end.writeUInt16LE(central.length, 8);
  end.writeUInt16LE(central.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Uint8Array.from(Buffer.concat([...parts, directory, end]));
}

/** A list of texts as NumPy writes it, in UTF-32. */
export function npyTexts(texts: readonly string[]): Uint8Array {
  const points = texts.map((text) => Array.from(text, (letter) => letter.codePointAt(0) ?? 0));
  const width = points.reduce((most, { length }) => Math.max(most, length), 1);
  const head = `{'descr': '<U${width}', 'fortran_order': False, 'shape': (${texts.length},), }\n`;
  const bytes = Buffer.alloc(10 + head.length + texts.length * width * 4);
  bytes.write("\x93NUMPY\x01\0", 0, "latin1");
  bytes.writeUInt16LE(head.length, 8);
  bytes.write(head, 10, "latin1");
  points.forEach((row, i) => {
    row.forEach((point, j) => {
      bytes.writeUInt32LE(point, 10 + head.length + (i * width + j) * 4);
    });
  });
  return bytes;
}
