/** What a live model says of tasks and workers, by name. */
import { confidences } from "../belief/confidence.ts";
import { isKnownTask } from "../belief/known.ts";
import { decide, type Ties } from "../belief/ties.ts";
import { labelColumns, weightOf } from "./label-store.ts";
import { isPresent, knownOf, type LiveState } from "./live-state.ts";
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
  /** The most probable class; undefined if the task has no label, or if classes are tied and the rule for ties abstains. */
  readonly label: string | undefined;
  /** How sure the answer may be called; see `confidence` of a result. */
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

/** One label of a task. */
export interface LiveVote {
  readonly worker: string;
  /** Number of the class; the number of classes for an abstention. */
  readonly label: number;
  readonly weight: number;
}

/** Returns the labels of a task that the model hears, latest first. */
export function votesOf({ store, workers, L }: LiveState, t: number): LiveVote[] {
  const votes: LiveVote[] = [];
  for (let i = store.latest[t]; i >= 0; i = store.earlier[i]) {
    const label = store.label[i];
    if (label < L)
      votes.push({ worker: workers.at(store.worker[i]), label, weight: weightOf(store, i) });
  }
  return votes;
}

/** Returns what is believed of a task; of a task never looked at, what its labels say now. */
export function beliefOf(state: LiveState, t: number): LiveBelief {
  const { K } = state;
  const posterior = posteriorOf(state, t);
  return {
    task: state.tasks.at(t),
    classes: Array.from({ length: K }, (_, k) => ({
      class: state.source.classes.at(k),
      probability: posterior[k],
    })),
    posterior,
    labels: labelsOf(state, t),
  };
}

/** Counts the labels of a task that the model hears. */
function labelsOf({ store, L }: LiveState, t: number): number {
  let labels = 0;
  for (let i = store.latest[t]; i >= 0; i = store.earlier[i]) if (store.label[i] < L) labels++;
  return labels;
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
  probabilistic: boolean,
): Generator<LiveAnswer> {
  const { statistics, K, source, store } = state;
  const T = state.tasks.length();
  const posterior = state.posterior.slice(0, T * K);
  for (let t = 0; t < T; t++) {
    if (!isPresent(state, t)) posterior.set(posteriorOf(state, t), t * K);
  }
  statistics.model.learn(statistics.totals);
  const rule = { ties: ties as Ties, seed: Number(seed) };
  const tasks = state.tasks.list();
  const known = knownOf(state);
  const { consensus } = decide(
    { tasks, classes: source.classes },
    posterior,
    statistics.model.prior,
    rule,
    (t) => labelsOf(state, t) > 0 || isKnownTask(known, t, K),
  );
  const believed = { posterior, consensus, K, W: state.workers.length(), probabilistic };
  const confidence = confidences(labelColumns(store, source), believed, known);
  for (let t = 0; t < T; t++) {
    const k = consensus[t];
    const label = k < 0 ? undefined : source.classes.at(k);
    yield { task: tasks.at(t), label, confidence: confidence[t] };
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

/**
 * Returns how a worker labels under the current statistics, P(label | class) as rows[class * L + label]; without a
 * number, how a worker of whom nothing is known would.
 */
export function confusionOf({ statistics, K, L }: LiveState, w: number | undefined): Float64Array {
  const { model, totals } = statistics;
  const workers = w === undefined ? new Float64Array(model.cells) : statistics.workers;
  const rows = new Float64Array(K * L);
  const scores = new Float64Array(K);
  model.learn(totals);
  for (let l = 0; l < L; l++) {
    scores.fill(0);
    model.hear(workers, w ?? 0, l, 1, scores);
    for (let k = 0; k < K; k++) rows[k * L + l] = Math.exp(scores[k]);
  }
  for (let k = 0; k < K; k++) {
    const row = rows.subarray(k * L, (k + 1) * L);
    const total = row.reduce((sum, x) => sum + x, 0);
    for (let l = 0; l < L; l++) row[l] /= total;
  }
  return rows;
}
