/** Whether to rely on the answers, in lines for a terminal and as the first part of a report. */
import type { Verdict } from "../diagnose/verdict.ts";
import type { ReportVerdict } from "./model.ts";

/** Reasons and next steps that are shown first. */
const REASONS = 3;
const STEPS = 1;

/** Says the verdict with the reasons that matter most and what to do next; an alarm has a line of its own. */
export function verdictLines(verdict: Verdict): string[] {
  const { level, alarm, reasons, next } = reportVerdict(verdict);
  return [
    `Verdict: ${level}.`,
    ...(alarm === undefined ? [] : [`ALARM: ${alarm}`]),
    ...reasons.slice(0, REASONS).map((reason) => `  - ${reason}`),
    ...next.slice(0, STEPS).map((step) => `  Next: ${step}`),
  ];
}

/** Takes the alarm out of the reasons, so that it stands alone. */
export function reportVerdict({ level, reasons, next, alarm }: Verdict): ReportVerdict {
  return {
    level,
    ...(alarm !== undefined && { alarm }),
    reasons: reasons.filter((reason) => reason !== alarm),
    next,
  };
}
