/**
 * What runs the kernels: WASM where it can be had, else the TypeScript twins.
 *
 * An engine hands out arenas: a piece of memory of known size for typed arrays, and `run`, which
 * calls one kernel over a list of argument lists. The kernels of `assembly/` take addresses and
 * the twins take arrays; an arena hides which.
 */
import { count, countCoin, expect, expectCoin, votes } from "./twin.ts";
import { plainModule } from "./wasm.ts";

export type Operation = "expect" | "count" | "expectCoin" | "countCoin" | "votes";

/** The order is the number by which threads name them. */
export const operations: readonly Operation[] = [
  "expect",
  "count",
  "expectCoin",
  "countCoin",
  "votes",
];

export type Argument = number | Int32Array | Float64Array | null;

export interface Arena {
  ints(length: number): Int32Array;
  doubles(length: number): Float64Array;
  /** Runs the kernel once for each list; the lists may run at the same time, on any thread. */
  run(operation: Operation, calls: readonly (readonly Argument[])[]): void;
}

export interface Engine {
  readonly name: "wasm" | "typescript";
  /** How many threads share the work; the numbers do not depend on it. */
  readonly threads: number;
  arena(bytes: number): Arena;
  /** Gives back all arenas made since the mark; their arrays must not be used any more. */
  mark(): number;
  release(mark: number): void;
}

/** Bytes that arrays of these lengths take in an arena. */
export function arenaBytes(ints: readonly number[], doubles: readonly number[]): number {
  const aligned = (bytes: number) => Math.ceil(bytes / 16) * 16;
  return (
    ints.reduce((sum, n) => sum + aligned(4 * n), 0) +
    doubles.reduce((sum, n) => sum + aligned(8 * n), 0)
  );
}

const twins: Record<Operation, unknown> = { expect, count, expectCoin, countCoin, votes };

export const twinEngine: Engine = {
  name: "typescript",
  threads: 1,
  arena: () => ({
    ints: (length) => new Int32Array(length),
    doubles: (length) => new Float64Array(length),
    run(operation, calls) {
      const kernel = twins[operation] as (...args: readonly Argument[]) => void;
      for (const args of calls) kernel(...args);
    },
  }),
  mark: () => 0,
  release: () => {},
};

/** WebAssembly addresses at most 4 GiB; above that the twins take over. */
const LARGEST_ARENA = 4e9;

/** The single-threaded engine of direct calls. */
export function createEngine(): Engine {
  const module = plainModule();
  if (!module) return twinEngine;
  return {
    name: "wasm",
    threads: 1,
    // A memory of its own for each arena: it never grows, so its arrays never detach.
    arena(bytes) {
      if (bytes > LARGEST_ARENA) return twinEngine.arena(bytes);
      const pages = Math.ceil((bytes + 65536) / 65536) + 1;
      const memory = new WebAssembly.Memory({ initial: pages });
      return wasmArena(memory, new WebAssembly.Instance(module, { env: { memory } }));
    },
    mark: () => 0,
    release: () => {},
  };
}

function wasmArena(memory: WebAssembly.Memory, instance: WebAssembly.Instance): Arena {
  const kernels = instance.exports as Record<string, (...args: number[]) => number>;
  let next = kernels["heapBase"]();
  const place = (bytes: number) => {
    const at = Math.ceil(next / 16) * 16;
    next = at + bytes;
    return at;
  };
  return {
    ints: (length) => new Int32Array(memory.buffer, place(4 * length), length),
    doubles: (length) => new Float64Array(memory.buffer, place(8 * length), length),
    run(operation, calls) {
      for (const args of calls) kernels[operation](...args.map(address));
    },
  };
}

/** Arrays become their address; no array becomes 0, which the kernels read as absent. */
export function address(argument: Argument): number {
  if (argument === null) return 0;
  return typeof argument === "number" ? argument : argument.byteOffset;
}
