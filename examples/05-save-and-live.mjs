// Shows what to do with a fitted result: save it, load it, predict new tasks, and keep it live while labels come.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load, online, predict, save, selectLabels } from "consilience";
import { dawidSkene } from "consilience/methods";
import { writeFile } from "consilience/node";
import { scenarios } from "consilience/simulate";

const simulate = scenarios["confusion"];
const { data } = simulate({ tasks: 600, workers: 20, seed: 2 });
// The first 500 tasks are yesterday's, the other 100 today's.
const old = selectLabels(data, (i) => data.task[i] < 500);
const fresh = selectLabels(data, (i) => data.task[i] >= 500);

const folder = await mkdtemp(join(tmpdir(), "consilience-"));
try {
  const file = join(folder, "crowd.result");
  await writeFile(file, [save(dawidSkene(old))]);
  const result = load(new Uint8Array(await readFile(file)));
  console.log(`${result.method}, ${result.workers.length} workers, saved and loaded`);

  // Nothing is learnt here: the new labels are read with yesterday's confusions.
  const { consensus } = predict(fresh, result);
  console.log(`predicted: ${right(consensus)} of 100 new tasks right`);

  // Here labels come one at a time, and their tasks and workers follow at once.
  const live = online(old, result);
  for (let i = 0; i < fresh.label.length; i++) live.apply(row(fresh, i));
  console.log(`live: ${right(answers(live))} of 100 new tasks right`);

  // A worker takes a label back, and another is corrected.
  live.withdraw(row(fresh, 0));
  live.correct({ ...row(fresh, 1), label: data.classes.at(0) });
  console.log(`${live.data().label.length} labels remain`);

  // From time to time look at all tasks again, or fit all that remains.
  console.log(`a sweep moves a probability by up to ${live.sweep().toFixed(2)}`);
  const again = live.refit();
  console.log(`fitted again: ${right(again.consensus)} of 100, ${again.iterations} iterations`);
} finally {
  await rm(folder, { recursive: true });
}

function row({ tasks, workers, classes, task, worker, label }, i) {
  return {
    task: tasks.at(task[i]),
    worker: workers.at(worker[i]),
    label: classes.at(label[i]),
  };
}

function answers(live) {
  return Array.from(live.answers(), ({ label }) => data.classes.indexOf(label));
}

function right(consensus) {
  let count = 0;
  for (let t = 500; t < 600; t++) if (consensus[t] === data.gold[t]) count++;
  return count;
}
