/**
 * Random sessions of a live model: a small crowd, what is known of it, a method, and a list of events.
 * The events are also kept as a plain list of labels, against which the live model is held.
 */
import type { AnyAggregator } from "../src/aggregate/categorical/aggregator.ts";
import { ibcc } from "../src/aggregate/categorical/bayesian/ibcc.ts";
import { dawidSkene } from "../src/aggregate/categorical/em/dawid-skene.ts";
import { oneCoin } from "../src/aggregate/categorical/em/one-coin.ts";
import { majorityVote } from "../src/aggregate/categorical/votes/majority-vote.ts";
import type { Known } from "../src/belief/known.ts";
import type { CategoricalData } from "../src/data/categorical.ts";
import { namesOf } from "../src/data/names.ts";
import { createRandom, type Random } from "../src/math/random.ts";
import { type OnlineModel, type OnlineOptions, online } from "../src/online/online.ts";

/** A label by name; null is an abstention. */
export interface Spoken {
  readonly task: string;
  readonly worker: string;
  readonly label: string | null;
  readonly weight?: number;
  readonly time?: number;
}

export type Event =
  | { readonly kind: "apply" | "withdraw" | "correct"; readonly label: Spoken }
  | { readonly kind: "gold"; readonly task: string; readonly gold: string | undefined };

export interface Session {
  readonly method: AnyAggregator;
  readonly options: Readonly<Record<string, number | string | boolean>>;
  readonly data: CategoricalData;
  readonly known: Known;
  readonly events: readonly Event[];
  /** The labels that remain after all events, in the order of arrival. */
  readonly remaining: readonly Spoken[];
  /** Tasks and workers in order of first appearance. */
  readonly tasks: readonly string[];
  readonly workers: readonly string[];
  /** Gold that is clamped after all events, by task. */
  readonly gold: ReadonlyMap<string, string>;
}

const forms: readonly [AnyAggregator, Session["options"]][] = [
  [majorityVote as AnyAggregator, {}],
  [oneCoin as AnyAggregator, { comparePriors: false }],
  [oneCoin as AnyAggregator, { comparePriors: false, prior: "learn", right: 2, wrong: 1 }],
  [oneCoin as AnyAggregator, { comparePriors: false, abstentions: "model" }],
  [dawidSkene as AnyAggregator, {}],
  [dawidSkene as AnyAggregator, { smoothing: 0.5, prior: "uniform" }],
  [dawidSkene as AnyAggregator, { shrinkage: 2 }],
  [dawidSkene as AnyAggregator, { smoothing: 0.1, abstentions: "model" }],
  [dawidSkene as AnyAggregator, { smoothing: 0 }],
  [ibcc as AnyAggregator, {}],
  [ibcc as AnyAggregator, { prior: "uniform", abstentions: "model" }],
];

/** Draws a session from a seed. The form goes through all methods and options in turn. */
export function drawSession(seed: number, { events = 25 } = {}): Session {
  const random = createRandom(seed).split("session");
  const [method, options] = forms[seed % forms.length];
  const K = 2 + below(random, 2);
  const classes = Array.from({ length: K }, (_, k) => `c${k}`);
  const abstains = options["abstentions"] === "model";
  const weighted = random.next() < 0.4;
  const timed = random.next() < 0.4;
  const truth = new Map<string, number>();
  let clock = 1e12;
  /** A label that is right more than three times out of four. */
  const draw = (task: string, worker: string): Spoken => {
    if (!truth.has(task)) truth.set(task, below(random, K));
    const right = random.next() < 0.75;
    const k = right ? (truth.get(task) ?? 0) : below(random, K);
    clock += below(random, 1000);
    return {
      task,
      worker,
      label: abstains && random.next() < 0.1 ? null : classes[k],
      ...(weighted && random.next() < 0.8 && { weight: 0.25 + 2 * random.next() }),
      ...(timed && random.next() < 0.8 && { time: clock }),
    };
  };
  const given: Spoken[] = [];
  const T = below(random, 7);
  const W = 1 + below(random, 4);
  for (let t = 0; t < T; t++) {
    for (let w = 0; w < W; w++) if (random.next() < 0.7) given.push(draw(`t${t}`, `w${w}`));
  }
  const data = datasetOf(given, classes, { tasks: [], workers: [] });
  const L = abstains && given.some(({ label }) => label === null) ? K + 1 : K;
  const known = drawKnown(random, data, K, L);
  const log = drawEvents(random, given, data, { events, known, draw, classes });
  return { method, options, data, known, ...log };
}

/** Whether rates may creep towards zero for ever: maximum likelihood, without pseudo-labels. */
export function creeps({ method, options }: Session): boolean {
  return options["smoothing"] === 0 || (method.id === "one-coin" && options["right"] === undefined);
}

