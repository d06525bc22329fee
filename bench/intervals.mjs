// How often 95 % intervals for skill hold the truth, by method and kind of crowd.
//   node bench/intervals.mjs [SEEDS] [FIRST SEED]    after npm run build; 200 seeds take about eight minutes
//
// The truth is a worker's probability of a right label at the true shares of the classes. Intervals of all workers and
// seeds are pooled; 25 workers and 200 seeds make 5,000. The last two crowds are for checking what the others suggested.
import { skillIntervals } from "../dist/public/diagnose.js";
import { auto, dawidSkene, glad, ibcc, majorityVote, oneCoin } from "../dist/public/methods.js";
import { scenarios } from "../dist/public/simulate.js";

const seeds = Number(process.argv[2] ?? 200);
const first = Number(process.argv[3] ?? 0);
const methods = [majorityVote, oneCoin, dawidSkene, ibcc, glad, auto];
const twoCoin = { workers: 25, a: 6, b: 2 };
const designs = {
  "dense, 2 classes": ["two-coin", { ...twoCoin, tasks: 300, labelsPerTask: 0 }],
  "3 labels per task": ["two-coin", { ...twoCoin, tasks: 600, labelsPerTask: 3 }],
  "confusions, 4 classes": ["confusion", { workers: 25, tasks: 500, labelsPerTask: 8 }],
  "10 % positive": ["two-coin", { ...twoCoin, tasks: 500, labelsPerTask: 6, positive: 0.1 }],
  "fresh: one coin": ["one-coin", { workers: 25, tasks: 400, labelsPerTask: 5 }],
  "fresh: 3 classes": [
    "class-dependent",
    { workers: 25, tasks: 800, labelsPerTask: 4, classes: 3 },
  ],
};

for (const [name, [id, options]] of Object.entries(designs)) {
  const counts = new Map(
    methods.map((method) => [method.id, { held: 0, all: 0, none: 0, width: 0 }]),
  );
  for (let seed = first; seed < first + seeds; seed++) {
    const { data, confusion, prior } = scenarios[id]({ ...options, seed });
    for (const method of methods)
      addIntervals(data, method, truthOf(confusion, prior), counts.get(method.id));
  }
  for (const [method, { held, all, none, width }] of counts) {
    const share = (held / all).toFixed(3);
    console.log(
      `${name} | ${method} | ${share} of ${all} | width ${(width / all).toFixed(3)} | none ${none}`,
    );
  }
}

/** Probability of a right label of each worker. */
function truthOf(confusion, prior) {
  const K = prior.length;
  return Array.from({ length: confusion.length / K ** 2 }, (_, w) =>
    prior.reduce((sum, share, k) => sum + share * confusion[(w * K + k) * K + k], 0),
  );
}

/** Counts how many intervals of one fit hold the truth; fits without intervals are counted apart. */
function addIntervals(data, method, truth, count) {
  const intervals = skillIntervals(data, method(data));
  if (!intervals) count.none++;
  else {
    truth.forEach((skill, w) => {
      count.all++;
      count.width += intervals.high[w] - intervals.low[w];
      if (skill >= intervals.low[w] && skill <= intervals.high[w]) count.held++;
    });
  }
}
