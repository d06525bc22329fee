// How `auto` stands beside the best method of each public crowd, what its own choices are worth, and whether
// its probabilities mean what they say.
import { misnaming } from "../dist/auto/auto.js";
import { all } from "../dist/auto/portfolio.js";
import { methods } from "../dist/index.js";
import {
  accuracy,
  calibration,
  credits,
  logLoss,
  pairedDifference,
} from "../dist/public/evaluate.js";
import { heldOutScore } from "../dist/public/methods.js";
import { presentSets, publicSet } from "./public-sets.mjs";
import { say, table } from "./shared.mjs";

const rivals = ["majority-vote", "wawa", "one-coin", "dawid-skene", "ibcc", "glad", "mace"];

export function autoTables({ quick: brief }) {
  const present = presentSets();
  if (present.length === 0) return "## Auto\n\nNo public sets were on the machine.";
  const rows = present.map(measure);
  const mean = (field) =>
    (rows.reduce((sum, { scores }) => sum + scores.auto[field], 0) / rows.length).toFixed(4);
  return [
    "## `auto`",
    "",
    `Mean accuracy ${mean("accuracy")}, mean log-loss ${mean("logLoss")} on ${rows.length} public crowds.`,
    "",
    ...autoPart(rows),
    ...(brief ? [] : leaveOneOut(present)),
    "### Reliability: confidence → share right (tasks), ECE with interval",
    "",
    table(
      ["set", "ECE", "reliability"],
      rows.map(({ name, reliability }) => [name, ...reliability]),
    ),
  ].join("\n");
}

function measure(name) {
  say(`auto: ${name}`);
  const data = publicSet(name);
  const scores = {};
  let reliability = [];
  for (const method of Object.values(methods).filter(
    ({ id }) => id === "auto" || rivals.includes(id),
  )) {
    const scored = { ...method(data), gold: data.gold };
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
    "### Beside the best of seven",
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
const more = [
  [],
  ["Wawa"],
  ["BWA"],
  ["Wawa", "BWA"],
  ["Dawid–Skene, uniform prior"],
  ["confusion vector"],
  ["iBCC"],
  ["Wawa", "BWA", "iterative weighted vote"],
  ["Wawa", "BWA", "EBCC"],
  all.slice(4).map(({ name }) => name),
];
const settings = more.flatMap((names) =>
  [0.5, 1, 2, 4, 8, 16].flatMap((tasks) =>
    [0.05, 0.1, 0.2, 0.4, Infinity].map((most) => ({ names, tasks, most })),
  ),
);

/** Choices made with these sets in view, redone without each set in turn. */
function leaveOneOut(present) {
  const table = present.map((name) => {
    say(`settings of auto: ${name}`);
    const data = publicSet(name);
    const K = data.classes.length;
    const redundancy = data.label.length / new Set(data.task).size;
    const folds = data.label.length > 200_000 ? 1 : 5;
    const size = data.label.length * K;
    const tried = all.map(({ method, options, most = Infinity }) => {
      if (size > most) return undefined;
      const { posterior } = method(data, options);
      const { wrong, lost } = misnaming(data, posterior, K);
      const steps = heldOutScore(data, method, options, {}, { folds });
      let step = steps.next();
      while (!step.done) step = steps.next();
      return { posterior, score: step.value, misnamed: wrong + lost };
    });
    return settings.map(({ names, tasks, most }) => {
      const members = all.flatMap(({ name: each }, m) =>
        tried[m] && (m < 4 || names.includes(each)) ? [m] : [],
      );
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
