/**
 * What a check of answers without gold says: fine, something is wrong, or it cannot be told.
 *
 * Too few labels to tell is `unknown`, never `ok`: nothing was seen, which is not the same as that nothing is
 * there.
 */

/** The outcome of a check; `unknown` means that the answers do not suffice to tell. */
export type CheckStatus = "ok" | "warn" | "unknown";

/** One check of whether the labels determine the answers. */
export interface Check<Id extends string = string> {
  readonly id: Id;
  readonly status: CheckStatus;
  /** True for a warning that takes the ground from the answers, not only from some of their numbers. */
  readonly serious: boolean;
  readonly title: string;
  /** What was found, in a sentence with its numbers. */
  readonly finding: string;
  /** What to do about it; empty where nothing is wrong. */
  readonly advice: string;
  /** The numbers of the finding, by name. */
  readonly facts: Readonly<Record<string, number>>;
}

/** What a check found, before it is worded as one of three states. */
export type Found = "ok" | "warn" | "serious" | "unknown";

/** Makes a check; advice is for what is not ok. */
export function checkOf<Id extends string>(
  found: Found,
  { advice, ...rest }: Omit<Check<Id>, "status" | "serious">,
): Check<Id> {
  return {
    ...rest,
    status: found === "serious" ? "warn" : found,
    serious: found === "serious",
    advice: found === "ok" ? "" : advice,
  };
}

/** Returns the worst state: warn, then unknown, then ok. */
export function worstOf(checks: readonly Check[]): CheckStatus {
  const worst = (["warn", "unknown"] as const).find((status) =>
    checks.some((check) => check.status === status),
  );
  return worst ?? "ok";
}
