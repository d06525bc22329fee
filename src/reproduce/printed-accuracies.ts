/** Accuracies on public sets that others printed, in per cent, and with which method and options we compare. */

export interface Printed {
  readonly id: string;
  readonly options?: Readonly<Record<string, number | string | boolean>>;
  readonly name: string;
  readonly printed: Readonly<Record<string, number>>;
  /** How far ours may be from it; undefined where a number is only shown. */
  readonly within?: number;
  /** Who counts ties as the first class, not as shares. */
  readonly firstOfTies?: boolean;
}

/** One name, then its numbers in the order of the sets; NaN where there is none. */
type Line = readonly [id: string, name: string, numbers: readonly number[]];

function lines(sets: readonly string[], list: readonly Line[], within?: number): Printed[] {
  return list.map(([id, name, numbers]) => ({
    id,
    name,
    printed: Object.fromEntries(
      sets.flatMap((set, s) => (Number.isNaN(numbers[s]) ? [] : [[set, numbers[s]]])),
    ),
    ...(within !== undefined && { within }),
  }));
}

const NONE = Number.NaN;
const eleven = [
  "bluebird",
  "rte",
  "web",
  "product",
  "possent",
  "weather",
  "weather_amt",
  "sp",
  "sp_amt",
  "zencrowd_in",
  "zencrowd_us",
];

/** The notebooks of yuan-li/truth-inference-at-scale (Li, Rubinstein, Cohn 2019), on the same files. */
const atScale: readonly Printed[] = [
  ...lines(
    [...eleven, "fact_eval"],
    [
      [
        ...(["ibcc", "iBCC"] as const),
        [88.89, 92.75, 75.08, 93.83, 96, 88.33, 85.67, 91.5, 94.4, 76.96, 82.7, 87.67],
      ],
      [
        ...(["bwa", "BWA"] as const),
        [75.93, 92.75, 82.25, 91.94, 95.6, 89.33, 86, 91.7, 94.6, 76.37, 91.08, 88.72],
      ],
    ],
    0.003,
  ),
  ...lines(
    eleven,
    [
      [
        ...(["ebcc", "EBCC"] as const),
        [86.11, 93.13, 76.86, 93.49, 96.1, 88.33, 85.67, 91.52, 94.4, 78.09, 91.23],
      ],
    ],
    0.015,
  ),
];

/** Ustalov, Pavlichenko, Tseitlin: Learning from Crowds with Crowd-Kit, JOSS 2024. */
const crowdKit: readonly Printed[] = lines(
  ["product", "possent"],
  [
    ["majority-vote", "MV (Crowd-Kit)", [89.7, 93.2]],
    ["wawa", "Wawa (Crowd-Kit)", [89.7, 95.1]],
    ["dawid-skene", "DS (Crowd-Kit)", [94, 96]],
    ["glad", "GLAD (Crowd-Kit)", [92.8, 94.8]],
    ["kos", "KOS (Crowd-Kit)", [89.5, 93.3]],
    ["mace", "MACE (Crowd-Kit)", [92.9, 95]],
    ["mmsr", "M-MSR (Crowd-Kit)", [NONE, 93.7]],
  ],
  0.015,
);

/** Zheng, Li, Li, Shan, Cheng: Truth inference in crowdsourcing, PVLDB 10(5), 2017. Quoted, not re-read. */
const survey: readonly Printed[] = lines(
  ["product", "possent"],
  [
    ["majority-vote", "MV (survey)", [89.66, 93.31]],
    ["one-coin", "ZC (survey)", [92.8, 95.1]],
    ["glad", "GLAD (survey)", [92.2, 95.2]],
    ["dawid-skene", "D&S (survey)", [93.66, 96]],
    ["minimax-entropy", "Minimax (survey)", [84.09, 95.8]],
    ["ibcc-gibbs", "BCC (survey)", [93.78, 96]],
    ["cbcc", "CBCC (survey)", [93.72, 96]],
    ["pm", "PM (survey)", [89.81, 95.04]],
    ["kos", "KOS (survey)", [89.55, 93.8]],
    ["belief-propagation", "VI-BP (survey)", [64.64, 96]],
    ["mean-field", "VI-MF (survey)", [83.91, 96]],
  ],
);

/** Zhang, Chen, Zhou, Jordan: Spectral methods meet EM, JMLR 17(102), 2016: 100 minus the error. Quoted. */
const spectral: readonly Printed[] = lines(
  ["bluebird", "rte", "web"],
  [
    ["spectral-dawid-skene", "Opt-D&S (Zhang)", [89.91, 92.88, 84.14]],
    ["dawid-skene", "MV-D&S (Zhang)", [88.89, 92.88, 84.26]],
    ["majority-vote", "MV (Zhang)", [75.93, 89.69, 73.07]],
    ["kos", "KOS (Zhang)", [88.89, 60.25, 57.07]],
    ["ghosh-svd", "Ghosh-SVD (Zhang)", [72.22, 50.87, NONE]],
    ["dalvi", "EigenRatio (Zhang)", [72.22, 91, NONE]],
  ],
);

