/**
 * KOS, message passing of Karger, Oh and Shah: tasks tell workers what the others think, and
 * workers tell tasks how far they agree with that, back and forth.
 *
 *   s[i] = +1 where label i says the class, -1 where it says another
 *   x[i] = sum of s·y over the other labels of the task       what the task seems to be
 *   y[i] = sum of s·x over the other labels of the worker     how reliable the worker seems
 *
 * from y ~ Normal(1, 1), `sweeps` times; the sign of the sum of s·y decides. With
 * more than two classes each is asked against the rest, and the largest sum wins. Messages grow
 * geometrically, so y is divided by its root mean square after every sweep, which changes no sign.
 *
 * Near-optimal, without a likelihood, where tasks are dealt to workers at random and all do about
 * as many; it goes astray where a few workers do most of the work, and notes that.
 *
 * The posterior is the softmax of the sums, each task's divided by the mean size of its messages: an
 * order of belief, not a calibrated probability. The trace holds the logarithm by which messages
 * grew. Labels on a task with gold hear the strongest message of the sweep, for that class.
 *
 * Karger, Oh & Shah (2014), Operations Research 62(1), 1–24. https://doi.org/10.1287/opre.2013.1235
 */

import type { CategoricalData } from "../../../data/categorical.ts";
import { labelsPerWorker } from "../../../data/crowd-data.ts";
import { normal } from "../../../math/distributions.ts";
import { maxOf } from "../../../math/lists.ts";
import { createRandom, type Random } from "../../../math/random.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit } from "../aggregator.ts";
import { createScores, questions, signsOf } from "../spectral/one-against-rest.ts";

/** What KOS finds beyond the answers. */
export interface Kos extends Fit {
  /** For a class if above 0, against it if below: score[task * K + class]; comparable within a task. */
  readonly score: Float64Array;
}

/** KOS: messages between tasks and workers decide who is reliable. */
export const kos = aggregator(
  {
    id: "kos",
    title: "KOS",
    summary: "Message passing between tasks and workers estimates who is reliable.",
    paper: {
      authors: "D. R. Karger, S. Oh, D. Shah",
      year: 2014,
      title: "Budget-optimal task allocation for reliable crowdsourcing systems",
      url: "https://doi.org/10.1287/opre.2013.1235",
    },
    family: "messages",
    probabilistic: false,
    cost: "O(N) per sweep, times K classes if more than two",
    options: {
      sweeps: {
        default: 10,
        min: 1,
        integer: true,
        help: "Number of sweeps of messages in both directions.",
      },
    },
  },
  function* (data, options, { known, K, named }): Steps<Kos> {
    const { sweeps } = options;
    const noise = drawNoise(data, createRandom(options.seed).split("noise"));
    const asked = questions(K);
    const trace = new Array<number>(sweeps).fill(0);
    const scores = createScores(data);
    for (const k of asked) {
      const sign = signsOf(data, k);
      const messages = createMessages(data, k, sign, noise, known.gold);
      for (let sweep = 1; sweep <= sweeps; sweep++) {
        const growth = messages.sweep();
        trace[sweep - 1] += growth / asked.length;
        yield { iteration: k * sweeps + sweep, objective: growth, stage: data.classes.at(k) };
      }
      scores.add(k, sign, (i) => messages.y[i]);
    }
    const found = scores.finish(known, options);
    return { ...found, trace, converged: true, notes: loadNotes(named) };
  },
);

/** The first messages of the workers, drawn by the names of task and worker. */
function drawNoise(
  { tasks, workers, task, worker }: CategoricalData,
  random: Random,
): Float64Array {
  const ofTask = Array.from(tasks, (name) => random.split(name));
  return Float64Array.from(task, (t, i) => 1 + normal(ofTask[t].split(workers.at(worker[i]))));
}

/** The messages on all labels about one class. */
function createMessages(
  { tasks, workers, task, worker, label }: CategoricalData,
  k: number,
  sign: Float64Array,
  noise: Float64Array,
  gold: Int32Array | undefined,
) {
  const N = label.length;
  const x = new Float64Array(N);
  const y = noise.slice();
  /** Each label hears all the others of its task or worker: their sum without its own part. */
  const pass = (from: Float64Array, to: Float64Array, key: Int32Array, keys: number) => {
    const sums = new Float64Array(keys);
    for (let i = 0; i < N; i++) sums[key[i]] += sign[i] * from[i];
    for (let i = 0; i < N; i++) to[i] = sums[key[i]] - sign[i] * from[i];
  };
  return {
    y,
    /** Messages to the workers and back; returns the logarithm of their growth. */
    sweep(): number {
      pass(y, x, task, tasks.length);
      if (gold) {
        const loudest = x.reduce((max, message) => Math.max(max, Math.abs(message)), 0) || 1;
        for (let i = 0; i < N; i++) {
          if (gold[task[i]] >= 0) x[i] = gold[task[i]] === k ? loudest : -loudest;
        }
      }
      pass(x, y, worker, workers.length);
      const size = Math.sqrt(y.reduce((sum, message) => sum + message * message, 0) / N);
      if (!(size > 0)) return 0;
      for (let i = 0; i < N; i++) y[i] /= size;
      return Math.log(size);
    },
  };
}

/** A warning where one worker's labels dominate the messages. */
function loadNotes(data: CategoricalData): string[] {
  const squares = Array.from(labelsPerWorker(data), (n) => n * n);
  const total = squares.reduce((sum, square) => sum + square, 0);
  const largest = squares.indexOf(maxOf(squares));
  if (!(squares[largest] > 0.25 * total)) return [];
  const percent = ((100 * squares[largest]) / total).toFixed(0);
  return [
    `Worker "${data.workers.at(largest)}" holds ${percent} % of the squared numbers of labels; ` +
      `messages may follow them alone, and other methods are safer.`,
  ];
}
