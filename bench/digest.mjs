// Digests of everything a version computes: one line per data set, method and file, as JSON lines on stdout.
// node bench/digest.mjs FOLDER [DONE.jsonl [SET,SET,…]]: FOLDER holds a built version; lines that are in
// DONE.jsonl already are not made again; the set "learners" stands for the three learners.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { dataFolder, say } from "./shared.mjs";

/** A fit that takes longer than this is given up, in seconds. */
const LONGEST = 150;

const sets = [
  ...["bluebird", "cifar10n", "ducks", "fact_eval", "imagenet15n", "labelme", "leaves", "movie3"],
  ...["possent", "product", "rte", "sp", "sp_amt", "temp", "weather", "weather_amt", "web"],
  ...["zencrowd_in", "zencrowd_us"],
];

const [version, done, some] = process.argv.slice(2);
const dist = resolve(version, "dist");
const library = await import(pathToFileURL(join(dist, "index.js")));
const {
  readDataset,
  readData = readDataset,
  readGold,
} = await import(pathToFileURL(join(dist, "node/index.js")));
const known = new Set(
  done
    ? readFileSync(done, "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => keyOf(JSON.parse(line)))
    : [],
);

const chosen = some?.split(",") ?? [...sets, "learners"];
for (const set of sets) if (chosen.includes(set)) await digestSet(set);
if (chosen.includes("learners")) {
  for (const method of ["max-mig", "crowd-layer", "aggnet"]) digestLearner(method);
}

async function digestSet(set) {
  const [labels, gold] = ["labels.csv", "gold.csv"].map((file) => fileOf(set, file));
  const data = await readData([labels], { gold: (await readGold(gold)).gold });
  for (const method of methodsOf(library)) {
    const key = { set, method: method.id };
    if (known.has(keyOf(key))) continue;
    const given = givenFor(method, data);
    const start = performance.now();
    const posterior = fitted(method, data, given.known);
    const files = posterior === undefined ? {} : written(labels, gold, method, given.files);
    print({ ...key, posterior, files, seconds: (performance.now() - start) / 1000 });
  }
}

/** The categorical aggregators of a version, whichever way it lists them. */
function methodsOf({ methods }) {
  const list = Array.isArray(methods) ? methods : Object.values(methods);
  return list.filter(({ kind = "categorical" }) => kind === "categorical");
}

function fitted(method, data, given) {
  const steps = method.steps(data, { seed: 1 }, given);
  const end = performance.now() + 1000 * LONGEST;
  try {
    for (;;) {
      const step = steps.next();
      if (step.done) return hash(new Uint8Array(step.value.posterior.buffer));
      if (performance.now() > end) return undefined;
    }
  } catch (error) {
    return `error ${error.code}`;
  }
}

/** What a method cannot do without, made from the data alone. */
function givenFor({ needs }, data) {
  const [W, K] = [data.workers.length, data.classes.length];
  const at = (names, i) => (Array.isArray(names) ? names[i] : names.at(i));
  const cells = (w, k, l) => (k === l ? 0.5 + 0.4 / (1 + (w % 5)) : 1) / 1;
  switch (needs) {
    case "gold":
      return {
        known: { gold: data.gold.map((k, t) => (t % 5 === 0 ? k : -1)) },
        files: () => ["--use-gold"],
      };
    case "weights": {
      const weights = Float64Array.from({ length: W }, (_, w) => 1 + (w % 7) / 4);
      const rows = Array.from(weights, (x, w) => `${quote(at(data.workers, w))},${x}`);
      return {
        known: { weights },
        files: (folder) => ["--weights", table(folder, "worker,weight", rows)],
      };
    }
    case "confusion": {
      const confusion = new Float64Array(W * K * K);
      const rows = [];
      for (let w = 0; w < W; w++) {
        for (let k = 0; k < K; k++) {
          let total = 0;
          for (let l = 0; l < K; l++) total += cells(w, k, l) * (k === l ? 2 * K : 1);
          for (let l = 0; l < K; l++) {
            const p = (cells(w, k, l) * (k === l ? 2 * K : 1)) / total;
            confusion[(w * K + k) * K + l] = p;
            rows.push(
              `${quote(at(data.workers, w))},${quote(at(data.classes, k))},${quote(at(data.classes, l))},${p}`,
            );
          }
        }
      }
      return {
        known: { confusion },
        files: (folder) => ["--confusion", table(folder, "worker,true,given,probability", rows)],
      };
    }
    case "predictions": {
      const T = data.tasks.length;
      const predictions = new Float64Array(T * K);
      const rows = [];
      for (let t = 0; t < T; t++) {
        for (let k = 0; k < K; k++) predictions[t * K + k] = (k === t % K ? 2 : 1) / (K + 1);
        rows.push(
          [quote(at(data.tasks, t)), ...predictions.subarray(t * K, (t + 1) * K)].join(","),
        );
      }
      const header = ["task", ...Array.from(data.classes, quote)].join(",");
      return {
        known: { predictions },
        files: (folder) => ["--predictions", table(folder, header, rows)],
      };
    }
    default:
      return { known: {}, files: () => [] };
  }
}

function table(folder, header, rows) {
  const path = join(folder, "known.csv");
  writeFileSync(path, [header, ...rows, ""].join("\n"));
  return path;
}

function quote(name) {
  return `"${String(name).replaceAll('"', '""')}"`;
}

/** Every CSV file that the command writes. */
function written(labels, gold, method, filesOf) {
  return inFolder((folder) => {
    const out = join(folder, "out");
    const more = filesOf(folder);
    const args = [
      "aggregate",
      labels,
      "--gold",
      gold,
      "--method",
      method.id,
      "--seed",
      "1",
      "--out",
      out,
      "--quiet",
      ...more,
    ];
    return command(args, out);
  });
}

/** Five epochs of a learner, on one thread. */
function digestLearner(method) {
  const key = { set: "labelme", method: `learn ${method}` };
  if (known.has(keyOf(key))) return;
  const files = inFolder((folder) => {
    const out = join(folder, "out");
    const flags = {
      features: "features.npy",
      "test-features": "test_features.npy",
      "test-gold": "test_gold.csv",
    };
    const args = Object.entries(flags).flatMap(([flag, file]) => [
      `--${flag}`,
      fileOf("labelme", file),
    ]);
    return command(
      [
        "learn",
        fileOf("labelme", "labels.csv"),
        "--method",
        method,
        ...args,
        "--epochs",
        "5",
        "--threads",
        "1",
        "--out",
        out,
        "--quiet",
      ],
      out,
    );
  });
  print({ ...key, files });
}

function command(args, out) {
  const bin = join(dist, "cli/bin.js");
  const { status, stderr } = spawnSync(process.execPath, [bin, ...args], {
    encoding: "utf8",
    timeout: 2000 * LONGEST,
  });
  if (status !== 0) return { failed: `exit ${status}: ${stderr.slice(0, 200)}` };
  const kept = readdirSync(out)
    .filter((name) => /\.(csv|onnx)$/.test(name))
    .sort();
  return Object.fromEntries(kept.map((name) => [name, hash(readFileSync(join(out, name)))]));
}

function inFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), "digest-"));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function fileOf(set, name) {
  return readdirSync(join(dataFolder, set))
    .filter((file) => file === name || file === `${name}.gz`)
    .map((file) => join(dataFolder, set, file))[0];
}

function keyOf({ set, method }) {
  return `${set} ${method}`;
}

function hash(bytes) {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
}

function print(line) {
  say(`${line.set} ${line.method} ${line.seconds?.toFixed(1) ?? ""}`);
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
