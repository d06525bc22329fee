/** A report as JSON, for programs: names are as they were given. */
import type { Report } from "./model.ts";

/** Writes a report as JSON. */
export function toJson(report: Report): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}
