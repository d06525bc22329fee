// How often 95 % intervals hold the truth: skill by method, informativeness, capacity, agreement, effective workers.
//   npm run bench -- --only intervals [--seeds 200] [--first 0]     after npm run build
//
// Truths. Skill: the probability of a right label at the true shares of the classes. Informativeness and capacity: of the
// worker's true confusion. Agreement: the value over infinitely many tasks of the same workers, each as likely to be
// asked. Effective workers: what the true correlations of errors give. Intervals of all workers and seeds are pooled: 25 workers and 200
// seeds make 5,000. Agreement and effective workers have one interval per crowd, so there are ten crowds per seed.
import { spawn } from "node:child_process";
import { informativeness } from "../dist/belief/informativeness.js";
import { capacity } from "../dist/diagnose/channel.js";
import { gwetAgreement } from "../dist/diagnose/gwet.js";
import { krippendorffAlpha } from "../dist/diagnose/krippendorff.js";
import { percentAgreement } from "../dist/diagnose/percent.js";
import { effectiveWorkers, scoreIntervals, skillIntervals } from "../dist/public/diagnose.js";
import { auto, dawidSkene, glad, ibcc, majorityVote, oneCoin } from "../dist/public/methods.js";
import { scenarios } from "../dist/public/simulate.js";
import { copiedCrowd, worth } from "./copied-crowd.mjs";
import { say, table } from "./shared.mjs";

const methods = [majorityVote, oneCoin, dawidSkene, ibcc, glad, auto];
const twoCoin = { workers: 25, a: 6, b: 2 };
const copied = { copies: 4, others: 8, classes: 2, copying: 0.7 };
/** Crowds of independent workers, and of copies among others; the last two were looked at only once, at the end. */
const designs = {
  "dense, 2 classes": {
    crowd: ["two-coin", { ...twoCoin, tasks: 300, labelsPerTask: 0 }],
    copied: { ...copied, tasks: 300 },
  },
  "3 labels per task": {
    crowd: ["two-coin", { ...twoCoin, tasks: 600, labelsPerTask: 3 }],
    copied: { ...copied, tasks: 3000, perTask: 3 },
  },
  "confusions, 4 classes": {
    crowd: ["confusion", { workers: 25, tasks: 500, labelsPerTask: 8 }],
    copied: { ...copied, tasks: 500, classes: 4, perTask: 8 },
  },
  "10 % positive": {
    crowd: ["two-coin", { ...twoCoin, tasks: 500, labelsPerTask: 6, positive: 0.1 }],
    copied: { ...copied, tasks: 500, perTask: 6, prior: [0.9, 0.1] },
  },
  "other: 3 classes, uneven activity": {
    crowd: [
      "class-dependent",
      { workers: 25, tasks: 700, labelsPerTask: 5, classes: 3, activity: 0.7 },
    ],
    copied: { ...copied, tasks: 700, classes: 3, perTask: 6, copying: 0.9, others: 10 },
  },
  "other: 2 classes, 30 % positive": {
    crowd: ["two-coin", { ...twoCoin, a: 4, tasks: 450, labelsPerTask: 5, positive: 0.3 }],
    copied: { ...copied, tasks: 450, copies: 3, copying: 0.8, prior: [0.7, 0.3] },
  },
};
const CROWDS = 10;

/** The table; each design is measured in a process of its own, `--processes` of them at a time. */
export async function intervalTables({ quick }) {
  const seeds = option("--seeds", quick ? 20 : 200);
  const first = option("--first", 0);
  const names = Object.keys(designs);
  const found = await inTurn(names, option("--processes", 1), (name) => {
    say(`intervals: ${name}`);
    return measured(name, seeds, first);
  });
  return coverageTable(names, found, first);
}

/** What × design → coverage, from the counts of each design. */
function coverageTable(names, found, first) {
  const rows = names.flatMap((name, i) =>
    Object.entries(found[i]).map(([what, count]) => ({ name, what, ...count })),
  );
  return [
    "## Intervals",
    "",
    `Share of 95 % intervals that hold the truth, pooled over workers and seeds from ${first} on. Target: .930 to .970.`,
    "Recipes were chosen on other seeds. The designs called *other* had no part in that, except that iBCC is judged by the model that stands in for others since they were measured first.",
    "",
    table(
      ["what", "design", "coverage", "intervals", "mean width", ""],
      rows.map(({ name, what, held, all, width }) => [
        what,
        name,
        (held / all).toFixed(3),
        all,
        (width / all).toFixed(3),
        held / all >= 0.93 && held / all <= 0.97 ? "met" : "missed",
      ]),
    ),
    "",
    ...missing(rows),
  ].join("\n");
}

