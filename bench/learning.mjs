// Learning with features: training steps against PyTorch, the command on LabelMe, the model in Python.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dataFolder, json, median, preparePython, say, table } from "./shared.mjs";

const here = import.meta.dirname;
const folder = join(dataFolder, "labelme");
const networks = ["8192-128-8", "124-128-10", "cnn4"];

export function learningTables({ quick }) {
  const python = preparePython("requirements-learning.txt");
  const present = existsSync(join(folder, "features.npy"));
  return [
    "## Learning with features",
    "",
    ...stepTable(python, quick ? 1 : 4),
    ...(present ? commandTable(python) : ["labelme is not there, so it was not measured.", ""]),
  ].join("\n");
}

/** Five runs of each, alternated; wall milliseconds per step, in processes of their own. */
function stepTable(python, seconds) {
  const rows = [];
  for (const threads of [1, 2]) {
    for (const network of networks) {
      say(`steps of ${network} on ${threads} threads`);
      const args = [network, String(threads), String(seconds)];
      const runs = Array.from({ length: 5 }, () => ({
        ours: json(process.execPath, [join(here, "measure.mjs"), "steps", ...args])?.ms,
        theirs: python && json(python, [join(here, "peers/torch_steps.py"), ...args])?.ms,
      }));
      const ours = runs.map((run) => run.ours);
      const theirs = runs.map((run) => run.theirs);
      const ratios = runs.map((run) => run.theirs / run.ours);
      const spread = (values) =>
        `${Math.min(...values).toFixed(2)}–${Math.max(...values).toFixed(2)}`;
      rows.push([
        ...[network, threads, median(ours).toFixed(2)],
        ...(python
          ? [median(theirs).toFixed(2), `**${median(ratios).toFixed(2)}**`, spread(ratios)]
          : ["–", "–", "–"]),
      ]);
    }
  }
  return [
    "### Training steps against PyTorch",
    "",
    "Forward, backward and Adam on one batch (64 rows; 16 images of 3 × 64 × 64 for cnn4), milliseconds of the",
    "clock; medians of five runs, ours and PyTorch's in turns. The ratio is PyTorch's time over ours.",
    "",
    table(["network", "threads", "ours", "PyTorch", "ratio", "ratios of the runs"], rows),
    "",
  ];
}

/** The whole command, and its model read by Python. */
function commandTable(python) {
  const out = mkdtempSync(join(tmpdir(), "consilience-bench-"));
  const file = (name) => join(folder, name);
  const args = [
    ...[
      "learn",
      file("labels.csv"),
      "--gold",
      file("gold.csv"),
      "--features",
      file("features.npy"),
    ],
    ...["--test-features", file("test_features.npy"), "--test-gold", file("test_gold.csv")],
    ...["--model", "mlp", "--epochs", "50", "--out", out, "--quiet"],
  ];
  say("learn on labelme");
  const start = performance.now();
  const run = json(process.execPath, [join(here, "measure.mjs"), "command", ...args]);
  const seconds = (performance.now() - start) / 1000;
  const read =
    python &&
    json(python, [
      join(here, "peers/onnx_predictions.py"),
      ...[join(out, "model.onnx"), file("test_features.npy"), join(out, "test-predictions.csv")],
    ]);
  rmSync(out, { recursive: true, force: true });
  return [
    "### The command on LabelMe",
    "",
    `\`consilience learn\` with mlp, 50 epochs, all files written: ${seconds.toFixed(1)} s of the clock,`,
    `${run?.cpu.toFixed(1)} CPU s, ${run?.peakMb} MB at most (budget: 10 s).`,
    read
      ? `Python's ONNX Runtime ${read.version} reads model.onnx: probabilities differ by at most ${read.largest.toExponential(1)} over ${read.rows} test tasks, ${read.other} answers differ.`
      : "",
    "",
  ];
}
