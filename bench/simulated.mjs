// A crowd of any size and number of classes: most labels are right.
import { fromColumns } from "../dist/data/categorical-from-columns.js";

export function simulations({ labels, workers, classes }) {
  const tasks = Math.ceil(labels / 5);
  let state = 12345;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const task = Int32Array.from({ length: labels }, (_, i) => i % tasks);
  const worker = Int32Array.from({ length: labels }, () => Math.floor(next() * workers));
  const label = Int32Array.from({ length: labels }, (_, i) =>
    next() < 0.7 ? task[i] % classes : Math.floor(next() * classes),
  );
  return fromColumns({
    tasks: Array.from({ length: tasks }, (_, t) => `t${t}`),
    workers: Array.from({ length: workers }, (_, w) => `w${w}`),
    labels: Array.from({ length: classes }, (_, k) => `c${k}`),
    task,
    worker,
    label,
  });
}
