/**
 * The maximum of a concave (or at least single-peaked) function of one number on an interval.
 *
 * Each step keeps the 0.618 of the interval that holds the peak and needs one new value. Near a
 * smooth peak the function is flat, so x is good to about the square root of the double precision,
 * 1e-8 of its size, however small `tolerance` is; the value is good to all digits.
 *
 * Kiefer (1953), Proc. AMS 4(3), 502–506. https://doi.org/10.2307/2032161
 */
import { CrowdError } from "../error.ts";

const golden = (Math.sqrt(5) - 1) / 2;

/**
 * Where f is largest between `low` and `high`, both included, to within `tolerance` in x. NaN
 * counts as -Infinity; ties go to the smaller x.
 */
export function maximiseOnInterval(
  f: (x: number) => number,
  low: number,
  high: number,
  tolerance = 1e-10,
): { x: number; value: number } {
  if (!(low <= high) || high - low === Infinity || !Number.isFinite(low)) {
    throw new CrowdError(
      "bad-option",
      `maximiseOnInterval: low must be at most high and both finite, not ${low} and ${high}.`,
    );
  }
  const at = (x: number) => {
    const value = f(x);
    return { x, value: Number.isNaN(value) ? -Infinity : value };
  };
  let best = at(low);
  const offer = (point: { x: number; value: number }) => {
    const { x, value } = point;
    if (value > best.value || (value === best.value && x < best.x)) best = point;
    return point;
  };
  if (low === high) return best;
  offer(at(high));
  let left = offer(at(high - golden * (high - low)));
  let right = offer(at(low + golden * (high - low)));
  while (high - low > tolerance && left.x > low && left.x < right.x && right.x < high) {
    if (left.value >= right.value) {
      high = right.x;
      right = left;
      left = offer(at(high - golden * (high - low)));
    } else {
      low = left.x;
      left = right;
      right = offer(at(low + golden * (high - low)));
    }
  }
  return best;
}
