/**
 * Threads that share the kernels' work: one leads, the others wait to be given calls.
 *
 * All see one WASM memory and one control block. The leader writes the calls, opens a round and
 * takes calls itself; it depends on nobody having started, and results do not depend on who took
 * what. The leader waits for the others, so it must not be a browser's main thread.
 */
import { CrowdError } from "../error.ts";
import {
  type Arena,
  type Argument,
  address,
  type Engine,
  type Operation,
  operations,
  twinEngine,
} from "./engine.ts";
import { sharedModule } from "./wasm.ts";

/** A `WebAssembly.Memory` that threads share. */
interface SharedMemory {
  readonly buffer: ArrayBuffer;
  /** Adds pages of 64 KiB and returns how many there were. */
  grow(pages: number): number;
}

/** What a member needs to join: plain data that can be posted to another thread. */
export interface Invitation {
  readonly memory: SharedMemory;
  readonly control: Int32Array;
}

/** An engine whose work several threads share. */
export interface Team extends Engine {
  readonly invitation: Invitation;
  /** Releases the worker threads. */
  close(): void;
}

// The control block. A ticket packs (round, calls, next call) into one word, so that taking a call
// is one atomic step and a late member can never take a call of an older round.
const TICKET = 0;
const DONE = 1;
const CLOSED = 2;
const CALLS = 16;
const CALL_SIZE = 32;
const MOST_CALLS = 64;

/** A team of `threads`, this one leading; undefined where shared WASM memory cannot be had. */
export function createTeam(threads: number): Team | undefined {
  const module = sharedModule();
  if (!module || typeof SharedArrayBuffer === "undefined") return undefined;
  const memory = new WebAssembly.Memory({ initial: 2, maximum: 65536, shared: true });
  const control = new Int32Array(new SharedArrayBuffer(4 * (CALLS + CALL_SIZE * MOST_CALLS)));
  const kernels = instantiate(module, memory);
  const base = Math.ceil(kernels["heapBase"]() / 16) * 16;
  let next = base;
  let round = 0;

  const place = (bytes: number) => {
    const at = next;
    next = Math.ceil((at + bytes) / 16) * 16;
    const missing = next - memory.buffer.byteLength;
    if (missing > 0) grow(memory, Math.ceil(missing / 65536));
    return at;
  };
  // Memory given back by an earlier arena is not empty.
  const arena: Arena = {
    ints: (length) => {
      const at = place(4 * length);
      return new Int32Array(memory.buffer, at, length).fill(0);
    },
    doubles: (length) => {
      const at = place(8 * length);
      return new Float64Array(memory.buffer, at, length).fill(0);
    },
    floats: (length) => {
      const at = place(4 * length);
      return new Float32Array(memory.buffer, at, length).fill(0);
    },
    run(operation, calls) {
      if (calls.length === 1 || calls.length > MOST_CALLS) {
        for (const args of calls) kernels[operation](...args.map(address));
        return;
      }
      calls.forEach((args, i) => {
        writeCall(control, i, operation, args);
      });
      Atomics.store(control, DONE, 0);
      round = (round + 1) & 0x7fff;
      Atomics.store(control, TICKET, (round << 16) | (calls.length << 8));
      Atomics.notify(control, TICKET);
      takeCalls(control, kernels);
      for (;;) {
        const done = Atomics.load(control, DONE);
        if (done >= calls.length) return;
        Atomics.wait(control, DONE, done);
      }
    },
  };
  return {
    name: "wasm",
    threads,
    arena: (bytes) => (next + bytes < 4e9 ? arena : twinEngine.arena(bytes)),
    mark: () => next,
    release(mark) {
      next = mark;
    },
    invitation: { memory, control },
    close() {
      Atomics.store(control, CLOSED, 1);
      Atomics.add(control, TICKET, 0);
      Atomics.notify(control, TICKET);
    },
  };
}

/** Works for the leader of this invitation until the team is closed. Blocks its thread. */
export function joinTeam({ memory, control }: Invitation): void {
  const module = sharedModule();
  if (!module) return;
  const kernels = instantiate(module, memory);
  while (!Atomics.load(control, CLOSED)) {
    takeCalls(control, kernels);
    const ticket = Atomics.load(control, TICKET);
    // A second at most, so that a member of a leader who died goes home too.
    if (!open(ticket)) Atomics.wait(control, TICKET, ticket, 1000);
  }
}

type Kernels = Record<string, (...args: number[]) => number>;

function instantiate(module: WebAssembly.Module, memory: SharedMemory): Kernels {
  return new WebAssembly.Instance(module, { env: { memory: memory as WebAssembly.Memory } })
    .exports as Kernels;
}

/** Takes calls of the current round, one by one, until none is left. */
function takeCalls(control: Int32Array, kernels: Kernels): void {
  for (;;) {
    const ticket = Atomics.load(control, TICKET);
    if (!open(ticket)) return;
    if (Atomics.compareExchange(control, TICKET, ticket, ticket + 1) !== ticket) continue;
    const at = CALLS + (ticket & 0xff) * CALL_SIZE;
    const args = Array.from(control.subarray(at + 2, at + 2 + control[at + 1]), (x) => x >>> 0);
    kernels[operations[control[at]]](...args);
    Atomics.add(control, DONE, 1);
    Atomics.notify(control, DONE);
  }
}

function open(ticket: number): boolean {
  return (ticket & 0xff) < ((ticket >> 8) & 0xff);
}

function writeCall(
  control: Int32Array,
  i: number,
  operation: Operation,
  args: readonly Argument[],
): void {
  const at = CALLS + i * CALL_SIZE;
  control[at] = operations.indexOf(operation);
  control[at + 1] = args.length;
  control.set(args.map(address), at + 2);
}

function grow(memory: SharedMemory, pages: number): void {
  try {
    memory.grow(pages);
  } catch (cause) {
    const wanted = ((memory.buffer.byteLength + 65536 * pages) / 2 ** 30).toFixed(1);
    throw new CrowdError(
      "too-large",
      `The threads' shared memory cannot grow to ${wanted} GiB. Use one thread: threads 1.`,
      { cause },
    );
  }
}
