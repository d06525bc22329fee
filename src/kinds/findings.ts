/** Drift and groups as the diagnoses of several kinds show them. */
import type { Turns } from "../diagnose/drift/turns-result.ts";
import type { Fairness } from "../diagnose/fairness/fairness.ts";
import type { Content } from "../report/content.ts";
import { fairnessCsv } from "../report/fairness-rows.ts";
import { fairnessLines } from "../report/fairness-text.ts";
import { turnLines, turnsCsv } from "../report/turns-text.ts";

interface Findings {
  /** What result documents hold. */
  readonly document: object;
  readonly lines: readonly string[];
  /** Tables beside that of the workers. */
  files(workers: Content): ReadonlyMap<string, Content>;
}

/** Words and tables of what was looked for: how workers went over time, and differences between groups. */
export function findingsOf({
  drift,
  fairness,
}: {
  readonly drift?: Turns | undefined;
  readonly fairness?: Fairness | undefined;
}): Findings {
  return {
    document: { ...(drift && { drift }), ...(fairness && { fairness }) },
    lines: [...(drift ? turnLines(drift) : []), ...(fairness ? fairnessLines(fairness) : [])],
    files: (workers) =>
      new Map<string, Content>([
        ["workers.csv", workers],
        ...(drift ? [["drift.csv", turnsCsv(drift)] as const] : []),
        ...(fairness ? [["fairness.csv", fairnessCsv(fairness)] as const] : []),
      ]),
  };
}
