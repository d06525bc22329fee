/** Learners by name. */
import { CrowdError } from "../error.ts";
import { learnerList } from "../learn/index.ts";
import type { AnyLearner } from "../learn/learner.ts";
import { nearestName } from "./nearest-name.ts";

/** The learner that runs when none is named. */
export const DEFAULT_LEARNER = "max-mig";

/** Finds a learner by its id; `plugins` are learners of the user's own. */
export function learnerNamed(name: string, plugins: readonly AnyLearner[] = []): AnyLearner {
  const all = [...learnerList, ...plugins];
  const found = all.find(({ id }) => id === name);
  if (found) return found;
  const names = all.map(({ id }) => id);
  const near = nearestName(name, names);
  throw new CrowdError(
    "unknown-method",
    `There is no learner "${name}". ${near ? `Did you mean ${near}?` : `Try: ${names.join(", ")}.`}`,
  );
}
