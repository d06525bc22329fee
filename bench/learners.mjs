// Learners on crowds with features: the search for their defaults, and how accurate and how sure they are at these.
//
// Settings are searched for on halves of the training tasks: one half is trained on, the other half's gold scores. What
// the test parts hold has no say. The rule: of all settings, the three most accurate with the first seed are run with two more;
// of those within half a point of the highest mean over families of sets, the one with the lowest log-loss wins. For every
// family the same rule is also applied without it.
import { learners } from "../dist/public/learn.js";
import { candidates, settingsOf } from "./learners/candidates.mjs";
import { families, present } from "./learners/crowds.mjs";
import { runTrials } from "./learners/trials.mjs";
import { say, table } from "./shared.mjs";

const SEEDS = [0, 1, 2];
/** Learners of which a step costs as much as forty of others: they get fewer seeds. */
const slow = ["a-lfc"];
const seedsOf = (learner) => (slow.includes(learner) ? [0] : SEEDS);
const FINALISTS = 3;
const NEAR = 0.005;
/** Seeds of what is measured as it was before the search. */
const FORMERLY = 3;

export async function learnerTables({ quick }) {
  const sets = present();
  if (sets.length === 0) return "No set with features is there, so learners were not measured.";
  return [...(await searchTable(sets)), ...(await finalTables(sets, quick))].join("\n");
}

