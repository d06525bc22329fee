/** Several labels per task: each answer is a set of labels. */

import {
  chosenLabels,
  type MultiLabelKnown,
  type MultiLabelResult,
} from "../aggregate/multi-label/labeller.ts";
import { multiLabelMethods } from "../auto/index.ts";
import { hiddenSets } from "../auto/multi-label.ts";
import { labelsPerTask, sizeOf } from "../data/crowd-data.ts";
import { jaccard, type MultiLabelData } from "../data/multi-label.ts";
import { spread } from "../data/summary.ts";
import { type Check, worstOf } from "../diagnose/checks.ts";
import { setGroups } from "../diagnose/fairness/agreement-groups.ts";
import { agreementCheck, guessingCheck, overlapCheck } from "../diagnose/kind-checks.ts";
import { type Judged, type KindEvidence, kindVerdict } from "../diagnose/kind-verdict.ts";
import {
  type MultiLabelAgreement,
  multiLabelAgreement,
} from "../diagnose/multi-label-agreement.ts";
import { type MultiLabelWorker, multiLabelWorkers } from "../diagnose/multi-label-workers.ts";
import { worstFirst } from "../diagnose/standing.ts";
import { evaluateSets, type MultiLabelMetrics } from "../evaluate/multi-label.ts";
import { isCalled } from "../io/column-names.ts";
import { setTable } from "../io/sinks/label-sets.ts";
import { multiLabelReading } from "../io/sinks/multi-label.ts";
import { anonymousNames } from "../report/anonymous.ts";
import { checkLines, groupedLines } from "../report/diagnosis-text.ts";
import { multiLabelFingerprint, multiLabelReport } from "../report/multi-label-report.ts";
import { brief, count, decimal, percent } from "../report/text.ts";
import { reportVerdict, verdictLines } from "../report/verdict-text.ts";
import { heldOutBy, maybe, meanOf, verdictBy } from "./answers.ts";
import { findingsOf } from "./findings.ts";
import type { Kind, KindMethod, Scores } from "./kind.ts";
import { labelsCsv, setRows, setsCsv, setTables, setWorkersCsv } from "./multi-label-files.ts";
import { foldsOfGold, scoreReadSets, setScores, tasksWithGold } from "./multi-label-scores.ts";

const methods: readonly KindMethod<MultiLabelData, MultiLabelResult>[] =
  Object.values(multiLabelMethods);

