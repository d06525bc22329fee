/** A file, a pipe or stdin as a stream of bytes, unpacked where it is gzip. */
import { type FileHandle, open } from "node:fs/promises";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { CrowdError } from "../error.ts";
import { HEAD_BYTES, type RandomAccess } from "../io/format.ts";
import { checkUnpacked, type UnpackLimits } from "../io/unpack-limit.ts";
import type { StopSignal } from "../run.ts";

export interface SourceOptions extends UnpackLimits {
  readonly signal?: StopSignal | undefined;
  /** Told after each piece; the total is undefined for pipes. */
  readonly onProgress?: ((bytesRead: number, bytesTotal: number | undefined) => void) | undefined;
  /** Read for the path `-`. Default process.stdin. */
  readonly stdin?: AsyncIterable<Uint8Array> | undefined;
}

export interface Source {
  /** The path, or `stdin`. */
  readonly name: string;
  /** Bytes of the file, before unpacking; undefined for pipes. */
  readonly size: number | undefined;
  /** Bytes of the file read so far, before unpacking. */
  readonly bytesRead: number;
  /** The first bytes, at least 64 KB unless the file is shorter. */
  readonly head: Uint8Array;
  /** All bytes, the head included; each piece holds until the next one is asked for. */
  pieces(): AsyncIterable<Uint8Array>;
  /** Reading anywhere; undefined for pipes and for packed files. */
  readonly random: RandomAccess | undefined;
  close(): Promise<void>;
}

const PIECE = 262_144;

export async function openSource(path: string, options: SourceOptions = {}): Promise<Source> {
  const name = path === "-" ? "stdin" : path;
  const file = path === "-" ? undefined : await openFile(path);
  try {
    const size = file?.size;
    const count = { read: 0 };
    const raw = file ? readFile(file.handle) : (options.stdin ?? process.stdin);
    const counted = withProgress(raw, name, count, size, options);
    const iterator = counted[Symbol.asyncIterator]();
    const first = await gather(iterator);
    const packed = first.bytes[0] === 0x1f && first.bytes[1] === 0x8b;
    const all = again(first.bytes, iterator);
    const unpacked = packed ? gunzip(all, name, count, options)[Symbol.asyncIterator]() : undefined;
    const head = unpacked ? await gather(unpacked) : first;
    return {
      name,
      size,
      get bytesRead() {
        return count.read;
      },
      head: head.bytes,
      pieces: () => (unpacked ? again(head.bytes, unpacked) : all),
      random:
        file && size !== undefined && !packed
          ? randomAccess(file.handle, size, name, options)
          : undefined,
      close: async () => file?.handle.close(),
    };
  } catch (error) {
    await file?.handle.close();
    throw error;
  }
}

/** The handle, and the size where the file has one. */
async function openFile(path: string): Promise<{ handle: FileHandle; size: number | undefined }> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path);
    const stat = await handle.stat();
    if (stat.isDirectory()) throw Object.assign(new Error("a directory"), { code: "EISDIR" });
    return { handle, size: stat.isFile() ? stat.size : undefined };
  } catch (cause) {
    await handle?.close();
    throw readError(path, cause);
  }
}

/** Why a file cannot be read, and what to do. */
export function readError(path: string, cause: unknown): CrowdError {
  const code = (cause as NodeJS.ErrnoException).code ?? "";
  const what = new Map([
    ["ENOENT", "there is no such file. Check the path."],
    ["ENOTDIR", "there is no such file. Check the path."],
    ["EISDIR", "this is a folder. Name the files in it instead."],
    ["EACCES", "the file may not be read. Check its permissions."],
    ["EPERM", "the file may not be read. Check its permissions."],
    ["EMFILE", "too many files are open at once."],
  ]).get(code);
  const why = cause instanceof Error ? cause.message : String(cause);
  return new CrowdError("bad-data", `${path}: ${what ?? `the file cannot be read: ${why}`}`, {
    cause,
  });
}

