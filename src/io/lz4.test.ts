import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeLz4Frame } from "./lz4.ts";

// Made by `lz4 -B4 -BD -9` and `lz4 -B4 --content-size -BX` of the text below, then `gzip -9`, base64.
const linked =
  "H4sICJSz+WoCA2xpbmtlZC5sejQA5ZMtbpxRDEW/iRpSkEpFwQFBR8rzv80CorJIA4KzymygtKDrKOwOpk+ziyqGlnx975H95eH1/uX5fd0cx9/L94WgGE6QFM0guymIIoY4EkgihTQy6EL3jKKGOhpoooU2OtjCBNuShjkWWGKFNTb4wgVXfG90PPDEC298iEUIoYQR21AQSRTRxJCLFFJJI53cfpMsssmhFiWUUkY5FdSOU1RTQy9aaKWNdjropHfapodZjDDKGONMMMkUs2HcnZ4Wj6fL566f5yugr6fj+PbpYVz+nK+H9HH8ZzR+na9vvm0fP25/v/0DlgFpCQkEAAA=";
const apart =
  "H4sICJSz+WoCA2luZGVwLmx6NADtlSuOFEAQQHcJ3GFCgkGgnuj6VwWzCkcYgeEWHGBvs44jYAgHAE24AJYbDD1jAYODpUwlnXR11evX6YdPXx5ub/rdg6tzjOx8Oh0WgmI4QVI0g+xFQRQxxJFAEimkkUEXuvcoaqijgSZaaKODLUywXdIwxwJLrLDGBl+44IrvEx0PPPHCGx9iEUIoYcRuKIgkimhiyEUKqaSRTu5+kyyyyaEWJZRSRjkV1B6nqKaGXrTQShvtdNBJ72mbHmYxwihjjDPBJFPMhnGmsXh2fbrf8fF4IfTq8e3N2uJ8f/J7Vj8bdbg6fbufRv335ngh9OG5f/l6vb2pP3l9vzTq079s1F/kzd3xci/y9s3787/y4tHn1z8Au2zNr2oGAAA=";
const stored = "BCJNGGRApwMAAIBsaW4AAAAAskpdtA==";

const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, "base64"));
const text = Array.from({ length: 60_000 }, (_, i) => `${i % 101},`).join("");

describe("decodeLz4Frame", () => {
  it.each([
    ["blocks that refer to earlier ones", gunzipSync(bytesOf(linked))],
    ["blocks on their own, with checksums and the size", gunzipSync(bytesOf(apart))],
  ])("opens %s", (_, frame) => {
    expect(new TextDecoder().decode(decodeLz4Frame(frame))).toBe(text);
  });

  it("opens a block that is not compressed", () => {
    expect(new TextDecoder().decode(decodeLz4Frame(bytesOf(stored)))).toBe("lin");
  });

  it("ends with an error or a result, whatever is damaged", () => {
    const frame = gunzipSync(bytesOf(linked));
    fc.assert(
      fc.property(fc.nat(frame.length - 1), fc.nat(255), fc.nat(frame.length), (at, byte, end) => {
        const bytes = new Uint8Array(frame);
        bytes[at] = byte;
        for (const piece of [bytes, bytes.subarray(0, end)]) {
          try {
            expect(decodeLz4Frame(piece).length).toBeLessThan(20 * 2 ** 20);
          } catch (error) {
            expect(error).toBeInstanceOf(Error);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
