/** Numbers: each answer puts a task at a value. */
import type { NumericKnown, NumericResult } from "../aggregate/numeric/estimator.ts";
import { numericMethods } from "../auto/index.ts";
import { hiddenValues } from "../auto/numeric.ts";
import { sizeOf } from "../data/crowd-data.ts";
import type { Names } from "../data/names.ts";
import type { NumericData } from "../data/numeric.ts";
import { spread } from "../data/summary.ts";
import { type Check, worstOf } from "../diagnose/checks.ts";
import {
  type Fairness,
  withCorrection,
  workerGroupFairness,
} from "../diagnose/fairness/fairness.ts";
import { agreementCheck, guessingCheck, overlapCheck } from "../diagnose/kind-checks.ts";
import { type NumericAgreement, numericAgreement } from "../diagnose/numeric-agreement.ts";
import {
  type NumericWorker,
  numericWorkers,
  numericWorstFirst,
} from "../diagnose/numeric-workers.ts";
import { evaluateValues, type NumericMetrics, type ScoredValues } from "../evaluate/numeric.ts";
import { isCalled } from "../io/column-names.ts";
import { writeCsv } from "../io/csv-writer.ts";
import { numbersTable, type ReadNumbers } from "../io/sinks/numbers.ts";
import { numericReading } from "../io/sinks/numeric.ts";
import { spearman } from "../math/statistics.ts";
import { anonymousNames } from "../report/anonymous.ts";
import { rounded } from "../report/csv-files.ts";
import { checkLines, groupedLines } from "../report/diagnosis-text.ts";
import { fairnessCsv } from "../report/fairness-rows.ts";
import { fairnessLines } from "../report/fairness-text.ts";
import { numericFingerprint, numericReport } from "../report/numeric-report.ts";
import { brief, count, decimal } from "../report/text.ts";
import { goldOfAnswers, heldOutBy, maybe, numberFolds } from "./answers.ts";
import type { Kind, KindMethod, Scores } from "./kind.ts";

const methods: readonly KindMethod<NumericData, NumericResult>[] = Object.values(numericMethods);

