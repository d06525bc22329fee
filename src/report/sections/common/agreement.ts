/** How much the workers agree, whatever the answers are. */
import type { AgreementChart } from "../../charts/chart.ts";
import { columnsOf } from "../../columns.ts";
import type { ReportedAgreement } from "../../input.ts";
import type { Section } from "../../model.ts";
import { decimal, finite } from "../../text.ts";

/** In this order, with what is special about each. */
const coefficients = [
  ["krippendorff", "Krippendorff's alpha", "Corrects for chance; copes with missing labels."],
  ["fleiss", "Fleiss' kappa", "Corrects for chance by how common the classes are."],
  ["cohen", "Cohen's kappa", "Mean over pairs of workers who share enough tasks."],
  ["gwet", "Gwet's AC", "Corrects for chance, and holds up where one class is very common."],
  ["percent", "Agreeing pairs", "Mean over tasks; chance is not taken off."],
  ["pooled", "Agreeing pairs, pooled", "Over all pairs; chance is not taken off."],
] as const;

export function agreementSection(agreement: ReportedAgreement | undefined): Section | undefined {
  const all = coefficients.flatMap(([key, name, meaning]) => {
    const found = agreement?.[key];
    if (!found) return [];
    const said = found.defined ?? true;
    const of = (x: number | null | undefined) => (said ? finite(x) : null);
    return [{ name, meaning, value: of(found.value), low: of(found.low), high: of(found.high) }];
  });
  const known = all.flatMap(({ name, value, low, high }) =>
    value === null ? [] : [{ name, value, low, high }],
  );
  if (all.length === 0) return undefined;
  const chart: AgreementChart = {
    kind: "agreement",
    id: "agreement",
    title: "Agreement with its interval",
    description: `${known.map(({ name, value }) => `${name} ${decimal(value)}`).join("; ")}.`,
    coefficients: known,
  };
  return {
    id: "agreement",
    title: "Agreement",
    text: [
      "How much workers agree with one another on the same task; 1 is always, 0 is as much as chance would give. " +
        "Agreement is not accuracy: workers who share a mistake agree.",
    ],
    charts: known.length > 0 ? [chart] : [],
    tables: [
      {
        id: "agreement",
        caption: "Coefficients",
        columns: columnsOf({
          Coefficient: "text",
          Value: "number",
          From: "number",
          To: "number",
          Meaning: "text",
        }),
        rows: all.map(({ name, value, low, high, meaning }) => [name, value, low, high, meaning]),
      },
    ],
  };
}
