/** Comparisons: each answer says which of two items is better. */

import { preferenceLines, preferences } from "../aggregate/pairwise/preferences.ts";
import type { PairwiseResult, WorkerType } from "../aggregate/pairwise/ranker.ts";
import { pairwiseMethods } from "../auto/index.ts";
import { hiddenComparisons } from "../auto/pairwise.ts";
import { sizeOf } from "../data/crowd-data.ts";
import type { Names } from "../data/names.ts";
import { LEFT, type PairwiseData, TIE } from "../data/pairwise.ts";
import { spread } from "../data/summary.ts";
import type { Agreement } from "../diagnose/agreement.ts";
import { type Check, worstOf } from "../diagnose/checks.ts";
import { pairwiseDriftSteps } from "../diagnose/drift/pairwise-drift.ts";
import { type EffectiveJudges, effectiveJudges } from "../diagnose/effective/effective-judges.ts";
import { type Fairness, withCorrection } from "../diagnose/fairness/fairness.ts";
import { judgeGroups } from "../diagnose/fairness/judge-groups.ts";
import { agreementCheck, connectedCheck, guessingCheck } from "../diagnose/kind-checks.ts";
import {
  type Judged,
  type KindEvidence,
  kindVerdict,
  reliabilityOf,
} from "../diagnose/kind-verdict.ts";
import { pairwiseAgreement } from "../diagnose/pairwise-agreement.ts";
import { type PairwiseWorker, pairwiseWorkers } from "../diagnose/pairwise-workers.ts";
import { worstFirst } from "../diagnose/standing.ts";
import { evaluateScores, type PairwiseMetrics, type ScoredItems } from "../evaluate/pairwise.ts";
import { isCalled } from "../io/column-names.ts";
import { writeCsv } from "../io/csv-writer.ts";
import { numbersTable, type ReadNumbers } from "../io/sinks/numbers.ts";
import { pairwiseReading } from "../io/sinks/pairwise.ts";
import { spearman } from "../math/statistics.ts";
import { anonymousNames } from "../report/anonymous.ts";
import { rounded } from "../report/csv-files.ts";
import { agreementLines, checkLines, groupedLines } from "../report/diagnosis-text.ts";
import { pairwiseFingerprint, pairwiseReport, ranked } from "../report/pairwise-report.ts";
import { brief, count, decimal, percent } from "../report/text.ts";
import { reportVerdict, verdictLines } from "../report/verdict-text.ts";
import { goldOfAnswers, heldOutBy, maybe, verdictBy } from "./answers.ts";
import { findingsOf } from "./findings.ts";
import type { Kind, KindMethod, Scores } from "./kind.ts";
import { pairwiseLearning } from "./pair-learning.ts";
import { goldTable, pairsTable } from "./tables.ts";

const methods: readonly KindMethod<PairwiseData, PairwiseResult>[] = Object.values(pairwiseMethods);

