// Shows what to do with a fitted result: save it, load it, predict new tasks, add new labels.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dawidSkene, load, predict, save, scenarios, selectLabels, update } from "consilience";
import { writeFile } from "consilience/node";

const simulate = scenarios.find(({ id }) => id === "confusion");
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

  // Here the workers' confusions move too, but only the tasks with new labels are looked at.
  const updated = update(result, old, fresh);
  console.log(`updated: ${right(updated.result.consensus)} of 100 new tasks right`);
  console.log(updated.result.notes.at(-1));

  // From time to time fit all again, from where it stands.
  const again = dawidSkene(updated.data, {}, { start: updated.result.posterior });
  console.log(`fitted again: ${right(again.consensus)} of 100, ${again.iterations} iterations`);
} finally {
  await rm(folder, { recursive: true });
}

function right(consensus) {
  let count = 0;
  for (let t = 500; t < 600; t++) if (consensus[t] === data.gold[t]) count++;
  return count;
}
