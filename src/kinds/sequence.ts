/** Sequences: each answer gives a tag to a position of a task. */

import type { SequenceKnown, SequenceResult } from "../aggregate/sequence/tagger.ts";
import { sequenceMethods } from "../auto/index.ts";
import { hiddenTags } from "../auto/sequence.ts";
import { sizeOf } from "../data/crowd-data.ts";
import { type SequenceData, schemeOf } from "../data/sequence.ts";
import { brokenTags } from "../data/sequence-from-columns.ts";
import { spread } from "../data/summary.ts";
import { type Check, worstOf } from "../diagnose/checks.ts";
import { tagGroups } from "../diagnose/fairness/agreement-groups.ts";
import { agreementCheck, guessingCheck, overlapCheck } from "../diagnose/kind-checks.ts";
import { type Judged, type KindEvidence, kindVerdict } from "../diagnose/kind-verdict.ts";
import { type SequenceAgreement, sequenceAgreement } from "../diagnose/sequence-agreement.ts";
import { type SequenceWorker, sequenceWorkers } from "../diagnose/sequence-workers.ts";
import { worstFirst } from "../diagnose/standing.ts";
import { evaluateTags, type SequenceMetrics } from "../evaluate/sequence.ts";
import { hasColumn, isCalled } from "../io/column-names.ts";
import { positionTable } from "../io/sinks/positions.ts";
import { sequenceReading } from "../io/sinks/sequence.ts";
import { anonymousNames } from "../report/anonymous.ts";
import { checkLines, groupedLines } from "../report/diagnosis-text.ts";
import { sequenceFingerprint, sequenceReport } from "../report/sequence-report.ts";
import { brief, count, decimal, grouped, percent } from "../report/text.ts";
import { reportVerdict, verdictLines } from "../report/verdict-text.ts";
import { heldOutBy, maybe, meanOf, verdictBy } from "./answers.ts";
import { findingsOf } from "./findings.ts";
import type { Kind, KindMethod, Scores } from "./kind.ts";
import { spansCsv, tagRows, tagsCsv, tagTables, tagWorkersCsv } from "./sequence-files.ts";
import { foldsOfTasks, scoreReadTags, tagScores } from "./sequence-scores.ts";

const methods: readonly KindMethod<SequenceData, SequenceResult>[] = Object.values(sequenceMethods);

