// One crowd of the part `trust`, simulated or public: who is found, and accuracies before and after acting on it.
// A thread of its own measures each (trust.mjs).
import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { namesOf } from "../dist/data/names.js";
import { createRandom, methods } from "../dist/index.js";
import { drain } from "../dist/method.js";
import { colludingGroups, pruneSpammers, scoreWorkers } from "../dist/public/diagnose.js";
import { accuracy } from "../dist/public/evaluate.js";
import { colludersCrowd, groupsCrowd, hammerSpammerCrowd } from "../dist/public/simulate.js";
import { spammerCrowd } from "../dist/reproduce/spammer-crowd.js";
import { publicSet } from "./public-sets.mjs";

/** Labels from which a worker is counted, and how far above chance an honest one is. */
export const LABELS = 60;
const ABOVE = 0.15;

/**
 * The crowds: names, how a seed is drawn, and how many seeds. Those called `thin` have a few labels per task instead of all;
 * `whole` tells the accuracy of workers.
 */
export function settings(quick) {
  const seeds = quick ? 1 : 10;
  const percent = (share) => `${Math.round(100 * share)} %`;
  const drawn = (name, draw, labels, tasks) => [
    { name, seeds, thin: false, draw: whole(draw) },
    {
      name: `${name}, ${labels} labels per worker`,
      ...{ seeds, thin: true, draw: (seed) => thinned(draw(seed), tasks, 5, seed) },
    },
  ];
  const spammers = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7].flatMap((share) =>
    drawn(`${percent(share)} spammers`, (seed) => spammersOf(share, seed), 80, 320),
  );
  const colluders = [0, 0.1, 0.2, 0.3, 0.45].flatMap((share) =>
    drawn(`${percent(share)} colluders`, (seed) => colludersCrowd({ share, seed }), 80, 960),
  );
  const groups = [
    ["equal groups", 0],
    ["groups of 20, 5, 5, 5, 5", 0.5],
  ].flatMap(([name, first]) => drawn(name, (seed) => groupsCrowd({ first, seed }), 80, 640));
  const hammers = (seed) => hammerSpammerCrowd({ workers: 25, tasks: 400, seed });
  return [
    ...spammers,
    {
      name: "hammer-spammer, 80 labels per worker",
      ...{ seeds: 4 * seeds, thin: false, draw: whole(hammers) },
    },
    ...colluders,
    ...groups,
  ];
}

function spammersOf(share, seed) {
  return spammerCrowd({
    ...{ tasks: 10_000, workers: 20, labelsPerTask: 0, prior: [0.25, 0.25, 0.25, 0.25] },
    ...{ spammers: share, kind: "uniform", low: 0.5, high: 0.9, seed },
  });
}

const whole = (draw) => (seed) => {
  const { data, roles } = draw(seed);
  return { data, roles, right: workerAccuracy(data) };
};

/** Some labels of each of the first tasks of a crowd in which everybody labels everything. */
function thinned({ data, roles }, tasks, perTask, seed) {
  const W = data.workers.length;
  const random = createRandom(seed).split("thinned");
  const kept = [];
  for (let t = 0; t < tasks; t++) {
    const order = Array.from({ length: W }, (_, w) => w);
    for (let place = 0; place < perTask; place++) {
      const other = place + Math.floor(random.next() * (W - place));
      [order[place], order[other]] = [order[other], order[place]];
      kept.push(t * W + order[place]);
    }
  }
  const pick = (of) => Int32Array.from(kept, (i) => of[i]);
  const crowd = {
    ...data,
    tasks: namesOf([...data.tasks].slice(0, tasks)),
    gold: data.gold.slice(0, tasks),
    ...{ task: pick(data.task), worker: pick(data.worker), label: pick(data.label) },
  };
  return { data: crowd, roles, right: workerAccuracy(data) };
}

/** Share of right labels of each worker. */
function workerAccuracy({ workers, task, worker, label, gold }) {
  const [right, count] = [0, 1].map(() => new Float64Array(workers.length));
  worker.forEach((w, i) => {
    count[w]++;
    if (label[i] === gold[task[i]]) right[w]++;
  });
  return right.map((n, w) => n / Math.max(1, count[w]));
}

const rightShare = (data, { posterior }) => accuracy({ ...data, posterior }).split;
const answer = (id, data) => methods[id](data);

