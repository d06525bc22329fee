/**
 * Runs a command in a thread of its own, so that the main thread is always free for signals. A command
 * that does not stop by itself soon after a signal, whatever loop it is in, is ended with its thread.
 */
import { rmSync } from "node:fs";
import { getHeapStatistics } from "node:v8";
import { Worker } from "node:worker_threads";
import { type Code, CrowdError } from "../error.ts";
import { version } from "../version.ts";
import type { Surroundings } from "./world.ts";

/** What the thread is started with. */
export interface Start {
  readonly args: readonly string[];
  /** Holds 1 once the command has to stop; shared between the threads. */
  readonly stopped: Int32Array;
  readonly terminal: boolean;
  readonly width: number;
  /** True where somebody sees progress. */
  readonly watched: boolean;
}

/** What the main thread tells the thread. */
export type ToThread =
  | { readonly kind: "stop"; readonly reason: unknown }
  | {
      readonly kind: "printed";
      readonly id: number;
      readonly failure?: { readonly code: Code; readonly text: string; readonly cause: unknown };
    };

/** What the thread tells the main thread. */
export type FromThread =
  | { readonly kind: "print"; readonly id: number; readonly text: string }
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "show"; readonly text: string }
  | { readonly kind: "stdin" }
  | { readonly kind: "hold"; readonly on: boolean }
  | { readonly kind: "temporary"; readonly path: string }
  | { readonly kind: "end"; readonly code: number };

/** How long a command may take to stop by itself, in milliseconds. */
const GRACE = 600;
/** The same for work that must not be cut short, and for a thread that is in native code. */
const LONG_GRACE = 15_000;

/** Runs a command line; returns the exit code. */
export async function runGuarded(
  args: readonly string[],
  { world, temporaries }: Surroundings,
  process: NodeJS.Process,
): Promise<number> {
  const stopped = new Int32Array(new SharedArrayBuffer(4));
  const start: Start = {
    args,
    stopped,
    terminal: world.terminal,
    width: world.width,
    watched: process.stderr.isTTY === true,
  };
  const worker = new Worker(new URL("./thread.js", import.meta.url), {
    workerData: start,
    stdin: true,
    resourceLimits: {
      // A larger young generation saves no time and takes 20 MB more for a million labels.
      maxYoungGenerationSizeMb: 12,
      maxOldGenerationSizeMb: Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20),
    },
  });
  const post = (message: ToThread) => worker.postMessage(message);
  let held = 0;
  let code: number | undefined;
  let error: Error | undefined;
  const exited = new Promise<void>((resume) => worker.once("exit", () => resume()));
  worker.on("error", (cause) => {
    error = cause instanceof Error ? cause : new Error(String(cause));
  });
  const ended = new Promise<void>((resume) => {
    worker.on("message", (message: FromThread) => {
      if (message.kind === "say") world.say(message.text);
      else if (message.kind === "show") world.show(message.text);
      else if (message.kind === "print") {
        world.print(message.text).then(
          () => post({ kind: "printed", id: message.id }),
          (cause) => post({ kind: "printed", id: message.id, failure: plainError(cause) }),
        );
      } else if (message.kind === "stdin") process.stdin.pipe(worker.stdin ?? process.stdout);
      else if (message.kind === "hold") held += message.on ? 1 : -1;
      else if (message.kind === "temporary") world.temporary(message.path);
      else {
        code = message.code;
        resume();
      }
    });
  });
  const overdue = new Promise<void>((resume) => {
    const stop = () => {
      Atomics.store(stopped, 0, 1);
      post({ kind: "stop", reason: world.signal.reason });
      const asked = performance.now();
      const look = () => {
        const patience = held > 0 ? LONG_GRACE : GRACE;
        if (performance.now() - asked >= patience) resume();
        else setTimeout(look, 20);
      };
      setTimeout(look, GRACE);
    };
    if (world.signal.aborted) stop();
    else world.signal.addEventListener("abort", stop);
  });
  await Promise.race([ended, exited, overdue]);
  // The thread ends by itself when its work is done; one that does not is ended.
  if (code !== undefined) await Promise.race([exited, pause(GRACE)]);
  process.stdin.destroy();
  await Promise.race([worker.terminate(), pause(LONG_GRACE)]);
  if (code !== undefined) return code;
  for (const path of temporaries) rmSync(path, { recursive: true, force: true });
  return explain(error, world);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resume) => {
    setTimeout(resume, milliseconds).unref();
  });
}

/** An error as threads can send it. */
function plainError(cause: unknown): { code: Code; text: string; cause: unknown } {
  if (cause instanceof CrowdError) {
    const reason = typeof cause.cause === "string" ? cause.cause : undefined;
    return { code: cause.code, text: cause.template, cause: reason };
  }
  return { code: "write-failed", text: String(cause), cause: undefined };
}

/** Says why there is no result, and gives the exit code for it. */
function explain(error: Error | undefined, world: Surroundings["world"]): number {
  const { signal } = world;
  if (signal.reason === "EPIPE") return 0;
  if (signal.aborted) {
    world.say("Interrupted; nothing was written.");
    return 130;
  }
  if ((error as NodeJS.ErrnoException | undefined)?.code === "ERR_WORKER_OUT_OF_MEMORY") {
    const limit = (getHeapStatistics().heap_size_limit / 2 ** 30).toFixed(1);
    world.say(
      `The work does not fit into memory: the limit is ${limit} GiB. Use fewer tasks, workers or classes, ` +
        "or raise the limit, in MiB: NODE_OPTIONS=--max-old-space-size=16000",
    );
    return 1;
  }
  world.say(error?.stack ?? "The thread of the command exited without a result.");
  world.say(`This is a bug in consilience ${version}. Please report it with the lines above.`);
  return 1;
}
