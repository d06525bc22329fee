// Bradley–Terry against choix and evalica: the same scores on the same comparisons, and time at a million.
//   node bench/rankers.mjs       needs dist/ and bench/.venv with bench/peers/requirements-rankers.txt
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRandom } from "../dist/math/random.js";
import { bradleyTerry } from "../dist/public/methods.js";

const python = join(import.meta.dirname, ".venv/bin/python");
const folder = mkdtempSync(join(tmpdir(), "rankers-"));

/** Comparisons of random pairs, a tenth of them ties; the left item is the winner in the peers' file. */
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
  const names = (prefix, n) => Array.from({ length: n }, (_, i) => `${prefix}${i}`);
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

function peer(name, data, alpha) {
  const path = join(folder, "comparisons.bin");
  const turned = (one, other) => one.map((x, i) => (data.label[i] === 1 ? other[i] : x));
  const columns = [turned(data.left, data.right), turned(data.right, data.left)];
  const parts = [
    [data.label.length, data.items.length],
    ...columns,
    data.label.map((l) => +(l === 2)),
  ];
  writeFileSync(
    path,
    Buffer.concat(parts.map((part) => Buffer.from(Int32Array.from(part).buffer))),
  );
  const script = join(import.meta.dirname, "peers/rankers.py");
  const text = execFileSync(python, [script, name, path, String(alpha)], {
    encoding: "utf8",
    maxBuffer: 1e8,
  });
  return JSON.parse(text);
}

function own(data, options) {
  const start = performance.now();
  const { score } = bradleyTerry(data, { errors: "wald", ...options });
  return { score, seconds: (performance.now() - start) / 1000 };
}

const gap = (a, b) => Math.max(...b.map((x, i) => Math.abs(x - a[i])));

const small = comparisons(100, 20_000);
const found = {
  choix: gap(own(small, { ties: "drop", penalty: 0.1 }).score, peer("choix", small, 0.05).score),
  evalica: gap(own(small, { penalty: 0 }).score, peer("evalica", small, 0).score),
};
for (const [name, worst] of Object.entries(found)) {
  console.log(`${name}: largest difference of a score ${worst.toExponential(1)}`);
  if (worst > 1e-6) process.exitCode = 1;
}
for (const items of [100, 1000]) {
  const data = comparisons(items, 1_000_000);
  own(small, {});
  const { seconds } = own(data, { penalty: 0 });
  const other = peer("evalica", data, 0).seconds;
  console.log(
    `1,000,000 comparisons of ${items} items: ${seconds.toFixed(2)} s with Wald errors, evalica ${other.toFixed(2)} s`,
  );
}
rmSync(folder, { recursive: true });
