/**
 * Group vote: each group of workers votes among itself, then the groups vote, each with one voice.
 *
 *   vote[t, j]   = class with most labels of group j on task t; ties are shared
 *   score[t, k]  = number of groups whose vote is k
 *
 * The counterpart of the majority vote for workers who err together: fifty who repeat one opinion count once.
 * It cannot tell a good group from a bad one. The posterior is a share of votes, no probability.
 *
 * Ibrahim, Traganitis, Fu & Giannakis (2024), arXiv:2407.06902, part on dependent annotators.
 */
import { clampGold } from "../../../belief/known.ts";
import { agreement, labelShares, normalise } from "../../../belief/votes.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { groupNotes, groupOption, groupsFor } from "../../../em/find-groups.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit } from "../aggregator.ts";

/** What a vote of groups finds beyond the answers. */
export interface GroupVote extends Fit {
  /** The group of each worker, from 0; a worker alone has a number of their own. */
  readonly groups: Int32Array;
}

/** Group vote: each group of workers has one vote, decided by the majority of its members. */
export const groupVote = aggregator(
  {
    id: "group-vote",
    title: "Group vote",
    summary: "Each group of workers who err together has one vote, decided by its members.",
    paper: {
      authors: "S. Ibrahim, P. A. Traganitis, X. Fu, G. B. Giannakis",
      year: 2024,
      title: "Learning from crowdsourced noisy labels: a signal processing perspective",
      url: "https://arxiv.org/abs/2407.06902",
    },
    family: "votes",
    probabilistic: false,
    cost: "O(N), two passes; finding groups: up to 50,000 labels, about 15 fits",
    options: groupOption,
  },
  function* (data, options, context): Steps<GroupVote> {
    const found = yield* groupsFor(data, options, context);
    const posterior = votesByGroup(data, found.groups);
    clampGold(data, context.known, posterior);
    return {
      posterior,
      prior: labelShares(data),
      skill: agreement(data, posterior),
      groups: found.groups,
      trace: [],
      converged: true,
      notes: groupNotes(found),
    };
  },
);

/** Shares of the groups' votes, as shares[task * K + class]; equal without labels. */
function votesByGroup(data: CategoricalData, groups: Int32Array): Float64Array {
  const { task, worker, label, weight } = data;
  const K = data.classes.length;
  const T = data.tasks.length;
  const inTask = tasksInOrder(task, T);
  const votes = new Float64Array(T * K);
  const counts = new Map<number, Float64Array>();
  for (let t = 0; t < T; t++) {
    counts.clear();
    for (let at = inTask.start[t]; at < inTask.start[t + 1]; at++) {
      const i = inTask.order[at];
      const own = counts.get(groups[worker[i]]) ?? new Float64Array(K);
      if (label[i] < K) own[label[i]] += weight ? weight[i] : 1;
      counts.set(groups[worker[i]], own);
    }
    for (const own of counts.values()) addVote(own, votes, t * K);
  }
  return normalise(votes, K);
}

/** Adds the one vote of a group; classes with as many labels share it. */
function addVote(counts: Float64Array, votes: Float64Array, from: number): void {
  const most = counts.reduce((a, b) => Math.max(a, b), 0);
  if (!(most > 0)) return;
  const isMost = (count: number) => most - count <= 1e-12 * most;
  const ties = counts.filter(isMost).length;
  counts.forEach((count, k) => {
    if (isMost(count)) votes[from + k] += 1 / ties;
  });
}

/** The numbers of the labels, sorted by task. */
function tasksInOrder(task: Int32Array, T: number): { start: Int32Array; order: Int32Array } {
  const start = new Int32Array(T + 1);
  for (const t of task) start[t + 1]++;
  for (let t = 0; t < T; t++) start[t + 1] += start[t];
  const next = start.slice();
  const order = new Int32Array(task.length);
  task.forEach((t, i) => {
    order[next[t]++] = i;
  });
  return { start, order };
}
