// Speed: our methods, crowd-kit, a numpy iBCC and a C loop on the same synthetic labels.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { csv } from "../dist/io/csv.js";
import { mixedCrowd } from "../dist/simulate/mixed.js";
import { json, preparePython, say, table } from "./shared.mjs";

const here = import.meta.dirname;
const data = join(here, ".data");

export async function speedTables({ quick }) {
  mkdirSync(data, { recursive: true });
  const sizes = quick ? [1e4, 1e5, 1e6] : [1e4, 1e5, 1e6, 1e7];
  for (const size of sizes) await makeSet(size);
  const python = preparePython("requirements.txt");
  const em = compileC();
  const rows = [];
  for (const size of sizes) rows.push(...methodRows(size, { quick, python }));
  return [
    "## Speed",
    "",
    "The crowd: 4 classes (.4/.3/.2/.1), 1000 workers (62 % good, 18 % mediocre, 12 % random, 5 % one-class,",
    "3 % swapping two classes), log-normal activity, 5 workers per task; `simulate mixed`. Fit alone, without reading.",
    "",
    table(["labels", "method", "CPU s", "iterations", "accuracy", "peak MB"], rows),
    "",
    ...budgets(sizes, { quick, em }),
  ].join("\n");
}

/** Labels as CSV for us, as binary triples for everybody. */
export async function makeSet(size) {
  const file = (ending) => join(data, `${size}.${ending}`);
  if (existsSync(file("bin")) && existsSync(file("csv")) && existsSync(file("gold"))) return;
  say(`making ${size} labels`);
  const crowd = mixedCrowd({ tasks: size / 5, workers: 1000, seed: 1 }).data;
  const { task, worker, label, gold } = crowd;
  const head = Int32Array.of(label.length, crowd.tasks.length, crowd.workers.length);
  writeFileSync(
    file("bin"),
    Buffer.concat(
      [head, task, worker, label].map((x) => Buffer.from(x.buffer, x.byteOffset, x.byteLength)),
    ),
  );
  writeFileSync(file("gold"), Buffer.from(gold.buffer));
  rmSync(file("csv"), { force: true });
  for (const piece of await csv.write(crowd)) writeFileSync(file("csv"), piece, { flag: "a" });
}

function methodRows(size, { quick, python }) {
  const [labels, gold] = ["bin", "gold"].map((ending) => join(data, `${size}.${ending}`));
  const rows = [];
  const add = (method, result) => {
    const { cpu, iterations = "", accuracy, peakMb } = result ?? {};
    rows.push([
      size.toLocaleString("en-US"),
      method,
      result ? cpu.toFixed(3) : "failed",
      iterations,
      accuracy?.toFixed(4) ?? "",
      peakMb?.toFixed(0) ?? "",
    ]);
  };
  const ours = ["majority-vote", "one-coin", "dawid-skene", "ibcc", "fast-dawid-skene"];
  if (size <= 1e6) ours.push("mace", "auto");
  if (size <= 1e5) ours.push("glad");
  for (const id of ours) add(id, node(["fit", id, labels, gold]));
  add(
    "auto --effort fast",
    node(["fit", "auto", labels, gold, JSON.stringify({ effort: "fast" })]),
  );
  if (!python) return rows;
  const peer = (script, ...args) => json(python, [join(here, "peers", script), ...args], 3600e3);
  add("iBCC, numpy + scipy.sparse (ours)", peer("ibcc_numpy.py", labels, gold));
  if (size <= 1e6 && !(quick && size > 1e5))
    add("crowd-kit DawidSkene", peer("crowd_kit.py", "dawid-skene", labels, gold, "100"));
  if (size <= 1e4) add("crowd-kit GLAD", peer("crowd_kit.py", "glad", labels, gold, "100"));
  if (size <= 1e5) add("crowd-kit MACE", peer("crowd_kit.py", "mace", labels, gold, "50"));
  return rows;
}