export const sequence: Kind<SequenceData, SequenceResult> = {
  id: "sequence",
  title: "Sequences",
  methods,
  defaultMethod: "auto",
  baseline: "token-vote",
  judgeMethod: "bsc-seq",
  reading: sequenceReading,
  tables: tagTables,
  size: (data) => sizeOf(data, data.classes.length),
  counts: (data) => [
    count(data.label.length, "tag"),
    count(data.tokens.length, "position"),
    count(data.tasks.length, "task"),
    count(data.workers.length, "worker"),
  ],
  goldCount: (data) => tasksWithGold(data),
  fingerprint: sequenceFingerprint,
  describe: (data) => ({ tokens: data.tokens.length, classes: [...data.classes] }),
  document: ({ spans }) => ({ spans: spans.start.length }),
  answers: tagRows,
  *workers(data, result) {
    for (const [w, judged] of sequenceWorkers(data, result).entries()) {
      yield workerRow(data.workers.at(w), judged);
    }
  },
  metrics: [
    { id: "span_f1", title: "Span F1", digits: 4, better: "higher", share: true },
    { id: "precision", title: "Precision", digits: 4, better: "higher", share: true },
    { id: "recall", title: "Recall", digits: 4, better: "higher", share: true },
    { id: "token_accuracy", title: "Tokens", digits: 4, better: "higher", share: true },
  ],
  async score(data, result, known, refit) {
    const { gold } = data;
    if (!(known as SequenceKnown).gold) return tagScores({ ...result, gold });
    const folds = foldsOfTasks(data);
    const path = result.path.slice();
    for (const [f, fold] of folds.entries()) {
      const shown = gold.map((k, t) => (fold.has(data.tokens.task[t]) ? -1 : k));
      const part = await refit({ gold: shown }, `gold part ${f + 1} of ${folds.length}`);
      part.path.forEach((k, t) => {
        if (fold.has(data.tokens.task[t])) path[t] = k;
      });
    }
    return tagScores({ ...result, path, gold });
  },
  credits: (data, result) => evaluateTags({ ...result, gold: data.gold }).credits,
  heldOut: heldOutBy(hiddenTags),
  alike: (a, b) => a.path.filter((k, t) => k === b.path[t]).length / Math.max(1, a.path.length),
  verdict: verdictBy((data, result, scores, seed) =>
    evidenceOf(data, result, scores, {
      checks: checksOf(data, result, sequenceAgreement(data, { seed })),
    }),
  ),
  // biome-ignore lint/correctness/useYield: there is nothing to wait for
  *judge(data, _, { seed }) {
    return sequenceAgreement(data, { seed });
  },
  files({ data, result, anonymous }) {
    const names = anonymous ? anonymousNames(data.workers) : data.workers;
    return new Map([
      ["truth.csv", tagsCsv(result)],
      ...(schemeOf(data.classes) ? [["spans.csv", spansCsv(result)] as const] : []),
      ["workers.csv", tagWorkersCsv(names, sequenceWorkers(data, result))],
    ]);
  },
  attention: ({ result }) => {
    const unsure = result.spans.probability.filter((p) => p < 0.5).length;
    return unsure > 0 ? [`${count(unsure, "span")} with a probability below one half.`] : [];
  },
  report({ data, result, scores, judged, anonymous, since, content, verdict }) {
    return sequenceReport({
      data,
      result,
      card: cardOf(result.method),
      workers: anonymous ? anonymousNames(data.workers) : data.workers,
      agreement: judged as SequenceAgreement,
      checks: checksOf(data, result, judged as SequenceAgreement),
      metrics: scores?.details as SequenceMetrics | undefined,
      since,
      verdict,
      content,
    });
  },
  summary(_, { spans, path, classes }) {
    const tags = new Float64Array(classes.length);
    for (const k of path) tags[k]++;
    const shown = Array.from(tags.keys()).sort((a, b) => tags[b] - tags[a] || a - b);
    const share = (k: number) => `${classes.at(k)} ${percent(tags[k] / path.length)}`;
    return [
      `tags     ${shown.slice(0, 5).map(share).join(", ")}${shown.length > 5 ? ", …" : ""}`,
      ...(spans.types.length > 0 ? [`spans    ${spansByType(spans)}`] : []),
    ].join("\n");
  },
  truth: tagsCsv,
  groups: "workers",
  *diagnose(data, result, { seed, workers: most, scores }) {
    const agreement = sequenceAgreement(data, { seed });
    const judged = sequenceWorkers(data, result);
    const order = worstFirst(judged);
    const checks = checksOf(data, result, agreement);
    const perWorker = spread(result.workload);
    const fairness = tagGroups(data);
    const more = findingsOf({ fairness });
    const verdict = kindVerdict(evidenceOf(data, result, scores, { checks }));
    return {
      document: {
        verdict: reportVerdict(verdict),
        summary: { workload: perWorker, broken: brokenTags(data) },
        agreement,
        workers: order.map((w) => workerRow(data.workers.at(w), judged[w])),
        identifiability: { status: worstOf(checks), checks },
        ...more.document,
        ...(scores && { metrics: scores.document }),
      },
      lines: [
        ...verdictLines(verdict),
        "",
        ...(scores ? [scores.line, ""] : []),
        "Tags",
        `  per worker  median ${perWorker.median}, from ${perWorker.min} to ${perWorker.max}`,
        "",
        ...agreementText(agreement),
        "",
        ...groupedLines(judged, order, most === 0 ? order.length : most, {
          noun: "tag",
          head: (width) => `${"worker".padEnd(width)}     tags  right      interval  span F1`,
          names: Array.from(data.workers, (name) => brief(name, 24)),
          row: (w) =>
            `  ${String(judged[w].labels).padStart(7)}  ${judged[w].skill.toFixed(2).padStart(5)}  ` +
            `[${judged[w].low.toFixed(2)}, ${judged[w].high.toFixed(2)}]  ${f1Text(judged[w].spanF1)}`,
        }),
        ...more.lines,
        ...checkLines(checks),
      ],
      report: () =>
        sequenceReport({
          data,
          result,
          card: cardOf(result.method),
          workers: data.workers,
          verdict,
          agreement,
          checks,
          fairness,
          metrics: scores?.details as SequenceMetrics | undefined,
        }),
      files: () => more.files(tagWorkersCsv(data.workers, judged)),
    };
  },
  answersTable: positionTable("answer"),
  recogniseAnswers: (header) =>
    hasColumn(header, "position") && isCalled(header, "label")
      ? "there are columns for a position and a label"
      : undefined,
  scoreAnswers: scoreReadTags,
};

