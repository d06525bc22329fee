// One measurement in a process of its own: node bench/measure.mjs WHAT ARGUMENTS…  Prints JSON.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const [what, ...args] = process.argv.slice(2);
const tasks = { fit, csv, iteration, live, threads, weights, agreement, detector, command, steps };
const out = await tasks[what](...args);
console.log(JSON.stringify({ peakMb: highWater("self"), ...out }));

/**
 * The most memory that a process had, in MB, as the system notes it for its address space. The maximum
 * of `getrusage` is not that: a new process inherits it from the one that started it.
 */
function highWater(pid) {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024);
  } catch {
    return undefined;
  }
}

/** A dataset from the binary triples that the peers read too. */
function load(path, goldPath) {
  const ints = (file) => {
    const bytes = readFileSync(file);
    return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  };
  const raw = ints(path);
  const [N, T, W] = raw;
  const names = (letter, n) => Array.from({ length: n }, (_, i) => letter + i);
  return {
    ...{ tasks: names("t", T), workers: names("w", W), classes: names("c", 4), notes: [] },
    task: raw.slice(3, 3 + N),
    worker: raw.slice(3 + N, 3 + 2 * N),
    label: raw.slice(3 + 2 * N, 3 + 3 * N),
    gold: goldPath ? ints(goldPath).slice() : new Int32Array(T).fill(-1),
  };
}

function cpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function fit(id, path, goldPath, options = "{}") {
  const { methods } = await import("../dist/index.js");
  const data = load(path, goldPath);
  const method = methods[id];
  const start = cpu();
  const result = method(data, JSON.parse(options));
  const seconds = cpu() - start;
  const right = result.consensus.filter((k, t) => k === data.gold[t]).length;
  return { cpu: seconds, iterations: result.iterations, accuracy: right / data.tasks.length };
}

async function csv(path) {
  const { readData } = await import("../dist/node/index.js");
  const start = cpu();
  const data = await readData([path]);
  return { cpu: cpu() - start, labels: data.label.length };
}

/** The E step with counts alone, as the C loop is timed: best and mean of the iterations. */
async function iteration(path, iterations = "30") {
  const { createEngine } = await import("../dist/kernels/engine.js");
  const { createExpectation } = await import("../dist/kernels/expectation.js");
  const data = load(path);
  const [K, W, T] = [4, data.workers.length, data.tasks.length];
  const model = createExpectation(
    { ...data, tasks: T, workers: W, classes: K, given: K },
    createEngine(),
  );
  model.startFromVotes();
  let [best, sum, last] = [Infinity, 0, 0];
  for (let i = 0; i < Number(iterations); i++) {
    const prior = model.totals.map((total) => total / T);
    for (let w = 0; w < W; w++) {
      for (let k = 0; k < K; k++) {
        let total = 0;
        for (let l = 0; l < K; l++) {
          const at = (w * K + l) * K + k;
          model.rates[at] = Math.max(1e-10, model.counts[at] + 0.01);
          total += model.rates[at];
        }
        for (let l = 0; l < K; l++) model.rates[(w * K + l) * K + k] /= total;
      }
    }
    const start = cpu();
    last = model.infer(prior);
    const seconds = cpu() - start;
    sum += seconds;
    best = Math.min(best, seconds);
  }
  return { iterationSeconds: best, meanSeconds: sum / Number(iterations), logLikelihood: last };
}

/**
 * Microseconds per label applied to a live model of a million labels (100,000 tasks, 1000 workers, 4
 * classes). Of the labels that come, one in five is of a new task and one in fifty by a new worker;
 * known workers come as often as in the data, where the most active has tens of thousands of labels.
 */
async function live(count = "40000") {
  const { createRandom, methods, online } = await import("../dist/index.js");
  const { mixedCrowd } = await import("../dist/public/simulate.js");
  const size = { tasks: 100_000, workers: 1000, labelsPerTask: 10, activity: 2 };
  const { data } = mixedCrowd({ ...size, seed: 1 });
  const result = methods["dawid-skene"](data);
  const building = performance.now();
  const model = online(data, result);
  const buildSeconds = (performance.now() - building) / 1000;
  const random = createRandom(2);
  const below = (n) => Math.floor(random.next() * n);
  const times = Float64Array.from({ length: Number(count) }, () => {
    const i = below(data.label.length);
    const task = random.next() < 0.8 ? data.tasks.at(data.task[i]) : `new-${below(count / 40)}`;
    const known = data.workers.at(data.worker[below(data.worker.length)]);
    const worker = random.next() < 0.98 ? known : `new-${below(50)}`;
    const label = { task, worker, label: data.classes.at(data.label[i]) };
    const start = performance.now();
    model.apply(label);
    return 1000 * (performance.now() - start);
  }).sort();
  const largest = Math.max(...result.workload);
  const at = (share) => times[Math.floor(share * times.length)];
  const refitting = performance.now();
  model.refit();
  const refitSeconds = (performance.now() - refitting) / 1000;
  return {
    median: at(0.5),
    p99: at(0.99),
    longest: at(1 - 1e-9),
    buildSeconds,
    refitSeconds,
    largest,
  };
}

