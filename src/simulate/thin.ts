/** Fewer labels of the same crowd, to see what a method makes of them. */
import { type CategoricalData, selectLabels } from "../data/categorical.ts";
import { CrowdError } from "../error.ts";
import type { Random } from "../math/random.ts";

/** Keeps each label with probability `share`; tasks and workers stay, labelled or not. */
export function thin(data: CategoricalData, share: number, random: Random): CategoricalData {
  if (!(share >= 0 && share <= 1)) {
    throw new CrowdError("bad-option", `thin: the share must be from 0 to 1, not ${share}.`);
  }
  return selectLabels(data, () => random.next() < share);
}