/** Starts the live model of a session and plays its events. */
export function play(session: Session, options: OnlineOptions = {}): OnlineModel {
  const { method, data, known, events } = session;
  const live = online(data, method(data, session.options, known), known, options);
  for (const event of events) playEvent(live, event);
  return live;
}

export function playEvent(live: OnlineModel, event: Event): void {
  if (event.kind === "gold") live.setGold(event.task, event.gold);
  else live[event.kind](event.label);
}

/** The dataset that plain rows make, with these names first. */
export function datasetOf(
  rows: readonly Spoken[],
  classes: readonly string[],
  first: { readonly tasks: readonly string[]; readonly workers: readonly string[] },
): CategoricalData {
  const tasks = [...new Set([...first.tasks, ...rows.map(({ task }) => task)])];
  const workers = [...new Set([...first.workers, ...rows.map(({ worker }) => worker)])];
  const weighted = rows.some(({ weight }) => weight !== undefined);
  const timed = rows.some(({ time }) => time !== undefined);
  return {
    kind: "categorical",
    tasks: namesOf(tasks),
    workers: namesOf(workers),
    classes: namesOf(classes),
    task: Int32Array.from(rows, ({ task }) => tasks.indexOf(task)),
    worker: Int32Array.from(rows, ({ worker }) => workers.indexOf(worker)),
    label: Int32Array.from(rows, ({ label }) =>
      label === null ? classes.length : classes.indexOf(label),
    ),
    gold: new Int32Array(tasks.length).fill(-1),
    ...(weighted && { weight: Float64Array.from(rows, ({ weight }) => weight ?? 1) }),
    ...(timed && { time: Float64Array.from(rows, ({ time }) => time ?? Number.NaN) }),
    notes: [],
  };
}

/** Each kind of knowledge now and then; a fixed prior and priors of tasks never together. */
function drawKnown(random: Random, data: CategoricalData, K: number, L: number): Known {
  const [T, W] = [data.tasks.length, data.workers.length];
  const some = (n: number) => Float64Array.from({ length: n }, () => 0.1 + random.next());
  const often = (share: number) => random.next() < share;
  const gold = Int32Array.from({ length: T }, () => (often(0.3) ? below(random, K) : -1));
  const prior = random.next();
  return {
    ...(often(0.5) && { gold }),
    ...(often(0.3) && { goldInPrior: false }),
    ...(often(0.3) && { evidence: some(T * K) }),
    ...(often(0.3) && { priorCounts: some(K) }),
    ...(often(0.3) && { history: some(W * K * L) }),
    ...(prior < 0.25 && { prior: some(K) }),
    ...(prior > 0.75 && { taskPrior: some(T * K) }),
  };
}

interface EventSettings {
  readonly events: number;
  readonly known: Known;
  readonly classes: readonly string[];
  draw(task: string, worker: string): Spoken;
}

function drawEvents(
  random: Random,
  given: readonly Spoken[],
  data: CategoricalData,
  { events: count, known, classes, draw }: EventSettings,
) {
  const events: Event[] = [];
  const remaining = [...given];
  const tasks = [...data.tasks];
  const workers = [...data.workers];
  const gold = new Map<string, string>();
  known.gold?.forEach((k, t) => {
    if (k >= 0) gold.set(data.tasks.at(t), classes[k]);
  });
  const meet = (names: string[], letter: string, fresh: number): string => {
    const isNew = names.length === 0 || random.next() < fresh;
    const name = isNew ? `new-${letter}${names.length}` : names[below(random, names.length)];
    if (isNew) names.push(name);
    return name;
  };
  /** Takes the latest label that fits out of the list. */
  const take = (fits: (label: Spoken) => boolean) => {
    remaining.splice(remaining.findLastIndex(fits), 1);
  };
  for (let e = 0; e < count; e++) {
    const kind = random.next();
    if (kind < 0.1) {
      const task = meet(tasks, "t", 0.2);
      const k = random.next() < 0.6 ? classes[below(random, classes.length)] : undefined;
      if (k === undefined) gold.delete(task);
      else gold.set(task, k);
      events.push({ kind: "gold", task, gold: k });
    } else if (kind < 0.65 || remaining.length === 0) {
      const label = draw(meet(tasks, "t", 0.15), meet(workers, "w", 0.1));
      remaining.push(label);
      events.push({ kind: "apply", label });
    } else {
      const old = remaining[below(random, remaining.length)];
      const same = (each: Spoken) => each.task === old.task && each.worker === old.worker;
      if (kind < 0.85) {
        take((each) => same(each) && each.label === old.label);
        events.push({ kind: "withdraw", label: old });
      } else {
        const label = draw(old.task, old.worker);
        take(same);
        remaining.push(label);
        events.push({ kind: "correct", label });
      }
    }
  }
  return { events, remaining, tasks, workers, gold };
}

function below(random: Random, n: number): number {
  return Math.floor(random.next() * n);
}