export const pairwise: Kind<PairwiseData, PairwiseResult> = {
  id: "pairwise",
  title: "Comparisons",
  methods,
  defaultMethod: "auto",
  baseline: "bradley-terry",
  judgeMethod: "bradley-terry",
  reading: pairwiseReading,
  tables: (data) => ({
    answers: pairsTable(data, (i) =>
      data.label[i] === TIE
        ? "tie"
        : data.items.at((data.label[i] === LEFT ? data.left : data.right)[i]),
    ),
    gold: goldTable(["item", "score"], data.items.length, (i) =>
      Number.isNaN(data.gold[i]) ? undefined : [data.items.at(i), data.gold[i]],
    ),
  }),
  size: (data) => sizeOf(data, data.items.length),
  counts: (data) => [
    count(data.label.length, "comparison"),
    count(data.items.length, "item"),
    count(data.workers.length, "worker"),
  ],
  goldNoun: "item",
  goldCount: (data) => data.gold.filter((x) => !Number.isNaN(x)).length,
  fingerprint: pairwiseFingerprint,
  describe: (data) => ({ items: data.items.length }),
  document: (result) => ({
    components: componentCount(result),
    ...(result.types && { types: typesDocument(result.types) }),
  }),
  *answers(data, result) {
    for (const item of ranked(result)) {
      yield {
        item: data.items.at(item),
        score: result.score[item],
        low: maybe(result.low[item]),
        high: maybe(result.high[item]),
        rank: result.rank[item],
        component: result.component[item] + 1,
      };
    }
  },
  *workers(data, result) {
    for (const [w, judged] of pairwiseWorkers(data, result).entries()) {
      yield judgeRow(data, result, judged, w);
    }
  },
  compared: { name: "item", answer: "rank", score: "score" },
  metrics: [
    { id: "pair_accuracy", title: "Gold pairs in order", digits: 4, better: "higher", share: true },
    { id: "kendall", title: "Kendall", digits: 4, better: "higher" },
  ],
  score: async (data, result) => scoresOf({ ...result, gold: data.gold }),
  credits(data, { score, component }) {
    const credits: number[] = [];
    const items = Array.from(data.gold.keys()).filter((i) => !Number.isNaN(data.gold[i]));
    for (const [at, a] of items.entries()) {
      for (const b of items.slice(0, at)) {
        if (component[a] !== component[b] || data.gold[a] === data.gold[b]) continue;
        const lead = (score[a] - score[b]) * Math.sign(data.gold[a] - data.gold[b]);
        credits.push(Math.abs(lead) <= 1e-9 ? 0.5 : lead > 0 ? 1 : 0);
      }
    }
    return Float64Array.from(credits);
  },
  heldOut: heldOutBy(hiddenComparisons),
  alike(a, b) {
    const same = a.score.every((s, i) => s === b.score[i]);
    return same ? 1 : Math.max(0, spearman(a.score, b.score));
  },
  verdict: verdictBy((data, result, scores, seed) =>
    evidenceOf(data, result, scores, {
      checks: checksOf(data, result, pairwiseAgreement(data, { seed })),
      effective: countedJudges(effectiveJudges(data)),
    }),
  ),
  // biome-ignore lint/correctness/useYield: there is nothing to wait for
  *judge(data, _, { seed }) {
    return pairwiseAgreement(data, { seed });
  },
  files({ data, result, anonymous }) {
    const names = anonymous ? anonymousNames(data.workers) : data.workers;
    return new Map([
      ["truth.csv", truthOf(result)],
      ["workers.csv", workersOf(names, result, pairwiseWorkers(data, result))],
      ["preferences.jsonl", preferenceLines(preferences(data, result.reliability))],
      ...(result.types ? ([["types.csv", typesCsv(result, result.types)]] as const) : []),
    ]);
  },
  attention({ data, result }) {
    const judged = pairwiseWorkers(data, result);
    const low = judged.filter(({ standing }) => standing === "worse").length;
    const parts = componentCount(result);
    return [
      ...(parts > 1 ? [`${data.items.length} items in ${parts} parts that are not compared.`] : []),
      ...(low > 0
        ? [
            `${count(low, "worker")} ${low === 1 ? "agrees" : "agree"} with the scores less than a guess would.`,
          ]
        : []),
      ...(several(result)
        ? [`${several(result)} types of workers rank the items differently: see types.csv.`]
        : []),
    ];
  },
  report({ data, result, scores, judged, anonymous, since, content, verdict }) {
    return pairwiseReport({
      data,
      result,
      card: cardOf(result.method),
      workers: anonymous ? anonymousNames(data.workers) : data.workers,
      agreement: judged as Agreement,
      checks: checksOf(data, result, judged as Agreement),
      metrics: scores?.details as PairwiseMetrics | undefined,
      since,
      verdict,
      content,
    });
  },
  summary(data, result) {
    const best = ranked(result).slice(0, 10);
    const width = best.reduce((most, item) => Math.max(most, data.items.at(item).length), 4);
    return [
      `rank  ${"item".padEnd(width)}  score`,
      ...best.map(
        (item) =>
          `${String(result.rank[item]).padStart(4)}  ${data.items.at(item).padEnd(width)}  ${decimal(result.score[item])}`,
      ),
      ...(data.items.length > best.length
        ? [`… and ${count(data.items.length - best.length, "more item")}`]
        : []),
    ].join("\n");
  },
  truth: truthOf,
  learning: pairwiseLearning,
  drifts: true,
  groups: "workers",
  *diagnose(data, result, { seed, workers: most, scores, time }) {
    const agreement = pairwiseAgreement(data, { seed });
    const perWorker = spread(result.workload);
    const judged = pairwiseWorkers(data, result);
    const order = worstFirst(judged);
    const parts = componentCount(result);
    const checks = checksOf(data, result, agreement);
    const drift = time ? yield* pairwiseDriftSteps(data, { seed }) : undefined;
    const fairness = groupsOf(data);
    const effective = effectiveJudges(data);
    const more = findingsOf({ drift, fairness });
    const verdict = kindVerdict(
      evidenceOf(data, result, scores, { checks, effective: countedJudges(effective) }),
    );
    return {
      document: {
        verdict: reportVerdict(verdict),
        summary: { workload: perWorker, components: parts, ties: tiesOf(data) },
        agreement,
        workers: order.map((w) => judgeRow(data, result, judged[w], w)),
        ...(result.types && { types: typesDocument(result.types) }),
        effective: effectiveDocument(data, effective),
        identifiability: { status: worstOf(checks), checks },
        ...more.document,
      },
      lines: [
        ...verdictLines(verdict),
        "",
        "Comparisons",
        `  per worker  median ${perWorker.median}, from ${perWorker.min} to ${perWorker.max}`,
        `  ties        ${percent(tiesOf(data))}`,
        `  connected   ${parts === 1 ? "all items, directly or through others" : `${parts} parts that share no item`}`,
        "",
        ...agreementLines(agreement, "nominal"),
        ...judgeLines(data, result, judged, order, most),
        ...effectiveText(effective),
        ...typeText(data, result),
        ...more.lines,
        ...checkLines(checks),
      ],
      report: () =>
        pairwiseReport({
          data,
          result,
          card: cardOf(result.method),
          workers: data.workers,
          verdict,
          agreement,
          checks,
          metrics: scores?.details as PairwiseMetrics | undefined,
          drift,
          fairness,
        }),
      files: () => more.files(workersOf(data.workers, result, judged)),
    };
  },
  answersTable: numbersTable(
    [
      { role: "item", aliases: "item", required: true },
      { role: "score", aliases: "score", required: true },
    ],
    ["component"],
  ),
  recogniseAnswers: (header) =>
    isCalled(header, "item") && isCalled(header, "score")
      ? "there are columns item and score"
      : undefined,
  scoreAnswers(answers, gold, goldName) {
    const { rows, missing } = goldOfAnswers(answers as ReadNumbers, gold, goldName, "item");
    const { score, component } = (answers as ReadNumbers).columns;
    return {
      scores: scoresOf({
        score: Float64Array.from(rows, ({ row }) => score[row]),
        gold: Float64Array.from(rows, ({ known }) => known),
        component: component && Int32Array.from(rows, ({ row }) => component[row]),
      }),
      notes: missing > 0 ? [`${count(missing, "gold item")} without an answer are left out.`] : [],
    };
  },
};

