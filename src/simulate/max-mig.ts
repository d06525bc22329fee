/**
 * The crowds of the Max-MIG paper, two and ten classes: seniors with given expertise who label
 * everything, alone, under a naive majority, or copied by juniors.
 *
 * Differs from the paper's text, as its code does: for Dogs vs. Cats the table names the dog first
 * and the class order has the cat first.
 */
import { everybody } from "./assignment.ts";
import { drawLabels, drawTruth, evenErrors, stack, toDataset, uniform } from "./draw.ts";
import { scenario } from "./scenario.ts";

/** Accuracy of seniors A to E for the first and the second class. */
const TWO = {
  "dogs-cats": {
    classes: ["cat", "dog"],
    prior: [0.5, 0.5],
    high: [
      [0.8, 0.6],
      [0.6, 0.6],
      [0.6, 0.9],
      [0.7, 0.7],
      [0.7, 0.6],
    ],
    low: [0.55, 0.55],
  },
  luna: {
    classes: ["benign", "malignant"],
    prior: [0.85, 0.15],
    high: [
      [0.6, 0.9],
      [0.7, 0.7],
      [0.9, 0.6],
      [0.6, 0.7],
      [0.7, 0.6],
    ],
    low: [0.6, 0.6],
  },
} as const;

const TEN = [
  "airplane",
  "automobile",
  "bird",
  "cat",
  "deer",
  "dog",
  "frog",
  "horse",
  "ship",
  "truck",
];
const PAIRS = [
  [0, 2],
  [1, 9],
  [3, 5],
  [4, 7],
  [6, 8],
] as const;

export const maxMigPaper = {
  authors: "P. Cao, Y. Xu, Y. Kong, Y. Wang",
  year: 2019,
  title: "Max-MIG: an information theoretic approach for joint learning from crowds",
  url: "https://openreview.net/forum?id=BJg9DoR9t7",
};

/**
 * The crowds of Max-MIG: seniors by the paper's expertise tables; alone, with a naive majority, or
 * with copies.
 */
export const maxMigCrowd = scenario(
  {
    id: "max-mig",
    title: "The crowds of Max-MIG",
    summary:
      "Senior workers with the paper's expertise tables; alone, with a naive majority, or with copies.",
    paper: maxMigPaper,
    options: {
      tasks: { default: 2000, min: 1, integer: true, help: "Number of tasks." },
      table: {
        default: "dogs-cats",
        choices: ["dogs-cats", "luna", "cifar10"],
        help: "Table of expertise: two classes, two imbalanced classes, or ten classes.",
      },
      expertise: {
        default: "high",
        choices: ["high", "low"],
        help: "Five good seniors, or ten poor ones.",
      },
      juniors: {
        default: "none",
        choices: ["none", "naive-majority", "copies"],
        help: "Junior workers: none (case B.1), workers who always give the first class (B.2), or workers who copy a senior (B.3).",
      },
    },
  },
  ({ table, expertise, juniors }, random, tasks) => {
    const two = table === "cifar10" ? undefined : TWO[table];
    const classes = tasks.classes ?? two?.classes ?? TEN;
    const K = two ? 2 : 10;
    const seniors = two ? twoClassSeniors(two, expertise) : tenClassSeniors(expertise);
    const prior = two ? Float64Array.from(two.prior) : uniform(10);
    const truth = drawTruth(tasks, prior, random.split("truth"));
    const T = truth.length;
    const S = seniors.length;
    // Whom each junior copies; the naive say the first class.
    const copied = juniors !== "copies" ? [] : expertise === "high" ? [0, 0, 2, 2, 2] : [0, 2];
    const naive = juniors !== "naive-majority" ? 0 : expertise === "high" ? 5 : 15;
    const W = S + copied.length + naive;
    const places = everybody(T, W);
    const first = new Float64Array(K * K).map((_, cell) => (cell % K === 0 ? 1 : 0));
    const confusion = stack([
      ...seniors,
      ...copied.map((senior) => seniors[senior]),
      ...Array.from({ length: naive }, () => first),
    ]);
    const label = drawLabels(places, truth, confusion, K, random.split("labels"));
    for (let t = 0; t < T; t++) {
      copied.forEach((senior, j) => {
        label[t * W + S + j] = label[t * W + senior];
      });
    }
    return {
      data: toDataset(places, truth, label, W, classes),
      prior,
      confusion,
      roles: [
        ...seniors.map((_, s) => `senior ${letter(s)}`),
        ...copied.map((senior) => `copies ${letter(senior)}`),
        ...Array.from({ length: naive }, () => `always ${classes.at(0)}`),
      ],
    };
  },
);

function letter(senior: number): string {
  return String.fromCharCode(65 + senior);
}

function twoClassSeniors(
  table: (typeof TWO)[keyof typeof TWO],
  expertise: "high" | "low",
): Float64Array[] {
  if (expertise === "low") return Array.from({ length: 10 }, () => evenErrors(table.low));
  return table.high.map((accuracy) => evenErrors(accuracy));
}

/** Confusions only within hard pairs for good seniors; poor ones are right one time in five. */
function tenClassSeniors(expertise: "high" | "low"): Float64Array[] {
  if (expertise === "low") {
    return Array.from({ length: 10 }, () => evenErrors(new Float64Array(10).fill(0.2)));
  }
  const easyForC = new Set([3, 5, 4, 7]);
  return [
    paired((first) => (first ? 1 : 0)),
    paired(() => 0.5),
    paired((_, k) => (easyForC.has(k) ? 1 : 0.5)),
    paired((first, k) => (easyForC.has(k) ? (first ? 1 : 0) : 1)),
    paired(() => 0.6),
  ];
}

/** Right with the given probability, else the partner of the pair. */
function paired(accuracy: (first: boolean, k: number) => number): Float64Array {
  const block = new Float64Array(100);
  for (const [a, b] of PAIRS) {
    for (const [k, partner] of [
      [a, b],
      [b, a],
    ]) {
      const right = accuracy(k === a, k);
      block[k * 10 + k] = right;
      block[k * 10 + partner] = 1 - right;
    }
  }
  return block;
}
