/** A sample of whole tasks, drawn by their names, for when looking at all of them would take too long. */
import type { CategoricalData } from "../data/categorical.ts";
import { namesOf } from "../data/names.ts";
import { createRandom } from "../math/random.ts";
import type { Known } from "./known.ts";
import { renumberLinks } from "./links.ts";

export interface Sample {
  readonly data: CategoricalData;
  readonly known: Known;
}

/** About `most` labels of whole tasks; the same objects where there are no more than that. */
export function sampleTasks(
  data: CategoricalData,
  known: Known,
  most: number,
  seed: number,
): Sample {
  const N = data.label.length;
  if (N <= most) return { data, known };
  const random = createRandom(seed).split("sample");
  const place = new Int32Array(data.tasks.length).fill(-1);
  const kept: number[] = [];
  let t = 0;
  for (const name of data.tasks) {
    if (random.split(name).next() < most / N) place[t] = kept.push(t) - 1;
    t++;
  }
  const { task } = data;
  let count = 0;
  for (let i = 0; i < N; i++) if (place[task[i]] >= 0) count++;
  const rows = new Int32Array(count);
  for (let i = 0, next = 0; i < N; i++) if (place[task[i]] >= 0) rows[next++] = i;
  const { weight, time, taskAttributes: _, ...rest } = data;
  const K = data.classes.length;
  const byTask = (values: Float64Array | undefined) =>
    values &&
    Float64Array.from(
      { length: kept.length * K },
      (_, at) => values[kept[Math.floor(at / K)] * K + (at % K)],
    );
  const gold = known.gold;
  const { start, gold: __, evidence, taskPrior, predictions, links, ...others } = known;
  const picked = {
    evidence: byTask(evidence),
    taskPrior: byTask(taskPrior),
    start: byTask(start),
    predictions: byTask(predictions),
  };
  return {
    data: {
      ...rest,
      tasks: namesOf(kept.map((t) => data.tasks.at(t))),
      gold: Int32Array.from(kept, (t) => data.gold[t]),
      task: rows.map((i) => place[task[i]]),
      worker: rows.map((i) => data.worker[i]),
      label: rows.map((i) => data.label[i]),
      ...(weight && { weight: Float64Array.from(rows, (i) => weight[i]) }),
      ...(time && { time: Float64Array.from(rows, (i) => time[i]) }),
    },
    known: {
      ...others,
      ...(gold && { gold: Int32Array.from(kept, (t) => gold[t]) }),
      ...(picked.evidence && { evidence: picked.evidence }),
      ...(picked.taskPrior && { taskPrior: picked.taskPrior }),
      ...(picked.start && { start: picked.start }),
      ...(picked.predictions && { predictions: picked.predictions }),
      ...(links && { links: renumberLinks(links, place) }),
    },
  };
}
