/** Similarities: each answer says whether two items are the same. */

import type { SimilarityResult } from "../aggregate/similarity/clusterer.ts";
import { similarityMethods } from "../auto/index.ts";
import { hiddenPairs } from "../auto/similarity.ts";
import { sizeOf } from "../data/crowd-data.ts";
import { SAME, type SimilarityData } from "../data/similarity.ts";
import { spread } from "../data/summary.ts";
import type { Agreement } from "../diagnose/agreement.ts";
import { type Check, worstOf } from "../diagnose/checks.ts";
import { pairGroups } from "../diagnose/fairness/agreement-groups.ts";
import { agreementCheck, connectedCheck, guessingCheck } from "../diagnose/kind-checks.ts";
import { type Judged, type KindEvidence, kindVerdict } from "../diagnose/kind-verdict.ts";
import { repeatedPairs, similarityAgreement } from "../diagnose/similarity-agreement.ts";
import {
  type SimilarityWorker,
  similarityWorkers,
  swappedCheck,
} from "../diagnose/similarity-workers.ts";
import { worstFirst } from "../diagnose/standing.ts";
import { evaluateClusters, type SimilarityMetrics } from "../evaluate/similarity.ts";
import { isCalled } from "../io/column-names.ts";
import { clusterTable, similarityReading } from "../io/sinks/similarity.ts";
import { anonymousNames } from "../report/anonymous.ts";
import { agreementLines, checkLines, groupedLines } from "../report/diagnosis-text.ts";
import {
  membersOf,
  partsOf,
  similarityFingerprint,
  similarityReport,
} from "../report/similarity-report.ts";
import { brief, count, percent } from "../report/text.ts";
import { reportVerdict, verdictLines } from "../report/verdict-text.ts";
import { heldOutBy, maybe, verdictBy } from "./answers.ts";
import { findingsOf } from "./findings.ts";
import type { Kind, KindMethod, Scores } from "./kind.ts";
import { similarityLearning } from "./pair-learning.ts";
import { clusterRows, clustersCsv, pairWorkersCsv } from "./similarity-files.ts";
import { clusterScores, scoreReadClusters } from "./similarity-scores.ts";
import { goldTable, pairsTable } from "./tables.ts";

const methods: readonly KindMethod<SimilarityData, SimilarityResult>[] =
  Object.values(similarityMethods);

export const similarity: Kind<SimilarityData, SimilarityResult> = {
  id: "similarity",
  title: "Similarities",
  methods,
  defaultMethod: "auto",
  baseline: "spectral-clusters",
  judgeMethod: "crowd-clusters",
  reading: similarityReading,
  tables: (data) => ({
    answers: pairsTable(data, (i) => (data.label[i] === SAME ? "same" : "different")),
    gold: goldTable(["item", "cluster"], data.items.length, (i) =>
      data.gold[i] < 0 ? undefined : [data.items.at(i), data.clusters.at(data.gold[i])],
    ),
  }),
  size: (data) => sizeOf(data, data.items.length),
  counts: (data) => [
    count(data.label.length, "answer"),
    count(data.items.length, "item"),
    count(data.workers.length, "worker"),
  ],
  goldNoun: "item",
  goldCount: (data) => data.gold.filter((c) => c >= 0).length,
  fingerprint: similarityFingerprint,
  describe: (data) => ({ items: data.items.length }),
  document: (result) => ({
    clusters: result.clusters,
    components: partsOf(result),
    tried: result.tried,
  }),
  answers: clusterRows,
  *workers(data, result) {
    for (const [w, judged] of similarityWorkers(data, result).entries()) {
      yield workerRow(data.workers.at(w), judged, result, w);
    }
  },
  compared: { name: "item", answer: "cluster" },
  metrics: [
    { id: "adjusted_rand", title: "Adjusted Rand", digits: 4, better: "higher" },
    { id: "nmi", title: "NMI", digits: 4, better: "higher" },
    { id: "pair_f1", title: "Pair F1", digits: 4, better: "higher", share: true },
    { id: "accuracy", title: "Matched items", digits: 4, better: "higher", share: true },
  ],
  score: async (data, { cluster }) => clusterScores({ cluster, gold: data.gold }),
  credits: (data, { cluster }) => evaluateClusters({ cluster, gold: data.gold }).credits,
  heldOut: heldOutBy(hiddenPairs),
  alike(a, b) {
    if (a.cluster.length === 0) return 1;
    const { adjustedRand } = evaluateClusters({ cluster: a.cluster, gold: b.cluster });
    return Math.max(0, adjustedRand.value);
  },
  verdict: verdictBy((data, result, scores, seed) =>
    evidenceOf(data, result, scores, {
      checks: checksOf(data, result, similarityAgreement(data, { seed })),
    }),
  ),
  // biome-ignore lint/correctness/useYield: there is nothing to wait for
  *judge(data, _, { seed }) {
    return similarityAgreement(data, { seed });
  },
  files({ data, result, anonymous }) {
    const names = anonymous ? anonymousNames(data.workers) : data.workers;
    return new Map([
      ["truth.csv", clustersCsv(result)],
      ["workers.csv", pairWorkersCsv(names, result, similarityWorkers(data, result))],
    ]);
  },
  attention({ data, result }) {
    const low = similarityWorkers(data, result).filter(({ standing }) => standing === "worse");
    const single = result.support.filter((n) => n === 1).length;
    const parts = partsOf(result);
    return [
      ...(parts > 1 ? [`${data.items.length} items in ${parts} parts that share no item.`] : []),
      ...(single > 0 ? [`${count(single, "item")} with a single answer.`] : []),
      ...(low.length > 0
        ? [
            `${count(low.length, "worker")} ${low.length === 1 ? "says" : "say"} “same” more often of different items than of the same.`,
          ]
        : []),
    ];
  },
  report({ data, result, scores, judged, anonymous, since, content, verdict }) {
    return similarityReport({
      data,
      result,
      card: cardOf(result.method),
      workers: anonymous ? anonymousNames(data.workers) : data.workers,
      agreement: judged as Agreement,
      checks: checksOf(data, result, judged as Agreement),
      metrics: scores?.details as SimilarityMetrics | undefined,
      since,
      verdict,
      content,
    });
  },
  summary(data, result) {
    const members = membersOf(result);
    const shown = members.slice(0, 10).map((list, c) => {
      const names = list.slice(0, 3).map((i) => brief(data.items.at(i), 24));
      const rest = list.length > 3 ? ", …" : "";
      return `${String(c + 1).padStart(7)}  ${String(list.length).padStart(5)}  ${names.join(", ")}${rest}`;
    });
    const more = members.length - shown.length;
    return [
      "cluster  items",
      ...shown,
      ...(more > 0 ? [`… and ${count(more, "more cluster")}`] : []),
    ].join("\n");
  },
  truth: clustersCsv,
  learning: similarityLearning,
  groups: "workers",
  *diagnose(data, result, { seed, workers: most, scores }) {
    const agreement = similarityAgreement(data, { seed });
    const judged = similarityWorkers(data, result);
    const order = worstFirst(judged);
    const checks = checksOf(data, result, agreement);
    const perWorker = spread(result.workload);
    const { pairs, repeated } = repeatedPairs(data);
    const fairness = pairGroups(data, result.membership);
    const more = findingsOf({ fairness });
    const verdict = kindVerdict(evidenceOf(data, result, scores, { checks }));
    return {
      document: {
        verdict: reportVerdict(verdict),
        summary: {
          workload: perWorker,
          ...shapeOf(result),
          pairs,
          repeated,
          same: sameShare(data),
        },
        agreement,
        workers: order.map((w) => workerRow(data.workers.at(w), judged[w], result, w)),
        identifiability: { status: worstOf(checks), checks },
        ...more.document,
        ...(scores && { metrics: scores.document }),
      },
      lines: [
        ...verdictLines(verdict),
        "",
        ...(scores ? [scores.line, ""] : []),
        "Answers about pairs",
        `  per worker  median ${perWorker.median}, from ${perWorker.min} to ${perWorker.max}`,
        `  "same"      ${percent(sameShare(data))}`,
        `  pairs       ${count(pairs, "pair")}, ${repeated} with more than one answer`,
        `  clusters    ${result.clusters}`,
        "",
        ...agreementLines(agreement, "nominal"),
        ...workerLines(data, result, judged, order, most),
        ...more.lines,
        ...checkLines(checks),
      ],
      report: () =>
        similarityReport({
          data,
          result,
          card: cardOf(result.method),
          workers: data.workers,
          verdict,
          agreement,
          checks,
          fairness,
          metrics: scores?.details as SimilarityMetrics | undefined,
        }),
      files: () => more.files(pairWorkersCsv(data.workers, result, judged)),
    };
  },
  answersTable: clusterTable("cluster"),
  recogniseAnswers: (header) =>
    isCalled(header, "item") && isCalled(header, "cluster")
      ? "there are columns item and cluster"
      : undefined,
  scoreAnswers: scoreReadClusters,
};

