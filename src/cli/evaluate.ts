/** Scores any file of answers against gold. */
import { namesOf } from "../data/names.ts";
import { CrowdError } from "../error.ts";
import { evaluate as score } from "../evaluate/index.ts";
import type { Answers } from "../io/answers.ts";
import { maxOf } from "../math/lists.ts";
import { readAnswers, readGold } from "../node/files.ts";
import { type MetricsDocument, metricsDocument } from "../report/result-json.ts";
import type { Command } from "./command.ts";
import { commonFlags, count } from "./data-flags.ts";

export const evaluate: Command = {
  id: "evaluate",
  usage: "TRUTH --gold GOLD [options]",
  example: "consilience evaluate result/posterior.csv --gold gold.csv",
  flags: () => ({
    gold: { type: "text", value: "FILE", help: "Known classes: a table with task and label." },
    json: commonFlags["json"],
    quiet: commonFlags["quiet"],
    help: commonFlags["help"],
  }),
  async run(given, world) {
    const [path, ...rest] = given.files;
    const goldPath = given.text("gold");
    if (path === undefined || rest.length > 0 || goldPath === undefined) {
      throw new CrowdError(
        "usage",
        "evaluate takes one file of answers and --gold FILE. See: consilience evaluate --help",
      );
    }
    const reading = { signal: world.signal, stdin: world.stdin };
    const answers = await readAnswers(path, reading);
    const { gold, notes } = await readGold(goldPath, reading);
    const say = given.on("quiet") || given.on("json") ? () => {} : world.say;
    for (const note of [...answers.notes, ...notes]) say(`note: ${note}`);
    const { scored, missing, certain } = match(answers, gold, goldPath);
    if (missing > 0) say(`note: ${count(missing, "gold task")} without an answer are left out.`);
    if (certain)
      say(
        "note: the file has no probabilities, so log-loss, Brier score and ECE are of certain answers.",
      );
    const metrics = metricsDocument(score(scored));
    await world.print(given.on("json") ? `${JSON.stringify(metrics)}\n` : table(metrics));
  },
};

/** Answers and gold of the same tasks, over the classes that either names. */
function match(answers: Answers, gold: readonly (readonly [string, string])[], goldPath: string) {
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

function table(metrics: MetricsDocument): string {
  const four = (x: number) => x.toFixed(4);
  const interval = ({ value, low, high }: { value: number; low: number; high: number }) =>
    `${four(value)}  [${four(low)}, ${four(high)}]`;
  const lines: [string, string][] = [
    ["gold tasks", String(metrics.tasks)],
    ["accuracy", interval(metrics.accuracy)],
    ["  ties shared", four(metrics.accuracySplit)],
    ["  ties to the first", four(metrics.accuracyFirst)],
    ["  ties to the last", four(metrics.accuracyLast)],
    ["balanced accuracy", four(metrics.balancedAccuracy)],
    ["macro F1", four(metrics.macroF1)],
    ...(metrics.auc === undefined ? [] : [["AUC", four(metrics.auc)] as [string, string]]),
    ["log-loss", four(metrics.logLoss)],
    ["Brier score", four(metrics.brier)],
    ["ECE", interval(metrics.ece)],
  ];
  const width = maxOf(
    metrics.classes.map((score) => score.class.length),
    5,
  );
  return [
    ...lines.map(([name, value]) => `${name.padEnd(20)}${value}`),
    "",
    `${"class".padEnd(width)}  precision  recall      f1    gold  answered`,
    ...metrics.classes.map(
      (score) =>
        `${score.class.padEnd(width)}  ${four(score.precision).padStart(9)}  ${four(score.recall)}  ${four(score.f1)}` +
        `  ${String(score.gold).padStart(6)}  ${String(score.answered).padStart(8)}`,
    ),
    "",
  ].join("\n");
}
