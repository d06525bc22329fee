// Shows what a little knowledge does: a few tasks of known class, and what workers did in the past.
import { selectLabels } from "consilience";
import { accuracy } from "consilience/evaluate";
import { dawidSkene } from "consilience/methods";
import { scenarios } from "consilience/simulate";

// Six of ten workers mislead: from labels alone the answers come out mirrored.
const { data: honest } = scenarios["one-coin"]({
  ...{ tasks: 1000, workers: 10, labelsPerTask: 0, a: 75, b: 25 },
});
const label = honest.label.map((l, i) => (honest.worker[i] < 6 ? 1 - l : l));
const crowd = { ...honest, label };
// Gold of every fiftieth task is for fitting, the rest for scoring. data.gold itself is never fitted to.
const gold = crowd.gold.map((k, t) => (t % 50 === 0 ? k : -1));
const rest = crowd.gold.map((k, t) => (t % 50 === 0 ? -1 : k));
report("labels alone", dawidSkene(crowd), rest);
report("20 gold tasks", dawidSkene(crowd, {}, { gold }), rest);

// Yesterday's 500 tasks were checked; of today's 100 only three labels each are there.
const { data } = scenarios["hammer-spammer"]({
  tasks: 600,
  workers: 40,
  labelsPerTask: 3,
  seed: 4,
});
const K = data.classes.length;
const history = new Float64Array(data.workers.length * K * K);
for (let i = 0; i < data.label.length; i++) {
  const t = data.task[i];
  if (t < 500) history[(data.worker[i] * K + data.gold[t]) * K + data.label[i]]++;
}
const today = selectLabels(data, (i) => data.task[i] >= 500);
const scored = data.gold.map((k, t) => (t < 500 ? -1 : k));
report("today's labels alone", dawidSkene(today), scored);
report("with the workers' past", dawidSkene(today, {}, { history }), scored);

function report(name, result, known) {
  const { value, low, high } = accuracy({ ...result, gold: known }).chosen;
  console.log(`${name}: accuracy ${value.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`);
}
