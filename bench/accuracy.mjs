// Accuracy and calibration of every method on the public crowds, and how `auto` stands beside them.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { all, misnaming } from "../dist/auto/auto.js";
import {
  accuracy,
  calibration,
  credits,
  fromRows,
  heldOutScore,
  logLoss,
  methods,
  pairedDifference,
} from "../dist/index.js";

import { dataFolder as folder, table } from "./shared.mjs";

const sets = [
  ...[
    "bluebird",
    "cifar10n",
    "ducks",
    "fact_eval",
    "imagenet15n",
    "labelme",
    "leaves",
    "movie3",
    "possent",
    "product",
  ],
  ...["rte", "sp", "sp_amt", "temp", "weather", "weather_amt", "web", "zencrowd_in", "zencrowd_us"],
];
const rivals = ["majority-vote", "wawa", "one-coin", "dawid-skene", "ibcc", "glad", "mace"];

export function accuracyTables({ quick: brief }) {
  const present = sets.filter((name) => existsSync(join(folder, name, "gold.csv")));
  if (present.length === 0) return "## Accuracy\n\nNo public sets were on the machine.";
  const compared = methods.filter(({ needs }) => !needs || needs === "gold");
  const rows = present.map((name) => measure(name, compared));
  const mean = (of) => rows.reduce((sum, row) => sum + of(row), 0) / rows.length;
  const ids = compared.map(({ id }) => id);
  const tableOf = (field, digits) =>
    table(
      ["set", ...ids],
      [
        ...rows.map((row) => [row.name, ...ids.map((id) => row.scores[id][field].toFixed(digits))]),
        [
          "**mean**",
          ...ids.map((id) => `**${mean((row) => row.scores[id][field]).toFixed(digits)}**`),
        ],
      ],
    );
  return [
    `## Accuracy on ${present.length} public crowds`,
    "",
    "Default options, ties shared; methods see labels only, but `gold-vote`, which is given the gold of every",
    "fifth task and scored on the rest. `auto` was developed with these sets in view: see below.",
    "",
    tableOf("accuracy", 4),
    "",
    "### Log-loss (nats; probabilities below 1e-10 count as 1e-10)",
    "",
    tableOf("logLoss", 3),
    "",
    ...autoPart(rows),
    ...(brief ? [] : leaveOneOut(present)),
    "",
    "### Reliability of `auto`: confidence → share right (tasks), ECE with interval",
    "",
    table(
      ["set", "ECE", "reliability"],
      rows.map(({ name, reliability }) => [name, ...reliability]),
    ),
  ].join("\n");
}

function measure(name, compared) {
  console.error(`accuracy: ${name}`);
  const data = load(name);
  const scores = {};
  let reliability = [];
  for (const method of compared) {
    const fifth = data.gold.map((k, t) => (t % 5 === 0 ? k : -1));
    const known = method.needs === "gold" ? { gold: fifth } : {};
    const result = method(data, {}, known);
    const gold =
      method.needs === "gold" ? data.gold.map((k, t) => (t % 5 === 0 ? -1 : k)) : data.gold;
    const scored = { ...result, gold };
    scores[method.id] = {
      accuracy: accuracy(scored).split,
      logLoss: logLoss(scored),
      credits: credits(scored),
    };
    if (method.id === "auto") reliability = chart(calibration(scored));
  }
  return { name, scores, reliability };
}

/** ECE with its interval, and each bin as "confidence→right (tasks)". */
function chart({ ece, bins }) {
  const two = (x) => x.toFixed(2).replace(/^0/, "");
  return [
    `${ece.value.toFixed(3)} [${ece.low.toFixed(3)}, ${ece.high.toFixed(3)}]`,
    bins.map((bin) => `${two(bin.confidence)}→${two(bin.accuracy.value)} (${bin.tasks})`).join(" "),
  ];
}

