/** How much a packed file may unpack to: a few kilobytes of gzip can hold gigabytes. */
import { CrowdError } from "../error.ts";

/** Limits on what a packed file may unpack to. */
export interface UnpackLimits {
  /** Maximum size of a packed file after unpacking, in bytes. Default 64 GiB. */
  readonly maxUnpackedBytes?: number | undefined;
  /** Maximum growth of a packed file that unpacks to more than 1 GiB, as a factor. Default 200. */
  readonly maxUnpackRatio?: number | undefined;
}

const GIB = 2 ** 30;

/** Throws if a file unpacks to more than it may; `packed` is how many of its bytes were read for that. */
export function checkUnpacked(
  name: string,
  unpacked: number,
  packed: number,
  { maxUnpackedBytes = 64 * GIB, maxUnpackRatio = 200 }: UnpackLimits,
): void {
  if (unpacked > maxUnpackedBytes) {
    throw new CrowdError(
      "too-large",
      `${name}: the file unpacks to more than ${maxUnpackedBytes / GIB} GiB. If that is right, raise ` +
        `maxUnpackedBytes.`,
    );
  }
  if (unpacked > GIB && unpacked > maxUnpackRatio * packed) {
    throw new CrowdError(
      "too-large",
      `${name}: the file unpacks to more than ${maxUnpackRatio} times its size, as no file of labels ` +
        `should. If that is right, raise maxUnpackRatio.`,
    );
  }
}
