/** All comparisons between groups as rows of one shape: for fairness.csv, for tables and for charts. */
import type { FairnessGap, NoGap } from "../diagnose/fairness/answer-fairness.ts";
import { type Fairness, measures } from "../diagnose/fairness/fairness.ts";
import { writeCsv } from "../io/csv-writer.ts";
import { rounded } from "./csv-files.ts";

/** One comparison between two groups. */
export interface FairnessRow {
  /** What is compared: answers, answers of `fairDawidSkene`, one worker's labels, or groups of workers. */
  readonly about: "answers" | "adjusted answers" | "worker" | "worker group";
  readonly attribute: string;
  readonly measure: string;
  readonly worker?: string | undefined;
  readonly class?: string | undefined;
  /** The group with more of it, or the group of workers, and what it is compared with. */
  readonly group?: string | undefined;
  readonly against?: string | undefined;
  readonly value?: number | undefined;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
  readonly chance?: number | undefined;
  readonly p?: number | undefined;
  readonly corrected?: number | undefined;
  /** Why there is no value. */
  readonly reason?: string | undefined;
}

const names = {
  parity: "parity",
  equalOpportunity: "equal opportunity",
  equalisedOdds: "equalised odds",
  errorGap: "error gap",
} as const;

/** Returns one row per comparison: answers, then workers, then groups of workers. */
export function fairnessRows({ tasks, workers }: Fairness): FairnessRow[] {
  return [
    ...tasks.flatMap(({ attribute, answers, adjusted }) => [
      ...measures.map((name) => gapRow("answers", attribute, names[name], answers[name])),
      ...(adjusted ? [gapRow("adjusted answers", attribute, names.parity, adjusted)] : []),
    ]),
    ...tasks.flatMap(({ attribute, workers: each }) =>
      each
        .toSorted((a, b) => pOf(a.relative) - pOf(b.relative))
        .map(({ name: worker, relative }): FairnessRow => {
          const about = { about: "worker", attribute, measure: "parity", worker } as const;
          if (!relative.estimated) return { ...about, reason: relative.reason };
          const { groups, estimated: _, means: __, ...gap } = relative;
          return { ...about, group: groups[0], against: groups[1], ...gap };
        }),
    ),
    ...workers.flatMap(({ attribute, measure, groups, gaps }) => {
      const about = { about: "worker group", attribute, measure } as const;
      const compared = gaps.map(({ workers: _, ...gap }): FairnessRow => ({ ...about, ...gap }));
      const small = groups.filter(
        (group) =>
          !gaps.some(
            (gap) => gap.class === group.class && [gap.group, gap.against].includes(group.name),
          ),
      );
      const reason = "Too few workers or answers.";
      return [
        ...compared,
        ...small.map((group) => ({ ...about, class: group.class, group: group.name, reason })),
      ];
    }),
  ];
}

/** Rows without a comparison go last. */
const pOf = (gap: { readonly estimated: boolean; readonly p?: number }) => gap.p ?? 2;

function gapRow(
  about: FairnessRow["about"],
  attribute: string,
  measure: string,
  gap: FairnessGap | NoGap,
): FairnessRow {
  if (!gap.estimated) return { about, attribute, measure, reason: gap.reason };
  const { groups, value, low, high, chance, p, corrected } = gap;
  const [group, against] = groups;
  return {
    about,
    attribute,
    measure,
    class: gap.class,
    group,
    against,
    value,
    low,
    high,
    chance,
    p,
    corrected,
  };
}

const HEADER = [
  "about",
  "attribute",
  "measure",
  "worker",
  "class",
  "group",
  "against",
  "value",
  "low",
  "high",
  "chance",
  "p",
  "corrected_p",
  "reason",
];

/** fairness.csv: one row per comparison. */
export function fairnessCsv(fairness: Fairness): Iterable<string> {
  const number = (x: number | undefined) => (x === undefined ? undefined : rounded(x));
  return writeCsv(
    HEADER,
    fairnessRows(fairness).map((row) => [
      row.about,
      row.attribute,
      row.measure,
      row.worker,
      row.class,
      row.group,
      row.against,
      ...[row.value, row.low, row.high, row.chance, row.p, row.corrected].map(number),
      row.reason,
    ]),
  );
}
