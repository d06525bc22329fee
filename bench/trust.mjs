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
  const [dense, thin] = [false, true].map((which) => measured.filter((row) => row.thin === which));
  return [
    "### Who is found",
    "",
    "Spammers: 10,000 tasks, 20 workers, 4 classes. Colluders: 5,000 tasks, 60 workers, 3 classes. Groups: 5,000",
    "tasks, 40 workers, 3 classes. `hammer-spammer`: 400 tasks, 25 workers, 5 labels per task. Counted are workers with at",
    `least ${LABELS} labels. Low: the standing of \`scoreWorkers\` on a result of \`auto\` is guessing or worse. Honest: at least 15`,
    "points above chance. Named: in a group of `colludingGroups`. A line is met if at least 90 % of spammers and at most",
    "1 % of honest workers are low.",
    "",
    ...foundTable(dense),
    "The same crowds with 5 labels per task, and as many tasks as give each worker 80 labels:",
    "",
    ...foundTable(thin),
  ];
}

function foundTable(measured) {
  const rows = measured.map(({ name, seeds, found }) => {
    const { spammers, honest, colluders, named } = found;
    const fine =
      (spammers[1] === 0 || spammers[0] >= 0.9 * spammers[1]) && honest[0] <= 0.01 * honest[1];
    const cells = [share(spammers), share(honest), share(colluders), share(named)];
    return [name, seeds, ...cells, verdict(fine)];
  });
  const [spammers, honest] = ["spammers", "honest"].map((kind) => pool(measured, kind));
  const fine = [spammers[0] >= 0.9 * spammers[1], honest[0] <= 0.01 * honest[1]];
  return [
    table(
      [
        ...["crowd", "seeds", "spammers low", "honest low"],
        ...["colluders named", "others named", ""],
      ],
      [
        ...rows,
        ["all together", "", share(spammers), share(honest), "", "", verdict(fine[0] && fine[1])],
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
];

const signed = (x) => `${x < 0 ? "−" : "+"}${Math.abs(x).toFixed(4)}`;

function handledPart(measured) {
  const rows = measured.map(({ name, seeds, scores, sums }) => {
    const changes = actions.map(([, after, before]) => scores[after] - scores[before]);
    const auto = scores.auto - Math.max(scores["majority-vote"], scores["dawid-skene"]);
    const lost = actions.flatMap(([title], a) => (changes[a] < -LOSS ? [title] : []));
    if (auto < -LOSS) lost.push("auto − better");
    return [
      name,
      ...["majority-vote", "dawid-skene", "auto"].map((id) => scores[id].toFixed(4)),
      ...changes.map((change) => (change === 0 ? "0" : signed(change))),
      signed(auto),
      `${sums.pruned}, ${sums.refused}, ${sums.groups} of ${seeds}`,
      lost.length === 0 ? "met" : `**missed**: ${lost.join("; ")}`,
    ];
  });
  return [
    "### Accuracy after handling, simulated crowds",
    "",
    "Mean accuracy over seeds, then changes by what `--drop-spammers` takes out before a method (a refusal changes nothing)",
    "and by `--group-aware`, which is `group-dawid-skene`. `auto − better`: `auto` as it is against the better of vote and",
    "`dawid-skene`. Seeds: with workers taken out before a model, with a refusal, with groups found by `group-dawid-skene`.",
    `A line is met if nothing falls by more than ${LOSS}.`,
    "",
    table(
      [
        ...["crowd", "vote", "DS", "auto", ...actions.map(([title]) => title)],
        ...["auto − better", "seeds", ""],
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
    "Changes of accuracy in points by what `--drop-spammers` takes out before a vote, or before a model of workers, and by",
    "`--group-aware`. A dash: nobody was taken out, or nothing found, so nothing changes. `auto` takes out nobody by itself;",
    "whether it counted groups as one worker is in the column of that name.",
    "",
    table(
      [
        ...["set", "low workers", "out before a vote", "vote", "out before a model", "DS", "auto"],
        ...["groups in auto", "groups in group-DS", "group-DS − DS", "named by colludingGroups"],
      ],
      rows.map(({ cells }) => cells),
    ),
    "",
    table(
      ["largest loss on any set, in points", "bound", "measured", ""],
      [
        line("spammers taken out before a vote", [0]),
        line("spammers taken out before `dawid-skene`", [1]),
        line("spammers taken out before `auto`", [2]),
        line("`group-dawid-skene` against `dawid-skene`", [3]),
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
