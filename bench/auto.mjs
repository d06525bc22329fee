// How `auto` stands beside the best method of each public crowd, what its own choices are worth, and whether
// its probabilities mean what they say.
import { methods } from "../dist/index.js";
import { diagnose } from "../dist/public/diagnose.js";
import {
  accuracy,
  calibration,
  credits,
  logLoss,
  pairedDifference,
} from "../dist/public/evaluate.js";
import { scenarios } from "../dist/public/simulate.js";
import { leaveOneFamilyOut } from "./auto-settings.mjs";
import { presentSets, publicSet } from "./public-sets.mjs";
import { say, table } from "./shared.mjs";

const rivals = ["majority-vote", "wawa", "one-coin", "dawid-skene", "ibcc", "glad", "mace"];

export function autoTables({ quick: brief }) {
  const present = presentSets();
  if (present.length === 0) return "## Auto\n\nNo public sets were on the machine.";
  const rows = present.map(measure);
  const seconds = rows.reduce((sum, row) => sum + row.seconds, 0);
  return [
    "## `auto`",
    "",
    ...budgets(rows, seconds),
    ...verdictPart(rows),
    ...autoPart(rows),
    ...(brief ? [] : leaveOut(present)),
    ...(brief ? [] : simulatedPart()),
    ...(brief ? [] : decentPart()),
    ...(brief ? [] : largePart()),
    "### Reliability: confidence → share right (tasks), ECE with interval",
    "",
    table(
      ["set", "ECE", "reliability"],
      rows.map(({ name, reliability }) => [name, ...reliability]),
    ),
  ].join("\n");
}

const mean = (values) => values.reduce((sum, x) => sum + x, 0) / Math.max(1, values.length);
const four = (x) => x.toFixed(4);
const three = (x) => x.toFixed(3);
const points = (x) => (100 * x).toFixed(2);

function measure(name) {
  say(`auto: ${name}`);
  const data = publicSet(name);
  const scores = {};
  let own = {};
  for (const method of Object.values(methods).filter(
    ({ id }) => id === "auto" || rivals.includes(id),
  )) {
    const [result, seconds] = timed(() => method(data));
    const scored = { ...result, gold: data.gold };
    scores[method.id] = {
      accuracy: accuracy(scored).split,
      logLoss: logLoss(scored),
      credits: credits(scored),
    };
    if (method.id === "auto") own = { ...judged(data, result), seconds };
  }
  return { name, scores, ...own };
}

/** What gold says of the confidence, and the verdict without it. */
function judged(data, result) {
  const scored = { ...result, gold: data.gold };
  const calibrated = calibration(scored);
  const answered = [...data.gold.keys()].filter((t) => data.gold[t] >= 0);
  const blind = { ...data, gold: new Int32Array(data.gold.length).fill(-1) };
  const { level, reasons } = diagnose(blind, result).verdict;
  return {
    level,
    reason: reasons[0],
    shared: result.sharedErrors,
    ece: calibrated.ece.value,
    confidence: mean(answered.map((t) => result.confidence[t])),
    right: accuracy(scored).split,
    reliability: chart(calibrated),
  };
}

function timed(make) {
  const before = process.cpuUsage();
  const made = make();
  const { user, system } = process.cpuUsage(before);
  return [made, (user + system) / 1e6];
}

function budgets(rows, seconds) {
  const relied = rows.filter(({ level }) => level !== "do not trust yet");
  const trusted = rows.filter(({ level }) => level === "trust");
  const below = relied.filter(
    ({ scores }) => scores.auto.accuracy < scores["majority-vote"].accuracy - 0.005,
  );
  const [right, loss] = ["accuracy", "logLoss"].map((field) =>
    mean(rows.map(({ scores }) => scores.auto[field])),
  );
  const ece = mean(relied.map((row) => row.ece));
  const worst = Math.max(0, ...trusted.map((row) => row.ece));
  const gap = Math.max(-1, ...trusted.map((row) => row.confidence - row.right));
  const line = (what, limit, value, met) => [what, limit, value, met ? "met" : "missed"];
  return [
    table(
      ["what", "budget", "measured", ""],
      [
        line(
          "mean accuracy, chosen with these sets in view",
          "≥ .839",
          four(right),
          right >= 0.839,
        ),
        line("mean log-loss", "≤ .54", four(loss), loss <= 0.54),
        line(
          "sets more than half a point below the vote, but for *do not trust yet*",
          "none",
          below.map(({ name }) => name).join(", ") || "none",
          below.length === 0,
        ),
        line(
          "mean ECE of sets that are not *do not trust yet*, of which there are at least 15",
          "≤ .05",
          `${three(ece)} of ${relied.length}`,
          ece <= 0.05 && relied.length >= 15,
        ),
        line("largest ECE with *trust*", "≤ .10", three(worst), worst <= 0.1),
        line("sets with *trust*", "≥ 8", String(trusted.length), trusted.length >= 8),
        line(
          "largest confidence above accuracy with *trust*, in points",
          "≤ 5",
          points(gap),
          gap <= 0.05,
        ),
        line("CPU seconds on all sets together", "≤ 60", seconds.toFixed(0), seconds <= 60),
      ],
    ),
    "",
  ];
}

function verdictPart(rows) {
  return [
    "### The verdict beside what gold says",
    "",
    "The verdict does not see gold. Correlation is that of the errors of workers, as far as labels show.",
    "",
    table(
      [
        "set",
        "verdict",
        "confidence",
        "accuracy",
        "ECE",
        "log-loss",
        "correlation",
        "first reason",
      ],
      rows.map(({ name, level, confidence, right, ece, scores, shared, reason }) => [
        name,
        level,
        three(confidence),
        three(right),
        three(ece),
        three(scores.auto.logLoss),
        three(shared.correlation),
        reason,
      ]),
    ),
    "",
  ];
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
    "workers follows them: in `ducks` they disagree on whether a goose or a grebe is a duck. Labels alone cannot tell;",
    "gold can.",
    "",
  ];
}

