// Spammers, colluders and groups: who is found in simulated crowds, what acting on it does to the answers of
// simulated and public crowds, and what the detectors cost.
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { presentSets } from "./public-sets.mjs";
import { json, say, table } from "./shared.mjs";
import { makeSet } from "./speed.mjs";
import { LABELS, settings } from "./trust-crowds.mjs";

/** The loss of accuracy that is allowed. */
const LOSS = 0.002;

export async function trustTables({ quick }) {
  const sets = presentSets().slice(0, quick ? 3 : undefined);
  const crowds = settings(quick).map(({ name }, at) => ({ name, at, quick }));
  const rows = await inThreads([...crowds, ...sets.map((name) => ({ name, set: name }))]);
  const measured = rows.slice(0, crowds.length);
  return [
    "## Spammers, colluders and groups",
    "",
    ...foundPart(measured),
    ...handledPart(measured),
    ...publicPart(rows.slice(crowds.length)),
    ...(await costPart()),
  ].join("\n");
}

/** Measures crowds in as many threads as there are cores; results in the order asked for. */
async function inThreads(jobs) {
  const results = [];
  let next = 0;
  const work = async () => {
    while (next < jobs.length) {
      const at = next++;
      say(`trust: ${jobs[at].name}`);
      const url = new URL("trust-crowds.mjs", import.meta.url);
      [results[at]] = await once(new Worker(url, { workerData: jobs[at] }), "message");
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return results;
}

const verdict = (met) => (met ? "met" : "**missed**");
const share = ([hits, of]) => (of > 0 ? `${((100 * hits) / of).toFixed(1)} % of ${of}` : "");
const pool = (measured, kind) =>
  measured.reduce(([a, b], { found }) => [a + found[kind][0], b + found[kind][1]], [0, 0]);

function foundPart(measured) {
  const rows = measured.map(({ name, seeds, found }) => {
    const { spammers, honest, colluders, named } = found;
    const fine =
      (spammers[1] === 0 || spammers[0] >= 0.9 * spammers[1]) && honest[0] <= 0.01 * honest[1];
    const cells = [share(spammers), share(honest), share(colluders), share(named)];
    return [name, seeds, ...cells, verdict(fine)];
  });
  const [spammers, honest] = ["spammers", "honest"].map((kind) => pool(measured, kind));
  const without = pool(
    measured.filter(({ found }) => found.colluders[1] === 0),
    "honest",
  );
  return [
    "### Who is found",
    "",
    "Spammers: 10,000 tasks, 20 workers, 4 classes. Colluders: 5,000 tasks, 60 workers, 3 classes. Groups: 5,000",
    "tasks, 40 workers, 3 classes. `hammer-spammer`: 400 tasks, 25 workers, 5 labels per task. Where a number of labels",
    `per worker is given, tasks have 5 labels each. Counted are workers with at least ${LABELS} labels. Low: the standing of`,
    "`scoreWorkers` is guessing or worse. Honest: at least 15 points above chance. Named: in a group of `colludingGroups`.",
    "A line is met if at least 90 % of spammers and at most 1 % of honest workers are low.",
    "",
    table(
      [
        ...["crowd", "seeds", "spammers low", "honest low"],
        ...["colluders named", "others named", ""],
      ],
      rows,
    ),
    "",
    table(
      ["all settings together", "bound", "measured", ""],
      [
        ["spammers low", "≥ 90 %", share(spammers), verdict(spammers[0] >= 0.9 * spammers[1])],
        [
          "honest workers low, settings without colluders",
          "≤ 1 % of at least 5,000",
          share(without),
          verdict(without[0] <= 0.01 * without[1] && without[1] >= 5000),
        ],
        [
          "honest workers low, all settings",
          "≤ 1 % of at least 5,000",
          share(honest),
          verdict(honest[0] <= 0.01 * honest[1] && honest[1] >= 5000),
        ],
      ],
    ),
    "",
  ];
}

/** What is done, and the accuracies before and after that are compared. */
const actions = [
  ["vote, pruned", "majority-vote, pruned", "majority-vote"],
  ["DS, pruned", "dawid-skene, pruned", "dawid-skene"],
  ["auto, pruned", "auto, pruned", "auto"],
  ["group-DS − DS", "group-dawid-skene", "dawid-skene"],
  ["vote, weighted", "majority-vote, weighted", "majority-vote"],
  ["DS, weighted", "dawid-skene, weighted", "dawid-skene"],
  ["auto, weighted", "auto, weighted", "auto"],
];

const signed = (x) => `${x < 0 ? "−" : "+"}${Math.abs(x).toFixed(4)}`;

function handledPart(measured) {
  const rows = measured.map(({ name, seeds, autoSeeds, scores, sums }) => {
    const changes = actions.map(([, after, before]) => scores[after] - scores[before]);
    const best = Math.max(scores["majority-vote beside auto"], scores["dawid-skene beside auto"]);
    const auto = scores.auto - best;
    const lost = actions.flatMap(([title], a) => (changes[a] < -LOSS ? [title] : []));
    if (auto < -LOSS) lost.push("auto − better");
    return [
      name,
      ...["majority-vote", "dawid-skene", "auto"].map((id) => scores[id].toFixed(4)),
      ...changes.map((change) => (change === 0 ? "0" : signed(change))),
      signed(auto),
      `${sums.pruned}, ${sums.refused}, ${sums.treated}, ${sums.groups} of ${seeds}`,
      autoSeeds,
      lost.length === 0 ? "met" : `**missed**: ${lost.join("; ")}`,
    ];
  });
  return [
    "### Accuracy after handling, simulated crowds",
    "",
    "Mean accuracy over seeds, then changes: labels of low workers taken out by `pruneSpammers` with its guards (a refusal",
    "changes nothing), `group-dawid-skene` with the groups it finds, and labels of groups that `colludingGroups` names",
    "weighted by `treatGroups`. `auto − better`: `auto` as it is against the better of vote and `dawid-skene`. Seeds: with",
    "pruning, with a refusal, with named groups, with groups found by `group-dawid-skene`. `auto` is slower and runs on the",
    "first seeds only, where it is compared with the others on the same seeds. A line is met if nothing falls by more than",
    `${LOSS}.`,
    "",
    table(
      [
        ...["crowd", "vote", "DS", "auto", ...actions.map(([title]) => title)],
        ...["auto − better", "seeds", "seeds of auto", ""],
      ],
      rows,
    ),
    "",
  ];
}

function publicPart(rows) {
  if (rows.length === 0) return ["### Public crowds", "", "None were on the machine.", ""];
  const worst = (columns) =>
    Math.min(0, ...rows.flatMap(({ lost }) => columns.map((c) => lost[c])));
  const line = (what, columns) => {
    const most = worst(columns);
    return [what, "≥ −0.50", most.toFixed(2).replace("-", "−"), verdict(most >= -0.5)];
  };
  return [
    "### False alarms on public crowds",
    "",
    "Changes of accuracy in points. Pruning: the workers whose standing is guessing or worse are taken out by",
    "`pruneSpammers` with its guards; a refusal changes nothing, and what the action would have done is in brackets.",
    "`auto` prunes nobody. A dash: nothing was found, so nothing changes.",
    "",
    table(
      [
        ...["set", "low workers", "pruning", "vote, pruned", "DS, pruned", "auto, pruned"],
        ...["groups", "group-DS − DS", "named", "vote, weighted", "DS, weighted", "auto, weighted"],
      ],
      rows.map(({ cells }) => cells),
    ),
    "",
    table(
      ["largest loss on any set, in points", "bound", "measured", ""],
      [
        line("pruning, where the guards allow it", [0, 1, 2]),
        line("`group-dawid-skene` against `dawid-skene`", [3]),
        line("weighting of named groups", [4, 5, 6]),
      ],
    ),
    "",
  ];
}

/** CPU seconds and peak memory of each detector on a million labels, in a process of its own. */
async function costPart() {
  const folder = join(import.meta.dirname, ".data");
  mkdirSync(folder, { recursive: true });
  await makeSet(1e6);
  const measure = (...args) => {
    say(`trust: ${args.join(" ")}`);
    return json(process.execPath, [join(import.meta.dirname, "measure.mjs"), ...args]);
  };
  const labels = join(folder, "1000000.bin");
  const names = [
    ...["scoreWorkers", "scoreIntervals", "skillIntervals", "covarianceSpammers", "pruneSpammers"],
    ...["excessAgreement", "colludingGroups", "agreementTriples"],
    ...["conflictPenalties", "findGroups", "effectiveWorkers", "sharedErrors"],
  ];
  const cells = (made) =>
    made ? [made.cpu.toFixed(2), made.peakMb.toFixed(0)] : ["failed", "failed"];
  const rows = names.map((name) => [
    `\`${name}\``,
    ...cells(measure("detector", name, labels)),
    "",
  ]);
  const nothing = measure("detector", "nothing", labels);
  const all = measure("command", "diagnose", join(folder, "1000000.csv"), "--quiet");
  const fine = all && all.cpu <= 10 && all.peakMb <= 1024;
  return [
    "### Cost on a million labels of 1,000 workers",
    "",
    "`simulate mixed --tasks 200000 --workers 1000`. Each detector alone, in a process of its own, given a fit of",
    "`dawid-skene`, whose time is not counted. The memory is that of the whole process, " +
      `${nothing?.peakMb ?? "?"} MB of it without any detector. \`pruneSpammers\` is forced, since 21 tasks would lose their`,
    "last label; `agreementSubspace` takes at most 400 workers and is not shown.",
    "",
    table(
      ["what", "CPU s", "peak MB", ""],
      [
        ...rows,
        [
          "`consilience diagnose`, file to answer; budget 10 CPU-s, 1 GB",
          ...cells(all),
          verdict(fine),
        ],
      ],
    ),
  ];
}
