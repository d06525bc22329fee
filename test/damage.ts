/** Bytes that were changed or cut off on their way, for readers that must not trust them. */
import fc from "fast-check";
import { CrowdError } from "../src/error.ts";

/** Reads the bytes with a few of them changed, whole and cut off; gives what the errors said, which may be ours only. */
export async function readDamaged(
  valid: Uint8Array,
  read: (bytes: Uint8Array) => Promise<unknown>,
  { changes = 4, numRuns = 100 } = {},
): Promise<Set<string>> {
  const said = new Set<string>();
  const change = fc.tuple(fc.nat(valid.length - 1), fc.nat(255));
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: changes }),
      fc.nat(valid.length),
      async (several, end) => {
        const bytes = valid.slice();
        for (const [at, byte] of several) bytes[at] = byte;
        for (const some of [bytes, bytes.subarray(0, end)]) {
          try {
            await read(some);
          } catch (error) {
            if (!(error instanceof CrowdError)) throw error;
            said.add(error.message);
          }
        }
      },
    ),
    { numRuns, seed: 1 },
  );
  return said;
}
