/** What bad workers would do to labels that are there: part of the workers answer in another way than they did. */
import { type CategoricalData, selectLabels } from "../data/categorical.ts";
import { shuffle } from "../math/distributions.ts";
import type { Random } from "../math/random.ts";
import { thin } from "./thin.ts";

/** A way in which answers may be spoilt. */
export interface Corruption<Data> {
  readonly id: string;
  readonly title: string;
  /** One sentence: what the spoilt part does. */
  readonly summary: string;
  /** Spoils a share of the workers, or of the labels; a larger share contains a smaller one. */
  apply(data: Data, share: number, random: Random): Data;
}

/** The corruptions of labels by id: `corruptions["one-class"]`. */
export const corruptions = {
  random: byWorker(
    "random",
    "Random workers",
    "They answer at random, every class alike.",
    (K, random) => () => Math.floor(random.next() * K),
  ),
  "one-class": byWorker(
    "one-class",
    "One-class workers",
    "Each gives the same class to every task.",
    (K, random) => {
      const own = Math.floor(random.next() * K);
      return () => own;
    },
  ),
  flipping: byWorker(
    "flipping",
    "Flipping workers",
    "Each says another class than they meant, always the same one for a class.",
    (K, random) => flip(K, random),
  ),
  colluding: colluding(),
  "late-turning": byWorker(
    "late-turning",
    "Late-turning workers",
    "They answer as they did, and from half of their labels on always another class than they meant.",
    (K, random) => {
      const other = flip(K, random);
      return (label, _, done) => (done < 0.5 ? label : other(label));
    },
  ),
  "fewer-labels": {
    id: "fewer-labels",
    title: "Fewer labels",
    summary: "Labels are left out at random.",
    apply: (data, share, random) => thin(data, 1 - share, random),
  },
} as const satisfies Readonly<Record<string, Corruption<CategoricalData>>>;

/** What a bad worker says in place of a label; `done` is the share of their labels that came before. */
type Say = (label: number, task: number, done: number) => number;

function byWorker(
  id: string,
  title: string,
  summary: string,
  habit: (K: number, random: Random) => Say,
): Corruption<CategoricalData> {
  return {
    id,
    title,
    summary,
    apply: (data, share, random) =>
      spoil(data, share, random, (w) => habit(data.classes.length, random.split("habit").split(w))),
  };
}

/** All who collude give the same class to a task, drawn once for it. */
function colluding(): Corruption<CategoricalData> {
  return {
    id: "colluding",
    title: "Colluding workers",
    summary: "All of them give the same class to a task, whatever it is.",
    apply(data, share, random) {
      const agreed = random.split("agreed");
      const K = data.classes.length;
      const choice = Int32Array.from(data.tasks, () => Math.floor(agreed.next() * K));
      return spoil(data, share, random, () => (_, task) => choice[task]);
    },
  };
}

/** A class turned into another, by a shift that the worker keeps. */
function flip(K: number, random: Random): (label: number) => number {
  const shift = 1 + Math.floor(random.next() * Math.max(1, K - 1));
  return (label) => (label + shift) % K;
}

/** Lets a share of the workers answer in another way; abstentions stay. */
function spoil(
  data: CategoricalData,
  share: number,
  random: Random,
  habitOf: (worker: number) => Say,
): CategoricalData {
  const { task, worker, label, time, workers, classes } = data;
  const order = Int32Array.from({ length: workers.length }, (_, w) => w);
  shuffle(random.split("workers"), order);
  const bad = new Set(order.subarray(0, Math.round(share * workers.length)));
  const labels: number[][] = Array.from({ length: workers.length }, () => []);
  for (let i = 0; i < label.length; i++) if (bad.has(worker[i])) labels[worker[i]].push(i);
  const said = label.slice();
  for (const w of bad) {
    const say = habitOf(w);
    const own = time ? labels[w].sort((a, b) => time[a] - time[b] || a - b) : labels[w];
    own.forEach((i, at) => {
      if (label[i] < classes.length) said[i] = say(label[i], task[i], at / own.length);
    });
  }
  return { ...selectLabels(data, () => true), label: said };
}
