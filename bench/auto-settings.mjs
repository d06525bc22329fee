// What the choices inside `auto` are worth, each made again without the family of sets that it is scored on.
import { addTempered, misnaming } from "../dist/auto/blend.js";
import { all, weigh } from "../dist/auto/portfolio.js";
import { likelihoodPowers, sharedErrors } from "../dist/diagnose/shared-errors.js";
import { accuracy, logLoss } from "../dist/public/evaluate.js";
import { heldOutScore, majorityVote } from "../dist/public/methods.js";
import { publicSet } from "./public-sets.mjs";
import { say } from "./shared.mjs";

/** Sets that share tasks or workers, so that one would tell about the other. */
const families = [
  ["weather", "weather_amt"],
  ["zencrowd_us", "zencrowd_in"],
  ["sp", "sp_amt"],
];

const normal = [
  ...["votes", "Wawa", "BWA", "iterative weighted vote"],
  ...["one-coin, uniform prior", "one-coin, learnt prior", "GLAD"],
  ...["Dawid–Skene, shrunk", "Dawid–Skene, uniform prior", "confusion vector", "EBCC"],
];
const portfolios = [
  normal,
  normal.filter((name) => name !== "EBCC"),
  normal.filter((name) => name !== "iterative weighted vote"),
  normal.filter((name) => name !== "GLAD"),
  [...normal, "PM"],
  [...normal, "CATD"],
  [...normal, "iBCC, uniform prior"],
  all.map(({ name }) => name),
];
const says = [
  [2, 2, 1, 1],
  [1, 1, 1, 1],
  [3, 3, 1, 1],
  [1, 2, 1, 1],
].map(([votes, numbers, confusions, shared]) => ({
  votes,
  "one number per worker": numbers,
  confusions,
  "shared errors": shared,
}));
const unseen = [0.03, 0.05, 0.1, 0.15];
const oneTask = [0.02, 0.05, 0.1];
const guards = [
  [0.1, 0.3],
  [0.1, 0.1],
  [Infinity, Infinity],
];
const parts = { names: portfolios, shares: says, base: unseen, limit: oneTask, guard: guards };
const settings = Object.entries(parts).reduce(
  (list, [part, levels]) =>
    list.flatMap((setting) => levels.map((level) => ({ ...setting, [part]: level }))),
  [{}],
);

/** Fits of every candidate on one set, and their scores on hidden labels. */
function fitAll(name) {
  say(`settings of auto: ${name}`);
  const data = publicSet(name);
  const K = data.classes.length;
  const folds = data.label.length > 100_000 ? 1 : 5;
  const size = data.label.length * K;
  const shared = sharedErrors(data);
  const fits = all.map((entry) => {
    if (size > (entry.most ?? Infinity)) return undefined;
    const { posterior } = entry.method(data, entry.options);
    const { wrong, lost } = misnaming(data, posterior, K);
    const steps = heldOutScore(data, entry.method, entry.options, {}, { folds });
    let step = steps.next();
    while (!step.done) step = steps.next();
    const tempered = unseen.map((base) => {
      const correlation = base * Math.sqrt(K - 1) + Math.max(0, shared.correlation);
      const power = entry.multiplies ? likelihoodPowers(data, correlation, K) : undefined;
      const sum = new Float64Array(posterior.length);
      addTempered(sum, posterior, 1, power ? { power } : {});
      return sum;
    });
    return { entry, tempered, score: step.value, misnamed: wrong + lost };
  });
  const vote = accuracy({ ...majorityVote(data), gold: data.gold }).split;
  return { name, data, shared, fits, vote };
}

/** Accuracy and log-loss of one set under one setting. */
function scoreSetting({ data, shared, fits }, { names, shares, base, limit, guard }) {
  const [doubtful, most] = guard;
  const used = fits.filter((fit) => fit && names.includes(fit.entry.name));
  const entries = used.map(({ entry }) => entry);
  const scores = used.map(({ score }) => score);
  const width = Math.max(0, shared.correlation) + 2 * shared.deviation;
  const tasks = Math.max(1, (limit / Math.max(1e-9, width)) ** 2);
  const total = (list) => list.reduce((sum, x) => sum + x, 0);
  const normalised = (list) => list.map((x) => x / total(list));
  const labels = Math.min(tasks * shared.labelsPerTask, data.label.length);
  const raw = normalised(weigh(entries, scores, labels, shares));
  const plain = normalised(weigh(entries, scores, 0, shares));
  const at = unseen.indexOf(base);
  const posterior = new Float64Array(used[0].tempered[at].length);
  const weights = used.map(({ misnamed, entry }, m) => {
    const wrong = entry.name === "votes" ? 0 : misnamed;
    if (wrong > most || raw[m] < 0.003) return 0;
    return wrong > doubtful ? Math.min(raw[m], plain[m]) : raw[m];
  });
  used.forEach(({ tempered }, m) => {
    const weight = weights[m] / total(weights);
    const own = tempered[at];
    if (weight > 0) for (let i = 0; i < own.length; i++) posterior[i] += weight * own[i];
  });
  const scored = { classes: data.classes, posterior, gold: data.gold };
  return { accuracy: accuracy(scored).split, logLoss: logLoss(scored) };
}

/**
 * What `auto` is for: accuracy, log-loss at a tenth of its weight, so that honest probabilities decide between equals, and
 * not falling below the vote, where a loss counts double.
 */
const worth = ({ accuracy: right, logLoss: loss }, vote) =>
  right - 0.1 * loss - Math.max(0, vote - right);

/**
 * The setting whose every part has the best mean over all choices of the other parts: with so many settings that
 * differ so little, the best single one is the luckiest.
 */
function choose(rows) {
  const value = settings.map((_, s) =>
    mean(rows.map(({ scores, vote }) => worth(scores[s], vote))),
  );
  const best = Object.entries(parts).map(([part, levels]) => {
    const of = (level) => mean(value.filter((_, s) => settings[s][part] === level));
    return [part, levels.reduce((a, b) => (of(b) > of(a) ? b : a))];
  });
  return settings.findIndex((setting) => best.every(([part, level]) => setting[part] === level));
}

const mean = (values) => values.reduce((sum, x) => sum + x, 0) / values.length;

/** Choices made with these sets in view, redone without each family in turn. */
export function leaveOneFamilyOut(present) {
  const rows = present.map((name) => {
    const set = fitAll(name);
    return { name, vote: set.vote, scores: settings.map((setting) => scoreSetting(set, setting)) };
  });
  const familyOf = (name) => families.find((list) => list.includes(name)) ?? [name];
  const held = rows.map((row) => {
    const out = familyOf(row.name);
    const chosen = choose(rows.filter(({ name }) => !out.includes(name)));
    return { ...row.scores[chosen], name: row.name, vote: row.vote };
  });
  const ranked = settings
    .map((_, s) => mean(rows.map(({ scores }) => scores[s].accuracy)))
    .sort((a, b) => a - b);
  const below = held.filter((row) => row.accuracy < row.vote - 0.005);
  return { settings: settings.length, ranked, held, below, mean };
}