export const multiLabel: Kind<MultiLabelData, MultiLabelResult> = {
  id: "multi-label",
  title: "Several labels per task",
  methods,
  defaultMethod: "auto",
  baseline: "set-vote",
  judgeMethod: "shared-workers",
  reading: multiLabelReading,
  tables: setTables,
  size: (data) => sizeOf(data, data.classes.length),
  counts: (data) => [
    count(data.task.length, "answer"),
    count(data.label.length, "chosen label"),
    count(data.tasks.length, "task"),
    count(data.workers.length, "worker"),
    count(data.classes.length, "label"),
  ],
  goldCount: tasksWithGold,
  fingerprint: multiLabelFingerprint,
  describe: (data) => ({ classes: [...data.classes], chosen: data.label.length }),
  document: ({ exclusive, classes }) => (exclusive < 0 ? {} : { exclusive: classes.at(exclusive) }),
  answers: setRows,
  *workers(data, result) {
    for (const [w, judged] of multiLabelWorkers(data, result).entries()) {
      yield workerRow(data.workers.at(w), judged);
    }
  },
  compared: { name: "task", answer: "labels" },
  metrics: [
    { id: "micro_f1", title: "Micro F1", digits: 4, better: "higher", share: true },
    { id: "precision", title: "Precision", digits: 4, better: "higher", share: true },
    { id: "recall", title: "Recall", digits: 4, better: "higher", share: true },
    { id: "macro_f1", title: "Macro F1", digits: 4, better: "higher", share: true },
    { id: "set_accuracy", title: "Whole sets", digits: 4, better: "higher", share: true },
    { id: "ece", title: "ECE", digits: 4, better: "lower", detail: true },
  ],
  async score(data, result, known, refit) {
    const { gold } = data;
    if (!(known as MultiLabelKnown).gold) return setScores({ ...result, gold });
    const [L, folds] = [data.classes.length, foldsOfGold(data)];
    const [chosen, posterior] = [result.chosen.slice(), result.posterior.slice()];
    for (const [f, fold] of folds.entries()) {
      const shown = gold.map((k, at) => (fold.has(Math.floor(at / L)) ? -1 : k));
      const part = await refit({ gold: shown }, `gold part ${f + 1} of ${folds.length}`);
      for (const t of fold) {
        chosen.set(part.chosen.subarray(t * L, (t + 1) * L), t * L);
        posterior.set(part.posterior.subarray(t * L, (t + 1) * L), t * L);
      }
    }
    return setScores({ classes: data.classes, chosen, posterior, gold });
  },
  credits: (data, { classes, chosen }) =>
    evaluateSets({ classes, chosen, gold: data.gold }).credits,
  heldOut: heldOutBy(hiddenSets),
  alike(a, b) {
    const [T, L] = [a.tasks.length, a.classes.length];
    let sum = 0;
    for (let t = 0; t < T; t++) {
      sum += jaccard(chosenLabels(a.chosen, L, t), chosenLabels(b.chosen, L, t));
    }
    return sum / Math.max(1, T);
  },
  verdict: verdictBy((data, result, scores, seed) =>
    evidenceOf(data, result, scores, {
      checks: checksOf(data, result, multiLabelAgreement(data, { seed })),
    }),
  ),
  // biome-ignore lint/correctness/useYield: there is nothing to wait for
  *judge(data, _, { seed }) {
    return multiLabelAgreement(data, { seed });
  },
  files({ data, result, anonymous }) {
    const names = anonymous ? anonymousNames(data.workers) : data.workers;
    return new Map([
      ["truth.csv", labelsCsv(result)],
      ["sets.csv", setsCsv(data, result)],
      ["workers.csv", setWorkersCsv(names, multiLabelWorkers(data, result))],
    ]);
  },
  attention: ({ result }) => {
    const unsure = result.setProbability.filter((p) => p < 0.5).length;
    return unsure > 0
      ? [`${count(unsure, "task")} whose set has a probability below one half.`]
      : [];
  },
  report({ data, result, scores, judged, anonymous, since, content, verdict }) {
    return multiLabelReport({
      data,
      result,
      card: cardOf(result.method),
      workers: anonymous ? anonymousNames(data.workers) : data.workers,
      agreement: judged as MultiLabelAgreement,
      checks: checksOf(data, result, judged as MultiLabelAgreement),
      metrics: scores?.details as MultiLabelMetrics | undefined,
      since,
      verdict,
      content,
    });
  },
  summary(_, { chosen, tasks, classes }) {
    const found = new Float64Array(classes.length);
    chosen.forEach((each, at) => {
      found[at % classes.length] += each;
    });
    const shown = Array.from(found.keys()).sort((a, b) => found[b] - found[a] || a - b);
    const total = found.reduce((sum, n) => sum + n, 0);
    const shareOf = (l: number) => `${classes.at(l)} ${percent(found[l] / tasks.length)}`;
    return [
      `labels   ${shown.slice(0, 5).map(shareOf).join(", ")}${shown.length > 5 ? ", …" : ""}`,
      `sets     ${decimal(total / tasks.length)} labels per task`,
    ].join("\n");
  },
  truth: labelsCsv,
  groups: "workers",
  *diagnose(data, result, { seed, workers: most, scores }) {
    const agreement = multiLabelAgreement(data, { seed });
    const judged = multiLabelWorkers(data, result);
    const order = worstFirst(judged);
    const checks = checksOf(data, result, agreement);
    const perWorker = spread(result.workload);
    const fairness = setGroups(data);
    const more = findingsOf({ fairness });
    const verdict = kindVerdict(evidenceOf(data, result, scores, { checks }));
    return {
      document: {
        verdict: reportVerdict(verdict),
        summary: { workload: perWorker, chosen: data.label.length },
        agreement: {
          ...agreement,
          labels: Array.from(agreement.labels, (alpha, l) => ({
            label: data.classes.at(l),
            alpha: maybe(alpha),
          })),
        },
        workers: order.map((w) => workerRow(data.workers.at(w), judged[w])),
        identifiability: { status: worstOf(checks), checks },
        ...more.document,
        ...(scores && { metrics: scores.document }),
      },
      lines: [
        ...verdictLines(verdict),
        "",
        ...(scores ? [scores.line, ""] : []),
        "Answers",
        `  per worker  median ${perWorker.median}, from ${perWorker.min} to ${perWorker.max}`,
        `  labels      ${decimal(data.label.length / Math.max(1, data.task.length))} per answer`,
        "",
        ...agreementText(data, agreement),
        "",
        ...groupedLines(judged, order, most === 0 ? order.length : most, {
          noun: "answer",
          head: (width) =>
            `${"worker".padEnd(width)}  answers  overlap      interval   sens   spec`,
          names: Array.from(data.workers, (name) => brief(name, 24)),
          row: (w) => workerText(judged[w]),
        }),
        ...more.lines,
        ...checkLines(checks),
      ],
      report: () =>
        multiLabelReport({
          data,
          result,
          card: cardOf(result.method),
          workers: data.workers,
          verdict,
          agreement,
          checks,
          fairness,
          metrics: scores?.details as MultiLabelMetrics | undefined,
        }),
      files: () => more.files(setWorkersCsv(data.workers, judged)),
    };
  },
  answersTable: setTable("answer"),
  recogniseAnswers: (header) =>
    isCalled(header, "chosen") && isCalled(header, "label")
      ? "there are columns for a label and whether it was chosen"
      : undefined,
  scoreAnswers: scoreReadSets,
};

