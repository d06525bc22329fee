/** The thread that trains; see learn-thread.ts. It ends by itself when its work is done. */
import { parentPort, workerData } from "node:worker_threads";
import { fromPlain, toPlain } from "../data/plain.ts";
import { CrowdError } from "../error.ts";
import { runLearnJob } from "./learn-job.ts";
import type { LearnMessage, ThreadData } from "./learn-thread.ts";

const { job, stop } = workerData as ThreadData;
const post = (message: LearnMessage) => parentPort?.postMessage(message);

let shown = 0;
try {
  const trained = await runLearnJob(
    { ...job, data: fromPlain(job.data) },
    {
      signal: {
        get aborted() {
          return Atomics.load(stop, 0) === 1;
        },
      },
      say: (text) => post({ kind: "say", text }),
      progress: (progress) => {
        const now = performance.now();
        // What tells the end of an epoch is never left out.
        if (!progress.epoch && now - shown < 100) return;
        shown = now;
        post({ kind: "progress", progress });
      },
      checkpoint: (bytes) => post({ kind: "checkpoint", bytes }),
    },
  );
  post({ kind: "done", trained: { ...trained, learning: toPlain(trained.learning) } });
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof CrowdError)
    post({ kind: "failed", code: error.code, message: error.template });
  else
    post({ kind: "failed", message: error instanceof Error ? (error.stack ?? message) : message });
}
