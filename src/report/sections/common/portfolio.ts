/** What was tried, for methods that blend others or choose among them. */
import { columnsOf } from "../../columns.ts";
import type { Section } from "../../model.ts";
import { brief, count, decimal, finite, percent } from "../../text.ts";

/** What a method that blends others says of each. */
interface Candidate {
  readonly name: string;
  readonly method: string;
  readonly family?: string;
  readonly heldOut: number;
  readonly weight: number;
  readonly leftOut?: string;
}

/** Lists the candidates, if the result has any; `answer` is what was hidden from them. */
export function portfolioSection(result: object, answer: "label" | "answer"): Section | undefined {
  const { portfolio, temperature = 1 } = result as {
    readonly portfolio?: readonly Candidate[];
    readonly temperature?: number;
  };
  if (!portfolio || portfolio.length === 0) return undefined;
  const best = portfolio.reduce((a, b) => (b.weight > a.weight ? b : a));
  return {
    id: "portfolio",
    title: "What was tried",
    text: [
      `${count(portfolio.length, "candidate")} were fitted with some ${answer}s hidden, and judged by how probable they found those, not by gold. ` +
        (best.weight === 1
          ? `The choice: ${best.name}.`
          : `Most weight, ${percent(best.weight, 0)}, goes to: ${best.name}.`) +
        (temperature > 1
          ? ` Workers share errors, so that several labels say less than the same number of independent ones: log-odds were divided by ${decimal(temperature, 2)} on average.`
          : ""),
    ],
    charts: [],
    tables: [
      {
        id: "portfolio",
        caption: "Candidates",
        columns: columnsOf({
          Candidate: "text",
          Method: "text",
          Family: "text",
          [`Score of a hidden ${answer} (nats)`]: "number",
          Weight: "percent",
          "Left out because": "text",
        }),
        rows: portfolio.map(({ name, method, family = "", heldOut, weight, leftOut }) => [
          brief(name),
          brief(method),
          brief(family),
          finite(heldOut),
          finite(weight),
          leftOut === undefined ? null : brief(leftOut, 200),
        ]),
      },
    ],
  };
}
