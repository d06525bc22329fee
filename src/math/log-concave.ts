/**
 * Draws from a density on the line whose logarithm is concave, from that logarithm and its slope, up to a
 * constant: rejection under a hat of three pieces, flat at the mode and along a tangent on either side.
 *
 * Both tangents touch where the density has fallen by a factor of between e^½ and e², so that about two of
 * three proposals are taken, whatever the density.
 *
 * Devroye (1986), Non-Uniform Random Variate Generation, Springer, VII.2; tangents as in Gilks & Wild (1992),
 * Applied Statistics 41(2), 337–348. https://doi.org/10.2307/2347565
 */
import type { Random } from "./random.ts";

export interface LogConcave {
  log(x: number): number;
  /** The slope of `log`; at a kink any between those of its sides. */
  slope(x: number): number;
  /** Where `log` is largest. */
  readonly mode: number;
  /** Any width to begin the search for tangents with. */
  readonly scale: number;
}

export function drawLogConcave(random: Random, density: LogConcave): number {
  const { log, slope, mode } = density;
  const top = log(mode);
  const touch = [fallen(density, -1), fallen(density, 1)];
  const steep = touch.map((x) => Math.abs(slope(x)));
  // Where the tangents reach the height of the mode.
  const low = touch[0] + (top - log(touch[0])) / steep[0];
  const high = touch[1] - (top - log(touch[1])) / steep[1];
  const masses = [1 / steep[0], high - low, 1 / steep[1]];
  const total = masses[0] + masses[1] + masses[2];
  for (;;) {
    const at = random.next() * total - masses[0];
    const flat = at >= 0 && at < masses[1];
    const hat = flat ? 0 : Math.log1p(-random.next());
    const x = flat ? low + at : at < 0 ? low + hat / steep[0] : high - hat / steep[1];
    if (Math.log1p(-random.next()) <= log(x) - top - hat) return x;
  }
}

/** A point on one side of the mode at which the log is between ½ and 2 below its largest. */
function fallen({ log, mode, scale }: LogConcave, side: number): number {
  const top = log(mode);
  const fall = (h: number) => top - log(mode + side * h);
  let [near, far] = [0, scale];
  while (fall(far) < 0.5) [near, far] = [far, 2 * far];
  for (let step = 0; step < 200 && fall(far) > 2; step++) {
    const middle = (near + far) / 2;
    if (fall(middle) < 0.5) near = middle;
    else far = middle;
  }
  return mode + side * far;
}
