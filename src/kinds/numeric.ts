/** Numbers: each answer puts a task at a value. */

import type { NumericKnown, NumericResult } from "../aggregate/numeric/estimator.ts";
import { numericMethods } from "../auto/index.ts";
import { hiddenValues } from "../auto/numeric.ts";
import { sizeOf } from "../data/crowd-data.ts";
import type { Names } from "../data/names.ts";
import { inCommonUnits, type NumericData, taskCount } from "../data/numeric.ts";
import { spread } from "../data/summary.ts";
import { type Check, worstOf } from "../diagnose/checks.ts";
import { numericDriftSteps } from "../diagnose/drift/numeric-drift.ts";
import {
  type EffectiveAnswerers,
  effectiveAnswerers,
} from "../diagnose/effective/effective-answerers.ts";
import {
  type Fairness,
  withCorrection,
  workerGroupFairness,
} from "../diagnose/fairness/fairness.ts";
import { agreementCheck, guessingCheck, overlapCheck } from "../diagnose/kind-checks.ts";
import {
  type Judged,
  type KindEvidence,
  kindVerdict,
  reliabilityOf,
} from "../diagnose/kind-verdict.ts";
import { type NumericAgreement, numericAgreement } from "../diagnose/numeric-agreement.ts";
import {
  type NumericWorker,
  numericWorkers,
  numericWorstFirst,
} from "../diagnose/numeric-workers.ts";
import {
  evaluateValues,
  goldUnits,
  type NumericMetrics,
  type ScoredValues,
} from "../evaluate/numeric.ts";
import { isCalled } from "../io/column-names.ts";
import { writeCsv } from "../io/csv-writer.ts";
import { numericReading } from "../io/sinks/numeric.ts";
import { outputColumns, type ReadValues, valuesTable } from "../io/sinks/outputs.ts";
import { spearman } from "../math/statistics.ts";
import { anonymousNames } from "../report/anonymous.ts";
import { rounded } from "../report/csv-files.ts";
import { checkLines, groupedLines } from "../report/diagnosis-text.ts";
import { numericFingerprint, numericReport } from "../report/numeric-report.ts";
import { brief, count, decimal } from "../report/text.ts";
import { reportVerdict, verdictLines } from "../report/verdict-text.ts";
import { goldOfAnswers, heldOutBy, maybe, numberFolds, verdictBy } from "./answers.ts";
import { findingsOf } from "./findings.ts";
import type { Kind, KindMethod, Scores } from "./kind.ts";
import { numericLearning } from "./numeric-learning.ts";
import { answersTable, goldTable } from "./tables.ts";

const methods: readonly KindMethod<NumericData, NumericResult>[] = Object.values(numericMethods);

