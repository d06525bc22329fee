// Seconds of `gaussian` on a million numbers, beside `mean` in the same run, and by which steps it got there.
//   node bench/numeric.mjs       needs dist/
import { normal } from "../dist/math/distributions.js";
import { createRandom } from "../dist/math/random.js";
import { gaussian, mean } from "../dist/public/methods.js";

/** Workers with noise of their own size; the workers of a task are drawn near one another. */
function crowd(tasks, answers, workers) {
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
  const names = (letter, n) => Array.from({ length: n }, (_, i) => letter + i);
  return {
    kind: "numeric",
    tasks: names("t", tasks),
    workers: names("w", workers),
    gold: new Float64Array(tasks).fill(Number.NaN),
    notes: [],
    ...{ task, worker, value },
  };
}

function timed(method, data, options) {
  const start = process.cpuUsage();
  const { iterations } = method(data, options);
  const { user, system } = process.cpuUsage(start);
  return { seconds: (user + system) / 1e6, iterations };
}

for (const [tasks, answers, workers] of [
  [200_000, 5, 1000],
  [100_000, 10, 200],
]) {
  const data = crowd(tasks, answers, workers);
  const plain = timed(mean, data, {});
  console.log(
    `${tasks} tasks, ${answers} answers per task, ${workers} workers: mean ${plain.seconds.toFixed(2)} s`,
  );
  for (const options of [{}, { bias: true }]) {
    const { seconds, iterations } = timed(gaussian, data, options);
    console.log(
      `  gaussian ${JSON.stringify(options)}: ${seconds.toFixed(2)} s, ${iterations} iterations, ${(seconds / plain.seconds).toFixed(1)} × mean`,
    );
    if (!options.bias && seconds > 1) process.exitCode = 1;
  }
}