function leaveOut(present) {
  const { settings, ranked, held, below, mean: average } = leaveOneFamilyOut(present);
  return [
    "### Leave one family out",
    "",
    "Which candidates `auto` has, the say of each family, the correlation assumed beyond what labels show, how much",
    "evidence weighs candidates, and the guard were chosen with these sets in view (and simulated crowds).",
    `Over ${settings} such settings the mean accuracy lies between ${four(ranked[0])} and ${four(ranked.at(-1))}, with a median of`,
    `${four(ranked[ranked.length >> 1])}. Choosing each part by the other sets (mean accuracy less a tenth of the log-loss, a loss against the vote`,
    "counting double, over all choices of the other parts) and scoring on the family left out (weather with weather_amt, zencrowd_us with zencrowd_in, sp with sp_amt, the others alone) gives",
    `**${four(average(held.map((row) => row.accuracy)))}** and a log-loss of **${four(average(held.map((row) => row.logLoss)))}**; more than half a point below the vote:`,
    `${below.map(({ name, accuracy: right, vote }) => `${name} (${points(right - vote)})`).join(", ") || "none"}. Groups of workers are not looked for here, and the`,
    "options of the candidates themselves are not redone.",
    "",
  ];
}

/** Workers are not independent there. */
const dependent = new Set([
  ...[
    "hospitals",
    "colluders",
    "groups",
    "copied-coin",
    "max-mig",
    "instance-dependent",
    "machines",
  ],
]);
const SEEDS = Array.from({ length: 10 }, (_, seed) => seed + 100);

function simulatedPart() {
  const crowds = Object.entries(scenarios).filter(([, { kind }]) => kind === "categorical");
  const rows = crowds.map(([id, scenario]) => {
    say(`auto: simulated ${id}`);
    const runs = SEEDS.map((seed) => {
      const { data } = scenario({ seed });
      const result = methods.auto(data);
      const [vote, model] = ["majority-vote", "dawid-skene"].map(
        (method) => accuracy({ ...methods[method](data), gold: data.gold }).split,
      );
      return { vote, model, ...judged(data, result) };
    });
    const of = (field) => mean(runs.map((run) => run[field]));
    const against = id === "colluders" ? of("vote") : Math.max(of("vote"), of("model"));
    const gap = of("right") - against;
    const count = (level) => runs.filter((run) => run.level === level).length;
    const wrong = runs.filter((run) => run.level === "trust" && run.confidence - run.right > 0.05);
    const judgedHere = !dependent.has(id) || id === "colluders";
    return [
      id,
      ...["right", "vote", "model", "confidence"].map((field) => three(of(field))),
      points(gap),
      judgedHere ? (gap >= -0.01 ? "met" : "missed") : "",
      `${count("trust")} / ${count("use with care")} / ${count("do not trust yet")}`,
      String(wrong.length),
    ];
  });
  return [
    "### Simulated crowds, 10 seeds each",
    "",
    "Mean accuracies. The gap is to the better of vote and `dawid-skene` (budget: not more than a point below, for",
    "independent workers), and for colluders to the vote. *Trust* is wrong where confidence is more than 5 points above accuracy.",
    "",
    table(
      [
        ...["scenario", "auto", "vote", "dawid-skene", "confidence", "gap, points", "budget"],
        ...["trust / care / not yet", "trust that is wrong"],
      ],
      rows,
    ),
    "",
  ];
}

function decentPart() {
  let [trusted, wrong, crowds] = [0, 0, 0];
  for (const classes of [2, 3, 4]) {
    for (const labelsPerTask of [5, 8, 12]) {
      for (const [a, b] of [
        [8, 2],
        [12, 4],
      ]) {
        for (let seed = 200; seed < 205; seed++) {
          const { data } = scenarios["one-coin"]({
            ...{ tasks: 400, workers: 30, classes, labelsPerTask, a, b, seed },
          });
          const { level, confidence, right } = judged(data, methods.auto(data));
          crowds++;
          if (level === "trust") trusted++;
          if (level === "trust" && confidence - right > 0.05) wrong++;
        }
      }
    }
  }
  return [
    "### Independent, decent workers",
    "",
    `One-coin crowds of 30 workers with a mean skill of .75 or .8 (2 to 4 classes, 5 to 12 labels per task): *trust* for`,
    `${trusted} of ${crowds} (budget: 80 %, ${trusted >= 0.8 * crowds ? "met" : "missed"}), wrong in ${wrong}.`,
    "",
  ];
}

function largePart() {
  const { data } = scenarios["confusion"]({ tasks: 200_000, workers: 1000, seed: 3 });
  methods["dawid-skene"](data);
  const [model, before] = timed(() => methods["dawid-skene"](data));
  const [result, seconds] = timed(() => methods.auto(data));
  const of = (each) => accuracy({ ...each, gold: data.gold }).split;
  const gap = of(result) - of(model);
  return [
    "### A million labels that follow Dawid–Skene",
    "",
    `\`dawid-skene\` ${four(of(model))} in ${before.toFixed(2)} CPU-s, \`auto\` ${four(of(result))} in ${seconds.toFixed(2)} CPU-s: within .002`,
    `(${gap >= -0.002 ? "met" : "missed"}), ${(seconds / before).toFixed(1)} × (budget 10 ×, ${seconds <= 10 * before ? "met" : "missed"}).`,
    "",
  ];
}