export const numeric: Kind<NumericData, NumericResult> = {
  id: "numeric",
  title: "Numbers",
  methods,
  defaultMethod: "auto",
  baseline: "mean",
  judgeMethod: "mean",
  reading: numericReading,
  tables: (data) => {
    const { tasks, task, workers, worker, value, gold, outputs } = data;
    const named = (t: number) => [tasks.at(t), ...(outputs ? [outputName(data, t)] : [])];
    const columns = outputs ? ["task", "output"] : ["task"];
    return {
      answers: answersTable(data, [...columns, "worker", "value"], (i) => [
        ...named(task[i]),
        workers.at(worker[i]),
        value[i],
      ]),
      gold: goldTable([...columns, "value"], tasks.length, (t) =>
        Number.isNaN(gold[t]) ? undefined : [...named(t), gold[t]],
      ),
    };
  },
  size: (data) => sizeOf(data, 1),
  counts: (data) => [
    count(data.value.length, "value"),
    count(taskCount(data), "task"),
    ...(data.outputs ? [count(data.outputs.names.length, "output")] : []),
    count(data.workers.length, "worker"),
  ],
  goldCount: (data) => data.gold.filter((x) => !Number.isNaN(x)).length,
  fingerprint: numericFingerprint,
  describe: ({ outputs }) => (outputs ? { outputs: [...outputs.names] } : {}),
  document: () => ({}),
  *answers(data, { value, sd, low, high }) {
    for (let t = 0; t < data.tasks.length; t++) {
      yield {
        task: data.tasks.at(t),
        ...(data.outputs && { output: outputName(data, t) }),
        value: maybe(value[t]),
        sd: maybe(sd[t]),
        low: maybe(low[t]),
        high: maybe(high[t]),
      };
    }
  },
  *workers(data, result) {
    const judged = numericWorkers(data, result);
    for (let w = 0; w < data.workers.length; w++) yield workerRow(data, result, judged, w);
  },
  compared: { name: "task", part: "output", answer: "value" },
  metrics: [
    { id: "mae", title: "MAE", digits: 4, better: "lower" },
    { id: "rmse", title: "RMSE", digits: 4, better: "lower" },
    { id: "spearman", title: "Spearman", digits: 4, better: "higher" },
  ],
  async score(data, result, known, refit) {
    if (!(known as NumericKnown).gold)
      return scoresOf({ ...result, gold: data.gold, output: outputNames(data) });
    const folds = numberFolds(data.gold);
    const [value, low, high] = [result.value, result.low, result.high].map((x) => x.slice());
    for (const [f, fold] of folds.entries()) {
      const hidden = new Set(fold);
      const shown = data.gold.map((x, t) => (hidden.has(t) ? Number.NaN : x));
      const part = await refit({ gold: shown }, `gold part ${f + 1} of ${folds.length}`);
      for (const t of fold)
        [value[t], low[t], high[t]] = [part.value[t], part.low[t], part.high[t]];
    }
    return scoresOf({ value, low, high, gold: data.gold, output: outputNames(data) });
  },
  credits(data, { value }) {
    // With several outputs in units of the spread of gold, as the scores are.
    const unit = goldUnits(data.gold, outputNames(data));
    return data.gold
      .map((gold, t) => -Math.abs(value[t] - gold) / unit(t))
      .filter((_, t) => !Number.isNaN(data.gold[t]) && !Number.isNaN(value[t]));
  },
  heldOut: heldOutBy(hiddenValues),
  alike(a, b) {
    const both = Array.from(a.value.keys()).filter((t) => !Number.isNaN(a.value[t] + b.value[t]));
    const same = both.every((t) => a.value[t] === b.value[t]);
    if (same) return 1;
    return Math.max(
      0,
      spearman(
        both.map((t) => a.value[t]),
        both.map((t) => b.value[t]),
      ),
    );
  },
  verdict: verdictBy((data, result, scores, seed) =>
    evidenceOf(data, result, scores, {
      checks: checksOf(data, result, numericAgreement(data, { seed })),
      effective: effectiveAnswerers(data),
    }),
  ),
  // biome-ignore lint/correctness/useYield: there is nothing to wait for
  *judge(data, _, { seed }) {
    return numericAgreement(data, { seed });
  },
  files({ data, result, anonymous }) {
    const names = anonymous ? anonymousNames(data.workers) : data.workers;
    return new Map([
      ["truth.csv", truthOf(result)],
      ["workers.csv", workersOf(names, result, numericWorkers(data, result))],
    ]);
  },
  attention: ({ result }) => {
    const single = result.support.filter((n) => n === 1).length;
    return single > 0
      ? [`${count(single, "task")} with one answer only, so without an interval.`]
      : [];
  },
  report({ data, result, scores, judged, anonymous, since, content, verdict }) {
    return numericReport({
      data,
      result,
      card: cardOf(result.method),
      workers: anonymous ? anonymousNames(data.workers) : data.workers,
      agreement: judged as NumericAgreement,
      checks: checksOf(data, result, judged as NumericAgreement),
      metrics: scores?.details as NumericMetrics | undefined,
      since,
      verdict,
      content,
    });
  },
  summary(data, result) {
    const line = (title: string, values: Float64Array) => {
      const { min, median, max } = spread(values.filter((x) => !Number.isNaN(x)));
      return `${title}from ${decimal(min)} to ${decimal(max)}, median ${decimal(median)}`;
    };
    const { outputs } = data;
    return [
      ...(outputs
        ? Array.from(outputs.names, (name, o) =>
            line(
              `${`output ${brief(name, 24)}`.padEnd(9)}  `,
              result.value.filter((_, t) => outputs.of[t] === o),
            ),
          )
        : [line("values   ", result.value)]),
      `tasks    ${count(taskCount(data), "task")}`,
    ].join("\n");
  },
  truth: truthOf,
  groups: "workers",
  learning: numericLearning,
  drifts: true,
  *diagnose(data, result, { seed, workers: most, scores, time }) {
    const agreement = numericAgreement(data, { seed });
    const perTask = spread(result.support);
    const perWorker = spread(result.workload);
    const judged = numericWorkers(data, result);
    const workers = numericWorstFirst(judged).map((w) => workerRow(data, result, judged, w));
    const checks = checksOf(data, result, agreement);
    const drift = time ? yield* numericDriftSteps(data, { seed }) : undefined;
    const fairness = groupsOf(data);
    const effective = effectiveAnswerers(data);
    const more = findingsOf({ drift, fairness });
    const verdict = kindVerdict(evidenceOf(data, result, scores, { checks, effective }));
    return {
      document: {
        verdict: reportVerdict(verdict),
        summary: { redundancy: perTask, workload: perWorker },
        agreement,
        workers,
        effective: effectiveDocument(data, effective),
        identifiability: { status: worstOf(checks), checks },
        ...more.document,
        ...(scores && { metrics: scores.document }),
      },
      lines: [
        ...verdictLines(verdict),
        "",
        ...(scores ? [scores.line, ""] : []),
        "Answers",
        `  per task    median ${perTask.median}, from ${perTask.min} to ${perTask.max}`,
        `  per worker  median ${perWorker.median}, from ${perWorker.min} to ${perWorker.max}`,
        "",
        "Agreement, with a 95 % interval over tasks",
        `  Krippendorff's alpha (interval)  ${decimal(agreement.alpha)}  [${decimal(agreement.low)}, ${decimal(agreement.high)}]`,
        ...(data.outputs
          ? ["  over all outputs, each in units of its s.d. within a task"]
          : [`  s.d. within a task               ${decimal(agreement.within)}`]),
        "",
        ...workerLines(data, result, judged, most),
        ...effectiveText(data, effective),
        ...more.lines,
        ...checkLines(checks),
      ],
      report: () =>
        numericReport({
          data,
          result,
          card: cardOf(result.method),
          workers: data.workers,
          verdict,
          agreement,
          checks,
          metrics: scores?.details as NumericMetrics | undefined,
          drift,
          fairness,
          effective,
        }),
      files: () => more.files(workersOf(data.workers, result, judged)),
    };
  },
  answersTable: valuesTable,
  recogniseAnswers: (header) =>
    isCalled(header, "value")
      ? 'there is a column "value"'
      : outputColumns(header).length > 0
        ? `there is a column "${header[outputColumns(header)[0]]}"`
        : undefined,
  scoreAnswers(answers, gold, goldName) {
    const read = answers as ReadValues;
    const { rows, missing } = goldOfAnswers(read, gold, goldName, "task");
    const { value, low, high } = read.columns;
    const { outputs } = read;
    const pick = (column: Float64Array | undefined) =>
      column && Float64Array.from(rows, ({ row }) => column[row]);
    return {
      scores: scoresOf({
        value: pick(value) ?? new Float64Array(0),
        gold: Float64Array.from(rows, ({ known }) => known),
        low: pick(low),
        high: pick(high),
        output: outputs && rows.map(({ row }) => outputs[row]),
      }),
      notes: missing > 0 ? [`${count(missing, "gold task")} without an answer are left out.`] : [],
    };
  },
};