function autoPart(rows) {
  const lines = rows.map(({ name, scores }) => {
    const best = rivals.reduce((a, b) => (scores[b].accuracy > scores[a].accuracy ? b : a));
    const gap = scores.auto.accuracy - scores[best].accuracy;
    const { low, high } = pairedDifference(scores.auto.credits, scores[best].credits);
    const vote = scores.auto.accuracy - scores["majority-vote"].accuracy;
    const fine = gap >= -0.01 || high >= 0;
    return { name, best, gap, low, high, vote, fine };
  });
  const points = (x) => (100 * x).toFixed(2);
  const below = lines.filter(({ vote }) => vote < -0.005).map(({ name }) => name);
  return [
    "### `auto` beside the best of seven",
    "",
    `The best of ${rivals.join(", ")} on each set, in points of accuracy; the interval is a paired bootstrap over tasks.`,
    "",
    table(
      [
        "set",
        "best of seven",
        "auto − best",
        "95 % interval",
        "auto − vote",
        "within 1 point or not worse",
      ],
      lines.map(({ name, best, gap, low, high, vote, fine }) => [
        name,
        best,
        points(gap),
        `[${points(low)}, ${points(high)}]`,
        points(vote),
        fine ? "yes" : "no",
      ]),
    ),
    "",
    `Within 1 point of the best or not significantly worse on ${lines.filter(({ fine }) => fine).length} of ${lines.length} sets;`,
    `more than half a point below majority vote on ${below.length}: ${below.join(", ") || "none"}.`,
    "",
    "Where `auto` is below the vote, workers agree on something other than the gold, and every model of",
    "workers follows them: in `ducks` they disagree on whether a goose or a grebe is a duck, in `zencrowd_us`",
    "and `movie3` the errors of different workers fall on the same tasks. Labels alone cannot tell; gold can.",
    "",
  ];
}

/** Which candidates, how much evidence weighs them, and how much misnaming a candidate may have. */
const quick = [0, 1, 2, 3];
const settings = [
  quick,
  [...quick, 4],
  [...quick, 5],
  [...quick, 6],
  [...quick, 8],
  all.map((_, m) => m),
].flatMap((members) =>
  [0.5, 1, 2, 4, 8, 16].flatMap((tasks) =>
    [0.05, 0.1, 0.2, 0.4, Infinity].map((most) => ({ members, tasks, most })),
  ),
);

/** Choices made with these sets in view, redone without each set in turn. */
function leaveOneOut(present) {
  const table = present.map((name) => {
    console.error(`settings of auto: ${name}`);
    const data = load(name);
    const K = data.classes.length;
    const redundancy = data.label.length / new Set(data.task).size;
    const folds = data.label.length > 200_000 ? 1 : 5;
    const tried = all.map(({ method, options }) => {
      const { posterior } = method(data, options);
      const { wrong, lost } = misnaming(data, posterior, K);
      const steps = heldOutScore(method, options, data, {}, { folds });
      let step = steps.next();
      while (!step.done) step = steps.next();
      return { posterior, score: step.value, misnamed: wrong + lost };
    });
    return settings.map(({ members, tasks, most }) => {
      const sound = members.filter((m) => m === 0 || tried[m].misnamed <= most);
      const best = Math.max(...sound.map((m) => tried[m].score));
      const posterior = new Float64Array(tried[0].posterior.length);
      for (const m of sound) {
        const weight = Math.exp(tasks * redundancy * (tried[m].score - best));
        tried[m].posterior.forEach((p, i) => {
          posterior[i] += weight * p;
        });
      }
      for (let from = 0; from < posterior.length; from += K) {
        const total = posterior.subarray(from, from + K).reduce((sum, p) => sum + p, 0);
        for (let k = from; k < from + K; k++) posterior[k] /= total;
      }
      return accuracy({ classes: data.classes, posterior, gold: data.gold }).split;
    });
  });
  const mean = (s, without) =>
    table.reduce((sum, row, i) => sum + (i === without ? 0 : row[s]), 0) /
    (table.length - (without === undefined ? 0 : 1));
  const ranked = settings.map((_, s) => mean(s)).sort((x, y) => x - y);
  const held = table.map(
    (row, i) => row[settings.reduce((a, _, s) => (mean(s, i) > mean(a, i) ? s : a), 0)],
  );
  const four = (x) => x.toFixed(4);
  return [
    "### Leave one set out",
    "",
    "Which candidates `auto` has, how many tasks' evidence weighs them and the guard's threshold were chosen with",
    `these sets in view (and simulated crowds). Over ${settings.length} such settings the mean accuracy lies between`,
    `${four(ranked[0])} and ${four(ranked.at(-1))}; choosing the setting by the other sets and scoring on the one left out gives`,
    `**${four(held.reduce((sum, x) => sum + x, 0) / held.length)}**. The options of the candidates themselves (a shrinkage of 4, say) are not redone.`,
    "",
  ];
}

function load(name) {
  const read = (file) => {
    const path = join(folder, name, file);
    const bytes = existsSync(path) ? readFileSync(path) : gunzipSync(readFileSync(`${path}.gz`));
    return bytes
      .toString()
      .trim()
      .split(/\r?\n/)
      .slice(1)
      .map((line) => line.split(","));
  };
  return fromRows(
    read("labels.csv").map(([task, worker, label]) => ({ task, worker, label })),
    { repeats: "distinct", gold: read("gold.csv").map(([task, label]) => [task, label]) },
  );
}
