// Every method of the kinds beside labels on public sets: scores against gold, and how well answers of hidden workers are met.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { fromRows } from "../dist/index.js";
import { methodsOf } from "../dist/kinds/kind.js";
import { kindNamed } from "../dist/kinds.js";
import { drain } from "../dist/method.js";
import { dataFolder, say, table } from "./shared.mjs";

/** Columns of each kind's rows and gold, the sets, and methods of labels to put beside its own. */
const plans = {
  numeric: {
    title: "Numbers",
    sets: ["emotion", "num_video", "num_truth100"],
    scored: ["emotion", "num_video", "num_truth100"],
    row: ({ task, worker, value }) => ({ task, worker, value: Number(value) }),
    gold: ([task, value]) => [task, Number(value)],
  },
  ordinal: {
    title: "Ordered classes",
    sets: ["ord_truth_politics", "time_relevance", "fair_offensive"],
    scored: ["ord_truth_politics", "time_relevance"],
    row: ({ task, worker, label }) => ({ task, worker, label }),
    gold: ([task, label]) => [task, label],
    twins: ["majority-vote", "dawid-skene", "ibcc", "minimax-entropy"],
  },
  pairwise: {
    title: "Comparisons",
    sets: ["dots", "puzzle", "pair_llmfao", "pair_music", "convarg"],
    scored: ["dots", "puzzle"],
    // The left item is always the better one in some files: every other row is turned.
    row: ({ worker, left, right, label }, i) =>
      i % 2 ? { worker, left: right, right: left, label } : { worker, left, right, label },
    // A smaller number of dots, or of the puzzle's moves, is the better item.
    gold: ([item, value]) => [item, -Number(value)],
  },
  sequence: {
    title: "Sequences",
    sets: ["seq_conll"],
    scored: ["seq_conll"],
    row: ({ task, worker, position, label }) => ({
      task,
      worker,
      position: Number(position),
      label,
    }),
    gold: ([task, position, label]) => [task, label, Number(position)],
  },
  "multi-label": {
    title: "Several labels per task",
    sets: ["multi_openrel"],
    scored: ["multi_openrel"],
    row: ({ task, worker, label }) => ({ task, worker, label }),
    gold: ([task, label]) => [task, label],
  },
  similarity: {
    title: "Same or different",
    sets: ["same_dogs3"],
    scored: ["same_dogs3"],
    row: ({ worker, left, right, label }) => ({ worker, left, right, label }),
    gold: ([item, cluster]) => [item, cluster],
  },
};

/** Repeated answers that some kinds have a rule for of their own. */
const repeats = (kind) => (["multi-label", "similarity"].includes(kind) ? {} : { repeats: "all" });

/** Sets that take minutes; left out of a quick run. */
const slow = new Set(["convarg", "fair_offensive"]);

export async function kindTables({ quick = false } = {}) {
  const lines = [
    "## Other kinds of answers",
    "",
    "All methods with their defaults, `auto` first. *Hidden*: mean log-probability of hidden answers, in nats, larger is better;",
    "for sequences per tag. The gold of multi_openrel is a weak reference, that of num_video comes from the same answers.",
    "",
  ];
  for (const [id, plan] of Object.entries(plans)) {
    lines.push(`### ${plan.title}`, "");
    for (const name of plan.sets) {
      if (!existsSync(join(dataFolder, name, "meta.json"))) continue;
      if (quick && slow.has(name)) continue;
      lines.push(`**${name}**`, "", await setTable(kindNamed(id), plan, name), "");
    }
  }
  return lines.join("\n");
}

/** Reads the first of these files that a set has, packed or not. */
function rowsOf(name, files) {
  for (const file of files) {
    const path = join(dataFolder, name, file);
    const bytes = existsSync(path)
      ? readFileSync(path)
      : existsSync(`${path}.gz`) && gunzipSync(readFileSync(`${path}.gz`));
    if (bytes)
      return bytes
        .toString()
        .trim()
        .split(/\r?\n/)
        .map((line) => line.split(","));
  }
  return undefined;
}

function load(kind, plan, name) {
  const [header, ...answers] = rowsOf(name, ["answers.csv", "comparisons.csv", "labels.csv"]);
  const gold = plan.scored?.includes(name)
    ? rowsOf(name, ["gold.csv", "reference_weak.csv"]).slice(1)
    : undefined;
  return fromRows(
    answers.map((cells, i) =>
      plan.row(Object.fromEntries(header.map((h, at) => [h, cells[at]])), i),
    ),
    { kind: kind.id, ...repeats(kind.id), ...(gold && { gold: gold.map(plan.gold) }) },
  );
}

/** One set: every method of the kind, its scores if there is gold, and what it says of hidden answers. */
async function setTable(kind, plan, name) {
  const data = load(kind, plan, name);
  const metrics = kind.metrics.filter(({ detail }) => !detail);
  const scored = kind.goldCount(data) > 0;
  const hidden = kind.id === "ordinal";
  const methods = [
    ...kind.methods,
    ...methodsOf(kind).filter(({ id }) => plan.twins?.includes(id)),
  ];
  const rows = [];
  for (const method of methods) {
    say(`${name} ${method.id}`);
    const result = drain(method.steps(data, {}, {}));
    const { values } = scored ? await kind.score(data, result, {}) : {};
    // What auto takes or blends is judged by itself; judging auto as well would repeat all of it five times.
    const predicted =
      method.id === "auto"
        ? Number.NaN
        : drain(kind.heldOut(method, {}, data, {}, { folds: 5, seed: 0 }));
    rows.push([
      `\`${method.id}\``,
      ...(scored ? metrics.map(({ id, digits }) => number(values[id], digits)) : []),
      number(predicted, 4),
      ...(hidden ? [number(hiddenWorkers(data, method), 4)] : []),
    ]);
  }
  const header = [
    "method",
    ...(scored ? metrics.map(({ title }) => title) : []),
    "hidden",
    ...(hidden ? ["MAE, hidden workers"] : []),
  ];
  return table(header, rows);
}

const number = (x, digits) =>
  x === undefined || Number.isNaN(x) ? "–" : x.toFixed(digits).replace(/^(-?)0\./, "$1.");

/** Mean absolute error against the answers of workers who were hidden, a fifth of them at a time. */
function hiddenWorkers(data, method) {
  const order = Array.from(data.workers, (name, w) => [name, w]).sort((a, b) => a[0] - b[0]);
  const fold = new Int32Array(order.length);
  for (const [place, [, w]] of order.entries()) fold[w] = place % 5;
  let [sum, count] = [0, 0];
  for (let f = 0; f < 5; f++) {
    const shown = Array.from(data.label.keys()).filter((i) => fold[data.worker[i]] !== f);
    const part = {
      ...data,
      task: Int32Array.from(shown, (i) => data.task[i]),
      worker: Int32Array.from(shown, (i) => data.worker[i]),
      label: Int32Array.from(shown, (i) => data.label[i]),
    };
    const { consensus } = drain(method.steps(part, {}, {}));
    for (let i = 0; i < data.label.length; i++) {
      if (fold[data.worker[i]] !== f || consensus[data.task[i]] < 0) continue;
      sum += Math.abs(consensus[data.task[i]] - data.label[i]);
      count++;
    }
  }
  return sum / count;
}
