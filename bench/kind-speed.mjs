// Other kinds of answers at a million: comparisons beside choix and evalica, numbers beside the mean, tokens.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromRows } from "../dist/index.js";
import { normal } from "../dist/math/distributions.js";
import { createRandom } from "../dist/math/random.js";
import { bradleyTerry, bscSeq, gaussian, mean } from "../dist/public/methods.js";
import { json, preparePython, say, table } from "./shared.mjs";

const names = (letter, n) => Array.from({ length: n }, (_, i) => letter + i);

/** Comparisons of random pairs, a tenth of them ties, by 50 judges. */
function comparisons(items, N) {
  const random = createRandom(1).split("rankers");
  const truth = Array.from({ length: items }, () => 2 * random.next() - 1);
  const [left, right, label, worker] = [0, 1, 2, 3].map(() => new Int32Array(N));
  for (let i = 0; i < N; i++) {
    left[i] = Math.floor(random.next() * items);
    right[i] = (left[i] + 1 + Math.floor(random.next() * (items - 1))) % items;
    const wins = random.next() < 1 / (1 + Math.exp(truth[right[i]] - truth[left[i]]));
    label[i] = random.next() < 0.1 ? 2 : wins ? 0 : 1;
    worker[i] = i % 50;
  }
  return {
    kind: "pairwise",
    items: names("i", items),
    workers: names("w", 50),
    tasks: [""],
    task: new Int32Array(N),
    gold: new Float64Array(items).fill(Number.NaN),
    notes: [],
    ...{ left, right, label, worker },
  };
}

/** Workers with noise of their own size; the workers of a task are drawn near one another. */
function numbers(tasks, answers, workers) {
  const random = createRandom(1).split("numeric speed");
  const N = tasks * answers;
  const sizes = Array.from({ length: workers }, () => 0.3 + 1.2 * random.next());
  const truth = Float64Array.from({ length: tasks }, () => 3 * normal(random));
  const [task, worker] = [0, 1].map(() => new Int32Array(N));
  const value = new Float64Array(N);
  for (let i = 0; i < N; i++) {
    task[i] = Math.floor(i / answers);
    worker[i] = (task[i] * 7 + (i % answers) * 31 + Math.floor(random.next() * 13)) % workers;
    value[i] = truth[task[i]] + sizes[worker[i]] * normal(random);
  }
  return {
    kind: "numeric",
    tasks: names("t", tasks),
    workers: names("w", workers),
    gold: new Float64Array(tasks).fill(Number.NaN),
    notes: [],
    ...{ task, worker, value },
  };
}

/** Tokens with BIO tags of two types, three or four answers each, 40 workers who err one time in ten. */
function tokens(count) {
  const random = createRandom(1).split("tokens");
  const tags = ["O", "B-X", "I-X", "B-Y", "I-Y"];
  const rows = [];
  const length = 200;
  for (let t = 0; t < count / length; t++) {
    const workers = [0, 1, 2, 3].map((k) => (t * 7 + k * 11) % 40);
    for (let position = 0; position < length; position++) {
      const truth = position % 9 === 0 ? 1 : position % 9 === 1 ? 2 : position % 14 === 5 ? 3 : 0;
      for (const w of workers) {
        const label = random.next() < 0.9 ? tags[truth] : tags[Math.floor(random.next() * 5)];
        rows.push({ task: `t${t}`, worker: `w${w}`, position, label });
      }
    }
  }
  return fromRows(rows, { kind: "sequence" });
}

function peer(python, folder, name, data, alpha) {
  const path = join(folder, "comparisons.bin");
  const turned = (one, other) => one.map((x, i) => (data.label[i] === 1 ? other[i] : x));
  const parts = [
    [data.label.length, data.items.length],
    turned(data.left, data.right),
    turned(data.right, data.left),
    data.label.map((l) => +(l === 2)),
  ];
  const bytes = parts.map((part) => Buffer.from(Int32Array.from(part).buffer));
  writeFileSync(path, Buffer.concat(bytes));
  return json(python, [join(import.meta.dirname, "peers/rankers.py"), name, path, String(alpha)]);
}

function timed(method, data, options) {
  const start = process.cpuUsage();
  const result = method(data, options);
  const { user, system } = process.cpuUsage(start);
  return { result, seconds: (user + system) / 1e6 };
}

const gap = (a, b) => b.reduce((most, x, i) => Math.max(most, Math.abs(x - a[i])), 0);
const two = (x) => x.toFixed(2);

/** Compares scores and time with peers, where there is a Python for them. */
function rankerRows(python) {
  const folder = mkdtempSync(join(tmpdir(), "rankers-"));
  const small = comparisons(100, 20_000);
  const run = (data, options) => timed(bradleyTerry, data, { errors: "wald", ...options });
  const ask = (name, data, alpha) => python && peer(python, folder, name, data, alpha);
  const [choix, evalica] = [ask("choix", small, 0.05), ask("evalica", small, 0)];
  const same = [
    [
      "choix, penalty .05",
      choix && gap(run(small, { ties: "drop", penalty: 0.1 }).result.score, choix.score),
    ],
    ["evalica, no penalty", evalica && gap(run(small, { penalty: 0 }).result.score, evalica.score)],
  ].map(([name, worst]) => [name, worst === undefined ? "–" : worst.toExponential(1)]);
  const speed = [100, 1000].flatMap((items) => {
    say(`a million comparisons of ${items} items`);
    const data = comparisons(items, 1_000_000);
    const { seconds } = run(data, { penalty: 0 });
    const other = ask("evalica", data, 0)?.seconds;
    const ratio = other === undefined ? "–" : `${two(other / seconds)} ×`;
    return [
      [
        `bradley-terry, ${items} items`,
        two(seconds),
        other === undefined ? "–" : two(other),
        ratio,
      ],
      [
        `the same with 100 bootstrap refits`,
        two(run(data, { errors: "bootstrap" }).seconds),
        "",
        "",
      ],
    ];
  });
  rmSync(folder, { recursive: true });
  return { same, speed };
}

export async function kindSpeed() {
  const { same, speed } = rankerRows(preparePython("requirements-rankers.txt"));
  const rows = [];
  for (const [tasks, answers, workers] of [
    [200_000, 5, 1000],
    [100_000, 10, 200],
  ]) {
    say(`a million numbers, ${tasks} tasks`);
    const data = numbers(tasks, answers, workers);
    const plain = timed(mean, data, {}).seconds;
    for (const options of [{}, { bias: true }]) {
      const { seconds, result } = timed(gaussian, data, options);
      rows.push([
        `gaussian${options.bias ? " --bias" : ""}, ${tasks} tasks × ${answers}`,
        two(seconds),
        String(result.iterations),
        `${two(seconds / plain)} × mean`,
      ]);
    }
  }
  say("a million tokens");
  const { seconds, result } = timed(bscSeq, tokens(1_000_000), {});
  rows.push(["bsc-seq, 1,000,000 tokens × 4", two(seconds), String(result.iterations), ""]);
  return [
    "## Speed of other kinds",
    "",
    "Fit alone, without reading, in CPU seconds; the peer's are wall seconds of one thread in the same run.",
    "",
    table(["a million comparisons, 50 judges", "s", "evalica, s", "evalica ÷ ours"], speed),
    "",
    table(["20,000 comparisons of 100 items, ties a tenth", "largest difference of a score"], same),
    "",
    table(["a million answers", "s", "iterations", "beside"], rows),
  ].join("\n");
}
