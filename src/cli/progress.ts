/** What a person sees of long work: one line that changes. */
import type { Hooks, JobProgress } from "../jobs/hooks.ts";
import type { World } from "./command.ts";

/** Shows how much of a file has been read. */
export function showReading(world: World): (read: number, total: number | undefined) => void {
  let last = 0;
  return (read, total) => {
    if (read - last < 2 ** 20) return;
    last = read;
    const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0);
    world.show(
      total
        ? `reading ${bar(read / total)} ${megabytes(read)} of ${megabytes(total)} MB`
        : `reading ${megabytes(read)} MB`,
    );
  };
}

/** What a job tells, as one line that changes. */
export function hooksOf(world: World): Hooks {
  return {
    signal: world.signal,
    progress: (progress) => showProgress(world, progress),
  };
}

/** Shows how far a job is. */
export function showProgress(world: World, { words, fraction, remaining }: JobProgress): void {
  const share = fraction === undefined ? "" : `${bar(fraction)} `;
  const left = remaining === undefined ? "" : `, about ${duration(remaining)} left`;
  world.show(`${share}${words}${left}`);
}

/** 75 seconds as 1 min 15 s. */
function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.ceil(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function bar(share: number, width = 20): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width);
  return `${"█".repeat(full)}${"░".repeat(width - full)} ${String(Math.round(100 * Math.min(1, share))).padStart(3)} %`;
}