const cardOf = (id: string) =>
  [...methods, ...numericLearning.learners].find((method) => method.id === id) ?? { id, title: id };

/** What is known of a worker, as a plain row. */
function workerRow(
  { workers }: NumericData,
  { workload, bias, error }: NumericResult,
  judged: readonly NumericWorker[],
  w: number,
) {
  return {
    worker: workers.at(w),
    answers: workload[w],
    bias: maybe(bias[w]),
    error: maybe(error[w]),
    standing: judged[w].standing,
  };
}

/** Lists workers, worst first. */
function workerLines(
  { workers }: NumericData,
  { workload, bias, error }: NumericResult,
  judged: readonly NumericWorker[],
  most: number,
): string[] {
  const order = numericWorstFirst(judged);
  return groupedLines(judged, order, most === 0 ? order.length : most, {
    noun: "answer",
    head: (width) => `${"worker".padEnd(width)}  answers        bias  typical error`,
    names: Array.from(workers, (name) => brief(name, 24)),
    row: (w) =>
      `  ${String(workload[w]).padStart(7)}  ${decimal(bias[w]).padStart(10)}  ${decimal(error[w]).padStart(13)}`,
  });
}

/** Compares groups of workers, if workers have attributes. */
function groupsOf(data: NumericData): Fairness | undefined {
  if ((data.workerAttributes?.size ?? 0) === 0) return undefined;
  const notes: string[] = [];
  return withCorrection([], workerGroupFairness(inCommonUnits(data), {}, notes), notes);
}

/** How many independent workers there are, by name. */
function effectiveDocument({ workers }: NumericData, found: EffectiveAnswerers) {
  const correlations = found.correlations.map(({ workers: pair, ...rest }) => ({
    workers: pair.map((w) => workers.at(w)),
    ...rest,
  }));
  return { ...found, correlations };
}

/** How many independent workers there are, in words, and who goes together. */
function effectiveText({ workers }: NumericData, found: EffectiveAnswerers): string[] {
  if (found.workers < 2) return [];
  const pairs = found.correlations.filter(({ dependent }) => dependent);
  return [
    `${count(found.workers, "worker")} with 20 answers or more are worth ${found.crowd.toFixed(1)} independent ones.`,
    ...pairs.slice(0, 5).map(({ workers: [u, v], correlation, common }) => {
      const names = `${brief(workers.at(u), 24)} and ${brief(workers.at(v), 24)}`;
      return `  ${names} err together: correlation ${decimal(correlation)} over ${count(common, "task")}.`;
    }),
    ...(pairs.length > 5 ? [`  … and ${count(pairs.length - 5, "more pair")}`] : []),
    "",
  ];
}