const cardOf = (id: string) => methods.find((method) => method.id === id) ?? { id, title: id };

function workerText({ labels, skill, low, high, sensitivity, specificity }: MultiLabelWorker) {
  const two = (x: number, width: number) => x.toFixed(2).padStart(width);
  return (
    `  ${String(labels).padStart(7)}  ${two(skill, 7)}  [${two(low, 4)}, ${two(high, 4)}]  ` +
    `${two(sensitivity, 5)}  ${two(specificity, 5)}`
  );
}

function agreementText(
  { classes }: MultiLabelData,
  { alpha, labels, mean, same }: MultiLabelAgreement,
): string[] {
  const known = Array.from(labels.keys()).filter((l) => !Number.isNaN(labels[l]));
  const order = known.sort((a, b) => labels[a] - labels[b] || a - b);
  const shown = (l: number) => `${brief(classes.at(l), 24)} ${decimal(labels[l])}`;
  return [
    "Agreement",
    `  Krippendorff's alpha of sets (MASI)  ${decimal(alpha.value)}  [${decimal(alpha.low)}, ${decimal(alpha.high)}], over tasks`,
    `  Krippendorff's alpha by label, mean  ${decimal(mean)}`,
    `  the same set, of pairs of answers    ${percent(same)}`,
    ...(order.length > 0 ? [`  least agreed on: ${order.slice(0, 3).map(shown).join(", ")}`] : []),
  ];
}

function workerRow(worker: string, judged: MultiLabelWorker) {
  return {
    worker,
    answers: judged.labels,
    skill: maybe(judged.skill),
    low: judged.low,
    high: judged.high,
    sensitivity: judged.sensitivity,
    specificity: judged.specificity,
    informativeness: judged.informativeness,
    standing: judged.standing,
  };
}

/** Checks what can be learnt from the answers. */
function checksOf(
  data: MultiLabelData,
  result: MultiLabelResult,
  { alpha }: MultiLabelAgreement,
): readonly Check[] {
  return [
    overlapCheck(labelsPerTask(data), data.workers.length),
    agreementCheck(alpha),
    guessingCheck(multiLabelWorkers(data, result)),
  ];
}

/** What the verdict on sets rests on. */
function evidenceOf(
  data: MultiLabelData,
  result: MultiLabelResult,
  scores: Scores | undefined,
  judged: Judged,
): KindEvidence {
  const metrics = scores?.details as MultiLabelMetrics | undefined;
  return {
    ...judged,
    confidence: meanOf(result.setProbability),
    gold: metrics && { ...metrics.setAccuracy, of: metrics.tasks },
    thing: "task",
    count: data.tasks.length,
  };
}
