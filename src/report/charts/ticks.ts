/** Round numbers along an axis, with as many digits as tell them apart. */
import { decimal, percent } from "../text.ts";

/** An axis: where it begins and ends, its ticks, and how they are written. */
export interface Axis {
  readonly domain: [number, number];
  readonly ticks: number[];
  readonly tickFormat: (x: number) => string;
}

/** Makes an axis of about `count` steps of 1, 2 or 5 times a power of ten that holds all values. */
export function linearAxis(
  least: number,
  most: number,
  { count = 5, share = false }: { readonly count?: number; readonly share?: boolean } = {},
): Axis {
  const [low, high] = widened(least, most);
  const step = roundStep((high - low) / count);
  const [from, to] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)];
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  // Multiples of the step, rounded to its digits so that 3 times 0.1 is 0.3.
  const at = (n: number) => Number((n * step).toFixed(Math.min(20, digits)));
  return {
    domain: [at(from), at(to)],
    ticks: Array.from({ length: to - from + 1 }, (_, n) => at(from + n)),
    tickFormat: (x) =>
      share ? percent(x, Math.max(0, digits - 2)) : decimal(x, Math.min(20, digits)),
  };
}

/** Gives a range that holds one number, or none, some width. */
function widened(least: number, most: number): [number, number] {
  if (!Number.isFinite(least) || !Number.isFinite(most)) return [0, 1];
  const room = 1e-9 * Math.max(Math.abs(least), Math.abs(most));
  if (most - least > room) return [least, most];
  const half = Math.abs(least) > 0 ? 0.05 * Math.abs(least) : 0.5;
  return [least - half, least + half];
}

/** Returns the smallest of 1, 2 and 5 times a power of ten that is not below `step`. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const factor = [1, 2, 5].find((each) => each * power >= step * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** Returns ticks of a log axis: powers of ten, and what lies between if there are few. */
export function logTicks(least: number, most: number): number[] {
  const within = (steps: readonly number[]) => {
    const ticks: number[] = [];
    const first = Math.floor(Math.log10(least));
    for (let power = first; 10 ** power <= most; power++) {
      for (const step of steps) {
        const tick = Number((step * 10 ** power).toPrecision(1));
        if (tick >= least && tick <= most) ticks.push(tick);
      }
    }
    return ticks;
  };
  const ratio = most / least;
  if (ratio >= 1000) return within([1]);
  const found = within(ratio >= 5 ? [1, 2, 5] : [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  if (found.length > 1) return found;
  return linearAxis(least, most, { count: 3 }).ticks.filter((x) => x >= least && x <= most);
}
