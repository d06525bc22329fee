/** The tasks worth another look with the evidence on each, and for comparison the clearest few. */
import type { Aggregation } from "../../../aggregate/categorical/aggregator.ts";
import { byTask } from "../../../data/categorical.ts";
import { type Explanation, explain } from "../../../diagnose/explain.ts";
import { columnsOf } from "../../columns.ts";
import type { Material } from "../../input.ts";
import { contentRows } from "../../kind-report.ts";
import type { Cell, Section, Table } from "../../model.ts";
import { brief, count, listed, signed } from "../../text.ts";

const LEAST_CERTAIN = 100;
const MOST_CERTAIN = 10;

/** Labels told one by one; the rest are counted. */
const TOLD = 6;

/** With more classes than this, trying every other answer of every worker takes too long. */
const MOST_CLASSES = 100;

const columns = columnsOf({
  Task: "text",
  Answer: "text",
  Confidence: "percent",
  "Runner-up": "text",
  Margin: "percent",
  Labels: "integer",
  Evidence: "text",
});

export function tasksSection(input: Material): Section | undefined {
  const { data, result, review } = input;
  if (data.classes.length === 0 || data.tasks.length === 0) return undefined;
  const shown = review.slice(0, LEAST_CERTAIN);
  const clear = mostCertain(result, new Set(shown));
  let exact = true;
  const rows = (tasks: readonly number[]) =>
    tasks.map((t) => {
      const told = tell(input, t);
      exact &&= told.exact;
      return told.row;
    });
  const least: Table = {
    id: "review",
    caption: "Least certain first",
    columns,
    rows: rows(shown),
    ...contentRows(input.content, namesOfTasks(result, shown)),
    ...(review.length > shown.length && {
      more: `${count(review.length - shown.length, "more task")} in review.csv; every answer is in truth.csv.`,
    }),
  };
  const most: Table = {
    id: "clear",
    caption: "The clearest, for comparison",
    columns,
    rows: rows(clear),
    ...contentRows(input.content, namesOfTasks(result, clear)),
  };
  const unit = result.confusion
    ? "natural log-odds: +0.7 makes the answer twice as likely against the runner-up, +2.3 ten times, and a minus speaks for the runner-up"
    : "votes: plus for the answer, minus for the runner-up";
  return {
    id: "review",
    title: "Tasks worth another look",
    text: [
      review.length === 0
        ? "No task needs another look: every answer is at least 90 % probable."
        : `${count(review.length, "task")} ${review.length === 1 ? "has" : "have"} an answer that is less than 90 % probable, or none. ` +
          "One more label by a good worker helps most where the margin is small.",
      `Evidence is what each label adds, in ${unit}.` +
        (exact
          ? ""
          : " The method weighs more than this (it blends several models, or knows how hard tasks are), so the parts need not add up."),
      ...(input.content?.leftOut?.() ?? []),
    ],
    charts: [],
    tables: [...(shown.length > 0 ? [least] : []), ...(clear.length > 0 ? [most] : [])],
  };
}

const namesOfTasks = (result: Aggregation, tasks: readonly number[]) =>
  tasks.map((t) => result.tasks.at(t));

/** The most probable answers, those with more labels first among equals. */
function mostCertain(result: Aggregation, except: ReadonlySet<number>): number[] {
  const best: { t: number; p: number }[] = [];
  const before = (a: { t: number; p: number }, b: { t: number; p: number }) =>
    b.p - a.p || result.support[b.t] - result.support[a.t] || a.t - b.t;
  let t = 0;
  for (const exactP of result.confidence) {
    // Beyond six digits all are alike.
    const each = { t: t++, p: Math.round(exactP * 1e6) };
    if (except.has(each.t) || result.support[each.t] === 0) continue;
    if (best.length === MOST_CERTAIN && before(best[best.length - 1], each) <= 0) continue;
    best.push(each);
    best.sort(before);
    if (best.length > MOST_CERTAIN) best.pop();
  }
  return best.map((each) => each.t);
}

function tell(input: Material, t: number): { row: Cell[]; exact: boolean } {
  const { data, result } = input;
  const explanation = data.classes.length <= MOST_CLASSES ? explain(data, result, t) : undefined;
  const { answer, confidence, runnerUp, margin } = explanation ?? ranked(result, t);
  const none = result.consensus[t] < 0;
  return {
    row: [
      brief(result.tasks.at(t)),
      none ? null : brief(answer),
      confidence,
      runnerUp === "" ? null : brief(runnerUp),
      margin,
      result.support[t],
      explanation ? evidenceWords(explanation, none) : labelWords(input, t),
    ],
    exact: explanation?.exact ?? true,
  };
}

function evidenceWords({ evidence, flip, margin, prior }: Explanation, none: boolean): string {
  if (evidence.length === 0) return "No labels.";
  const parts = evidence
    .slice(0, TOLD)
    .map(
      ({ worker, label, weight }) =>
        `${brief(worker, 40)} said ${brief(label, 40)} (${signed(weight)})`,
    );
  if (evidence.length > TOLD) parts.push(`${evidence.length - TOLD} more`);
  if (Math.abs(prior) >= 0.05) parts.push(`how common the classes are (${signed(prior)})`);
  return [
    ...(none || margin < 1e-12 ? ["Tied."] : []),
    ...(evidence.length === 1 ? ["One label only."] : []),
    `${parts.join("; ")}.`,
    flipWords(flip),
  ].join(" ");
}

function flipWords(flip: readonly string[] | undefined): string {
  if (!flip) return "No other labels of the same workers would turn it.";
  if (flip.length === 0) return "These parts alone would favour another class.";
  const names = flip.map((name) => brief(name, 40));
  return flip.length === 1
    ? `${names[0]} alone could turn it.`
    : `It would take ${flip.length} to turn it: ${listed(names, 4)}.`;
}

/** Who said what, without weights. */
function labelWords({ data }: Material, t: number): string {
  const { start, other, label } = byTask(data);
  const said: string[] = [];
  for (let i = start[t]; i < start[t + 1]; i++) {
    const name = label[i] < data.classes.length ? data.classes.at(label[i]) : "(abstained)";
    said.push(`${brief(data.workers.at(other[i]), 40)} said ${brief(name, 40)}`);
  }
  const told = said.slice(0, TOLD);
  if (said.length > TOLD) told.push(`${said.length - TOLD} more`);
  return said.length > 0 ? `${told.join("; ")}.` : "No labels.";
}

function ranked(result: Aggregation, t: number) {
  const K = result.classes.length;
  const belief = result.posterior.subarray(t * K, (t + 1) * K);
  const answer = Math.max(0, result.consensus[t]);
  let second = -1;
  for (let k = 0; k < K; k++) {
    if (k !== answer && (second < 0 || belief[k] > belief[second])) second = k;
  }
  return {
    answer: result.classes.at(answer),
    confidence: result.confidence[t],
    runnerUp: result.classes.at(second),
    margin: belief[answer] - (belief[second] ?? 0),
  };
}