const cardOf = (id: string) =>
  [...methods, ...pairwiseLearning.learners].find((method) => method.id === id) ?? {
    id,
    title: id,
  };

/** Checks what can be learnt from the comparisons. */
function checksOf(
  data: PairwiseData,
  result: PairwiseResult,
  { krippendorff }: Agreement,
): readonly Check[] {
  return [
    connectedCheck(data.items.length, componentCount(result)),
    agreementCheck(krippendorff),
    guessingCheck(pairwiseWorkers(data, result)),
  ];
}

/** Compares groups of judges, if workers have attributes. */
function groupsOf(data: PairwiseData): Fairness | undefined {
  if ((data.workerAttributes?.size ?? 0) === 0) return undefined;
  const notes: string[] = [];
  return withCorrection([], judgeGroups(data, notes), notes);
}

/** The judges in lines, the worst first. */
function judgeLines(
  data: PairwiseData,
  result: PairwiseResult,
  judged: readonly PairwiseWorker[],
  order: readonly number[],
  most: number,
): string[] {
  return groupedLines(judged, order, most === 0 ? order.length : most, {
    noun: "comparison",
    head: (width) =>
      `${"worker".padEnd(width)}  comparisons   skill      interval${learntHead(result)}`,
    names: Array.from(data.workers, (name) => brief(name, 24)),
    row: (w) =>
      `  ${String(result.workload[w]).padStart(11)}  ${skillText(result.skill[w]).padStart(6)}  ` +
      `[${judged[w].low.toFixed(2)}, ${judged[w].high.toFixed(2)}]${learntText(result, w)}`,
  });
}

