/** What changed since an earlier run, in sentences. */
import type { Changes } from "../diagnose/since.ts";
import { brief, count, grouped, listed, percent } from "./text.ts";

/** Says what changed, the most important first: one sentence per line. */
export function sinceLines(changes: Changes): string[] {
  const { answers, verdict, notes } = changes;
  const { compared, changed, beyond } = answers;
  const turned =
    verdict.before !== null && verdict.after !== null && verdict.before !== verdict.after;
  return [
    ...(turned ? [`The verdict was "${verdict.before}" and is "${verdict.after}".`] : []),
    `${grouped(changed)} of ${count(compared, "answer")} changed` +
      (compared > 0 ? ` (${percent(changed / compared)})` : "") +
      (beyond === undefined ? "." : `, ${grouped(beyond)} of them beyond their intervals.`),
    ...nameLine(changes.tasks.new, "new task or item", "new tasks or items"),
    ...nameLine(changes.tasks.gone, "task or item is gone", "tasks or items are gone"),
    ...workerLines(changes.workers),
    ...dataLines(changes),
    ...(notes.new.length > 0 ? [`${count(notes.new.length, "new note")}.`] : []),
    ...(notes.gone.length > 0
      ? [`${count(notes.gone.length, "note no longer holds", "notes no longer hold")}.`]
      : []),
  ];
}

function nameLine(
  names: { readonly count: number; readonly first: readonly string[] },
  one: string,
  many: string,
): string[] {
  if (names.count === 0) return [];
  const shown = names.first.slice(0, 5).map((name) => brief(name, 30));
  if (shown.length === 0) return [`${count(names.count, one, many)}.`];
  const more = names.count - shown.length;
  return [
    `${count(names.count, one, many)}: ${listed(shown)}${more > 0 ? ` and ${more} more` : ""}.`,
  ];
}

function workerLines(workers: Changes["workers"]): string[] {
  if (!workers) {
    return [
      "Workers are not compared: the earlier run has no list of them, or no name in common with this one.",
    ];
  }
  const { skill, standing } = workers;
  return [
    ...nameLine(workers.new, "new worker", "new workers"),
    ...nameLine(workers.gone, "worker is gone", "workers are gone"),
    ...(skill.count > 0
      ? [`${count(skill.count, "worker")} with a skill that changed beyond its interval.`]
      : []),
    ...(standing.count > 0
      ? [`${count(standing.count, "worker")} with another standing against guessing.`]
      : []),
  ];
}

function dataLines({ sameData, labels, method, version }: Changes): string[] {
  return [
    ...(sameData === true ? ["The data are the same."] : []),
    ...(sameData === false && labels.before !== null && labels.after !== null
      ? [`The data changed: ${grouped(labels.before)} labels then, ${grouped(labels.after)} now.`]
      : []),
    ...(method.before === method.after
      ? []
      : [`The method was ${brief(method.before, 40)} and is ${method.after}.`]),
    ...(version.before === version.after || version.before === null
      ? []
      : [`The version was ${brief(version.before, 40)} and is ${version.after}.`]),
  ];
}