/**
 * Zhou, Liu, Platt, Meek: Aggregating ordinal labels from crowds by minimax conditional entropy, ICML 2014:
 * penalties tied as theirs, a = K²/4 and b = a · labels per worker / labels per task, where they select the 1/4;
 * and Snow, O'Connor, Jurafsky, Ng, EMNLP 2008. Quoted.
 */
const single: readonly Printed[] = [
  {
    id: "minimax-entropy",
    name: "minimax (Zhou)",
    printed: { web: 88.49 },
    options: { a: 6.25, b: 6.25 },
  },
  {
    id: "minimax-entropy",
    name: "ordinal minimax (Zhou)",
    printed: { web: 89.6 },
    options: { a: 6.25, b: 6.25, form: "ordinal" },
  },
  { id: "dawid-skene", name: "D&S (Zhou)", printed: { web: 83.08 } },
  { id: "majority-vote", name: "MV of ten (Snow)", printed: { rte: 89.7, temp: 94 } },
];

/** Ibrahim, Traganitis, Fu, Giannakis: End-to-end learning from crowdsourced labels, 2025, part I. */
const tutorial: readonly Printed[] = [
  {
    id: "majority-vote",
    name: "MV (tutorial)",
    firstOfTies: true,
    printed: { bluebird: 75.9, web: 77.6 },
  },
  {
    id: "dawid-skene",
    options: { start: "hard-votes", smoothing: 0 },
    name: "EM (tutorial)",
    printed: { bluebird: 88, web: 87.1 },
  },
];

/** An independent implementation in double precision, with settings of its own. */
const reference: readonly Printed[] = (
  [
    [
      ...(["majority-vote", "MV", {}] as const),
      [75.93, 89.69, 73.07, 89.66, 93.35, 88.22, 85.33, 88.59, 94.3, 74.04, 86.15],
      1e-4,
    ],
    [
      ...(["wawa", "Wawa", { ties: "first" }] as const),
      [75.93, 92.13, 81.68, 89.66, 95.1, 89.33, 85.67, 89.5, 94.4, 74.51, 86.57],
      0.01,
    ],
    [
      ...(["zero-based-skill", "ZeroBasedSkill", { ties: "first" }] as const),
      [75.93, 92.13, 82.62, 89.66, 95.3, 89.33, 85.67, 89.46, 94.6, 74.46, 86.23],
      0.01,
    ],
    [
      ...(["iterative-weighted-vote", "IWMV", { ties: "first" }] as const),
      [72.22, 92.75, 84.96, 92.74, 94.8, 89.33, 85.67, 90.52, 94.6, 74.9, 87.06],
      0.01,
    ],
    [
      ...(["pm", "PM, totals", { normalise: "sum", ties: "first" }] as const),
      [78.7, 92, 39.5, 89.81, 95, 89.17, 85.67, 89.78, 94.4, 73.68, 81.62],
      0.01,
    ],
    [
      ...(["catd", "CATD, as its paper", { paper: true, ties: "first" }] as const),
      [77.78, 91.87, 73.45, 92.38, 95.7, 89.67, 86, 91.14, 94.4, 78.26, 90.81],
      0.01,
    ],
    [
      ...(["one-coin", "one coin", { comparePriors: false, prior: "learn" }] as const),
      [58.33, 92.5, 80.74, 90.84, 94.9, 88.33, 86, 91.68, 94.6, 78.68, 90.1],
      0.003,
    ],
    [
      ...(["confusion-vector", "confusion vector", { smoothing: 0 }] as const),
      [89.81, 92.75, 84.51, 93.96, 96, 86.67, 81.33, 91.48, 94.4, 75.98, 82.11],
      0.003,
    ],
    [
      ...(["dawid-skene", "DS, no smoothing", { smoothing: 0 }] as const),
      [89.81, 92.75, 82.89, 93.96, 96, 79, 83.67, 91.48, 94.4, 75.98, 82.11],
      0.003,
    ],
    [
      ...(["dawid-skene", "DS, uniform prior", { smoothing: 0, prior: "uniform" }] as const),
      [88.89, 92.75, 83.34, 83.03, 96, 77.5, 82.67, 91.5, 94.4, 70.74, 76.52],
      0.003,
    ],
    [
      ...(["mace", "MACE", {}] as const),
      [86.11, 92.63, 83.87, 81.84, 95.7, 88.33, 85.67, 91.78, 94.6, 71.72, 80.49],
      0.015,
    ],
    [
      ...(["glad", "GLAD", {}] as const),
      [72.22, 92.5, 82.28, 92.83, 94.8, 88, 85.33, 91.72, 94.6, 76.57, 87.65],
      0.015,
    ],
  ] as const
).map(([id, name, options, numbers, within]) => ({
  id,
  options,
  name: `${name} (reference)`,
  within,
  printed: Object.fromEntries(eleven.map((set, s) => [set, numbers[s]])),
}));

export const printedAccuracies: readonly Printed[] = [
  ...atScale,
  ...crowdKit,
  ...reference,
  ...tutorial,
  ...survey,
  ...spectral,
  ...single,
];