const cardOf = (id: string) =>
  [...methods, ...similarityLearning.learners].find((method) => method.id === id) ?? {
    id,
    title: id,
  };

/** The workers in lines, the worst first. */
function workerLines(
  data: SimilarityData,
  result: SimilarityResult,
  judged: readonly SimilarityWorker[],
  order: readonly number[],
  most: number,
): string[] {
  return groupedLines(judged, order, most === 0 ? order.length : most, {
    noun: "answer",
    head: (width) => `${"worker".padEnd(width)}  answers  skill      interval  same within  across`,
    names: Array.from(data.workers, (name) => brief(name, 24)),
    row: (w) =>
      `  ${String(judged[w].labels).padStart(7)}  ${skillText(judged[w].skill)}  ` +
      `[${judged[w].low.toFixed(2)}, ${judged[w].high.toFixed(2)}]  ` +
      `${result.alike[w].toFixed(2).padStart(11)}  ${result.apart[w].toFixed(2).padStart(6)}`,
  });
}

const skillText = (x: number) => (Number.isNaN(x) ? "none" : x.toFixed(2)).padStart(5);

const sameShare = ({ label }: SimilarityData) =>
  label.filter((said) => said === SAME).length / Math.max(1, label.length);

function workerRow(
  worker: string,
  { labels, skill, low, high, standing }: SimilarityWorker,
  { alike, apart }: SimilarityResult,
  w: number,
) {
  return {
    worker,
    answers: labels,
    skill: maybe(skill),
    low,
    high,
    sameWithin: alike[w],
    sameAcross: apart[w],
    standing,
  };
}

const shapeOf = (result: SimilarityResult) => ({
  clusters: result.clusters,
  components: partsOf(result),
});

/** Checks what can be learnt from the answers. */
function checksOf(
  data: SimilarityData,
  result: SimilarityResult,
  { krippendorff }: Agreement,
): readonly Check[] {
  return [
    connectedCheck(data.items.length, partsOf(result)),
    agreementCheck(krippendorff),
    guessingCheck(similarityWorkers(data, result)),
    swappedCheck(data, result),
  ];
}

/** What the verdict on clusters rests on. */
function evidenceOf(
  data: SimilarityData,
  _result: SimilarityResult,
  _: Scores | undefined,
  judged: Judged,
): KindEvidence {
  return {
    ...judged,
    thing: "item",
    count: data.items.length,
  };
}
