/** The tables that a result is written as, for people and programs that read CSV. */
import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import type { CrowdDataset } from "../dataset/dataset.ts";
import { explain, ranking } from "../diagnose/explain.ts";
import type { SkillIntervals } from "../diagnose/skill-intervals.ts";
import { writeCsv } from "../io/csv-writer.ts";

/** task,label,confidence: one answer a task, empty where the rule for ties gives none. */
export function truthCsv(result: Aggregation): Iterable<string> {
  return writeCsv(["task", "label", "confidence"], truthRows(result));
}

export function* truthRows(
  result: Aggregation,
): Iterable<[task: string, label: string, confidence: number]> {
  const K = result.classes.length;
  for (let t = 0; t < result.tasks.length; t++) {
    const belief = result.posterior.subarray(t * K, (t + 1) * K);
    const k = result.consensus[t];
    // Where no class is chosen, the probability is that of the tied ones.
    const confidence = k < 0 ? Math.max(...belief) : belief[k];
    yield [result.tasks[t], result.classes[k] ?? "", rounded(confidence)];
  }
}

/** task, then P(class) a column. */
export function posteriorCsv(result: Aggregation): Iterable<string> {
  const K = result.classes.length;
  function* rows(): Iterable<(string | number)[]> {
    for (let t = 0; t < result.tasks.length; t++) {
      yield [
        result.tasks[t],
        ...Array.from(result.posterior.subarray(t * K, (t + 1) * K), rounded),
      ];
    }
  }
  return writeCsv(["task", ...result.classes], rows());
}

/** worker,labels,skill,skill_low,skill_high,flags, in the order of the labels. */
export function workersCsv(
  result: Aggregation,
  intervals: SkillIntervals | undefined,
  flags: readonly (readonly string[])[],
  names: readonly string[] = result.workers,
): Iterable<string> {
  function* rows(): Iterable<(string | number | undefined)[]> {
    for (let w = 0; w < names.length; w++) {
      yield [
        names[w],
        result.workload[w],
        rounded(result.skill[w]),
        intervals && rounded(intervals.low[w]),
        intervals && rounded(intervals.high[w]),
        (flags[w] ?? []).join(" "),
      ];
    }
  }
  return writeCsv(["worker", "labels", "skill", "skill_low", "skill_high", "flags"], rows());
}

/** worker,true,given,probability; empty below the header for methods without confusions. */
export function confusionCsv(
  result: Aggregation,
  names: readonly string[] = result.workers,
): Iterable<string> {
  const K = result.classes.length;
  const L = result.given;
  const { confusion } = result;
  function* rows(): Iterable<(string | number)[]> {
    for (let w = 0; confusion && w < names.length; w++) {
      for (let k = 0; k < K; k++) {
        for (let l = 0; l < L; l++) {
          const given = result.classes[l] ?? "(abstained)";
          yield [names[w], result.classes[k], given, rounded(confusion[(w * K + k) * L + l])];
        }
      }
    }
  }
  return writeCsv(["worker", "true", "given", "probability"], rows());
}

/** Fewer certain answers than this are worth another look. */
const CERTAIN = 0.9;

/** The tasks worth another look, least certain first, at most `most` of them. */
export function reviewTasks(result: Aggregation, most = 10_000): number[] {
  const K = result.classes.length;
  const certainty = (t: number) => {
    const belief = result.posterior.subarray(t * K, (t + 1) * K);
    const [answer, second] = ranking(belief, result.consensus[t]);
    return (belief[answer] ?? 1) - (belief[second] ?? 0) / 1e6;
  };
  const doubtful: { t: number; sure: number }[] = [];
  for (let t = 0; t < result.tasks.length; t++) {
    const sure = certainty(t);
    if (sure < CERTAIN || result.consensus[t] < 0) doubtful.push({ t, sure });
  }
  doubtful.sort((a, b) => a.sure - b.sure || a.t - b.t);
  return doubtful.slice(0, most).map(({ t }) => t);
}

/** task,label,confidence,runner_up,margin,labels,reason. */
export function reviewCsv(
  result: Aggregation,
  data: CrowdDataset,
  tasks: readonly number[],
  names: readonly string[] = result.workers,
): Iterable<string> {
  const named = names === result.workers ? data : { ...data, workers: names };
  function* rows(): Iterable<(string | number)[]> {
    for (const t of tasks) {
      const { task, answer, confidence, runnerUp, margin } = explain(result, data, t);
      const label = result.consensus[t] < 0 ? "" : answer;
      const reason = reviewReason(result, named, t);
      yield [
        task,
        label,
        rounded(confidence),
        runnerUp,
        rounded(margin),
        result.support[t],
        reason,
      ];
    }
  }
  const header = ["task", "label", "confidence", "runner_up", "margin", "labels", "reason"];
  return writeCsv(header, rows());
}

/** Why a task is worth another look, in a sentence. */
export function reviewReason(result: Aggregation, data: CrowdDataset, t: number): string {
  if (result.support[t] === 0) return "no labels";
  const { evidence, flip, answer, runnerUp, margin } = explain(result, data, t);
  const votes = (name: string) => evidence.filter(({ label }) => label === name).length;
  const parts: string[] = [];
  if (result.consensus[t] < 0 || margin < 1e-12) parts.push("tied");
  if (result.support[t] === 1) parts.push("one label only");
  const [most] = evidence;
  const against = votes(runnerUp) > votes(answer);
  if (against)
    parts.push(`${votes(answer)} for ${answer} outweigh ${votes(runnerUp)} for ${runnerUp}`);
  else if (votes(runnerUp) > 0)
    parts.push(`${votes(answer)} for ${answer}, ${votes(runnerUp)} for ${runnerUp}`);
  if (flip?.length === 1) parts.push(`${flip[0]} alone could turn it`);
  else if (flip && flip.length > 1) parts.push(`${flip.length} workers could turn it`);
  else if (most) parts.push(`strongest: ${most.worker} said ${most.label}`);
  return parts.join("; ");
}

/** Seven digits: enough to compute with, and the same on every machine. */
export function rounded(x: number): number {
  return Number(x.toPrecision(7));
}