/** A judge as plain data. */
function judgeRow(
  { workers }: PairwiseData,
  result: PairwiseResult,
  { skill, low, high, standing }: PairwiseWorker,
  w: number,
) {
  return {
    worker: workers.at(w),
    comparisons: result.workload[w],
    skill: maybe(skill),
    low,
    high,
    standing,
    ...learnt(result, w),
  };
}

/** What a method learnt of a worker itself, by the name it has in the result. */
function learnt(
  { reliability, position, flags, type, typeProbability }: PairwiseResult,
  w: number,
) {
  return {
    ...(reliability && { reliability: maybe(reliability[w]) }),
    ...(position && { position: maybe(position[w]) }),
    ...(flags && { flags: flags[w] }),
    ...(type && typeProbability && { type: type[w] + 1, typeProbability: typeProbability[w] }),
  };
}

const learntHead = ({ reliability, position, flags, type }: PairwiseResult) =>
  `${reliability ? "  reliability" : ""}${position ? "  position" : ""}${flags ? "  flags" : ""}${type ? "  type" : ""}`;

function learntText({ reliability, position, flags, type }: PairwiseResult, w: number): string {
  const column = (values: Float64Array | undefined, width: number) =>
    values ? values[w].toFixed(2).padStart(width) : "";
  const flagged = flags && flags[w].length > 0 ? `  ${flags[w].join(", ")}` : "";
  const own = type ? String(type[w] + 1).padStart(6) : "";
  return `${column(reliability, 13)}${column(position, 10)}${flagged}${own}`;
}

/** worker,comparisons,skill,skill_low,skill_high,standing and what the method learnt itself, worst first. */
function workersOf(
  names: Names,
  result: PairwiseResult,
  judged: readonly PairwiseWorker[],
): Iterable<string> {
  const { workload, skill, reliability, position, flags, type, typeProbability } = result;
  const rows = worstFirst(judged).map((w) => [
    names.at(w),
    workload[w],
    cell(skill[w]),
    cell(judged[w].low),
    cell(judged[w].high),
    judged[w].standing,
    ...(reliability ? [cell(reliability[w])] : []),
    ...(position ? [cell(position[w])] : []),
    ...(flags ? [flags[w].join(" ")] : []),
    ...(type && typeProbability ? [type[w] + 1, cell(typeProbability[w])] : []),
  ]);
  const header = ["worker", "comparisons", "skill", "skill_low", "skill_high", "standing"];
  const own = Object.keys(learnt(result, 0)).map((name) =>
    name === "typeProbability" ? "type_probability" : name,
  );
  return writeCsv([...header, ...own], rows);
}

/** The number of types, where there is more than one. */
const several = ({ types = [] }: PairwiseResult) => (types.length > 1 ? types.length : undefined);

/** What result.json says of the types. */
const typesDocument = (types: readonly WorkerType[]) =>
  types.map(({ share, members, satisfaction }) => ({
    share: rounded(share),
    workers: members.length,
    satisfaction: Number.isNaN(satisfaction) ? null : rounded(satisfaction),
  }));