const cardOf = (id: string) => methods.find((method) => method.id === id) ?? { id, title: id };

const f1Text = (x: number) => (Number.isNaN(x) ? "none" : x.toFixed(2)).padStart(7);

function tasksWithGold({ gold, tokens }: SequenceData): number {
  const known = new Set<number>();
  gold.forEach((k, t) => {
    if (k >= 0) known.add(tokens.task[t]);
  });
  return known.size;
}

/** Number of spans of each type, most first. */
function spansByType({ type, types }: SequenceResult["spans"]): string {
  const counts = types.map((_, x) => type.filter((each) => each === x).length);
  const order = Array.from(types.keys()).sort((a, b) => counts[b] - counts[a] || a - b);
  const shown = order.slice(0, 5).map((x) => `${types[x] || "unnamed"} ${grouped(counts[x])}`);
  return `${grouped(type.length)}: ${shown.join(", ")}${order.length > 5 ? ", …" : ""}`;
}

function agreementText({ pooled, mean, pairs, alpha }: SequenceAgreement): string[] {
  const { value, low, high } = alpha;
  return [
    "Agreement",
    `  Krippendorff's alpha of tags   ${decimal(value)}  [${decimal(low)}, ${decimal(high)}], over tasks`,
    ...(pairs > 0
      ? [
          `  span F1, pooled over pairs     ${decimal(pooled)}`,
          `  span F1, mean of pairs         ${decimal(mean)}  (${count(pairs, "pair")})`,
        ]
      : []),
  ];
}

function workerRow(worker: string, { labels, skill, low, high, spanF1, standing }: SequenceWorker) {
  return {
    worker,
    answers: labels,
    accuracy: maybe(skill),
    low,
    high,
    spanF1: maybe(spanF1),
    standing,
  };
}

/** Checks what can be learnt from the tags. */
function checksOf(
  data: SequenceData,
  result: SequenceResult,
  { alpha }: SequenceAgreement,
): readonly Check[] {
  const pairs = new Set(Array.from(data.task, (t, i) => t * data.workers.length + data.worker[i]));
  const answers = new Int32Array(data.tasks.length);
  for (const pair of pairs) answers[Math.floor(pair / data.workers.length)]++;
  return [
    overlapCheck(answers, data.workers.length),
    agreementCheck(alpha),
    guessingCheck(sequenceWorkers(data, result)),
  ];
}

/** What the verdict on tags rests on. */
function evidenceOf(
  data: SequenceData,
  result: SequenceResult,
  scores: Scores | undefined,
  judged: Judged,
): KindEvidence {
  const metrics = scores?.details as SequenceMetrics | undefined;
  return {
    ...judged,
    confidence: meanOf(result.confidence),
    gold: metrics && { ...metrics.tokenAccuracy, of: metrics.tasks },
    thing: "task",
    count: data.tasks.length,
  };
}
