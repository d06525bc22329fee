/** The tables that a result is written as, for people and programs that read CSV. */

import type { Aggregation } from "../aggregate/categorical/aggregator.ts";
import type { CategoricalData } from "../data/categorical.ts";
import type { Names } from "../data/names.ts";
import { explain } from "../diagnose/explain.ts";
import type { SkillIntervals } from "../diagnose/skill-intervals.ts";
import { type Standing, standingOf, worstFirst } from "../diagnose/standing.ts";
import { csvCell, writeCsv } from "../io/csv-writer.ts";
import { inPieces } from "../io/label-rows.ts";
import { maxOf } from "../math/lists.ts";

type Answered = Pick<Aggregation, "tasks" | "classes" | "posterior" | "consensus"> &
  Partial<Pick<Aggregation, "confidence">>;

/** task,label,confidence: one answer per task, empty where the rule for ties gives none. */
export function truthCsv(result: Answered): Iterable<string> {
  const classes = Array.from(result.classes, csvCell);
  function* lines(): Iterable<string> {
    yield "task,label,confidence\n";
    for (let t = 0; t < result.tasks.length; t++) {
      const label = classes[result.consensus[t]] ?? "";
      yield `${csvCell(result.tasks.at(t))},${label},${confidenceOf(result, t)}\n`;
    }
  }
  return inPieces(lines());
}

export function* truthRows(
  result: Aggregation,
): Iterable<[task: string, label: string, confidence: number]> {
  for (let t = 0; t < result.tasks.length; t++) {
    yield [result.tasks.at(t), result.classes.at(result.consensus[t]), confidenceOf(result, t)];
  }
}

/** Returns how sure the answer is; if the rule for ties chose none, the probability of the tied classes. */
function confidenceOf({ classes, posterior, consensus, confidence }: Answered, t: number): number {
  if (confidence) return probability(confidence[t]);
  const K = classes.length;
  if (consensus[t] >= 0) return probability(posterior[t * K + consensus[t]]);
  return probability(maxOf(posterior.subarray(t * K, (t + 1) * K), 0));
}

/** task, then P(class) per column. As bytes: there are millions of numbers, and no string is made of them. */
export function* posteriorCsv(
  result: Pick<Aggregation, "tasks" | "classes" | "posterior">,
): Iterable<string | Uint8Array> {
  const K = result.classes.length;
  const { posterior, tasks } = result;
  yield `${["task", ...result.classes].map(csvCell).join(",")}\n`;
  const encoder = new TextEncoder();
  let bytes = new Uint8Array(65_536);
  let at = 0;
  for (let t = 0; t < tasks.length; t++) {
    const name = csvCell(tasks.at(t));
    const most = 3 * name.length + 14 * K + 1;
    if (at + most > bytes.length) {
      yield bytes.subarray(0, at);
      bytes = new Uint8Array(Math.max(65_536, most));
      at = 0;
    }
    at += encoder.encodeInto(name, bytes.subarray(at)).written;
    for (let k = t * K; k < (t + 1) * K; k++) {
      bytes[at++] = COMMA;
      at = writeProbability(posterior[k], bytes, at);
    }
    bytes[at++] = LINE_FEED;
  }
  yield bytes.subarray(0, at);
}

const COMMA = 44;
const LINE_FEED = 10;
const POINT = 46;
const ZERO = 48;

/** Writes what `probability` rounds to, digit by digit; returns where it ends. */
function writeProbability(p: number, bytes: Uint8Array, at: number): number {
  let digits = p >= 1e-3 ? 7 : 10;
  let n = Math.round(p * 10 ** digits);
  if (n === 0 || n === 10 ** digits) {
    bytes[at] = n === 0 ? ZERO : ZERO + 1;
    return at + 1;
  }
  while (n % 10 === 0) {
    n /= 10;
    digits--;
  }
  bytes[at] = ZERO;
  bytes[at + 1] = POINT;
  for (let d = digits - 1; d >= 0; d--) {
    bytes[at + 2 + d] = ZERO + (n % 10);
    n = Math.floor(n / 10);
  }
  return at + 2 + digits;
}

