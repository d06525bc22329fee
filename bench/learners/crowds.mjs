// Crowds with features that learners are compared on: real ones, and simulated ones on real features.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { createRandom, fromRows } from "../../dist/index.js";
import { readNpy } from "../../dist/public/io.js";
import { fromMatrix } from "../../dist/public/learn.js";
import { scenarios } from "../../dist/public/simulate.js";
import { dataFolder } from "../shared.mjs";

/** Simulated crowds: their tasks, and who labels them. The seed draws the crowd. */
const simulated = {
  "digits, spammers": {
    of: "digits",
    scenario: "hammer-spammer",
    options: { workers: 40, labelsPerTask: 3, hammerErrors: 0.6, activity: 1, hammers: 0.5 },
  },
  "digits, copies": {
    of: "digits",
    scenario: "max-mig",
    options: { table: "cifar10", juniors: "copies" },
  },
  "digits, machines": {
    of: "digits",
    scenario: "machines",
    options: { workers: 30, share: 0.1, smallest: 20, largest: 60 },
  },
  "segment, four labels": {
    of: "sim_segment",
    scenario: "class-dependent",
    options: { workers: 44, labelsPerTask: 4, low: 0.3, high: 0.9, activity: 1 },
  },
  "waveform, two labels": {
    of: "sim_waveform",
    scenario: "class-dependent",
    options: { workers: 44, labelsPerTask: 2, low: 0.3, high: 0.9, activity: 1 },
  },
  "letter, three labels": {
    of: "sim_letter",
    scenario: "class-dependent",
    options: { workers: 44, labelsPerTask: 3, low: 0.2, high: 0.9, activity: 1 },
  },
  "mnist10k, one label": {
    of: "mnist10k",
    scenario: "class-dependent",
    options: { workers: 100, labelsPerTask: 1, low: 0.2, high: 0.9, activity: 1 },
  },
  "mnist10k, outliers": {
    of: "mnist10k",
    scenario: "instance-dependent",
    options: { outliers: 0.3, noise: 0.4 },
  },
};

/** Sets that share their tasks are one family: none of them chooses settings for another. */
export const families = {
  labelme: ["labelme"],
  leaves: ["leaves"],
  sp: ["sp"],
  digits: Object.keys(simulated).filter((name) => name.startsWith("digits")),
  mnist10k: Object.keys(simulated).filter((name) => name.startsWith("mnist10k")),
  sim_segment: ["segment, four labels"],
  sim_waveform: ["waveform, two labels"],
  sim_letter: ["letter, three labels"],
};

export const present = () =>
  Object.entries(families).flatMap(([family, names]) =>
    existsSync(join(dataFolder, family, "meta.json")) ? names : [],
  );

const TEST_SHARE = 1 / 3;
/** Settings are searched on at most so many tasks, and classifiers of these large sets trained and tested. */
const MOST_SEARCHED = 1500;
const most = { sim_waveform: 1500, sim_letter: 3000 };

/**
 * Training labels and features, and a test part. To search for settings, half of the training tasks take the place of
 * the test part, so that its gold has no say.
 */
export function crowd(name, { seed, search }) {
  const base = bases(simulated[name]?.of ?? name);
  const stream = createRandom(0).split("test part");
  const isTest = (task) => !base.test && stream.split(task).next() < TEST_SHARE;
  const halves = createRandom(seed).split("half");
  const isSpare = (task) => search && halves.split(task).next() < 0.5;
  const few = (tasks) => tasks.slice(0, search ? MOST_SEARCHED : most[simulated[name]?.of]);
  const kept = few(base.tasks.filter((task) => !isTest(task) && !isSpare(task)));
  const away = few(base.tasks.filter((task) => !isTest(task) && isSpare(task)));
  const data = simulated[name]
    ? simulatedLabels(simulated[name], base, kept, seed)
    : realLabels(base, new Set(kept));
  const classes = [...data.classes];
  const part = (tasks, { rows, gold } = base) => ({
    features: pick(base, rows, tasks),
    gold: Int32Array.from(tasks, (task) => classes.indexOf(gold.get(task))),
  });
  const test = search
    ? part(away)
    : base.test
      ? part([...base.test.gold.keys()], base.test)
      : part(few(base.tasks.filter(isTest)));
  return { data, features: pick(base, base.rows, kept), test };
}