function missing(rows) {
  const none = rows.filter((row) => row.none > 0);
  if (none.length === 0) return [];
  return none.map(
    ({ name, what, none: n }) => `No interval was given ${n} times: ${what}, ${name}.`,
  );
}

function option(name, otherwise) {
  const at = process.argv.indexOf(name);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
}

/** Maps a list by promises, `most` at a time. */
async function inTurn(list, most, each) {
  const results = new Array(list.length);
  let next = 0;
  const run = async () => {
    while (next < list.length) {
      const i = next++;
      results[i] = await each(list[i]);
    }
  };
  await Promise.all(Array.from({ length: most }, run));
  return results;
}

function measured(name, seeds, first) {
  return new Promise((resolve, reject) => {
    const args = [import.meta.filename, name, String(seeds), String(first)];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.on("data", (part) => {
      text += part;
    });
    child.on("close", (code) =>
      code === 0 ? resolve(JSON.parse(text)) : reject(new Error(`${name}: exit ${code}`)),
    );
  });
}

if (process.argv[1] === import.meta.filename) {
  const [name, seeds, first] = process.argv.slice(2);
  console.log(JSON.stringify(measure(designs[name], Number(seeds), Number(first))));
}

function measure({ crowd: [id, options], copied: copies }, seeds, first) {
  const counts = {};
  const add = (what, interval, truth) => {
    counts[what] ??= { held: 0, all: 0, none: 0, width: 0 };
    const count = counts[what];
    if (!interval) count.none++;
    else {
      const [low, high] = interval;
      count.all++;
      count.width += high - low;
      if (low <= truth && truth <= high) count.held++;
    }
  };
  for (let seed = first; seed < first + seeds; seed++) {
    const simulated = scenarios[id]({ ...options, seed });
    for (const method of methods) addSkills(simulated, method, add);
    addScores(simulated, add);
    for (let i = 0; i < CROWDS; i++) {
      addAgreement(scenarios[id]({ ...options, activity: 0, seed: CROWDS * seed + i }), add);
    }
    for (let i = 0; i < CROWDS; i++) addEffective(copies, CROWDS * seed + i, add);
  }
  return counts;
}

function addSkills({ data, confusion, prior }, method, add) {
  const K = prior.length;
  const intervals = skillIntervals(data, method(data));
  for (let w = 0; w < data.workers.length; w++) {
    const truth = prior.reduce((sum, share, k) => sum + share * confusion[(w * K + k) * K + k], 0);
    add(`skill, ${method.id}`, intervals && [intervals.low[w], intervals.high[w]], truth);
  }
}

function addScores({ data, confusion, prior }, add) {
  const K = prior.length;
  const found = scoreIntervals(data, dawidSkene(data));
  for (let w = 0; w < data.workers.length; w++) {
    const rows = confusion.subarray(w * K * K, (w + 1) * K * K);
    const of = (name) => found && [found[name].low[w], found[name].high[w]];
    add("informativeness", of("informativeness"), informativeness(rows, K, K));
    add("capacity", of("capacityBits"), capacity(rows, K, K).bits);
  }
}

function addAgreement({ data, confusion, prior }, add) {
  const truth = trueAgreement(confusion, prior);
  const of = ({ low, high }) => [low, high];
  add("percent agreement", of(percentAgreement(data)), truth.percent);
  add("Krippendorff's alpha", of(krippendorffAlpha(data)), truth.alpha);
  add("Gwet's AC1", of(gwetAgreement(data)), truth.ac1);
}

/** Agreement of two workers drawn at random, on infinitely many tasks, and above chance. */
function trueAgreement(confusion, prior) {
  const K = prior.length;
  const W = confusion.length / K ** 2;
  const shares = new Float64Array(K);
  let percent = 0;
  for (let c = 0; c < K; c++) {
    for (let l = 0; l < K; l++) {
      let [sum, squares] = [0, 0];
      for (let w = 0; w < W; w++) {
        const rate = confusion[(w * K + c) * K + l];
        sum += rate;
        squares += rate ** 2;
      }
      shares[l] += (prior[c] * sum) / W;
      percent += (prior[c] * (sum ** 2 - squares)) / (W * (W - 1));
    }
  }
  const same = shares.reduce((sum, x) => sum + x ** 2, 0);
  const chance = (1 - same) / (K - 1);
  return {
    percent,
    alpha: (percent - same) / (1 - same),
    ac1: (percent - chance) / (1 - chance),
  };
}

function addEffective(design, seed, add) {
  const { interval } = effectiveWorkers(copiedCrowd(seed, design), { route: "known-truth" });
  add("effective workers, gold", interval, worth(design));
}