/** Each budget beside what was measured. */
function budgets(sizes, { quick, em }) {
  const million = ["bin", "gold", "csv"].map((ending) => join(data, `1000000.${ending}`));
  const [bin1, gold1, csv1] = million;
  const rows = [];
  const add = (what, budget, measured, met) =>
    rows.push([what, budget, measured, met ? "met" : "**not met**"]);
  for (const id of ["dawid-skene", "ibcc"]) {
    const { cpu, accuracy } = best(() => node(["fit", id, bin1, gold1]));
    add(
      `1M labels, ${id}, fit alone`,
      "≤ 0.5 CPU-s, accuracy ≥ .912",
      `${cpu.toFixed(3)} CPU-s, ${accuracy.toFixed(4)}`,
      cpu <= 0.5 && accuracy >= 0.912,
    );
  }
  if (em) {
    const ours = best(() => node(["iteration", bin1]), "iterationSeconds");
    const speed = (seconds) => `${(1 / seconds).toFixed(0)} M labels/s`;
    for (const [flags, program] of Object.entries(em)) {
      const c = best(() => json(program, [bin1, "30"]), "iterationSeconds");
      const ratio = c.iterationSeconds / ours.iterationSeconds;
      const measured = `${ratio.toFixed(2)} × (${speed(ours.iterationSeconds)}; C ${speed(c.iterationSeconds)})`;
      if (flags === "-O3")
        add(`EM iteration, one core, against C ${flags}`, "≥ 0.8 ×", measured, ratio >= 0.8);
      else rows.push([`the same against C ${flags}`, "", measured, ""]);
    }
  }
  for (const id of ["dawid-skene", "one-coin", "ibcc"]) {
    const weights = node(["weights", id, bin1]);
    add(
      `weighted labels, 1M: ratio of CPU time to unweighted, \`${id}\``,
      "≤ 1.3 ×",
      `${weights.ratio.toFixed(2)} × (${weights.without.toFixed(3)} → ${weights.with.toFixed(3)} CPU-s)`,
      weights.ratio <= 1.3,
    );
  }
  const read = best(() => node(["csv", csv1]));
  add(
    "CSV of 1M rows to dataset",
    "≤ 0.6 CPU-s, ≤ 120 MB",
    `${read.cpu.toFixed(3)} CPU-s, ${read.peakMb} MB`,
    read.cpu <= 0.6 && read.peakMb <= 120,
  );
  const runs = [1, 2, 3]
    .map(() => command(csv1, ["--method", "dawid-skene"]))
    .sort((x, y) => x.peakMb - y.peakMb);
  const [least, whole, largest] = runs;
  add(
    "whole `aggregate` process, 1M rows, with report (median of 3)",
    "≤ 225 MB",
    `${whole.peakMb} MB (${least.peakMb} to ${largest.peakMb}), ${whole.wall.toFixed(1)} s`,
    whole.peakMb <= 225,
  );
  if (sizes.includes(1e7)) {
    const csv10 = join(data, "10000000.csv");
    const ten = command(csv10, ["--method", "dawid-skene"]);
    add(
      "10M labels, file to answers, `dawid-skene`",
      "≤ 20 s, ≤ 1 GB",
      `${ten.wall.toFixed(1)} s, ${ten.peakMb} MB`,
      ten.wall <= 20 && ten.peakMb <= 1024,
    );
    const auto = command(csv10, ["--effort", "fast"]);
    add(
      "10M labels, file to answers, `auto --effort fast`",
      "within 2 ×",
      `${(auto.wall / ten.wall).toFixed(2)} ×, ${auto.wall.toFixed(1)} s, ${auto.peakMb} MB`,
      auto.wall <= 2 * ten.wall,
    );
  }
  const sparse = (id) =>
    node(["fit", id, join(data, "10000.bin"), join(data, "10000.gold")]).accuracy;
  const [auto, vote] = [sparse("auto"), sparse("majority-vote")];
  add(
    "sparse 10k labels, `auto`",
    "≥ .851, not below the vote",
    `${auto.toFixed(4)}; vote ${vote.toFixed(4)}`,
    auto >= 0.851 && auto >= vote,
  );
  const glad = node(["fit", "glad", join(data, "100000.bin"), join(data, "100000.gold")]);
  add("GLAD, 100k labels", "≤ 3 s", `${glad.cpu.toFixed(2)} CPU-s`, glad.cpu <= 3);
  const mmsr = node(["fit", "mmsr", join(data, "100000.bin"), join(data, "100000.gold")]);
  add(
    "M-MSR, 100k labels of 1000 workers",
    "≤ 1 GB",
    `${mmsr.peakMb} MB, ${mmsr.cpu.toFixed(2)} CPU-s, accuracy ${mmsr.accuracy.toFixed(4)}`,
    mmsr.peakMb <= 1024,
  );
  if (!quick) {
    const mace = node(["fit", "mace", bin1, gold1]);
    add("MACE, 1M labels × 10 restarts", "≤ 20 s", `${mace.cpu.toFixed(2)} CPU-s`, mace.cpu <= 20);
  }
  const alpha = best(() => node(["agreement", bin1]));
  add(
    "all agreement coefficients with intervals, 1M labels",
    "≤ 2 s",
    `${alpha.cpu.toFixed(2)} CPU-s`,
    alpha.cpu <= 2,
  );
  const live = best(() => node(["live"]), "median");
  for (const [field, words, most] of [
    ["median", "median", 50],
    ["p99", "99th percentile", 5000],
  ]) {
    add(
      `one label applied to a live \`dawid-skene\` model of 1M labels, ${words}`,
      `≤ ${most} µs`,
      `${live[field].toFixed(1)} µs`,
      live[field] <= most,
    );
  }
  const { one, two } = node(["threads", bin1]);
  rows.push([
    "Dawid–Skene, 30 iterations on 1M labels, two threads",
    "",
    `${(one / two).toFixed(2)} × one (${one.toFixed(2)} → ${two.toFixed(2)} s)`,
    "",
  ]);
  return ["### Budgets", "", table(["what", "budget", "measured", ""], rows)];
}

/** `consilience aggregate` as a user runs it: wall seconds and peak memory of the whole process. */
function command(file, args) {
  const out = join(data, "out");
  rmSync(out, { recursive: true, force: true });
  const start = performance.now();
  const { peakMb } = node(["command", "aggregate", file, ...args, "--out", out, "--quiet"]);
  return { wall: (performance.now() - start) / 1000, peakMb };
}

function best(measure, field = "cpu") {
  const runs = [measure(), measure(), measure()];
  return runs.reduce((a, b) => (b[field] < a[field] ? b : a));
}

function node(args) {
  say(`ours: ${args.join(" ")}`);
  return json(process.execPath, [join(here, "measure.mjs"), ...args]);
}

/** The C loop by the flags it was compiled with; undefined where there is no compiler. */
function compileC() {
  try {
    return Object.fromEntries(
      [["-O3"], ["-O3", "-march=native"]].map((flags) => {
        const program = join(data, `em${flags.length}`);
        execFileSync("cc", [...flags, "-DK=4", join(here, "peers/em.c"), "-lm", "-o", program]);
        return [flags.join(" "), program];
      }),
    );
  } catch {
    say("No C loop: a C compiler (cc) is needed.");
    return undefined;
  }
}
