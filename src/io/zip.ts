/** The files in a ZIP archive, stored or deflated: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT */
import { CrowdError } from "../error.ts";
import { decodeText, textOfBytes } from "./encoding.ts";
import { inflate } from "./inflate.ts";
import { checkUnpacked, type UnpackLimits } from "./unpack-limit.ts";

/** A file in an archive. */
export interface ZipEntry {
  readonly name: string;
  readonly byteLength: number;
  /** Unpacks the file; throws if it is damaged. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT = 0xffff;
const MAX_ENTRIES = 10_000;
const [STORED, DEFLATED] = [0, 8];

/** Returns the name of the first file if the head is that of an archive. */
export function firstZipName(head: Uint8Array): string | undefined {
  const view = viewOf(head);
  if (head.length < 30 || view.getUint32(0, true) !== LOCAL) return undefined;
  return textOfBytes(head.subarray(30, 30 + view.getUint16(26, true)));
}

/** Lists the files of an archive; together they may unpack to no more than the limits allow. */
export function readZip(bytes: Uint8Array, file: string, limits: UnpackLimits): ZipEntry[] {
  const bad = (what: string) =>
    new CrowdError("bad-data", `${file}: ${what} Copy or download the file again.`);
  const view = viewOf(bytes);
  const end = endOf(view);
  if (end < 0) throw bad("the archive is cut off.");
  const count = view.getUint16(end + 10, true);
  if (count > MAX_ENTRIES) {
    throw new CrowdError("too-large", `${file}: the archive holds more than ${MAX_ENTRIES} files.`);
  }
  const entries: ZipEntry[] = [];
  let at = view.getUint32(end + 16, true);
  let total = 0;
  for (let i = 0; i < count; i++) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== CENTRAL) {
      throw bad("the archive is damaged.");
    }
    const entry = {
      flags: view.getUint16(at + 8, true),
      method: view.getUint16(at + 10, true),
      checksum: view.getUint32(at + 16, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      local: view.getUint32(at + 42, true),
    };
    const length = view.getUint16(at + 28, true);
    const name = decodeText(bytes, at + 46, Math.min(at + 46 + length, bytes.length));
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    total += entry.size;
    checkUnpacked(file, total, bytes.length, limits);
    entries.push({
      name,
      byteLength: entry.size,
      bytes: () => unpack(bytes, entry, `${file}: ${JSON.stringify(name.slice(0, 60))}`),
    });
  }
  return entries;
}

interface Packed {
  readonly flags: number;
  readonly method: number;
  readonly checksum: number;
  readonly packed: number;
  readonly size: number;
  readonly local: number;
}

async function unpack(
  bytes: Uint8Array,
  { flags, method, checksum, packed, size, local }: Packed,
  what: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const unsupported = (why: string) =>
    new CrowdError("not-supported", `${what} in the archive ${why}. Unpack it first.`);
  const damaged = (cause?: unknown) =>
    new CrowdError(
      "bad-data",
      `${what} in the archive is cut off or damaged. Copy or download the file again.`,
      { cause },
    );
  if (flags & 1) throw unsupported("is encrypted");
  if (size === 0xffffffff || packed === 0xffffffff) throw unsupported("has more than 4 GB");
  const view = viewOf(bytes);
  if (local + 30 > bytes.length || view.getUint32(local, true) !== LOCAL) throw damaged();
  const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  if (start + packed > bytes.length) throw damaged();
  const raw = bytes.subarray(start, start + packed);
  let open: Uint8Array<ArrayBuffer>;
  if (method === STORED) open = new Uint8Array(raw);
  else if (method === DEFLATED) {
    const check = (length: number) => {
      if (length > size) throw new Error("more than it says");
    };
    open = await inflate(raw, "deflate-raw", check).catch((cause) => {
      throw damaged(cause);
    });
  } else throw unsupported(`is packed in another way than deflate (${method})`);
  if (open.length !== size || crc32(open) !== checksum) throw damaged();
  return open;
}

/** Returns where the record at the end of the archive begins, or -1. */
function endOf(view: DataView): number {
  const last = view.byteLength - END_BYTES;
  for (let at = last; at >= Math.max(0, last - MAX_COMMENT); at--) {
    if (view.getUint32(at, true) === END) return at;
  }
  return -1;
}

function crc32(bytes: Uint8Array): number {
  const table = Int32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
  });
  let crc = -1;
  for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ table[(crc ^ bytes[i]) & 255];
  return ~crc >>> 0;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
