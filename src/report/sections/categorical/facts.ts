/** What one wants to know first. */
import type { Aggregation } from "../../../aggregate/categorical/aggregator.ts";
import { methodList } from "../../../auto/index.ts";
import { isSuspect } from "../../../diagnose/standing.ts";
import type { Material } from "../../input.ts";
import type { Fact } from "../../model.ts";
import { decimal, grouped, percent } from "../../text.ts";
import type { Described } from "../common/provenance.ts";
import { certainTasks } from "./answers.ts";

export function factsOf({
  data,
  result,
  metrics,
  majorityVote,
  dependence,
  review,
  scores,
  summary,
}: Material): Fact[] {
  const tasks = data.tasks.length;
  const share = tasks > 0 ? certainTasks(result) / tasks : 0;
  const facts: Fact[] = [
    ["Labels", grouped(summary.labels)],
    ["Tasks", grouped(summary.tasks)],
    ["Workers", grouped(summary.workers)],
    ["Classes", grouped(summary.classes)],
    ["Labels per task, median", decimal(summary.redundancy.median, 1).replace(/\.0$/, "")],
    ["Unanimous tasks", percent(summary.unanimous)],
  ];
  if (metrics) {
    const { value, low, high } = metrics.accuracy.chosen;
    facts.push(["Accuracy on gold", percent(value, 2)]);
    facts.push(["95 % interval", `${percent(low).slice(0, -2)}–${percent(high)}`]);
    if (majorityVote !== undefined) facts.push(["Majority vote", percent(majorityVote, 2)]);
  }
  facts.push(["Answered with ≥ 90 %", percent(share)]);
  facts.push(["Worth another look", grouped(review.length)]);
  if (dependence) {
    const { effective, sharedErrors } = dependence;
    const one = (x: number) => decimal(x, 1).replace(/\.0$/, "");
    if (effective.workers > 0) {
      const upper = effective.upperEstimate ? "≤ " : "";
      facts.push([
        "Independent workers",
        `${upper}${one(effective.crowd)} of ${grouped(effective.workers)}`,
      ]);
    }
    if (sharedErrors.pairs > 0) {
      facts.push([
        "Independent labels per task",
        `${one(sharedErrors.effectiveLabels)} of ${one(sharedErrors.labelsPerTask)}`,
      ]);
    }
  }
  if (scores) facts.push(["Workers flagged", grouped(scores.filter(isSuspect).length)]);
  return facts;
}

/** What the method says of itself; a method that is not ours has at least its name. */
export function cardOf({ method }: Aggregation, given?: Described): Described {
  return given ?? methodList.find(({ id }) => id === method) ?? { id: method, title: method };
}
