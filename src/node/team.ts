/** Opens a team of Node's worker threads for the kernels. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { createTeam, type Team } from "../kernels/team.ts";

/** Below this many labels starting threads costs more than they save (see bench/). */
export const LABELS_FOR_THREADS = 2_000_000;

/**
 * A team of `threads` (default: one per core), led by the calling thread; undefined for one thread, or
 * where shared memory cannot be had. Close it when done.
 */
export function openTeam(threads: number = availableParallelism()): Team | undefined {
  if (threads < 2) return undefined;
  const team = createTeam(threads);
  if (!team) return undefined;
  // Built, the member is a .js file beside this one; from source a .ts file, which Node 20 cannot run.
  const member = new URL(
    `./team-member${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`,
    import.meta.url,
  );
  for (let i = 1; i < threads; i++) {
    const worker = new Worker(member, { workerData: team.invitation });
    // A member that dies takes no calls any more; the leader does them all.
    worker.on("error", () => {});
    worker.unref();
  }
  return team;
}
