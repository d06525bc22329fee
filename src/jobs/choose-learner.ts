/** Learners by name. */
import { CrowdError, hint } from "../error.ts";
import type { Kind } from "../kinds/kind.ts";
import type { KindLearning } from "../kinds/learning.ts";
import { kindNamed, kinds } from "../kinds.ts";
import type { KindLearner } from "../learn/create-learner.ts";
import type { AnyLearner } from "../learn/learner.ts";
import { noSuchName, sameName } from "./nearest-name.ts";

const labels = learningOf(kindNamed("categorical"));

/** The learner of labels that runs when none is named. */
export const DEFAULT_LEARNER = labels.defaultLearner;

/** Finds a learner of labels by its id, in any spelling; `plugins` are learners of the user's own. */
export function learnerNamed(typed: string, plugins: readonly AnyLearner[] = []): AnyLearner {
  return kindLearnerNamed(typed, kindNamed("categorical"), plugins) as AnyLearner;
}

/** Finds a learner of a kind by its id or another name, in any spelling. */
export function kindLearnerNamed(
  typed: string,
  kind: Kind,
  plugins: readonly KindLearner[] = [],
): KindLearner {
  const { learners, aliases = {} } = learningOf(kind);
  const all = [...learners, ...plugins];
  const names = all.map(({ id }) => id);
  const name = sameName(aliases[typed] ?? typed, names);
  const found = all.find(({ id }) => id === name);
  if (found) return found;
  const other = kindOfLearner(typed);
  if (other) {
    throw new CrowdError(
      "unknown-method",
      `${typed} learns from ${other.title.toLowerCase()}, but these are ${kind.title.toLowerCase()}. ` +
        `Learners for these: ${names.join(", ")}.`,
    );
  }
  throw new CrowdError("unknown-method", noSuchName("learner", typed, names));
}

/** How a kind is learnt; refuses kinds that are not. */
export function learningOf({ id, title, learning }: Kind): KindLearning {
  if (learning) return learning;
  const known = kinds.filter((kind) => kind.learning).map((kind) => kind.id);
  throw new CrowdError(
    "not-supported",
    `There is no learner for ${title.toLowerCase()} (${id}). Learners take these kinds: ${known.join(", ")}; ` +
      `${hint("kind")} chooses one.`,
  );
}

/** The kind whose learners have this id; undefined if none has. */
export function kindOfLearner(typed: string): Kind | undefined {
  return kinds.find(({ learning }) =>
    sameName(typed, learning?.learners.map(({ id }) => id) ?? []),
  );
}