/** What detectors find in each seed of a setting, and accuracies before and after acting on it. */
function measureSetting({ name, seeds, thin, draw }) {
  const found = { spammers: [0, 0], honest: [0, 0], colluders: [0, 0], named: [0, 0] };
  const scores = {};
  const sums = { refused: 0, pruned: 0, groups: 0 };
  for (let seed = 0; seed < seeds; seed++) {
    const { data, roles, right } = draw(seed);
    const results = Object.fromEntries(ids.map((id) => [id, answer(id, data)]));
    const judged = scoreWorkers(data, results.auto);
    const { groups } = drain(colludingGroups(data));
    count(found, { data, roles, right, judged, groups });
    const handled = handle(data, results);
    sums.refused += handled.refused ? 1 : 0;
    sums.pruned += handled.pruned ? 1 : 0;
    sums.groups += handled.found > 0 ? 1 : 0;
    for (const [key, value] of Object.entries(handled.scores)) {
      scores[key] = (scores[key] ?? 0) + value / seeds;
    }
  }
  return { name, seeds, thin, found, scores, sums };
}

const ids = ["majority-vote", "dawid-skene", "auto"];
const isLow = ({ standing }) => standing === "guessing" || standing === "worse";

/** Counts, of workers with enough labels, those in the lower groups and those named as colluding. */
function count(found, { data, roles, right, judged, groups }) {
  const labels = new Int32Array(data.workers.length);
  for (const w of data.worker) labels[w]++;
  const named = new Set(groups.flatMap((workers) => [...workers]));
  const least = 1 / data.classes.length + ABOVE;
  const add = (tally, hit) => {
    tally[0] += hit ? 1 : 0;
    tally[1]++;
  };
  roles.forEach((role, w) => {
    if (labels[w] < LABELS) return;
    if (role === "spammer") add(found.spammers, isLow(judged[w]));
    if (role === "colluder") add(found.colluders, named.has(w));
    else add(found.named, named.has(w));
    const honest = role === "honest" || role === "hammer" || role.startsWith("group ");
    if (honest && right[w] >= least) add(found.honest, isLow(judged[w]));
  });
}

/** Accuracies of methods as they are, with groups, and after what `--drop-spammers` does before each. */
function handle(data, results) {
  const grouped = answer("group-dawid-skene", data);
  const scores = { "group-dawid-skene": rightShare(data, grouped) };
  const before = Object.fromEntries(ids.map((id) => [id, rightShare(data, results[id])]));
  const cut = { vote: prune(data, { worse: true }), model: prune(data, { worse: false }) };
  for (const id of ids) {
    const { data: pruned } = id === "majority-vote" ? cut.vote : cut.model;
    scores[id] = before[id];
    scores[`${id}, pruned`] = pruned === data ? before[id] : rightShare(data, answer(id, pruned));
  }
  const { refused, workers } = cut.model;
  return { scores, cut, refused, pruned: workers > 0, found: groupCount(grouped), grouped };
}

/** The number of groups of two workers or more. */
function groupCount({ groups }) {
  const sizes = new Map();
  for (const group of groups) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  return [...sizes.values()].filter((size) => size > 1).length;
}

/** The data after `pruneSpammers`; as they were if there is nobody to prune or it refuses. */
function prune(data, options) {
  try {
    const { data: pruned, workers } = pruneSpammers(data, options);
    return { data: workers.length > 0 ? pruned : data, workers: workers.length };
  } catch (error) {
    if (error?.code !== "bad-data") throw error;
    return { data, workers: 0, refused: reasonOf(error.message) };
  }
}

function reasonOf(message) {
  if (message.includes("last label")) return "tasks would lose their last label";
  if (message.includes("%")) return "more than 60 % of the workers";
  return "held-out labels";
}

function publicRow(name) {
  const data = publicSet(name);
  const results = Object.fromEntries(ids.map((id) => [id, answer(id, data)]));
  const low = scoreWorkers(data, results.auto).filter(isLow).length;
  const { scores, cut, found } = handle(data, results);
  const change = (after, before) => 100 * (scores[after] - scores[before]);
  const pruned = ids.map((id) => change(`${id}, pruned`, id));
  const fused = change("group-dawid-skene", "dawid-skene");
  const named = drain(colludingGroups(data)).groups.reduce((sum, { length }) => sum + length, 0);
  const points = (x) => x.toFixed(2).replace("-", "−");
  const said = ({ refused, workers }) =>
    refused ? `refused: ${refused}` : workers > 0 ? workers : "–";
  const shown = (x, { workers }) => (workers > 0 ? points(x) : "–");
  return {
    lost: [...pruned, found > 0 ? fused : 0],
    cells: [
      name,
      `${low} of ${data.workers.length}`,
      ...[said(cut.vote), shown(pruned[0], cut.vote)],
      ...[said(cut.model), shown(pruned[1], cut.model), shown(pruned[2], cut.model)],
      ...[results.auto.groups ? "yes" : "–", found === 0 ? "–" : found],
      found === 0 ? "–" : points(fused),
      named === 0 ? "–" : `${named} workers`,
    ],
  };
}

if (!isMainThread) {
  const { set, at, quick } = workerData;
  parentPort.postMessage(set ? publicRow(set) : measureSetting(settings(quick)[at]));
}
