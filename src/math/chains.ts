/**
 * Whether several chains of draws tell the same story, and how much they tell.
 *
 * Each chain is cut into halves, so that one which still drifts disagrees with itself.
 *
 * Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021), Bayesian Analysis 16(2), 667–718, without their
 * ranks. https://doi.org/10.1214/20-BA1221
 */
import { CrowdError } from "../error.ts";
import { mean, variance } from "./statistics.ts";

/**
 * Split R-hat: how much wider all draws are spread than those of a half chain; near 1 where the chains
 * have mixed. It is 1 where no draw ever changes, and infinite where each chain stands still elsewhere.
 */
export function splitRHat(chains: readonly ArrayLike<number>[]): number {
  const { within, pooled } = spreads(halves(chains));
  if (within > 0) return Math.sqrt(pooled / within);
  return pooled > 0 ? Infinity : 1;
}

/**
 * How many independent draws would give a mean as good: n / (1 + 2 · sum of autocorrelations), summed
 * in pairs while these are above 0 and never rise (Geyer 1992). All draws where none ever changes.
 */
export function effectiveSize(chains: readonly ArrayLike<number>[]): number {
  const parts = halves(chains);
  const n = parts[0].length;
  const total = parts.length * n;
  const { within, pooled } = spreads(parts);
  if (!(pooled > 0)) return total;
  const centred = parts.map((part) => {
    const centre = mean(part);
    return Float64Array.from(part, (x) => x - centre);
  });
  const correlation = (lag: number): number => {
    let sum = 0;
    for (const part of centred) for (let i = lag; i < n; i++) sum += part[i] * part[i - lag];
    return 1 - (within - sum / parts.length / (n - 1)) / pooled;
  };
  let pair = 1 + correlation(1);
  let time = -1 + 2 * pair;
  for (let lag = 2; lag + 1 < n; lag += 2) {
    pair = Math.min(pair, correlation(lag) + correlation(lag + 1));
    if (pair <= 0) break;
    time += 2 * pair;
  }
  // Draws that swing to and fro may be worth more than independent ones, but not without bound.
  return total / Math.max(time, 1 / Math.log10(Math.max(10, total)));
}

function halves(chains: readonly ArrayLike<number>[]): Float64Array[] {
  const n = Math.floor((chains[0]?.length ?? 0) / 2);
  if (n < 2 || chains.some((chain) => chain.length !== chains[0].length)) {
    throw new CrowdError(
      "bad-data",
      `Chains must have at least four draws, all the same number, not ${chains.map(({ length }) => length).join(", ") || "none"}.`,
    );
  }
  return chains.flatMap((chain) => {
    const draws = Float64Array.from(chain);
    return [draws.subarray(0, n), draws.subarray(draws.length - n)];
  });
}

/** Mean variance within parts, and of all draws around the common mean. */
function spreads(parts: readonly Float64Array[]): { within: number; pooled: number } {
  const n = parts[0].length;
  const within = mean(parts.map(variance));
  return { within, pooled: ((n - 1) / n) * within + variance(parts.map(mean)) };
}
