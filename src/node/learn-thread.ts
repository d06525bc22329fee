/**
 * Trains in a thread of its own, so that the main one stays free for signals and progress. Stopping is
 * asked for by a shared flag that is read between steps: a thread must never be ended, nor the process,
 * while a native step is under way.
 */
import { Worker } from "node:worker_threads";
import type { CrowdData } from "../data/crowd-data.ts";
import { fromPlain, type Plain, toPlain } from "../data/plain.ts";
import { type Code, CrowdError } from "../error.ts";
import type { JobProgress } from "../jobs/hooks.ts";
import type { Trained } from "../jobs/train.ts";
import type { Learnt } from "../learn/create-learner.ts";
import { type LearnHooks, type LearnJob, runLearnJob } from "./learn-job.ts";

/** What the thread says. */
export type LearnMessage =
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "progress"; readonly progress: JobProgress }
  | { readonly kind: "checkpoint"; readonly bytes: Uint8Array }
  | { readonly kind: "done"; readonly trained: SentTrained }
  | { readonly kind: "failed"; readonly code?: Code; readonly message: string };

/** What a training made, with plain names: what threads can send each other. */
interface SentTrained extends Omit<Trained<Learnt>, "learning"> {
  readonly learning: Plain<Trained<Learnt>["learning"]>;
}

export interface ThreadData {
  readonly job: Omit<LearnJob, "data"> & { readonly data: Plain<CrowdData> };
  readonly stop: Int32Array;
}

export interface LearnThreadOptions extends LearnHooks {
  readonly signal: AbortSignal;
}

/** Trains labels, or answers of another kind. */
export async function learnInThread(job: LearnJob, options: LearnThreadOptions): Promise<Trained>;
export async function learnInThread(
  job: LearnJob<CrowdData>,
  options: LearnThreadOptions,
): Promise<Trained<Learnt>>;
export async function learnInThread(
  job: LearnJob<CrowdData>,
  { signal, say, progress, checkpoint }: LearnThreadOptions,
): Promise<Trained<Learnt>> {
  // From source the thread would be a .ts file, which Node 20 cannot run.
  if (import.meta.url.endsWith(".ts")) {
    return runLearnJob(job, { signal, say, progress, checkpoint });
  }
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const ask = () => Atomics.store(stop, 0, 1);
  if (signal.aborted) ask();
  signal.addEventListener("abort", ask);
  const data: ThreadData = { job: { ...job, data: toPlain(job.data) }, stop };
  const worker = new Worker(new URL("./learn-worker.js", import.meta.url), { workerData: data });
  try {
    return await new Promise<Trained<Learnt>>((resolve, reject) => {
      let result: Trained<Learnt> | CrowdError | Error | undefined;
      worker.on("message", (message: LearnMessage) => {
        if (message.kind === "say") say(message.text);
        else if (message.kind === "progress") progress(message.progress);
        else if (message.kind === "checkpoint") checkpoint(message.bytes);
        else if (message.kind === "done")
          result = { ...message.trained, learning: fromPlain(message.trained.learning) };
        else {
          const { code, message: text } = message;
          result = code ? new CrowdError(code, text) : new Error(text);
        }
      });
      worker.on("error", reject);
      worker.on("exit", () => {
        if (result instanceof Error) reject(result);
        else if (result) resolve(result);
        else reject(new Error("The learning thread exited without a result."));
      });
    });
  } finally {
    signal.removeEventListener("abort", ask);
  }
}
