// Training on an NVIDIA card: steps beside PyTorch's, losses beside the CPU's, and whole trainings on both. Where ONNX
// Runtime finds no card, the last tables stay. Run by itself it prints what it measures for the table in full precision.
import { cpus } from "node:os";
import { join } from "node:path";
import { createRandom } from "../dist/index.js";
import { openRuntime } from "../dist/node/index.js";
import { accuracy } from "../dist/public/evaluate.js";
import { learners } from "../dist/public/learn.js";
import { createTrainer, input, models, ops } from "../dist/public/tensor.js";
import { crowd, onTest, present } from "./learners/crowds.mjs";
import { json, say, table } from "./shared.mjs";

const BATCH = 128;
const ROWS = 1280;
const CLASSES = 8;
const ROUNDS = 3;
const SECONDS = 0.8;
const LOSSES = 50;
const FEW_LOSSES = 8;
/** Steps of the CPU of which one is taken on the card too, from the same weights. */
const EVERY = 7;
const SEEDS = [0, 1, 2];
const images = [3, 64, 64];
const small = [3, 32, 32];
const networks = {
  "mlp 8192–128–8": { model: "mlp", shape: [8192] },
  "cnn4, 64 × 64": { model: "cnn4", shape: images },
  "vgg-small, 32 × 32": { model: "vgg-small", shape: small },
  "resnet-small, 32 × 32": { model: "resnet-small", shape: small },
};
/** These are timed only: on the CPU a step of them takes a second. */
const larger = {
  "vgg-small, 64 × 64": { model: "vgg-small", shape: images },
  "resnet-small, 64 × 64": { model: "resnet-small", shape: images },
};
const python = process.env.BENCH_PYTHON ?? "python3";

export async function deviceTables() {
  const [cpu, card] = await devices();
  if (!card) {
    say("device: no card here; the last tables stay");
    return undefined;
  }
  const precise = json(process.execPath, [import.meta.filename], 600e3, {
    NVIDIA_TF32_OVERRIDE: "0",
  });
  const steps = [];
  let peer = "PyTorch";
  for (const [name, network] of Object.entries({ ...networks, ...larger })) {
    const ours = await stepTimes(card, network);
    const theirs = torch(network);
    if (theirs) peer = `PyTorch ${theirs.version} on ${theirs.card}`;
    const ratio = theirs ? (middle(theirs.ms) / middle(ours)).toFixed(2) : "–";
    const full = precise?.[name] ? range(precise[name].ms) : "–";
    steps.push([name, range(ours), theirs ? range(theirs.ms) : "–", ratio, full]);
    say(`device: ${steps.at(-1).join("  ")}`);
  }
  const losses = [];
  for (const [name, network] of Object.entries(networks)) {
    const [own, ...rest] = await compareLosses(cpu, card, network, LOSSES);
    losses.push([name, own, precise?.[name].own ?? "–", ...rest]);
    say(`device: ${losses.at(-1).join("  ")}`);
  }
  const learning = await compareLearning(cpu, card);
  return [
    "## On a card",
    "",
    `Measured on ${new Date().toISOString().slice(0, 10)} with onnxruntime-node on CUDA, beside ${peer}, eager. Batches of ${BATCH}, Adam;`,
    `features on the card, losses read every 128 and 32 steps; milliseconds per step, the middle of ${ROUNDS} rounds of ${SECONDS} s (least to`,
    "most). Both at their defaults: ONNX Runtime rounds to TF32 wherever the card can, PyTorch in convolutions only. In full precision:",
    "with NVIDIA_TF32_OVERRIDE=0.",
    "",
    table(
      [
        "network",
        "consilience, ms",
        "PyTorch, ms",
        "PyTorch / consilience",
        "in full precision, ms",
      ],
      steps,
    ),
    "",
    "Losses on the card beside the CPU's, largest difference: of single steps from the CPU's own weights, of 50 steps on end, and of 50",
    "steps of the CPU from weights that differ by a ten-millionth. And whether a second training on the card gave the same bits.",
    "",
    table(
      [
        "network",
        "one step",
        "one step in full precision",
        "50 steps",
        "50 steps, CPU beside CPU",
        "same bits twice",
      ],
      losses,
    ),
    "",
    "Whole trainings of `two-stage`, accuracy in per cent on test parts, one per seed.",
    "",
    table(["set, network", "CPU", "card", "CPU, s", "card, s"], learning),
    "",
  ].join("\n");
}

/** The CPU, and a card if there is one. */
const devices = () =>
  Promise.all([
    openRuntime({ device: "cpu", threads: Math.min(8, cpus().length) }),
    openRuntime({ device: "cuda" }).catch(() => undefined),
  ]);

const middle = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const range = (values) =>
  `${middle(values).toFixed(2)} (${Math.min(...values).toFixed(2)}–${Math.max(...values).toFixed(2)})`;

/** Rows that a network can learn something of. */
function material(shape) {
  const size = shape.reduce((a, b) => a * b);
  const random = createRandom(1).split("rows");
  const features = Float32Array.from({ length: ROWS * size }, () => random.next() - 0.5);
  const targets = Array.from({ length: ROWS }, (_, row) => {
    const k = row % CLASSES;
    for (let j = k; j < size; j += CLASSES) features[row * size + j] += 0.3;
    return k;
  });
  const read = (which, into) => {
    for (let i = 0; i < which.length; i++) {
      into.set(features.subarray(which[i] * size, (which[i] + 1) * size), i * size);
    }
  };
  return { size, targets, table: { shape: [ROWS, ...shape], read } };
}

const materials = new Map();