/** What the search chose, with all families and with one left out. */
async function searchTable(sets) {
  const here = Object.entries(families).filter(([, names]) => names.some((n) => sets.includes(n)));
  const trial = (learner, options, seed) => (set) => ({
    ...{ set, seed, search: true, learner, options },
  });
  const every = (learner, settings, seeds) =>
    settings.flatMap((options) => seeds.flatMap((seed) => sets.map(trial(learner, options, seed))));
  const names = Object.keys(candidates);
  say("learners: every setting, one seed");
  const first = await runTrials(names.flatMap((name) => every(name, settingsOf(name), [0])));

  /** The mean of a score over families, but for one. */
  const score = (lookup, learner, options, seeds, without, key) =>
    mean(
      here
        .filter(([family]) => family !== without)
        .map(([family]) => onFamily(lookup, learner, options, seeds, family, key)),
    );
  const onFamily = (lookup, learner, options, seeds, family, key = "accuracy") =>
    mean(
      families[family]
        .filter((set) => sets.includes(set))
        .flatMap((set) =>
          seeds.map((seed) => lookup(trial(learner, options, seed)(set))[key] ?? 0),
        ),
    );
  const best = (lookup, learner, settings, seeds, without, count) =>
    settings
      .map((options) => ({ options, score: score(lookup, learner, options, seeds, without) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, count)
      .map(({ options }) => options);

  const without = [undefined, ...here.map(([family]) => family)];
  const finalists = (name, left) => best(first, name, settingsOf(name), [0], left, FINALISTS);
  const again = names.flatMap((name) => {
    const settings = new Set([settingsOf(name)[0], ...without.flatMap((w) => finalists(name, w))]);
    return every(name, [...settings], seedsOf(name));
  });
  say("learners: the best settings, more seeds");
  const all = await runTrials(again);
  const chosen = (name, left) => {
    const of = (options, key) => score(all, name, options, seedsOf(name), left, key);
    const last = finalists(name, left);
    const highest = Math.max(...last.map((options) => of(options)));
    return last
      .filter((options) => of(options) > highest - NEAR)
      .reduce((a, b) => (of(b, "logLoss") < of(a, "logLoss") ? b : a));
  };
  const rows = names.map((name) => {
    const [base] = settingsOf(name);
    const taken = chosen(name);
    const leftOut = here.map(([family]) =>
      onFamily(all, name, chosen(name, family), seedsOf(name), family),
    );
    return [
      name,
      percent(score(all, name, base, seedsOf(name))),
      percent(score(all, name, taken, seedsOf(name))),
      percent(mean(leftOut)),
      changes(base, taken),
    ];
  });
  return [
    "## Learners: the search for defaults",
    "",
    `Accuracy in per cent on ${here.length} families of sets (${here.map(([family]) => family).join(", ")}; simulated crowds label all but the first three),`,
    `means over families and ${SEEDS.length} seeds (${slow.join(", ")}: one). Half of the training tasks are trained on, at most 1500, and the other half's gold`,
    "scores; test parts have no say. Before: the settings that the search began with. Chosen: the best of the settings that were tried: of those",
    "within half a point of the most accurate, the one with the lowest log-loss. Left",
    "out: on each family the settings that are best on the others.",
    "",
    table(["learner", "before", "chosen", "left out", "what was chosen"], rows),
    "",
  ];
}

/** Scores on test parts: with the settings of before, and at the defaults. */
async function finalTables(sets, quick) {
  const many = (set) => (["labelme", "leaves"].includes(set) ? 10 : 5);
  const seedsOf = (set, learner, version) => [
    ...Array(
      slow.includes(learner) ? 1 : quick ? 2 : version === "before" ? FORMERLY : many(set),
    ).keys(),
  ];
  const names = Object.keys(learners);
  const versions = { before: formerly, after: defaultsOf };
  const trials = names.flatMap((learner) =>
    Object.entries(versions)
      .map(([version, options]) => ({ version, options: options(learner) }))
      .filter(({ options }) => options)
      .flatMap(({ version, options }) =>
        sets.flatMap((set) =>
          seedsOf(set, learner, version).map((seed) => ({
            ...{ set, seed, search: false, learner, options },
          })),
        ),
      ),
  );
  say("learners: test parts");
  const lookup = await runTrials(trials);
  const value = (learner, version, set, key) => {
    const options = versions[version](learner);
    if (!options) return undefined;
    const scores = seedsOf(set, learner, version).map((seed) =>
      lookup({ set, seed, search: false, learner, options }),
    );
    return mean(scores.map((each) => each[key] ?? Number.NaN));
  };
  const cells = (learner, key, format) => {
    const pair = (of) => {
      const after = format(of("after"));
      const before = of("before");
      return before === undefined ? after : `${format(before)} → ${after}`;
    };
    const on = (version) => sets.map((set) => value(learner, version, set, key));
    const overall = (version) =>
      versions[version](learner) ? byFamily(sets, on(version)) : undefined;
    return [
      ...sets.map((set) => pair((version) => value(learner, version, set, key))),
      pair(overall),
    ];
  };
  const decimals = (x) => x.toFixed(3).replace(/^0/, "");
  const shown = { accuracy: percent, logLoss: (x) => x.toFixed(2), ece: decimals, floor: decimals };
  const block = (title, key) => [
    `### ${title}`,
    "",
    table(
      ["learner", ...sets, "mean"],
      names.map((name) => [name, ...cells(name, key, shown[key])]),
    ),
    "",
  ];
  return [
    "## Learners: test parts",
    "",
    `Before (${FORMERLY} seeds) → at the defaults, ten seeds for LabelMe and leaves, five for the others, which draw the crowd too, and one for ${slow.join(", ")};`,
    `classifiers on tasks that no training saw; the mean is over families of sets. Before: 50 epochs where a learner has no number of its own, no temperature, and`,
    "copies as they are.",
    "",
    ...block("Accuracy, per cent", "accuracy"),
    ...block("Log-loss", "logLoss"),
    ...block("Expected calibration error (15 bins)", "ece"),
    ...block(
      "Expected calibration error of classifiers with these probabilities that would be right about them",
      "floor",
    ),
  ];
}

/** The options of a learner at their defaults. */
const defaultsOf = (learner) =>
  Object.fromEntries(
    Object.entries(learners[learner].options).map(([name, o]) => [name, o.default]),
  );

/** What a learner was trained with when the search began; undefined for those that came with it. */
function formerly(learner) {
  if (!candidates[learner] || learner === "auto-learner") return undefined;
  const [base] = settingsOf(learner);
  return {
    ...{ ...base, copies: "keep", calibrate: false },
    ...(base.epochs === 0 && { epochs: 50 }),
  };
}

/** The mean over families of the means over their sets. */
function byFamily(sets, values) {
  const means = Object.values(families).map((names) =>
    names.filter((name) => sets.includes(name)).map((name) => values[sets.indexOf(name)]),
  );
  return mean(means.filter((each) => each.length > 0).map(mean));
}

const changes = (base, taken) =>
  Object.entries(taken)
    .filter(([name, value]) => value !== base[name])
    .map(([name, value]) => `${name} ${value}`)
    .join(", ") || "as before";

const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
const percent = (x) => (100 * x).toFixed(1);
