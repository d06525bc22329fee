/** Recognises that ONNX Runtime had no memory left, and says how many rows would fit. */

/** What is known of an allocation that failed. */
export interface Shortage {
  /** Bytes that were asked for. */
  readonly requested?: number;
  /** Bytes that there were. */
  readonly available?: number;
}

/** How ONNX Runtime, CUDA and WebGPU say it: they throw plain errors, so that the text is all there is. */
const messages = [
  /Available memory of (?<available>\d+) is smaller than requested bytes of (?<requested>\d+)/,
  /Failed to allocate memory for requested buffer of size (?<requested>\d+)/,
  /Buffer size \((?<requested>\d+)\) exceeds the max buffer size limit \((?<available>\d+)\)/,
  /CUDA failure 2\b|out of memory/i,
  /CUDNN_STATUS_ALLOC_FAILED|CUBLAS_STATUS_ALLOC_FAILED/,
  /std::bad_alloc|bad allocation/,
];

/** What is known of a lack of memory; undefined if the error, or what caused it, is something else. */
export function shortageOf(error: unknown): Shortage | undefined {
  if (!(error instanceof Error)) return undefined;
  for (const message of messages) {
    const found = message.exec(error.message);
    if (found) {
      const { requested, available } = found.groups ?? {};
      return {
        ...(requested !== undefined && { requested: Number(requested) }),
        ...(available !== undefined && { available: Number(available) }),
      };
    }
  }
  return shortageOf(error.cause);
}

/** Halves a number of rows until what was asked for fits; at least once, since all of them did not. */
export function rowsThatFit(rows: number, { requested, available }: Shortage): number {
  const share = requested && available !== undefined ? available / requested : 1;
  let fitting = Math.floor(rows / 2);
  while (fitting > 1 && fitting > rows * share) fitting = Math.floor(fitting / 2);
  return Math.max(1, fitting);
}

const units = ["bytes", "kB", "MB", "GB", "TB"];

/** A number of bytes, for people: `2.83 GB`. */
export function showBytes(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${units[power]}`;
}