/** What a classifier says of a test part, ready to be scored. */
export async function onTest(predictor, { features, gold }, classes) {
  const posterior = await predictor.predict(features);
  const K = classes.length;
  const consensus = Int32Array.from(gold, (_, i) => {
    const row = posterior.subarray(i * K, (i + 1) * K);
    return row.indexOf(row.reduce((a, b) => Math.max(a, b)));
  });
  return { classes, posterior, consensus, gold };
}

function realLabels({ labels, gold }, kept) {
  const rows = labels.filter(({ task }) => kept.has(task));
  return fromRows(rows, {
    gold: [...gold].filter(([task]) => kept.has(task)),
    repeats: "distinct",
  });
}

function simulatedLabels({ scenario, options }, base, kept, seed) {
  const features = pick(base, base.rows, kept);
  const classes = [...new Set(base.gold.values())].sort();
  const truth = Int32Array.from(kept, (task) => classes.indexOf(base.gold.get(task)));
  return scenarios[scenario]({ ...options, seed }, { truth, features, classes }).data;
}

/** The features of some tasks. */
function pick({ shape, size }, { values, rowOf }, tasks) {
  const matrix = new Float32Array(tasks.length * size);
  tasks.forEach((task, i) => {
    const row = rowOf.get(task);
    for (let j = 0; j < size; j++) matrix[i * size + j] = values[row * size + j];
  });
  return fromMatrix(tasks, shape, matrix);
}

const read = new Map();

function bases(name) {
  if (!read.has(name)) read.set(name, name === "mnist10k" ? readMnist() : readSet(name));
  return read.get(name);
}

function readSet(name) {
  const path = (file) => join(dataFolder, name, file);
  const lines = (file) =>
    readFileSync(path(file), "utf8")
      .trim()
      .split(/\r?\n/)
      .slice(1)
      .map((line) => line.split(","));
  const matrix = (file, tasks) => {
    const { shape, data } = readNpy(new Uint8Array(readFileSync(path(file))));
    return { shape: shape.slice(1), values: data, rowOf: new Map(tasks.map((t, row) => [t, row])) };
  };
  const tasks = lines("tasks.csv").map(([task]) => task);
  const rows = matrix("features.npy", tasks);
  const gold = new Map(lines("gold.csv"));
  const labelled = existsSync(path("labels.csv"));
  const labels = labelled
    ? lines("labels.csv").map(([task, worker, label]) => ({ task, worker, label }))
    : [];
  const base = {
    tasks,
    labels,
    gold,
    rows,
    shape: rows.shape,
    size: rows.shape.reduce((a, b) => a * b),
  };
  if (!existsSync(path("test_gold.csv"))) return base;
  const testGold = new Map(lines("test_gold.csv"));
  const testRows = matrix("test_features.npy", [...testGold.keys()]);
  return { ...base, test: { gold: testGold, rows: testRows } };
}

function readMnist() {
  const bytes = (file) => gunzipSync(readFileSync(join(dataFolder, "mnist10k", file)));
  const pixels = bytes("images-idx3-ubyte.gz").subarray(16);
  const classes = bytes("labels-idx1-ubyte.gz").subarray(8);
  const tasks = Array.from(classes, (_, t) => `m${t}`);
  const rowOf = new Map(tasks.map((task, row) => [task, row]));
  const values = Float32Array.from(pixels, (x) => x / 255);
  const gold = new Map(tasks.map((task, t) => [task, String(classes[t])]));
  return { tasks, labels: [], gold, rows: { values, rowOf }, shape: [784], size: 784 };
}
