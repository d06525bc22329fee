/** What a live model says of tasks and workers, by name. */
import { decide, type Ties } from "../belief/ties.ts";
import { isPresent, type LiveState } from "./live-state.ts";
import { believe } from "./live-steps.ts";

/** What is believed of a task. */
export interface LiveBelief {
  readonly task: string;
  /** P(class | labels) of every class, in the order of the classes. */
  readonly classes: readonly { readonly class: string; readonly probability: number }[];
  /** The same numbers. */
  readonly posterior: Float64Array;
  /** Number of labels that the belief rests on. */
  readonly labels: number;
}

/** The current answer of a task. */
export interface LiveAnswer {
  readonly task: string;
  /** The most probable class; undefined if classes are tied and the rule for ties abstains. */
  readonly label: string | undefined;
  /** Its probability. */
  readonly confidence: number;
}

/** The current skill of a worker. */
export interface LiveSkill {
  readonly worker: string;
  /** P(right label). */
  readonly skill: number;
  /** Number of labels. */
  readonly labels: number;
}

/** Returns what is believed of a task; of a task never looked at, what its labels say now. */
export function beliefOf(state: LiveState, t: number): LiveBelief {
  const { store, K, L } = state;
  const posterior = posteriorOf(state, t);
  let labels = 0;
  for (let i = store.latest[t]; i >= 0; i = store.earlier[i]) if (store.label[i] < L) labels++;
  return {
    task: state.tasks.at(t),
    classes: Array.from({ length: K }, (_, k) => ({
      class: state.source.classes.at(k),
      probability: posterior[k],
    })),
    posterior,
    labels,
  };
}

function posteriorOf(state: LiveState, t: number): Float64Array {
  const { K } = state;
  const posterior = state.posterior.slice(t * K, (t + 1) * K);
  if (!isPresent(state, t)) believe(state, t, posterior);
  return posterior;
}

/** Yields the most probable class of every task. */
export function* answersOf(
  state: LiveState,
  { ties = "prior", seed = 0 }: Readonly<Record<string, number | string | boolean>>,
): Generator<LiveAnswer> {
  const { statistics, K, source } = state;
  const T = state.tasks.length();
  const posterior = state.posterior.slice(0, T * K);
  for (let t = 0; t < T; t++) {
    if (!isPresent(state, t)) posterior.set(posteriorOf(state, t), t * K);
  }
  statistics.model.learn(statistics.totals);
  const rule = { ties: ties as Ties, seed: Number(seed) };
  const tasks = state.tasks.list();
  const { consensus } = decide(
    { tasks, classes: source.classes },
    posterior,
    statistics.model.prior,
    rule,
  );
  for (let t = 0; t < T; t++) {
    const k = consensus[t];
    const row = posterior.subarray(t * K, (t + 1) * K);
    const confidence = k < 0 ? row.reduce((most, p) => Math.max(most, p), 0) : row[k];
    yield { task: tasks.at(t), label: k < 0 ? undefined : source.classes.at(k), confidence };
  }
}

/** Returns the skills of all workers under the current statistics. */
export function skillsOf(state: LiveState): LiveSkill[] {
  const { statistics, workers, workload } = state;
  const W = workers.length();
  statistics.model.learn(statistics.totals);
  const skills = statistics.model.skills(statistics.workers, W);
  return Array.from(skills, (skill, w) => ({ worker: workers.at(w), skill, labels: workload[w] }));
}
