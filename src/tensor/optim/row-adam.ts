/**
 * Adam for a table of which each step sees only some rows: those are moved, by moments and a count of
 * steps of their own, and all others stay as they are.
 *
 * Kingma and Ba, Adam: A Method for Stochastic Optimization, ICLR 2015.
 */
export interface RowAdam {
  /** The table, one row after another; it changes in place. */
  readonly values: Float64Array;
  /** All that changes with the steps, to go on from: the table, its moments, and the steps of each row. */
  readonly state: Readonly<Record<"values" | "first" | "second" | "steps", Float64Array>>;
  /** One step for the rows named, each once; `gradients` has a row for each of them. */
  step(rows: ArrayLike<number>, gradients: ArrayLike<number>, rate: number): void;
}

export interface RowAdamOptions {
  /** Longest that the gradient of a row may be; longer ones are shortened. */
  readonly clip?: number;
  readonly beta1?: number;
  readonly beta2?: number;
  readonly epsilon?: number;
}

/** A table of zeros with `width` numbers in each row. */
export function createRowAdam(
  rows: number,
  width: number,
  { clip = Infinity, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8 }: RowAdamOptions = {},
): RowAdam {
  const [values, first, second] = [1, 2, 3].map(() => new Float64Array(rows * width));
  const steps = new Float64Array(rows);
  return {
    values,
    state: { values, first, second, steps },
    step(which, gradients, rate) {
      for (let i = 0; i < which.length; i++) {
        let squares = 0;
        for (let j = i * width; j < (i + 1) * width; j++) squares += gradients[j] * gradients[j];
        const shorter = Math.min(1, clip / Math.sqrt(squares || 1));
        const n = ++steps[which[i]];
        const root = Math.sqrt(1 - beta2 ** n);
        const corrected = rate / (1 - beta1 ** n);
        for (let j = 0, at = which[i] * width; j < width; j++, at++) {
          const g = shorter * gradients[i * width + j];
          first[at] += (1 - beta1) * (g - first[at]);
          second[at] += (1 - beta2) * (g * g - second[at]);
          values[at] -= (corrected * first[at]) / (Math.sqrt(second[at]) / root + epsilon);
        }
      }
    },
  };
}