/** Wall seconds of the same fit on one thread and on two, after the threads have started. */
async function threads(path, count = "2") {
  const { methods, run } = await import("../dist/index.js");
  const { openTeam } = await import("../dist/node/team.js");
  const data = load(path);
  const method = methods["dawid-skene"];
  const options = { maxIterations: 30, tolerance: 0 };
  const timed = async (engine) => {
    const start = performance.now();
    await run(data, method, options, { engine });
    return (performance.now() - start) / 1000;
  };
  const one = await timed();
  const team = openTeam(Number(count));
  await timed(team);
  const two = await timed(team);
  team?.close();
  return { one, two };
}

/** CPU seconds of the same fit without and with weights, in turns: the median of each and their ratio. */
async function weights(id, path, runs = "7") {
  const { createRandom, methods } = await import("../dist/index.js");
  const { median } = await import("./shared.mjs");
  const data = load(path);
  const random = createRandom(1);
  const weighted = { ...data, weight: Float64Array.from(data.label, () => 0.5 + random.next()) };
  const method = methods[id];
  const timed = (crowd) => {
    const start = cpu();
    const { iterations } = method(crowd, { maxIterations: 20, tolerance: 0 });
    if (iterations !== 20) throw new Error(`${id} stopped after ${iterations} of 20 iterations.`);
    return cpu() - start;
  };
  const times = { without: [], with: [] };
  for (let run = 0; run <= Number(runs); run++) {
    const pair = { without: timed(data), with: timed(weighted) };
    // The first run of each compiles the code.
    if (run > 0) for (const kind of ["without", "with"]) times[kind].push(pair[kind]);
  }
  const [plain, full] = [median(times.without), median(times.with)];
  return { without: plain, with: full, ratio: full / plain };
}

async function agreement(path) {
  const { agreement: measure } = await import("../dist/diagnose/agreement.js");
  const data = load(path);
  const start = cpu();
  const result = measure(data);
  return { cpu: cpu() - start, alpha: result.krippendorff?.value };
}

/** One of the functions of `consilience/diagnose`, with a fit where it takes one; "nothing" for the fit alone. */
async function detector(name, path) {
  const { methods } = await import("../dist/index.js");
  const { drain } = await import("../dist/method.js");
  const detectors = await import("../dist/public/diagnose.js");
  const data = load(path);
  const fitted = methods["dawid-skene"](data);
  const start = cpu();
  const takesFit = ["scoreWorkers", "scoreIntervals", "skillIntervals"].includes(name);
  const found =
    name === "nothing" ? undefined : detectors[name](data, takesFit ? fitted : { force: true });
  if (name === "colludingGroups") drain(found);
  return { cpu: cpu() - start };
}

/** The whole command in a process of its own, as a user runs it. */
async function command(...line) {
  const bin = fileURLToPath(new URL("../dist/cli/bin.js", import.meta.url));
  const child = spawn(process.execPath, [bin, ...line], { stdio: ["ignore", "ignore", "inherit"] });
  let [peakMb, seconds] = [0, 0];
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, highWater(child.pid) ?? 0);
    seconds = Math.max(seconds, cpuOf(child.pid));
  }, 10);
  const [code] = await once(child, "exit");
  clearInterval(watch);
  if (code !== 0) process.exit(code ?? 1);
  return { peakMb, cpu: seconds };
}

/** CPU seconds of a process so far: user and system time, in ticks of 10 ms. */
function cpuOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}

/** Training steps of one network on one batch, for as long as asked. */
async function steps(name, threads, seconds) {
  const { createRandom } = await import("../dist/index.js");
  const { createTrainer, input, models, ops } = await import("../dist/public/tensor.js");
  const { openRuntime } = await import("../dist/node/index.js");
  const networks = {
    "8192-128-8": ["mlp", [8192], 8, 64],
    "124-128-10": ["mlp", [124], 10, 64],
    cnn4: ["cnn4", [3, 64, 64], 2, 16],
  };
  const [model, shape, classes, batch] = networks[name];
  const net = models[model](shape, classes, { hidden: [128], dropout: 0.5 });
  const trainer = await createTrainer({
    executor: await openRuntime({ threads: Number(threads) }),
    random: createRandom(1),
    optimiser: { groups: { network: { rate: 1e-3 } } },
    build(scope) {
      const logits = net.head(
        net.trunk(input("x", ["batch", ...shape]), scope),
        scope.child("head"),
      );
      const target = input("target", ["batch", classes]);
      const each = ops.sum(ops.multiply(target, ops.logSoftmax(logits)), [1]);
      return { loss: ops.negate(ops.mean(each)) };
    },
  });
  const random = createRandom(2);
  const size = batch * shape.reduce((product, side) => product * side, 1);
  const feeds = {
    x: Float32Array.from({ length: size }, () => random.next() - 0.5),
    target: Float32Array.from({ length: batch * classes }, (_, i) => (i % classes === 0 ? 1 : 0)),
  };
  for (let i = 0; i < 10; i++) await trainer.step(feeds);
  let count = 0;
  const start = performance.now();
  while (performance.now() - start < 1000 * Number(seconds)) {
    for (let i = 0; i < 5; i++) await trainer.step(feeds);
    count += 5;
  }
  const ms = (performance.now() - start) / count;
  await trainer.dispose();
  return { ms };
}
