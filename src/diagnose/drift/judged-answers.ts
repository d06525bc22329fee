/**
 * How likely each answer of a worker is if the worker's skill is p, whether or not the class is known.
 *
 *   P(answer j | p) = p · right[j] + (1 − p) · wrong[j]
 *   right = q[y]      wrong = (1 − q[y]) / (K − 1)
 *
 * y is the label given and q the probability of each class without this worker's labels; with gold q is 0 or 1. An
 * answer is right with probability h = p · right / (p · right + (1 − p) · wrong).
 *
 * The skill that the answers before a change have, and the skill in a window, come from this likelihood itself and not
 * from counts of h: h is computed with the local skill, so that counts of it take a guess of the skill for evidence of it.
 */
export interface JudgedAnswers {
  /** P(label is the class, by the other workers or gold). */
  readonly right: Float64Array;
  /** P(label is some other class) / (K − 1). */
  readonly wrong: Float64Array;
}

/** Returns answers of which it is known whether they are right (1) or wrong (0), or how probable it is. */
export function judgedAnswers(right: ArrayLike<number>): JudgedAnswers {
  const given = Float64Array.from(right);
  return { right: given, wrong: given.map((h) => 1 - h) };
}

/** Returns the probability that answer j is right, for skill p. */
export function rightness({ right, wrong }: JudgedAnswers, j: number, p: number): number {
  const hit = p * right[j];
  const total = hit + (1 - p) * wrong[j];
  return total > 0 ? hit / total : p;
}
