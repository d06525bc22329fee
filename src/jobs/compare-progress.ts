/** How far a comparison is as a whole, from what its parts tell. */
import type { Hooks, JobProgress } from "./hooks.ts";

/** A part of a comparison, as far as its time goes: parts of a group take about as long as each other. */
export interface Part {
  readonly group: string;
  /** Number of runs. */
  readonly runs: number;
  /** Share of the whole that one run counts for, against runs of other groups. */
  readonly weight: number;
}

interface Pace {
  runs: number;
  seconds: number;
}

/** Returns the hooks of each part, to be used one after another; they tell the progress of all parts together. */
export function overallProgress(parts: readonly Part[], hooks: Hooks): (part: number) => Hooks {
  const total = parts.reduce((sum, { runs, weight }) => sum + runs * weight, 0);
  const paces = new Map<string, Pace>();
  let [current, begun] = [-1, performance.now()];
  return (p) => {
    if (current >= 0) finish(paces, parts[current], begun);
    [current, begun] = [p, performance.now()];
    const before = parts.slice(0, p).reduce((sum, { runs, weight }) => sum + runs * weight, 0);
    const { runs, weight } = parts[p];
    const tell = ({ words, fraction = 0 }: JobProgress) => {
      const remaining = secondsLeft(parts, p, fraction, paces, begun);
      hooks.progress?.({
        words,
        fraction: (before + fraction * runs * weight) / total,
        ...(remaining !== undefined && { remaining }),
      });
    };
    return { ...hooks, progress: tell };
  };
}

function finish(paces: Map<string, Pace>, { group, runs }: Part, begun: number): void {
  const pace = paces.get(group) ?? { runs: 0, seconds: 0 };
  paces.set(group, {
    runs: pace.runs + runs,
    seconds: pace.seconds + (performance.now() - begun) / 1000,
  });
}

/** Estimates the time left from the pace of each group; undefined while a group has not begun. */
function secondsLeft(
  parts: readonly Part[],
  p: number,
  fraction: number,
  paces: ReadonlyMap<string, Pace>,
  begun: number,
): number | undefined {
  const now = (performance.now() - begun) / 1000;
  const done = fraction * parts[p].runs;
  let left = 0;
  for (const group of new Set(parts.slice(p).map((part) => part.group))) {
    const pace = paces.get(group) ?? { runs: 0, seconds: 0 };
    const own = parts[p].group === group;
    const runs = pace.runs + (own ? done : 0);
    const waiting = parts
      .slice(p)
      .reduce((sum, part) => sum + (part.group === group ? part.runs : 0), own ? -done : 0);
    if (runs === 0) return undefined;
    left += ((pace.seconds + (own ? now : 0)) / runs) * waiting;
  }
  return left;
}
