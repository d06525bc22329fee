// Measures the longest time between two steps of every method, which is how long a signal or a page waits.
// Usage: node bench/longest-step.mjs [--labels N] [--workers N] [--classes K] [--seconds S] [METHOD…]
import { parseArgs } from "node:util";
import { kinds } from "../dist/kinds.js";
import { simulations } from "./simulated.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    labels: { type: "string", default: "300000" },
    workers: { type: "string", default: "1500" },
    classes: { type: "string", default: "4" },
    seconds: { type: "string", default: "8" },
  },
});
const data = simulations({
  labels: Number(values.labels),
  workers: Number(values.workers),
  classes: Number(values.classes),
});
console.log(
  `${data.label.length} labels, ${data.tasks.length} tasks, ${data.workers.length} workers, ${data.classes.length} classes`,
);
const [{ methods }] = kinds;
const known = {
  weights: new Float64Array(data.workers.length).fill(1),
  gold: data.gold,
};
for (const method of methods) {
  if (positionals.length > 0 && !positionals.includes(method.id)) continue;
  const start = performance.now();
  let last = start;
  let longest = 0;
  let at = 0;
  let steps = 0;
  let state = "done";
  try {
    const walk = method.steps(data, {}, method.needs ? known : {});
    for (;;) {
      const { done } = walk.next();
      const now = performance.now();
      if (now - last > longest) {
        longest = now - last;
        at = steps;
      }
      last = now;
      steps++;
      if (done) break;
      if (now - start > 1000 * Number(values.seconds)) {
        state = "stopped";
        walk.return();
        break;
      }
    }
  } catch (error) {
    state = error.code ?? error.message.slice(0, 60);
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(
    `${method.id.padEnd(26)}${longest.toFixed(0).padStart(8)} ms at step ${String(at).padEnd(6)} of ${String(steps).padEnd(7)}${seconds.padStart(7)} s  ${state}`,
  );
}
