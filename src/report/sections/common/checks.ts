/** What can be learnt from the answers at all, check by check: ok, warn or unknown. */
import type { Check } from "../../../diagnose/checks.ts";
import { columnsOf } from "../../columns.ts";
import type { Section } from "../../model.ts";
import { count } from "../../text.ts";

/** Makes the section of checks, what is wrong first; undefined if nothing was checked. */
export function checksSection(checks: readonly Check[] | undefined): Section | undefined {
  if (!checks || checks.length === 0) return undefined;
  const rank = ({ status, serious }: Check) =>
    serious ? 0 : status === "warn" ? 1 : status === "unknown" ? 2 : 3;
  const of = (status: Check["status"]) => checks.filter((check) => check.status === status).length;
  const unknown = of("unknown");
  return {
    id: "checks",
    title: "What can be learnt from these answers",
    text: [
      `${count(checks.length, "check")} that need no gold: ${of("ok")} ok, ${of("warn")} with a warning, ${unknown} unknown.` +
        (unknown > 0
          ? " Unknown means too few answers to tell, which is not the same as ok."
          : "") +
        " All can be ok and answers still be wrong: errors that workers share are not seen here.",
    ],
    charts: [],
    tables: [
      {
        id: "checks",
        caption: "Checks, the most serious first",
        columns: columnsOf({
          Check: "text",
          State: "state",
          Finding: "text",
          "What to do": "text",
        }),
        rows: checks
          .toSorted((a, b) => rank(a) - rank(b))
          .map(({ title, status, finding, advice }) => [title, status, finding, advice || null]),
      },
    ],
  };
}
