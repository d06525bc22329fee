import { describe, expect, it } from "vitest";
import { rowsThatFit, shortageOf, showBytes } from "./out-of-memory.ts";

// As ONNX Runtime, CUDA's libraries and WebGPU say it, with what comes before.
const NODE = "Non-zero status code returned while running Mul node. Name:'Mul_8' Status Message: ";
const ARENA =
  "bfc_arena.cc:376 void* onnxruntime::BFCArena::AllocateRawInternal(size_t, bool, onnxruntime::Stream*) ";

describe("a lack of memory", () => {
  it.each([
    [
      `${NODE}${ARENA}Failed to allocate memory for requested buffer of size 2830172160`,
      { requested: 2830172160 },
    ],
    [
      `${NODE}${ARENA}Available memory of 34699008 is smaller than requested bytes of 945041920`,
      { requested: 945041920, available: 34699008 },
    ],
    [
      "Buffer size (3185049600) exceeds the max buffer size limit (1073741824).",
      { requested: 3185049600, available: 1073741824 },
    ],
    ["CUDA failure 2: out of memory ; GPU=0 ; expr=cudaMalloc((void**)&p, size);", {}],
    ["CUBLAS failure 3: CUBLAS_STATUS_ALLOC_FAILED ; GPU=0", {}],
    ["CUDNN failure 4: CUDNN_STATUS_ALLOC_FAILED", {}],
    ["WebGPU device error(2): Out of memory", {}],
    ["std::bad_alloc", {}],
  ])("is recognised in %j", (message, shortage) => {
    expect(shortageOf(new Error(message))).toEqual(shortage);
    expect(shortageOf(new Error("The step failed.", { cause: new Error(message) }))).toEqual(
      shortage,
    );
  });

  it.each([
    "CUDA failure 700: an illegal memory access was encountered",
    "CUDA failure 222: the provided PTX was compiled with an unsupported toolchain.",
    'The input "x" of shape [batch, 3] was fed 4 numbers.',
  ])("is not seen in %j", (message) => {
    expect(shortageOf(new Error(message))).toBeUndefined();
  });
});

describe("rows that fit", () => {
  it.each([
    [128, {}, 64],
    [128, { requested: 1000 }, 64],
    // Half of it would still take 500 of 300 bytes, a quarter 250.
    [128, { requested: 1000, available: 300 }, 32],
    [128, { requested: 1000, available: 250 }, 32],
    [100, { requested: 1000, available: 999 }, 50],
    [7, { requested: 1e9, available: 0 }, 1],
    [2, {}, 1],
    [1, {}, 1],
  ])("of %d with %j are %d", (rows, shortage, fitting) => {
    expect(rowsThatFit(rows, shortage)).toBe(fitting);
  });
});

it("bytes are shown for people", () => {
  expect([0, 999, 1000, 34699008, 2830172160, 4e12, 4.5e18].map(showBytes)).toEqual([
    "0 bytes",
    "999 bytes",
    "1 kB",
    "34.7 MB",
    "2.83 GB",
    "4 TB",
    "4500000 TB",
  ]);
});
