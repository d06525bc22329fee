/** Learners by name. */
import { CrowdError } from "../error.ts";
import { learnerList } from "../learn/index.ts";
import type { AnyLearner } from "../learn/learner.ts";
import { noSuchName, sameName } from "./nearest-name.ts";

/** The learner that runs when none is named. */
export const DEFAULT_LEARNER = "max-mig";

/** Finds a learner by its id, in any spelling; `plugins` are learners of the user's own. */
export function learnerNamed(typed: string, plugins: readonly AnyLearner[] = []): AnyLearner {
  const all = [...learnerList, ...plugins];
  const names = all.map(({ id }) => id);
  const name = sameName(typed, names);
  const found = all.find(({ id }) => id === name);
  if (found) return found;
  throw new CrowdError("unknown-method", noSuchName("learner", typed, names));
}
