/** What a label may count for. */
import { CrowdError } from "../error.ts";

/** Far beyond any use, and small enough that no sum of weights overflows. */
const LARGEST = 1e9;
const SMALLEST = 1e-9;

/** What weights must be, in words. */
export const weightRule = "0, or from 1e-9 to 1e9";

/** Returns whether a label may count for this much. */
export function isWeight(weight: number): boolean {
  return weight === 0 || (weight >= SMALLEST && weight <= LARGEST);
}

/** Refuses weights that are no counts of labels. */
export function checkWeights(weight: Float64Array | undefined): void {
  if (!weight) return;
  const wrong = weight.findIndex((each) => !isWeight(each));
  if (wrong < 0) return;
  throw new CrowdError(
    "bad-data",
    `The weight of answer ${wrong + 1} is ${weight[wrong]}. A weight says how many answers one counts for: ${weightRule}.`,
  );
}
