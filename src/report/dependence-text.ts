/** Workers who do not err independently, in lines for a terminal and as plain data by name. */
import type { CategoricalData } from "../data/categorical.ts";
import type { AgreeingGroup, ExcessAgreement } from "../diagnose/collusion/excess-agreement.ts";
import type { EffectiveWorkers } from "../diagnose/effective/effective-workers.ts";
import type { Diagnosis } from "../diagnose/index.ts";
import type { SharedErrors } from "../diagnose/shared-errors.ts";
import type { SuspectGroup } from "../diagnose/verdict.ts";
import { brief, count, listed } from "./text.ts";

/** What is shown of the dependence between workers. */
type Dependent = Pick<Diagnosis, "excess" | "groups" | "copies" | "effective" | "sharedErrors">;

/** Groups, members and pairs that are listed one by one. */
const GROUPS = 10;
const MEMBERS = 8;
const PAIRS = 1000;

/** Says who agrees too often, who errs together, and how many independent workers that leaves. */
export function dependenceLines(data: CategoricalData, found: Dependent): string[] {
  return [
    ...(found.copies.length > 0
      ? [
          "Copies: workers who never disagree, and err",
          ...groupLines(data, found.copies).map((line) => `  ${line}`),
          "",
        ]
      : []),
    "Workers who agree more than their skills explain",
    ...excessLines(data, found.excess),
    "",
    "Workers who err together",
    ...(found.groups
      ? groupLines(data, found.groups).map((line) => `  ${line}`)
      : ["  not looked for, see below"]),
    "",
    "Independent workers",
    ...effectiveLines(found.effective).map((line) => `  ${line}`),
    `  ${sharedLine(found.sharedErrors)}`,
    "",
  ];
}

function excessLines(
  data: CategoricalData,
  { groups, compared, sampled }: ExcessAgreement,
): string[] {
  const pairs = `${count(compared, "pair")} compared${sampled ? " on a sample of tasks" : ""}`;
  if (groups.length === 0) return [`  none; ${pairs}`];
  const names = (group: AgreeingGroup) =>
    listed(
      group.names.map((name) => brief(name, 24)),
      MEMBERS,
    );
  return [
    ...groups
      .slice(0, GROUPS)
      .flatMap((group) => [
        `  ${group.status.padEnd(9)}  ${names(group)} (${Math.round(100 * group.share)} % of the labels)`,
        `  ${"".padEnd(9)}  ${group.reason}`,
        ...group.copying
          .slice(0, 3)
          .map(
            ({ first, later, answers, share }) =>
              `  ${"".padEnd(9)}  ${brief(data.workers.at(later), 24)} gave ${Math.round(100 * share)} % of ${answers} equal answers after ${brief(data.workers.at(first), 24)}.`,
          ),
      ]),
    ...(groups.length > GROUPS ? [`  … and ${count(groups.length - GROUPS, "more group")}`] : []),
    `  ${pairs}`,
  ];
}

/** Lists the members of each group. */
export function groupLines(data: CategoricalData, groups: readonly SuspectGroup[]): string[] {
  if (groups.length === 0) return ["none found"];
  return [
    ...groups.slice(0, GROUPS).map(({ workers }, g) => {
      const names = workers.map((w) => brief(data.workers.at(w), 24));
      return `group ${g + 1}  ${listed(names, MEMBERS)} (${count(workers.length, "worker")})`;
    }),
    ...(groups.length > GROUPS ? [`… and ${count(groups.length - GROUPS, "more group")}`] : []),
  ];
}

/** Says how many independent workers the crowd is worth, with its interval or why there is none. */
export function effectiveLines({
  crowd,
  workers,
  interval,
  upperEstimate,
  sampled,
  notes,
}: EffectiveWorkers): string[] {
  if (workers === 0) return ["Nobody gave 20 labels or more, so that nobody can be counted."];
  const one = (x: number) => x.toFixed(1).replace(/\.0$/, "");
  const ends = interval ? `, 95 % interval ${one(interval[0])} to ${one(interval[1])}` : "";
  const estimate = upperEstimate ? " (upper estimate)" : "";
  return [
    `${count(workers, "worker")} with 20 labels or more ${workers === 1 ? "is" : "are"} worth about ${one(crowd)} independent ones${estimate}${ends}${sampled ? "; on a sample of tasks" : ""}.`,
    ...(upperEstimate
      ? ["Without gold for 50 tasks, dependence that the labels do not show is missed."]
      : []),
    ...(interval ? [] : notes.filter((note) => note.includes("no interval"))),
  ];
}

/** Says how much errors go together, and what the labels of a task are worth. */
export function sharedLine({
  correlation,
  deviation,
  labelsPerTask,
  effectiveLabels,
  pairs,
}: SharedErrors): string {
  if (pairs === 0) return "Shared errors cannot be measured: no task has labels of two workers.";
  return (
    `Errors of two workers on one task have a correlation of ${correlation.toFixed(3).replace("-", "−")} (± ${(2 * deviation).toFixed(3)}${Math.abs(correlation) > 2 * deviation ? "" : ", which may be chance"}): ` +
    `${labelsPerTask.toFixed(1)} labels per task are worth ${effectiveLabels.toFixed(1)} independent ones.`
  );
}

/** A diagnosis as plain data, with workers by name and without one number per task. */
export function diagnosisDocument(data: CategoricalData, diagnosis: Diagnosis): object {
  const { excess, groups, copies, effective, scoreIntervals: _, ...rest } = diagnosis;
  const name = (w: number) => data.workers.at(w);
  const names = (workers: ArrayLike<number>) => Array.from(workers, name);
  const { perTask, ...crowd } = effective;
  const answered = perTask.filter((n) => n > 0);
  return {
    ...rest,
    excess: {
      groups: excess.groups.map(({ workers: _, names: members, pairs: __, copying, ...group }) => ({
        workers: members,
        ...group,
        copying: copying.map((each) => ({
          ...each,
          first: name(each.first),
          later: name(each.later),
        })),
      })),
      pairs: excess.pairs
        .slice(0, PAIRS)
        .map((pair) => ({ ...pair, workers: names(pair.workers) })),
      flagged: names(excess.flagged),
      compared: excess.compared,
      sampled: excess.sampled,
    },
    ...(groups && { groups: groups.map(({ workers }) => names(workers)) }),
    copies: copies.map(({ workers }) => names(workers)),
    effective: {
      ...crowd,
      perTask: answered.reduce((sum, n) => sum + n, 0) / Math.max(1, answered.length),
      groups: effective.groups.map((group) => ({ ...group, workers: names(group.workers) })),
    },
  };
}
