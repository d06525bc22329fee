// Crowds in which some workers copy another, with the number of independent workers they are worth.
import { namesOf } from "../dist/data/names.js";
import { panelSize } from "../dist/diagnose/effective/panel-size.js";
import { categorical, dirichlet } from "../dist/math/distributions.js";
import { createRandom } from "../dist/math/random.js";

/**
 * Labels of a design: `copies` workers of one confusion, of whom all but the first repeat the first with probability
 * `copying`, and `others` who answer independently; everybody labels all tasks, or `perTask` workers each.
 */
export function copiedCrowd(
  seed,
  { tasks: T, copies, others, classes: K, copying, perTask = 0, prior },
) {
  const random = createRandom(seed).split("copied crowd");
  const W = copies + others;
  const theta = Array.from({ length: W }, () => drawRows(K, random));
  theta.fill(theta[0], 1, copies);
  const shares = Float64Array.from(prior ?? new Array(K).fill(1 / K));
  const gold = Int32Array.from({ length: T }, () => categorical(random, shares));
  const [task, worker, label] = [[], [], []];
  for (let t = 0; t < T; t++) {
    const said = theta.map((rows) => categorical(random, rows[gold[t]]));
    for (let w = 1; w < copies; w++) if (random.next() < copying) said[w] = said[0];
    const asked = new Set(perTask > 0 ? [] : said.keys());
    while (asked.size < perTask) asked.add(Math.floor(random.next() * W));
    for (const w of asked) {
      task.push(t);
      worker.push(w);
      label.push(said[w]);
    }
  }
  const names = (letter, n) => namesOf(Array.from({ length: n }, (_, i) => `${letter}${i}`));
  return {
    kind: "categorical",
    tasks: names("t", T),
    workers: names("w", W),
    classes: names("c", K),
    task: Int32Array.from(task),
    worker: Int32Array.from(worker),
    label: Int32Array.from(label),
    gold,
    notes: [],
  };
}

/** What the copies and the others of a design are worth: errors correlate by `copying`, between two copies by its square. */
export function worth({ copies, others, copying }) {
  const all = Array.from({ length: copies }, (_, w) => w);
  const rho = (u, v) => (u === 0 || v === 0 ? copying : copying ** 2);
  const partners = all.map((u) => new Map(all.filter((v) => v !== u).map((v) => [v, rho(u, v)])));
  return others + panelSize({ background: 0, partners }, all);
}

/** A confusion matrix with a diagonal from .6 to .9. */
function drawRows(K, random) {
  return Array.from({ length: K }, (_, c) => {
    const right = 0.6 + 0.3 * random.next();
    const rest = dirichlet(random, new Float64Array(K - 1).fill(1));
    return Float64Array.from({ length: K }, (_, k) =>
      k === c ? right : (1 - right) * rest[k < c ? k : k - 1],
    );
  });
}
