/** What a job tells whoever asked for it, while it runs. */
import type { Progress } from "../method.ts";
import type { StopSignal, WalkOptions } from "../run.ts";

/** What a job tells whoever asked for it, and how to stop it. */
export interface Hooks {
  /** Told how far the work is. */
  readonly progress?: ((progress: JobProgress) => void) | undefined;
  /** Told what a person would want to hear. */
  readonly note?: ((text: string) => void) | undefined;
  /** Stops the work: the job then throws a `CrowdError` with the code `cancelled`. */
  readonly signal?: StopSignal | undefined;
}

/** How far a job is. */
export interface JobProgress {
  /** What is being done: `dawid-skene: fitting, step 12`. */
  readonly words: string;
  /** Share of the work that is done, where it can be told. */
  readonly fraction?: number;
  /** Seconds that the rest will take, where they can be told. */
  readonly remaining?: number;
  /** The epoch of a training that has just ended; absent between the ends of epochs. */
  readonly epoch?: EpochProgress;
}

/** An epoch of a training: a row of `learn --log`. */
export interface EpochProgress {
  /** Which run of epochs it belongs to, from 1: some methods train several times. */
  readonly run: number;
  /** What that run is for, where it is not the training itself: `start 2 of 5`. */
  readonly stage?: string;
  /** Its number within the run, from 1. */
  readonly epoch: number;
  /** Number of epochs of the run. */
  readonly epochs?: number;
  readonly loss: number;
  /** The score on validation data, where there are some. */
  readonly validation?: number;
  /** Learning rate of the network at its end. */
  readonly rate?: number;
  /** Seconds since the epoch before it ended, or since the training began. */
  readonly seconds: number;
}

/** Turns the progress of steps into words, at most ten times per second. */
export function walking(
  { progress, signal }: Hooks,
  name: string,
  watch?: (progress: Progress) => void,
): WalkOptions {
  let last = 0;
  return {
    signal,
    onProgress(step) {
      watch?.(step);
      const now = performance.now();
      if (!progress || now - last < 100) return;
      last = now;
      const { iteration, objective, stage } = step;
      const value = objective === 0 ? "" : `, ${objective.toPrecision(8)}`;
      progress({ words: `${name}: ${stage ?? "fitting"}, step ${iteration}${value}` });
    },
  };
}

/** Estimates the time left from the share of parts that are done. */
export function createClock(parts: number) {
  const start = performance.now();
  return (done: number): Pick<JobProgress, "fraction" | "remaining"> => {
    if (done === 0) return { fraction: 0 };
    const seconds = (performance.now() - start) / 1000;
    return { fraction: done / parts, remaining: (seconds * (parts - done)) / done };
  };
}