/** One buffer serves all pieces; whoever keeps a piece copies it. */
async function* readFile(handle: FileHandle): AsyncIterable<Uint8Array> {
  const buffer = new Uint8Array(PIECE);
  for (;;) {
    // Without a position, since pipes and devices have none.
    const { bytesRead } = await handle.read(buffer, 0, PIECE, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

async function* withProgress(
  pieces: AsyncIterable<Uint8Array>,
  name: string,
  count: { read: number },
  size: number | undefined,
  { signal, onProgress }: SourceOptions,
): AsyncIterable<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  const stopped = stop(name, signal);
  for (;;) {
    const reading = iterator.next().catch((cause) => {
      throw readError(name, cause);
    });
    // A pipe may have nothing to say for hours.
    const next = await Promise.race([reading, stopped]);
    if (next.done) return;
    count.read += next.value.length;
    onProgress?.(count.read, size);
    if (signal?.aborted) throw cancelled(name, signal);
    yield next.value;
  }
}

/** Fails as soon as the signal is raised. */
function stop(name: string, signal: StopSignal | undefined): Promise<never> {
  const stopped = new Promise<never>((_, reject) => {
    if (signal?.aborted) reject(cancelled(name, signal));
    signal?.addEventListener("abort", () => reject(cancelled(name, signal)), { once: true });
  });
  // Nobody may be waiting when it happens.
  stopped.catch(() => {});
  return stopped;
}

function cancelled(name: string, signal: StopSignal): CrowdError {
  return new CrowdError("cancelled", `Reading ${name} was cancelled.`, { cause: signal.reason });
}

/** The first 64 KB, or as much as there is. */
async function gather(pieces: AsyncIterator<Uint8Array>): Promise<{ bytes: Uint8Array }> {
  let bytes = new Uint8Array(0);
  while (bytes.length < HEAD_BYTES) {
    const next = await pieces.next();
    if (next.done) break;
    const more = new Uint8Array(bytes.length + next.value.length);
    more.set(bytes);
    more.set(next.value, bytes.length);
    bytes = more;
  }
  return { bytes };
}

async function* again(
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncIterable<Uint8Array> {
  if (head.length > 0) yield head;
  for (;;) {
    const next = await rest.next();
    if (next.done) return;
    yield next.value;
  }
}

async function* gunzip(
  packed: AsyncIterable<Uint8Array>,
  name: string,
  count: { read: number },
  limits: SourceOptions,
): AsyncIterable<Uint8Array> {
  // Pieces are copied: the stream reads ahead while the first one is still being unpacked.
  const from = Readable.from(copies(packed));
  const unzip = createGunzip({ chunkSize: PIECE });
  from.on("error", (error) => unzip.destroy(error));
  from.pipe(unzip);
  let unpacked = 0;
  try {
    for await (const piece of unzip as AsyncIterable<Uint8Array>) {
      unpacked += piece.length;
      checkUnpacked(name, unpacked, count.read, limits);
      yield piece;
    }
  } catch (cause) {
    if (cause instanceof CrowdError) throw cause;
    const cut = (cause as NodeJS.ErrnoException).code === "Z_BUF_ERROR";
    throw new CrowdError(
      "bad-data",
      `${name}: the gzip file is ${cut ? "cut off" : "damaged"}. Copy or download it again.`,
      { cause },
    );
  } finally {
    from.destroy();
    unzip.destroy();
  }
}

async function* copies(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  for await (const piece of pieces) yield new Uint8Array(piece);
}

function randomAccess(
  handle: FileHandle,
  byteLength: number,
  name: string,
  { signal, onProgress }: SourceOptions,
): RandomAccess {
  let read = 0;
  return {
    byteLength,
    async slice(start, end = byteLength) {
      if (signal?.aborted) throw cancelled(name, signal);
      const bytes = new Uint8Array(Math.max(0, Math.min(end, byteLength) - start));
      for (let at = 0; at < bytes.length; ) {
        const { bytesRead } = await handle
          .read(bytes, at, bytes.length - at, start + at)
          .catch((cause) => {
            throw readError(name, cause);
          });
        if (bytesRead === 0) throw new CrowdError("bad-data", `${name}: the file became shorter.`);
        at += bytesRead;
      }
      read = Math.min(read + bytes.length, byteLength);
      onProgress?.(read, byteLength);
      return bytes.buffer;
    },
  };
}
