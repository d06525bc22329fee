// The kernels, compiled to WASM with SIMD. Each is documented by, and tested against, its twin in ../twin.ts.
// All addresses are bytes in the imported memory; nothing is allocated here.

/** Where the memory that callers may use begins. */
export function heapBase(): usize {
  return __heap_base;
}

export { count, countCoin, expect, expectCoin, votes } from "./expectation";
export { adam, descend, drop } from "./optimisers";
