/**
 * What runs the kernels: WASM where it can be had, else the TypeScript twins.
 *
 * An engine hands out arenas: a piece of memory of known size for typed arrays, and `run`, which
 * calls one kernel over a list of argument lists. The kernels of `assembly/` take addresses and
 * the twins take arrays; an arena hides which.
 */

import { append } from "../math/lists.ts";
import { adam, count, countCoin, descend, drop, expect, expectCoin, votes } from "./twin.ts";
import { plainModule } from "./wasm.ts";

export type Operation =
  | "expect"
  | "count"
  | "expectCoin"
  | "countCoin"
  | "votes"
  | "adam"
  | "descend"
  | "drop";

/** The order is the number by which threads name them. */
export const operations: readonly Operation[] = [
  "expect",
  "count",
  "expectCoin",
  "countCoin",
  "votes",
  "adam",
  "descend",
  "drop",
];

export type Argument = number | Int32Array | Float32Array | Float64Array | null;

export interface Arena {
  ints(length: number): Int32Array;
  doubles(length: number): Float64Array;
  floats(length: number): Float32Array;
  /** Runs the kernel once for each list; the lists may run at the same time, on any thread. */
  run(operation: Operation, calls: readonly (readonly Argument[])[]): void;
}

/** What runs the inner loops over labels: WASM or plain TypeScript. */
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
export function arenaBytes(
  ints: readonly number[],
  doubles: readonly number[],
  floats: readonly number[] = [],
): number {
  const aligned = (bytes: number) => Math.ceil(bytes / 16) * 16;
  return (
    ints.reduce((sum, n) => sum + aligned(4 * n), 0) +
    doubles.reduce((sum, n) => sum + aligned(8 * n), 0) +
    floats.reduce((sum, n) => sum + aligned(4 * n), 0)
  );
}

const twins: Record<Operation, unknown> = {
  expect,
  count,
  expectCoin,
  countCoin,
  votes,
  adam,
  descend,
  drop,
};

/** The engine in plain TypeScript, which needs no WASM. */
export const twinEngine: Engine = {
  name: "typescript",
  threads: 1,
  arena: () => ({
    ints: (length) => new Int32Array(length),
    doubles: (length) => new Float64Array(length),
    floats: (length) => new Float32Array(length),
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

/**
 * The single-threaded engine of direct calls. An arena has a memory of its own, which never grows, so
 * its arrays never detach; released memories serve again, so that many fits in a row need little.
 */
export function createEngine(): Engine {
  const module = plainModule();
  if (!module) return twinEngine;
  const live: Place[] = [];
  const spare: Place[] = [];
  const create = (bytes: number): Place => {
    const memory = new WebAssembly.Memory({ initial: Math.ceil((bytes + 65536) / 65536) + 1 });
    const instance = new WebAssembly.Instance(module, { env: { memory } });
    return { memory, kernels: instance.exports as Place["kernels"], bytes };
  };
  return {
    name: "wasm",
    threads: 1,
    arena(bytes) {
      if (bytes > LARGEST_ARENA) return twinEngine.arena(bytes);
      // Not one far too large, which a later and larger arena may want.
      const at = spare.findIndex((place) => place.bytes >= bytes && place.bytes <= 4 * bytes + 1e6);
      const [place = create(bytes)] = at < 0 ? [] : spare.splice(at, 1);
      live.push(place);
      return wasmArena(place);
    },
    mark: () => live.length,
    release(mark) {
      append(spare, live.splice(mark));
      while (spare.length > 4) spare.shift();
    },
  };
}

/** A memory and the kernels that work in it. */
interface Place {
  readonly memory: WebAssembly.Memory;
  readonly kernels: Record<string, (...args: number[]) => number>;
  readonly bytes: number;
}

function wasmArena({ memory, kernels }: Place): Arena {
  let next = kernels["heapBase"]();
  const place = (bytes: number) => {
    const at = Math.ceil(next / 16) * 16;
    next = at + bytes;
    return at;
  };
  // What was in it before is of no concern to the next arena.
  return {
    ints: (length) => new Int32Array(memory.buffer, place(4 * length), length).fill(0),
    doubles: (length) => new Float64Array(memory.buffer, place(8 * length), length).fill(0),
    floats: (length) => new Float32Array(memory.buffer, place(4 * length), length).fill(0),
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