/** type,item,score, the largest type first, its best item first. */
function typesCsv({ items, component }: PairwiseResult, types: readonly WorkerType[]) {
  function* rows(): Iterable<(string | number | undefined)[]> {
    for (const [j, { score }] of types.entries()) {
      for (const item of ranked({ component, score }))
        yield [j + 1, items.at(item), cell(score[item])];
    }
  }
  return writeCsv(["type", "item", "score"], rows());
}

/** The types of workers in words: how many belong to each, and what each likes best. */
function typeText({ items }: PairwiseData, { types = [], component }: PairwiseResult): string[] {
  if (types.length < 2) return [];
  return [
    `${types.length} types of workers rank the items differently`,
    ...types.map(({ share, members, score, satisfaction }, j) => {
      const best = ranked({ component, score })
        .slice(0, 3)
        .map((item) => brief(items.at(item), 24));
      return `  ${j + 1}  ${percent(share)} of the workers (${members.length}); best: ${best.join(", ")}; ${percent(satisfaction)} of their answers follow the common scores`;
    }),
    "",
  ];
}

/** How many independent judges there are, by name. */
function effectiveDocument({ workers }: PairwiseData, found: EffectiveJudges) {
  const correlations = found.correlations.map(({ judges, ...rest }) => ({
    workers: judges.map((u) => workers.at(u)),
    ...rest,
  }));
  return { ...found, correlations };
}

/** How many independent judges there are, in words. */
function effectiveText({ crowd, judges }: EffectiveJudges): string[] {
  if (judges < 2) return [];
  return [
    `${count(judges, "worker")} with 20 comparisons or more ${judges === 1 ? "is" : "are"} worth ${crowd.toFixed(1)} independent ones.`,
    "",
  ];
}

const cell = (x: number) => (Number.isNaN(x) ? undefined : rounded(x));

const skillText = (x: number) => (Number.isNaN(x) ? "ties" : x.toFixed(2));

const tiesOf = ({ label }: PairwiseData) =>
  label.filter((l) => l === TIE).length / Math.max(1, label.length);

const componentCount = ({ component }: PairwiseResult) =>
  1 + component.reduce((most, c) => Math.max(most, c), -1);

/** item,score,low,high,rank, best first; component where there is more than one. */
function truthOf(result: PairwiseResult): Iterable<string> {
  const parts = componentCount(result);
  function* rows(): Iterable<(string | number | undefined)[]> {
    for (const item of ranked(result)) {
      yield [
        result.items.at(item),
        cell(result.score[item]),
        cell(result.low[item]),
        cell(result.high[item]),
        result.rank[item],
        ...(parts > 1 ? [result.component[item] + 1] : []),
      ];
    }
  }
  const header = ["item", "score", "low", "high", "rank", ...(parts > 1 ? ["component"] : [])];
  return writeCsv(header, rows());
}

function scoresOf(scored: ScoredItems): Scores {
  const metrics = evaluateScores(scored);
  const { items, pairs, pairAccuracy, kendall } = metrics;
  const { value, low, high } = pairAccuracy;
  return {
    line: `${percent(value)} [${percent(low)}, ${percent(high)}] of ${count(pairs, "gold pair")} in the right order, Kendall's tau-b ${decimal(kendall)}.`,
    values: { pair_accuracy: value, kendall },
    document: {
      items,
      pairs,
      pairAccuracy: { value: rounded(value), low: rounded(low), high: rounded(high) },
      kendall: rounded(kendall),
    },
    table: [
      `gold items          ${items}`,
      `gold pairs          ${pairs}`,
      `pairs in order      ${value.toFixed(4)}  [${low.toFixed(4)}, ${high.toFixed(4)}]`,
      `Kendall's tau-b     ${kendall.toFixed(4)}`,
      "",
    ].join("\n"),
    details: metrics,
  };
}

/** What the verdict on scores rests on. */
function evidenceOf(
  data: PairwiseData,
  result: PairwiseResult,
  _: Scores | undefined,
  judged: Judged,
): KindEvidence {
  return {
    ...judged,
    reliability: reliabilityOf(result.score, result.sd),
    thing: "item",
    count: data.items.length,
  };
}

const countedJudges = ({ crowd, judges }: EffectiveJudges) => ({ crowd, workers: judges });
