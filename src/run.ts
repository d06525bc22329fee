/**
 * Runs any method without blocking: the mathematics stays synchronous, this loop does the waiting.
 *
 * With a team the kernels share their work between threads, and give the same bits as without. Where
 * `run` is called, the team is led: in Node anywhere, in a browser only from a worker.
 */
import type { CrowdDataset } from "./data/dataset.ts";
import { CrowdError } from "./error.ts";
import type { Engine } from "./kernels/engine.ts";
import type { Progress, Steps } from "./method.ts";

export interface RunOptions<Known> {
  /** What is known beyond the labels. */
  readonly known?: Known | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Longest the thread is held before others get a turn, in milliseconds. */
  readonly sliceMs?: number | undefined;
  /** What runs the kernels; a team shares them between threads. */
  readonly engine?: Engine | undefined;
}

/** A method as far as running it goes. */
export interface Runnable<Options, Known, Result> {
  readonly id: string;
  steps(data: CrowdDataset, options?: Options, known?: Known, engine?: Engine): Steps<Result>;
}

export async function run<Options, Known, Result>(
  method: Runnable<Options, Known, Result>,
  data: CrowdDataset,
  options?: Options,
  { known, signal, onProgress, sliceMs = 30, engine }: RunOptions<Known> = {},
): Promise<Result> {
  const steps = method.steps(data, options, known, engine);
  let sliceEnd = performance.now() + sliceMs;
  for (;;) {
    if (signal?.aborted) {
      steps.return(undefined as Result);
      throw new CrowdError("cancelled", `${method.id} was cancelled.`, { cause: signal.reason });
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
