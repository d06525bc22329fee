/** Probabilities at a temperature. */
import { normalise } from "./votes.ts";

/** Raises probabilities, K per row, to a power of 1 / temperature, so that rows sum to 1 again: flatter above 1, sharper below. */
export function tempered(p: Float64Array, K: number, temperature: number): Float64Array {
  if (temperature === 1) return p;
  return normalise(
    p.map((each) => each ** (1 / temperature)),
    K,
  );
}