export const numeric: Kind<NumericData, NumericResult> = {
  id: "numeric",
  title: "Numbers",
  methods,
  defaultMethod: "auto",
  baseline: "mean",
  judgeMethod: "mean",
  reading: numericReading,
  size: (data) => sizeOf(data, 1),
  counts: (data) => [
    count(data.value.length, "value"),
    count(data.tasks.length, "task"),
    count(data.workers.length, "worker"),
  ],
  goldCount: (data) => data.gold.filter((x) => !Number.isNaN(x)).length,
  fingerprint: numericFingerprint,
  describe: () => ({}),
  document: () => ({}),
  *answers(data, { value, sd, low, high }) {
    for (let t = 0; t < data.tasks.length; t++) {
      yield {
        task: data.tasks.at(t),
        value: maybe(value[t]),
        sd: maybe(sd[t]),
        low: maybe(low[t]),
        high: maybe(high[t]),
      };
    }
  },
  *workers(data, result) {
    const { workload, bias, error } = result;
    const judged = numericWorkers(data, result);
    for (let w = 0; w < data.workers.length; w++) {
      yield {
        worker: data.workers.at(w),
        answers: workload[w],
        bias: maybe(bias[w]),
        error: maybe(error[w]),
        standing: judged[w].standing,
      };
    }
  },
  compared: { name: "task", answer: "value" },
  metrics: [
    { id: "mae", title: "MAE", digits: 4, better: "lower" },
    { id: "rmse", title: "RMSE", digits: 4, better: "lower" },
    { id: "spearman", title: "Spearman", digits: 4, better: "higher" },
  ],
  async score(data, result, known, refit) {
    if (!(known as NumericKnown).gold) return scoresOf({ ...result, gold: data.gold });
    const folds = numberFolds(data.gold);
    const [value, low, high] = [result.value, result.low, result.high].map((x) => x.slice());
    for (const [f, fold] of folds.entries()) {
      const hidden = new Set(fold);
      const shown = data.gold.map((x, t) => (hidden.has(t) ? Number.NaN : x));
      const part = await refit({ gold: shown }, `gold part ${f + 1} of ${folds.length}`);
      for (const t of fold)
        [value[t], low[t], high[t]] = [part.value[t], part.low[t], part.high[t]];
    }
    return scoresOf({ value, low, high, gold: data.gold });
  },
  credits: (data, { value }) =>
    data.gold
      .map((gold, t) => -Math.abs(value[t] - gold))
      .filter((_, t) => !Number.isNaN(data.gold[t]) && !Number.isNaN(value[t])),
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
  report({ data, result, scores, judged, anonymous, since, content }) {
    return numericReport({
      data,
      result,
      card: cardOf(result.method),
      workers: anonymous ? anonymousNames(data.workers) : data.workers,
      agreement: judged as NumericAgreement,
      checks: checksOf(data, result, judged as NumericAgreement),
      metrics: scores?.details as NumericMetrics | undefined,
      since,
      content,
    });
  },
  summary(data, result) {
    const { min, median, max } = spread(result.value.filter((x) => !Number.isNaN(x)));
    return [
      `values   from ${decimal(min)} to ${decimal(max)}, median ${decimal(median)}`,
      `tasks    ${count(data.tasks.length, "task")}`,
    ].join("\n");
  },
  truth: truthOf,
  groups: "workers",
  *diagnose(data, result, { seed, workers: most, scores }) {
    const agreement = numericAgreement(data, { seed });
    const perTask = spread(result.support);
    const perWorker = spread(result.workload);
    const judged = numericWorkers(data, result);
    const workers = numericWorstFirst(judged).map((w) => ({
      worker: data.workers.at(w),
      answers: result.workload[w],
      bias: maybe(result.bias[w]),
      error: maybe(result.error[w]),
      standing: judged[w].standing,
    }));
    const checks = checksOf(data, result, agreement);
    const fairness = groupsOf(data);
    return {
      document: {
        summary: { redundancy: perTask, workload: perWorker },
        agreement,
        workers,
        identifiability: { status: worstOf(checks), checks },
        ...(fairness && { fairness }),
        ...(scores && { metrics: scores.document }),
      },
      lines: [
        ...(scores ? [scores.line, ""] : []),
        "Answers",
        `  per task    median ${perTask.median}, from ${perTask.min} to ${perTask.max}`,
        `  per worker  median ${perWorker.median}, from ${perWorker.min} to ${perWorker.max}`,
        "",
        "Agreement, with a 95 % interval over tasks",
        `  Krippendorff's alpha (interval)  ${decimal(agreement.alpha)}  [${decimal(agreement.low)}, ${decimal(agreement.high)}]`,
        `  s.d. within a task               ${decimal(agreement.within)}`,
        "",
        ...workerLines(data, result, judged, most),
        ...(fairness ? fairnessLines(fairness) : []),
        ...checkLines(checks),
      ],
      report: () =>
        numericReport({
          data,
          result,
          card: cardOf(result.method),
          workers: data.workers,
          agreement,
          checks,
          metrics: scores?.details as NumericMetrics | undefined,
          fairness,
        }),
      files: () =>
        new Map([
          ["workers.csv", workersOf(data.workers, result, judged)],
          ...(fairness ? [["fairness.csv", fairnessCsv(fairness)] as const] : []),
        ]),
    };
  },
  answersTable: numbersTable(
    [
      { role: "task", aliases: "task", required: true },
      { role: "value", aliases: "value", required: true },
    ],
    ["low", "high"],
  ),
  recogniseAnswers: (header) =>
    isCalled(header, "value") ? 'there is a column "value"' : undefined,
  scoreAnswers(answers, gold, goldName) {
    const { rows, missing } = goldOfAnswers(answers as ReadNumbers, gold, goldName, "task");
    const { value, low, high } = (answers as ReadNumbers).columns;
    const pick = (column: Float64Array | undefined) =>
      column && Float64Array.from(rows, ({ row }) => column[row]);
    return {
      scores: scoresOf({
        value: pick(value) ?? new Float64Array(0),
        gold: Float64Array.from(rows, ({ known }) => known),
        low: pick(low),
        high: pick(high),
      }),
      notes: missing > 0 ? [`${count(missing, "gold task")} without an answer are left out.`] : [],
    };
  },
};

const cardOf = (id: string) => methods.find((method) => method.id === id) ?? { id, title: id };

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
  return withCorrection([], workerGroupFairness(data, {}, notes), notes);
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

/** task,value,sd,low,high: one value per task, empty cells where it cannot be told. */
function truthOf({ tasks, value, sd, low, high }: NumericResult): Iterable<string> {
  function* rows(): Iterable<(string | number | undefined)[]> {
    for (let t = 0; t < tasks.length; t++) {
      yield [tasks.at(t), cell(value[t]), cell(sd[t]), cell(low[t]), cell(high[t])];
    }
  }
  return writeCsv(["task", "value", "sd", "low", "high"], rows());
}

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
  };
  const lines: [string, string][] = [
    ["gold tasks", String(tasks)],
    ["MAE", `${mae.value.toFixed(4)}  [${mae.low.toFixed(4)}, ${mae.high.toFixed(4)}]`],
    ["RMSE", rmse.toFixed(4)],
    ["bias", bias.toFixed(4)],
    ["Spearman", metrics.spearman.toFixed(4)],
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
