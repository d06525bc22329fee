/** The compiled kernels. Each module is compiled once, when first wanted, and synchronously. */
import { plainBytes, sharedBytes } from "./wasm-bytes.ts";

/** For one thread; undefined where WASM with SIMD is missing or refused (a strict CSP). */
export const plainModule = once(() => compile(plainBytes));

/** For memory shared between threads. */
export const sharedModule = once(() => compile(sharedBytes));

function compile(base64: string): WebAssembly.Module | undefined {
  try {
    return new WebAssembly.Module(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
