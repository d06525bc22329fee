/**
 * The steps of a live model: incremental EM (Neal & Hinton 1998,
 * https://doi.org/10.1007/978-94-011-5014-9_12), one task at a time.
 *
 * Looking at a task makes its belief from the parameters that the statistics give, and puts its new
 * share of the statistics in place of the old one. That costs the labels of the task times the
 * statistics of their workers, whatever the size of the data.
 */
import { addLabel, type NumberedLabel, removeLabel, weightOf } from "./label-store.ts";
import { countsTowardsPrior } from "./live-known.ts";
import { isPresent, type LiveState, recount } from "./live-state.ts";
import { countLabel, countTask, countWord } from "./statistics.ts";
import { dropLabel, rescaleTasks, stepLabel, stepNewLabel, stepTask } from "./stochastic.ts";
import { breakChain, remember, takeBack } from "./undo-log.ts";

/** Adds a label and looks at its task. */
export function applyLabel(state: LiveState, label: NumberedLabel): void {
  const { t, w } = label;
  const i = addLabel(state.store, label);
  followAbstentions(state);
  countWord(state.statistics, label.label, label.weight, 1);
  state.workload[w]++;
  remember(state.undo, t, i, state.posterior);
  believe(state, t, state.scores);
  settle(state, t, state.scores, 0, i);
}

/** Takes a label away; what was believed of its task before the label is restored if nothing else came. */
export function withdrawLabel(state: LiveState, i: number): void {
  const { store, statistics, stochastic, undo, K } = state;
  const [t, w, label] = [store.task[i], store.worker[i], store.label[i]];
  const weight = weightOf(store, i);
  removeLabel(store, i);
  // An abstention that the method leaves out has no share of anything.
  if (label >= state.L) return;
  if (stochastic) dropLabel(stochastic, w, label, weight);
  else countLabel(statistics, w, label, weight, state.posterior, t * K, -1);
  countWord(statistics, label, weight, -1);
  state.workload[w]--;
  followAbstentions(state);
  const before = takeBack(undo, t, i);
  if (before >= 0) {
    settle(state, t, undo.before, before);
    return;
  }
  believe(state, t, state.scores);
  settle(state, t, state.scores, 0);
}

/** Sets or forgets (-1) the known class of a task. */
export function setGoldClass(state: LiveState, t: number, gold: number): void {
  breakChain(state.undo, t);
  dropTask(state, t);
  state.known.gold[t] = gold;
  believe(state, t, state.scores);
  settleLabels(state, t, state.scores, 0, -1);
  state.posterior.set(state.scores, t * state.K);
  takeTask(state, t);
}

/** Sets what is believed of a task before its labels; the state has priors of tasks. */
export function setPriorOf(state: LiveState, t: number, prior: Float64Array): void {
  const { known, K } = state;
  known.taskPrior?.set(prior, t * K);
  prior.forEach((p, k) => {
    if (known.base) known.base[t * K + k] = p * (known.evidence?.[t * K + k] ?? 1);
  });
  breakChain(state.undo, t);
  believe(state, t, state.scores);
  settle(state, t, state.scores, 0);
}

/** Looks at all tasks once, in their order, and returns the largest change of a probability. */
export function sweepTasks(state: LiveState): number {
  const { scores, undo } = state;
  // The stochastic form leaves statistics that are not those of the beliefs.
  if (state.stochastic) recount(state);
  const incremental: LiveState = { ...state, stochastic: undefined };
  let most = lookAtNewTasks(incremental);
  for (let t = 0; t < state.tasks.length(); t++) {
    believe(incremental, t, scores);
    const change = settle(incremental, t, scores, 0);
    if (change > 0) breakChain(undo, t);
    most = Math.max(most, change);
  }
  if (state.stochastic) recount(state);
  return most;
}

/** Gives a share of the statistics to every task that has none; returns the largest probability. */
function lookAtNewTasks(state: LiveState): number {
  let most = 0;
  for (let t = 0; t < state.tasks.length(); t++) {
    if (isPresent(state, t)) continue;
    believe(state, t, state.scores);
    most = Math.max(most, settle(state, t, state.scores, 0));
  }
  return most;
}

/**
 * Returns what the sweeps climb: the expected log-likelihood of labels and classes under the beliefs,
 * their entropy, and the log density of the parameters; in nats. O(statistics), after stochastic steps
 * O(labels).
 */