/** Checks what can be learnt from the numbers. */
function checksOf(
  data: NumericData,
  result: NumericResult,
  { alpha, low, high }: NumericAgreement,
): readonly Check[] {
  return [
    overlapCheck(result.support, data.workers.length),
    agreementCheck({ value: alpha, low, high }),
    guessingCheck(numericWorkers(data, result)),
  ];
}

/** worker,answers,bias,error,standing, worst first. */
function workersOf(
  names: Names,
  { workload, bias, error }: NumericResult,
  judged: readonly NumericWorker[],
): Iterable<string> {
  const rows = numericWorstFirst(judged).map((w) => [
    names.at(w),
    workload[w],
    cell(bias[w]),
    cell(error[w]),
    judged[w].standing,
  ]);
  return writeCsv(["worker", "answers", "bias", "error", "standing"], rows);
}

const cell = (x: number) => (Number.isNaN(x) ? undefined : rounded(x));

/** task,value,sd,low,high: one value per task, or per task and output; empty cells where it cannot be told. */
function truthOf(result: NumericResult): Iterable<string> {
  const { tasks, outputs, value, sd, low, high } = result;
  function* rows(): Iterable<(string | number | undefined)[]> {
    for (let t = 0; t < tasks.length; t++) {
      const names = [tasks.at(t), ...(outputs ? [outputName(result, t)] : [])];
      yield [...names, cell(value[t]), cell(sd[t]), cell(low[t]), cell(high[t])];
    }
  }
  return writeCsv(["task", ...(outputs ? ["output"] : []), "value", "sd", "low", "high"], rows());
}

/** The name of the output that an entry of `tasks` is; empty where tasks have one number. */
const outputName = ({ outputs }: Pick<NumericData, "outputs">, t: number): string =>
  outputs ? outputs.names.at(outputs.of[t]) : "";

/** The names of all outputs, entry by entry; undefined where tasks have one number. */
const outputNames = (data: NumericData): string[] | undefined =>
  data.outputs && Array.from(data.tasks, (_, t) => outputName(data, t));

function scoresOf(scored: ScoredValues): Scores {
  const metrics = evaluateValues(scored);
  const { tasks, mae, rmse, bias, coverage } = metrics;
  const document = {
    tasks,
    mae: { value: rounded(mae.value), low: rounded(mae.low), high: rounded(mae.high) },
    rmse: rounded(rmse),
    bias: rounded(bias),
    spearman: Number.isNaN(metrics.spearman) ? null : rounded(metrics.spearman),
    ...(coverage !== undefined && { coverage: rounded(coverage) }),
    ...(metrics.outputs && {
      outputs: Object.fromEntries(
        Object.entries(metrics.outputs).map(([name, each]) => [
          name,
          { mae: rounded(each.mae.value), rmse: rounded(each.rmse), bias: rounded(each.bias) },
        ]),
      ),
    }),
  };
  const lines: [string, string][] = [
    ["gold tasks", String(tasks)],
    ["MAE", `${mae.value.toFixed(4)}  [${mae.low.toFixed(4)}, ${mae.high.toFixed(4)}]`],
    ["RMSE", rmse.toFixed(4)],
    ["bias", bias.toFixed(4)],
    ["Spearman", metrics.spearman.toFixed(4)],
    ...Object.entries(metrics.outputs ?? {}).map(
      ([name, each]) =>
        [
          `MAE of ${brief(name, 12)}`,
          `${each.mae.value.toFixed(4)}  (RMSE ${each.rmse.toFixed(4)})`,
        ] as [string, string],
    ),
    ...(coverage === undefined
      ? []
      : [["coverage of 95 %", coverage.toFixed(4)] as [string, string]]),
  ];
  return {
    line: `Mean absolute error ${decimal(mae.value)} [${decimal(mae.low)}, ${decimal(mae.high)}] on ${count(tasks, "gold task")}, RMSE ${decimal(rmse)}.`,
    values: { mae: mae.value, rmse, spearman: metrics.spearman },
    document,
    table: `${lines.map(([name, value]) => `${name.padEnd(20)}${value}`).join("\n")}\n`,
    details: metrics,
  };
}

/** What the verdict on values rests on. */
function evidenceOf(
  data: NumericData,
  result: NumericResult,
  scores: Scores | undefined,
  judged: Judged,
): KindEvidence {
  const metrics = scores?.details as NumericMetrics | undefined;
  const coverage = metrics?.coverage;
  return {
    ...judged,
    reliability: data.outputs ? undefined : reliabilityOf(result.value, result.sd),
    intervals:
      metrics && coverage !== undefined
        ? { held: Math.round(coverage * metrics.tasks), of: metrics.tasks }
        : undefined,
    thing: "task",
    count: taskCount(data),
  };
}
