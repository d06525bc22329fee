/**
 * A crowd with its tasks, workers and classes in the order of their names. Who draws from one stream of
 * random numbers in this order draws the same however things were numbered.
 */

import type { CategoricalData } from "../data/categorical.ts";
import type { Names } from "../data/names.ts";
import { namesOf } from "../data/names.ts";
import type { Known } from "./known.ts";
import { renumberLinks } from "./links.ts";
import type { Sizes } from "./worker-prior.ts";

export interface NameOrder {
  readonly data: CategoricalData;
  readonly known: Known;
  /** From this order back to the crowd's own; each leaves its argument alone. */
  readonly restore: {
    /** values[task * K + class] */
    posterior(values: Float64Array): Float64Array;
    /** values[(worker * K + class) * L + label] */
    confusion(values: Float64Array): Float64Array;
    /** values[worker * W + other] */
    pairs(values: Float64Array): Float64Array;
    /** values[worker * width + i] */
    workers<A extends Float64Array | Int32Array>(values: A, width?: number): A;
  };
}

export function nameOrder(data: CategoricalData, known: Known, { K, L }: Sizes): NameOrder {
  const { gold, evidence, prior, priorCounts, taskPrior, history, start, links } = known;
  // place[i] is where the i-th goes; what abstentions say stays last.
  const [tasks, workers, classes] = Array.from([data.tasks, data.workers, data.classes], places);
  const labels = L > K ? Int32Array.of(...classes, K) : classes;
  const move = (values: Float64Array, ...axes: Int32Array[]) => permute(values, axes);
  const back = (values: Float64Array, ...axes: Int32Array[]) => permute(values, axes.map(inverse));
  return {
    data: {
      ...data,
      tasks: namesOf(inOrder(data.tasks)),
      workers: namesOf(inOrder(data.workers)),
      classes: namesOf(inOrder(data.classes)),
      task: data.task.map((t) => tasks[t]),
      worker: data.worker.map((w) => workers[w]),
      label: data.label.map((l) => labels[l]),
      gold: goldIn(data.gold, tasks, classes),
    },
    known: {
      ...known,
      ...(gold && { gold: goldIn(gold, tasks, classes) }),
      ...(evidence && { evidence: move(evidence, tasks, classes) }),
      ...(prior && { prior: move(prior, classes) }),
      ...(priorCounts && { priorCounts: move(priorCounts, classes) }),
      ...(taskPrior && { taskPrior: move(taskPrior, tasks, classes) }),
      ...(history && { history: move(history, workers, classes, labels) }),
      ...(start && { start: move(start, tasks, classes) }),
      ...(links && { links: renumberLinks(links, tasks) }),
    },
    restore: {
      posterior: (values) => back(values, tasks, classes),
      confusion: (values) => back(values, workers, classes, labels),
      pairs: (values) => back(values, workers, workers),
      workers: (values, width = 1) =>
        values.map(
          (_, at) => values[workers[Math.floor(at / width)] * width + (at % width)],
        ) as typeof values,
    },
  };
}

/** Numbers by size, the rest as text: the places of the names in that order. */
function orderOf(names: Names): Int32Array {
  const numbers = Array.from(names, Number);
  const numeric = [...names].every((name, i) => name.trim() !== "" && !Number.isNaN(numbers[i]));
  const byText = (i: number, j: number) =>
    names.at(i) < names.at(j) ? -1 : names.at(i) > names.at(j) ? 1 : 0;
  return Int32Array.from(names, (_, i) => i).sort(
    (i, j) => (numeric && numbers[i] - numbers[j]) || byText(i, j),
  );
}

const inOrder = (names: Names) => Array.from(orderOf(names), (at) => names.at(at));

/** Where each name goes when names are sorted. */
const places = (names: Names) => inverse(orderOf(names));

function inverse(order: Int32Array): Int32Array {
  const place = new Int32Array(order.length);
  order.forEach((from, to) => {
    place[from] = to;
  });
  return place;
}

function goldIn(gold: Int32Array, tasks: Int32Array, classes: Int32Array): Int32Array {
  const moved = new Int32Array(gold.length);
  gold.forEach((k, t) => {
    moved[tasks[t]] = k < 0 ? -1 : classes[k];
  });
  return moved;
}

/** The table with every axis renumbered: index i of an axis goes to axis[i]. */
function permute(values: Float64Array, axes: readonly Int32Array[]): Float64Array {
  const moved = new Float64Array(values.length);
  for (let at = 0; at < values.length; at++) {
    let rest = at;
    let to = 0;
    for (let a = axes.length - 1, step = 1; a >= 0; a--) {
      const size = axes[a].length;
      to += axes[a][rest % size] * step;
      rest = Math.floor(rest / size);
      step *= size;
    }
    moved[to] = values[at];
  }
  return moved;
}