export function objectiveOf(state: LiveState): number {
  const { statistics, posterior, known, K } = settledCopy(state);
  const { model, totals } = statistics;
  model.learn(totals);
  let sum = model.objective(statistics.workers, state.workers.length(), totals);
  for (let t = 0; t < state.tasks.length(); t++) {
    if (known.gold[t] >= 0) continue;
    for (let at = t * K; at < (t + 1) * K; at++) {
      const p = posterior[at];
      if (p > 0) sum += p * (Math.log(known.base ? known.base[at] : 1) - Math.log(p));
    }
  }
  return sum;
}

/** Returns the state as a sweep begins with it: exact statistics, to which every task contributes. */
function settledCopy(state: LiveState): LiveState {
  let waiting = false;
  for (let t = 0; t < state.tasks.length() && !waiting; t++) waiting = !isPresent(state, t);
  if (!waiting && !state.stochastic) return state;
  const copy: LiveState = {
    ...state,
    posterior: state.posterior.slice(),
    workload: state.workload.slice(),
    stochastic: undefined,
  };
  recount(copy);
  lookAtNewTasks(copy);
  return copy;
}

/** Writes what the current parameters say of a task: its E step. */
export function believe(state: LiveState, t: number, into: Float64Array): void {
  const { statistics, store, known, K, L } = state;
  const { model, workers, totals } = statistics;
  const gold = known.gold[t];
  if (gold >= 0) {
    into.fill(0);
    into[gold] = 1;
    return;
  }
  model.learn(totals);
  model.open(known.base, t * K, into);
  for (let i = store.latest[t]; i >= 0; i = store.earlier[i]) {
    const label = store.label[i];
    if (label < L) model.hear(workers, store.worker[i], label, weightOf(store, i), into);
  }
  model.close(into);
}

/**
 * Takes belief[from + class] over for a task and replaces its share of the statistics; the label
 * `fresh`, if there is one, had none. Returns the largest change of a probability.
 */
function settle(
  state: LiveState,
  t: number,
  belief: Float64Array,
  from: number,
  fresh = -1,
): number {
  const { posterior, K } = state;
  let change = 0;
  for (let k = 0; k < K; k++) {
    change = Math.max(change, Math.abs(belief[from + k] - posterior[t * K + k]));
  }
  if (change === 0 && fresh < 0) return 0;
  settleLabels(state, t, belief, from, fresh);
  dropTask(state, t);
  for (let k = 0; k < K; k++) posterior[t * K + k] = belief[from + k];
  takeTask(state, t);
  return change;
}

/** Replaces the shares of a task's labels by those under belief[from + class]. */
function settleLabels(
  state: LiveState,
  t: number,
  belief: Float64Array,
  from: number,
  fresh: number,
): void {
  const { statistics, stochastic, store, posterior, K, L } = state;
  for (let i = store.latest[t]; i >= 0; i = store.earlier[i]) {
    const label = store.label[i];
    if (label >= L) continue;
    const [w, weight] = [store.worker[i], weightOf(store, i)];
    if (stochastic) {
      if (stochastic.clock === "all" && i !== fresh) continue;
      const step = i === fresh ? stepNewLabel : stepLabel;
      step(stochastic, w, label, weight, belief, from);
      continue;
    }
    if (i !== fresh) countLabel(statistics, w, label, weight, posterior, t * K, -1);
    countLabel(statistics, w, label, weight, belief, from, 1);
  }
}

/** Takes a task's belief out of the totals. */
function dropTask(state: LiveState, t: number): void {
  if (!countsTowardsPrior(state.known, t) || !isPresent(state, t)) return;
  const { statistics, stochastic, posterior, K } = state;
  if (stochastic) rescaleTasks(stochastic, stochastic.tasks - 1);
  else countTask(statistics, posterior, t * K, -1);
}

/** Adds a task's belief to the totals. */
function takeTask(state: LiveState, t: number): void {
  if (!countsTowardsPrior(state.known, t) || !isPresent(state, t)) return;
  const { statistics, stochastic, posterior, K } = state;
  if (!stochastic) {
    countTask(statistics, posterior, t * K, 1);
    return;
  }
  rescaleTasks(stochastic, stochastic.tasks + 1);
  stepTask(stochastic, posterior, t * K);
}

/** A model that hears abstentions does so only while there are some, as the batch fit does. */
function followAbstentions(state: LiveState): void {
  const L = state.abstains && state.store.abstentions > 0 ? state.K + 1 : state.K;
  if (L === state.L) return;
  state.L = L;
  state.statistics.model = state.modelFor(L);
}
