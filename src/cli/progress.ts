/** What a person sees of long work: one line that changes. */
import type { Progress } from "../method.ts";
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

/** Shows where a method is, at most ten times a second. */
export function showSteps(world: World, name: string): (progress: Progress) => void {
  let last = 0;
  return ({ iteration, objective, stage }) => {
    const now = performance.now();
    if (now - last < 100) return;
    last = now;
    const value = objective === 0 ? "" : `, ${objective.toPrecision(8)}`;
    world.show(`${name}: ${stage ?? "fitting"}, step ${iteration}${value}`);
  };
}

export function bar(share: number, width = 20): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width);
  return `${"█".repeat(full)}${"░".repeat(width - full)} ${String(Math.round(100 * Math.min(1, share))).padStart(3)} %`;
}
