/**
 * Runs any method without blocking: the mathematics stays synchronous, these loops do the waiting.
 *
 * With a team the kernels share their work between threads, and give the same bits as without. Where
 * `run` is called, the team is led: in Node anywhere, in a browser only from a worker.
 */
import type { CrowdData } from "./data/crowd-data.ts";
import { CrowdError } from "./error.ts";
import type { Engine } from "./kernels/engine.ts";
import type { Progress, Steps } from "./method.ts";

/** An `AbortSignal`, or what is needed of one where the compiler knows no such type. */
export type StopSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : { readonly aborted: boolean; readonly reason?: unknown };

/** How steps are walked. */
export interface WalkOptions {
  readonly signal?: StopSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Longest time that the thread is held before others get a turn, in milliseconds. */
  readonly sliceMs?: number | undefined;
}

/** How a method is run: what is known, cancellation, progress and threads. */
export interface RunOptions<Known> extends WalkOptions {
  /** What is known beyond the labels. */
  readonly known?: Known | undefined;
  /** What runs the kernels; a team shares them between threads. */
  readonly engine?: Engine | undefined;
}

/** A method as far as running it goes. */
export interface Runnable<Data extends CrowdData, Options, Known, Result> {
  readonly id: string;
  steps(data: Data, options?: Options, known?: Known, engine?: Engine): Steps<Result>;
}

/** Fits a method, with progress and cancellation. */
export function run<Data extends CrowdData, Options, Known, Result>(
  data: Data,
  method: Runnable<Data, Options, Known, Result>,
  options?: Options,
  { known, engine, ...walking }: RunOptions<Known> = {},
): Promise<Result> {
  return walk(method.steps(data, options, known, engine), method.id, walking);
}

/** Walks steps to their end, giving way to others now and then; `name` is for the message of a stop. */
export async function walk<Result>(
  steps: Steps<Result>,
  name: string,
  { signal, onProgress, sliceMs = 30 }: WalkOptions = {},
): Promise<Result> {
  let sliceEnd = performance.now() + sliceMs;
  for (;;) {
    if (signal?.aborted) {
      steps.return(undefined as Result);
      throw new CrowdError("cancelled", `${name} was cancelled.`, { cause: signal.reason });
    }
    const step = steps.next();
    if (step.done) return step.value;
    onProgress?.(step.value);
    if (performance.now() >= sliceEnd) {
      await new Promise((resume) => setTimeout(resume));
      sliceEnd = performance.now() + sliceMs;
    }
  }
}
