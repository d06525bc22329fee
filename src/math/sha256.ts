/**
 * SHA-256 of a text or of bytes: for the content policy of a page, and to bind files to each other. The
 * platform's own is asynchronous and absent from pages that were not served securely.
 *
 * NIST FIPS 180-4, section 6.2. https://doi.org/10.6028/NIST.FIPS.180-4
 */

/** First 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const K = Uint32Array.from(
  (
    "428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5 " +
    "d807aa98 12835b01 243185be 550c7dc3 72be5d74 80deb1fe 9bdc06a7 c19bf174 " +
    "e49b69c1 efbe4786 0fc19dc6 240ca1cc 2de92c6f 4a7484aa 5cb0a9dc 76f988da " +
    "983e5152 a831c66d b00327c8 bf597fc7 c6e00bf3 d5a79147 06ca6351 14292967 " +
    "27b70a85 2e1b2138 4d2c6dfc 53380d13 650a7354 766a0abb 81c2c92e 92722c85 " +
    "a2bfe8a1 a81a664b c24b8b70 c76c51a3 d192e819 d6990624 f40e3585 106aa070 " +
    "19a4c116 1e376c08 2748774c 34b0bcb5 391c0cb3 4ed8aa4a 5b9cca4f 682e6ff3 " +
    "748f82ee 78a5636f 84c87814 8cc70208 90befffa a4506ceb bef9a3f7 c67178f2"
  ).split(" "),
  (word) => Number.parseInt(word, 16),
);

/** The same of the square roots of the first eight. */
const START = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/** The digest as 64 hexadecimal digits. */
export function sha256Hex(content: string | Uint8Array): string {
  return Array.from(sha256(content), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The 32 bytes of the digest of bytes, or of the UTF-8 of a text. */
export function sha256(content: string | Uint8Array): Uint8Array {
  const message = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const whole = message.length - (message.length % 64);
  const end = new Uint8Array(message.length - whole + 9 > 64 ? 128 : 64);
  end.set(message.subarray(whole));
  end[message.length - whole] = 0x80;
  const view = new DataView(end.buffer);
  view.setUint32(end.length - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(end.length - 4, message.length * 8);
  const state = Uint32Array.from(START);
  const schedule = new Uint32Array(64);
  for (const bytes of [message.subarray(0, whole), end]) {
    for (let block = 0; block < bytes.length; block += 64) {
      for (let i = 0; i < 16; i++) {
        const at = block + 4 * i;
        schedule[i] =
          (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
      }
      compress(state, schedule);
    }
  }
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => {
    digest.setUint32(4 * i, word);
  });
  return new Uint8Array(digest.buffer);
}

function compress(state: Uint32Array, w: Uint32Array): void {
  for (let i = 16; i < 64; i++) {
    const small = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ (w[i - 15] >>> 3);
    const large = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ (w[i - 2] >>> 10);
    w[i] = w[i - 16] + small + w[i - 7] + large;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    state[i] += word;
  });
}

function rotate(x: number, by: number): number {
  return (x >>> by) | (x << (32 - by));
}