/** A training, and a function that makes some steps of it. */
async function open(executor, { model, shape }) {
  const key = String(shape);
  if (!materials.has(key)) materials.set(key, material(shape));
  const { size, targets, table: rows } = materials.get(key);
  const trainer = await createTrainer({
    executor,
    random: createRandom(1),
    optimiser: { groups: { network: { rate: 1e-3 } } },
    tables: { x: rows },
    build(scope) {
      const network = models[model](shape, CLASSES, { hidden: [128], dropout: 0.5 });
      const x = input("x", ["batch", ...shape]);
      const target = input("target", ["batch", CLASSES]);
      const logits = network.head(network.trunk(x, scope.child("trunk")), scope.child("head"));
      const each = ops.sum(ops.multiply(target, ops.logSoftmax(logits)), [1]);
      return { loss: ops.negate(ops.mean(each)) };
    },
  });
  const random = createRandom(2);
  let drawn = 0;
  const feed = () => {
    const own = random.split(drawn++);
    const which = Int32Array.from({ length: BATCH }, () => Math.floor(own.next() * ROWS));
    const target = new Float32Array(BATCH * CLASSES);
    which.forEach((row, i) => {
      target[i * CLASSES + targets[row]] = 1;
    });
    if (trainer.byRows("x")) return { x: which, target };
    const x = new Float32Array(BATCH * size);
    rows.read(which, x);
    return { x, target };
  };
  const steps = async (count) => {
    const losses = [];
    while (losses.length < count) {
      const many = Math.min(trainer.atOnce, count - losses.length);
      const feeds = Array.from({ length: many }, feed);
      const made = await trainer.steps(
        feeds,
        feeds.map(() => 1),
      );
      losses.push(...made.map(({ loss }) => loss));
    }
    return losses;
  };
  return { trainer, steps, skip: () => feed() };
}

async function stepTimes(card, network) {
  const { trainer, steps } = await open(card, network);
  await steps(2 * trainer.atOnce);
  const found = [];
  for (let round = 0; round < ROUNDS; round++) {
    let count = 0;
    const start = performance.now();
    while (performance.now() - start < 1000 * SECONDS) {
      await steps(trainer.atOnce);
      count += trainer.atOnce;
    }
    found.push((performance.now() - start) / count);
  }
  await trainer.dispose();
  return found;
}

function torch({ model, shape }) {
  const script = join(import.meta.dirname, "peers/torch_cuda.py");
  const args = [script, model, shape.join(","), ...[BATCH, ROUNDS, SECONDS].map(String)];
  // It brings a CUDA of its own.
  return json(python, args, 600e3, { LD_LIBRARY_PATH: "" });
}

async function compareLosses(cpu, card, network, count) {
  const openers = [cpu, card, card, card, cpu].map((executor) => open(executor, network));
  const [plain, onCard, again, one, shaken] = await Promise.all(openers);
  for (const values of shaken.trainer.weights.values()) {
    values.forEach((x, i) => {
      values[i] = x * (1 + (i % 2 ? 1e-7 : -1e-7));
    });
  }
  const losses = [];
  let own = 0;
  for (let step = 0; step < count; step++) {
    const looked = step % EVERY === 0;
    if (looked) one.trainer.load(plain.trainer.save());
    const [loss] = await plain.steps(1);
    losses.push(loss);
    if (looked) own = Math.max(own, Math.abs(loss - (await one.steps(1))[0]));
    else one.skip();
  }
  const apart = (others) => Math.max(...losses.map((loss, i) => Math.abs(loss - others[i])));
  const [first, second] = [await onCard.steps(count), await again.steps(count)];
  const sameBits =
    first.every((loss, i) => loss === second[i]) &&
    [...onCard.trainer.weights].every(([name, values]) =>
      values.every((x, i) => x === again.trainer.weights.get(name)[i]),
    );
  const moved = apart(await shaken.steps(count));
  for (const { trainer } of [plain, onCard, again, one, shaken]) await trainer.dispose();
  return [...[own, apart(first), moved].map((x) => x.toExponential(1)), sameBits ? "yes" : "no"];
}

/** Whole trainings on LabelMe and on digits, on both devices. */
async function compareLearning(cpu, card) {
  const found = [];
  for (const [name, { set, shape, ...options }] of Object.entries({
    "labelme, mlp": { set: "labelme" },
    "digits, resnet-small": {
      ...{ set: "digits, spammers", shape: [1, 8, 8], model: "resnet-small", steps: 300 },
    },
  })) {
    if (!present().includes(set)) continue;
    const [scores, times] = [
      [[], []],
      [0, 0],
    ];
    for (const seed of SEEDS) {
      const { data, features, test } = crowd(set, { seed, search: false });
      const shaped = (rows) => (shape ? { ...rows, shape } : rows);
      for (const [at, executor] of [cpu, card].entries()) {
        const start = performance.now();
        const settings = { ...options, seed };
        const context = { executor };
        const result = await learners["two-stage"](data, shaped(features), settings, context);
        times[at] += (performance.now() - start) / 1000;
        const part = { ...test, features: shaped(test.features) };
        scores[at].push(accuracy(await onTest(result.predictor, part, data.classes)).chosen.value);
      }
    }
    const words = scores.map((each) => each.map((x) => (100 * x).toFixed(1)).join(", "));
    found.push([name, ...words, ...times.map((time) => time.toFixed(1))]);
    say(`device: ${found.at(-1).join("  ")}`);
  }
  return found;
}

if (process.argv[1] === import.meta.filename) {
  const [cpu, card] = await devices();
  const found = {};
  for (const [name, network] of Object.entries(networks)) {
    const [own] = await compareLosses(cpu, card, network, FEW_LOSSES);
    found[name] = { ms: await stepTimes(card, network), own };
  }
  console.log(JSON.stringify(found));
}
