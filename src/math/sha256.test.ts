import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { sha256, sha256Hex } from "./sha256.ts";

const hex = (text: string) =>
  Array.from(sha256(text), (byte) => byte.toString(16).padStart(2, "0")).join("");

// FIPS 180-4 examples, and the empty message.
it.each([
  ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  [
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  ],
])("repeats the published digest of %j", (text, digest) => {
  expect(hex(text)).toBe(digest);
});

it("agrees with Node's own at every length around a block, and beyond ASCII", () => {
  for (let length = 0; length < 200; length++) {
    const text = "é".repeat(length % 7) + "x".repeat(length);
    expect(hex(text)).toBe(createHash("sha256").update(text).digest("hex"));
  }
});

it("is the same of bytes, whatever their number", () => {
  for (let length = 0; length < 200; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 7919 + length) % 256);
    expect(sha256Hex(bytes)).toBe(createHash("sha256").update(bytes).digest("hex"));
  }
});
