/** Unpacks gzip and deflate, in Node and in the browser alike. */
import { joinBytes } from "./gather.ts";

/** Unpacks bytes; `check` is told after each piece how many there are, and throws if they are too many. */
export async function inflate(
  bytes: Uint8Array,
  format: "gzip" | "deflate-raw",
  check: (length: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([new Uint8Array(bytes)])
    .stream()
    .pipeThrough(new DecompressionStream(format));
  const reader = stream.getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return joinBytes(pieces);
      length += value.length;
      check(length);
      pieces.push(value);
    }
  } finally {
    // What is left is not wanted; a stream that failed already says so once more.
    reader.cancel().catch(() => {});
  }
}
