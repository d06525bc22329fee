// Whether forecasts of what more labels would buy hold: made from half of the labels of every task, against all of them.
import { selectLabels } from "../dist/data/categorical.js";
import { aggregate } from "../dist/index.js";
import { shuffle } from "../dist/math/distributions.js";
import { createRandom } from "../dist/math/random.js";
import { forecast } from "../dist/public/assign.js";
import { dawidSkene } from "../dist/public/methods.js";
import { scenarios } from "../dist/public/simulate.js";
import { presentSets, publicSet } from "./public-sets.mjs";
import { say, table } from "./shared.mjs";

/** Simulated crowds of 1,000 tasks; half of the labels are 2 to 5 per task. */
const designs = {
  "one coin, 6": ["one-coin", { workers: 30, labelsPerTask: 6 }],
  "one coin, 8, 100 workers": ["one-coin", { workers: 100, labelsPerTask: 8 }],
  "two coins, 6": ["two-coin", { workers: 30, labelsPerTask: 6 }],
  "two coins, 10": ["two-coin", { workers: 30, labelsPerTask: 10 }],
  "hammer and spammer, 10": ["hammer-spammer", { workers: 30, labelsPerTask: 10 }],
  "confusions, 4 classes, 6": ["confusion", { workers: 40, labelsPerTask: 6 }],
  "confusions, 4 classes, 8": ["confusion", { workers: 40, labelsPerTask: 8 }],
  "skill per class, 4 classes, 6": ["class-dependent", { workers: 40, labelsPerTask: 6 }],
  "mixed, 4 classes, 8": ["mixed", { workers: 40, labelsPerTask: 8 }],
  "one coin, 4": ["one-coin", { workers: 100, labelsPerTask: 4 }],
};
/** How many tasks have gold; the other setting of labels alone assumes that workers err independently. */
const bases = {
  "gold for all tasks": { gold: Infinity },
  "gold for 100 tasks": { gold: 100 },
  "labels alone, independent workers": { gold: 0, independent: true },
  "labels alone": { gold: 0 },
};

export function forecastTables({ quick }) {
  const seeds = quick ? 2 : 20;
  const halves = quick ? 2 : 10;
  return [
    "## Forecasts",
    "",
    "What more labels would buy, forecast from half of the labels of every task, against the accuracy that `dawid-skene` then has with all of",
    "them. The forecast names a 95 % interval.",
    "",
    ...simulatedPart(seeds),
    ...replayedPart(halves),
  ].join("\n");
}

/** Forecasts the accuracy with twice the labels; `shown` is the accuracy with all. */
function tried(data, half, { gold, independent = false }, seed, shown) {
  const known = someGold(data.gold, gold, createRandom(seed).split("gold"));
  // A low goal: how far it would take to a high one is not asked here.
  const { points } = forecast({ ...half, gold: known }, { independent, seed, goal: 0.01 });
  const twice = points.find(({ labels }) => labels >= 1.99 * half.label.length);
  const within = (x) => x >= twice.low - 1e-9 && x <= twice.high + 1e-9;
  return {
    covered: shown.map(within),
    width: twice.high - twice.low,
    error: twice.accuracy - shown[0],
  };
}

/** Half of the labels of every task by lot; of an odd number one more or less. */
function halfOf(data, random) {
  const lists = new Map();
  for (const [i, t] of data.task.entries()) {
    if (!lists.has(t)) lists.set(t, []);
    lists.get(t).push(i);
  }
  const kept = new Set();
  for (const list of lists.values()) {
    shuffle(random, list);
    for (const i of list.slice(0, Math.floor(list.length / 2 + random.next()))) kept.add(i);
  }
  return selectLabels(data, (i) => kept.has(i));
}

function someGold(gold, most, random) {
  const tasks = [...gold.keys()].filter((t) => gold[t] >= 0);
  shuffle(random, tasks);
  const kept = new Set(tasks.slice(0, most));
  return gold.map((k, t) => (kept.has(t) ? k : -1));
}

function accuracyOf({ consensus }, gold) {
  const tasks = [...gold.keys()].filter((t) => gold[t] >= 0);
  return tasks.filter((t) => consensus[t] === gold[t]).length / tasks.length;
}

const median = (values) => {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};
const mean = (values) => values.reduce((sum, x) => sum + x, 0) / values.length;
const share = (x) => `${(100 * x).toFixed(1)} %`;
const points = (x) => (100 * x).toFixed(1).replace("-", "−");

function simulatedPart(seeds) {
  const runs = Object.keys(bases).map(() => []);
  const rows = Object.entries(designs).map(([name, [id, options]]) => {
    say(`forecast: ${name}`);
    const own = Object.keys(bases).map(() => []);
    for (let seed = 0; seed < seeds; seed++) {
      const { data } = scenarios[id]({ tasks: 1000, seed: 500 + seed, ...options });
      const half = halfOf(data, createRandom(seed).split("half"));
      const shown = [accuracyOf(dawidSkene(data, { shrinkage: 4 }), data.gold)];
      Object.values(bases).forEach((basis, i) => {
        own[i].push(tried(data, half, basis, seed, shown));
      });
    }
    for (const [i, list] of own.entries()) runs[i].push(...list);
    return [name, ...own.flatMap(cells)];
  });
  return summaries("simulations", rows, runs, seeds * Object.keys(designs).length);
}

const cells = (list) => [
  share(mean(list.map(({ covered }) => (covered[0] ? 1 : 0)))),
  points(median(list.map(({ width }) => width))),
];

function summaries(what, rows, runs, count) {
  const names = Object.keys(bases);
  return [
    `### ${count} ${what}`,
    "",
    table(
      [what, ...names.flatMap((name) => [`${name}: contained`, "median width, points"])],
      [...rows, ["all", ...runs.flatMap(cells)]],
    ),
    "",
    table(
      ["what", "budget", "measured", ""],
      names.slice(0, 3).flatMap((name, i) => {
        if (what !== "simulations" && i === 2) return [];
        const contained = mean(runs[i].map(({ covered }) => (covered[0] ? 1 : 0)));
        return [
          [
            `${what}, ${name}: contained`,
            "≥ 90 %",
            share(contained),
            contained >= 0.9 ? "met" : "missed",
          ],
        ];
      }),
    ),
    "",
  ];
}

function replayedPart(halves) {
  const runs = Object.keys(bases).map(() => []);
  const rows = [];
  for (const name of presentSets()) {
    const data = publicSet(name);
    const perTask = data.label.length / new Set(data.task).size;
    if (perTask < 4 || data.label.length > 100_000) continue;
    say(`forecast: ${name}`);
    const shown = [
      accuracyOf(dawidSkene(data, { shrinkage: 4 }), data.gold),
      accuracyOf(aggregate(data), data.gold),
    ];
    const own = Object.keys(bases).map(() => []);
    for (let seed = 0; seed < halves; seed++) {
      const half = halfOf(data, createRandom(seed).split("half"));
      Object.values(bases).forEach((basis, i) => {
        own[i].push(tried(data, half, basis, seed, shown));
      });
    }
    for (const [i, list] of own.entries()) runs[i].push(...list);
    rows.push([name, ...own.flatMap(cells)]);
  }
  const byAuto = Object.keys(bases).map(
    (name, i) => `${name} ${share(mean(runs[i].map(({ covered }) => (covered[1] ? 1 : 0))))}`,
  );
  return [
    ...summaries("replays of public sets", rows, runs, halves * rows.length),
    `The same intervals against the accuracy of \`auto\` with all labels: ${byAuto.join(", ")}.`,
  ];
}