/** What workers.csv says of a worker beyond the result. */
interface JudgedWorker {
  readonly informativenessCorrected?: number | undefined;
  readonly standing?: Standing | undefined;
  readonly flags: readonly string[];
}

/** worker,labels,skill,skill_low,skill_high,informativeness,standing,flags, worst first. */
export function workersCsv(
  result: Aggregation,
  intervals: SkillIntervals | undefined,
  scores: readonly JudgedWorker[],
  names: Names = result.workers,
): Iterable<string> {
  const order = worstFirst(
    Array.from(names, (_, w) => ({
      ...scores[w],
      labels: result.workload[w],
      skill: result.skill[w],
      high: intervals?.high[w],
    })),
  );
  function* rows(): Iterable<(string | number | undefined)[]> {
    for (const w of order) {
      const told = scores[w]?.informativenessCorrected;
      yield [
        names.at(w),
        result.workload[w],
        rounded(result.skill[w]),
        intervals && rounded(intervals.low[w]),
        intervals && rounded(intervals.high[w]),
        told === undefined ? undefined : rounded(told),
        standingOf(scores[w] ?? {}),
        (scores[w]?.flags ?? []).join(" "),
      ];
    }
  }
  const header = "worker,labels,skill,skill_low,skill_high,informativeness,standing,flags";
  return writeCsv(header.split(","), rows());
}

/** worker,true,given,probability; empty below the header for methods without confusions. */
export function confusionCsv(result: Aggregation, names: Names = result.workers): Iterable<string> {
  const K = result.classes.length;
  const L = result.given;
  const { confusion } = result;
  function* rows(): Iterable<(string | number)[]> {
    for (let w = 0; confusion && w < names.length; w++) {
      for (let k = 0; k < K; k++) {
        for (let l = 0; l < L; l++) {
          const given = l < K ? result.classes.at(l) : "(abstained)";
          yield [names.at(w), result.classes.at(k), given, rounded(confusion[(w * K + k) * L + l])];
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
  const { posterior, consensus } = result;
  const doubtful: { t: number; sure: number }[] = [];
  for (let t = 0; t < result.tasks.length; t++) {
    let first = 0;
    let second = 0;
    for (let k = t * K; k < (t + 1) * K; k++) {
      if (posterior[k] > first) [second, first] = [first, posterior[k]];
      else if (posterior[k] > second) second = posterior[k];
    }
    // Equally sure answers go by their distance to the runner-up.
    if (first < CERTAIN || consensus[t] < 0) doubtful.push({ t, sure: first - second / 1e6 });
  }
  doubtful.sort((a, b) => a.sure - b.sure || a.t - b.t);
  return doubtful.slice(0, most).map(({ t }) => t);
}

/** task,label,confidence,runner_up,margin,labels,reason. */
export function reviewCsv(
  data: CategoricalData,
  result: Aggregation,
  tasks: readonly number[],
  names: Names = result.workers,
): Iterable<string> {
  const named = names === result.workers ? data : { ...data, workers: names };
  function* rows(): Iterable<(string | number)[]> {
    for (const t of tasks) {
      const { task, answer, confidence, runnerUp, margin } = explain(data, result, t);
      const label = result.consensus[t] < 0 ? "" : answer;
      const reason = reviewReason(named, result, t);
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
function reviewReason(data: CategoricalData, result: Aggregation, t: number): string {
  if (result.support[t] === 0) return "no labels";
  const { evidence, flip, answer, runnerUp, margin } = explain(data, result, t);
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

/** Seven decimals, ten for small ones: there are millions, and this is the fast way to few digits. */
function probability(p: number): number {
  return p >= 1e-3 ? Math.round(p * 1e7) / 1e7 : Math.round(p * 1e10) / 1e10;
}

/** Seven digits: enough to compute with, and the same on every machine. */
export function rounded(x: number): number {
  return Number(x.toPrecision(7));
}
