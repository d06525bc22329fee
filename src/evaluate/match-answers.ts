/** A file of answers beside gold, as beliefs to be scored. */
import { namesOf } from "../data/names.ts";
import { CrowdError } from "../error.ts";
import type { Answers } from "../io/answers.ts";
import type { Scored } from "./accuracy.ts";

/** Answers and gold of the same tasks, over the classes that either names. */
export function matchAnswers(
  answers: Answers,
  gold: readonly (readonly [string, string])[],
  goldPath: string,
): { scored: Scored; missing: number; certain: boolean } {
  const known = new Map(gold);
  const named = answers.classes ?? [...new Set(answers.labels)];
  const classes = [...new Set([...named, ...known.values()])].sort();
  const place = new Map(classes.map((name, k) => [name, k]));
  const K = classes.length;
  const tasks = [...answers.tasks.keys()].filter((t) => known.has(answers.tasks[t]));
  if (tasks.length === 0) {
    throw new CrowdError(
      "bad-data",
      `None of the ${known.size} gold tasks of ${goldPath} has an answer: gold names "${[...known.keys()][0]}", ` +
        `the answers "${answers.tasks[0]}". Do both files name tasks the same way?`,
    );
  }
  const at = (name: string) => place.get(name) ?? -1;
  const posterior = new Float64Array(tasks.length * K);
  tasks.forEach((t, row) => {
    const chosen = at(answers.labels[t]);
    if (answers.posterior && answers.classes) {
      const C = answers.classes.length;
      answers.classes.forEach((name, c) => {
        posterior[row * K + at(name)] = answers.posterior?.[t * C + c] ?? 0;
      });
    } else {
      // A confidence is the answer's; the rest is shared by the others.
      const sure = answers.confidence?.[t] ?? 1;
      const p = Number.isFinite(sure) ? Math.min(1, Math.max(0, sure)) : 1;
      posterior.fill(K > 1 ? (1 - p) / (K - 1) : 0, row * K, (row + 1) * K);
      if (chosen >= 0) posterior[row * K + chosen] = p;
    }
  });
  return {
    scored: {
      classes: namesOf(classes),
      posterior,
      gold: Int32Array.from(tasks, (t) => at(known.get(answers.tasks[t]) ?? "")),
      consensus: Int32Array.from(tasks, (t) => at(answers.labels[t])),
    },
    missing: known.size - tasks.length,
    certain: !answers.posterior && !answers.confidence,
  };
}
