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
  const outcome = await runLearnJob(
    { ...job, data: fromPlain(job.data) },
    {
      aborted: () => Atomics.load(stop, 0) === 1,
      say: (text) => post({ kind: "say", text }),
      progress: (progress, share) => {
        const now = performance.now();
        if (share > 0 && now - shown < 100) return;
        shown = now;
        post({ kind: "progress", progress, share });
      },
      checkpoint: (bytes) => post({ kind: "checkpoint", bytes }),
    },
  );
  post({ kind: "done", outcome: { ...outcome, learning: toPlain(outcome.learning) } });
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof CrowdError)
    post({ kind: "failed", code: error.code, message: error.template });
  else
    post({ kind: "failed", message: error instanceof Error ? (error.stack ?? message) : message });
}
