/**
 * Group Dawid–Skene: workers who err together speak through the opinion of their group.
 *
 *   z[t]          ~ Categorical(prior)                       true class of task t
 *   opinion[t, j] ~ Categorical(group[j, z[t]])              what group j takes it for
 *   label[i]      ~ Categorical(member[w, opinion[t, j]])    what worker w of group j called it
 *
 * Exact EM over both levels, starting from a vote in which each group has one voice. A worker alone labels by the
 * truth itself, so that without groups this is Dawid–Skene. Groups are given, or found from the labels
 * (`em/find-groups.ts`). Strong where one large group would outvote the rest; needs three groups or workers
 * alone who are independent of each other.
 *
 * Differs from the tutorial: groups are fitted together with the truth instead of one after the other, and their
 * number is chosen by likelihood.
 *
 * Ibrahim, Traganitis, Fu & Giannakis (2024), arXiv:2407.06902, part on dependent annotators;
 * Jaffe, Fetaya, Nadler, Jiang & Kluger (2016), AISTATS, PMLR 51, 351–360. https://proceedings.mlr.press/v51/jaffe16.html
 */
import { skillOf, tableBytes } from "../../../belief/confusion-table.ts";
import { priorOption } from "../../../em/class-prior.ts";
import { climbOptions } from "../../../em/climb.ts";
import { smoothingOption } from "../../../em/confusion.ts";
import { groupNotes, groupOption, groupsFor } from "../../../em/find-groups.ts";
import { climbGroups } from "../../../em/group-em.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit, probabilisticOptions } from "../aggregator.ts";

/** What group Dawid–Skene finds beyond the answers. */
export interface GroupDawidSkene extends Fit {
  /** P(label | class, worker), by way of the opinion of the worker's group. */
  readonly confusion: Float64Array;
  /** The group of each worker, from 0; a worker alone has a number of their own. */
  readonly groups: Int32Array;
  /** P(opinion | class) of each group: groupConfusion[(group * K + class) * K + opinion]. */
  readonly groupConfusion: Float64Array;
  /** P(label | opinion) of each worker: memberConfusion[(worker * K + opinion) * L + label]. */
  readonly memberConfusion: Float64Array;
}

/**
 * Group Dawid–Skene: workers of a group share an opinion of each task, and classes, opinions and confusion matrices
 * are learnt together by EM.
 */
export const groupDawidSkene = aggregator(
  {
    id: "group-dawid-skene",
    title: "Group Dawid–Skene",
    summary:
      "Workers of a group err together: they repeat its opinion of a task, which EM estimates.",
    paper: {
      authors: "S. Ibrahim, P. A. Traganitis, X. Fu, G. B. Giannakis",
      year: 2024,
      title: "Learning from crowdsourced noisy labels: a signal processing perspective",
      url: "https://arxiv.org/abs/2407.06902",
    },
    family: "em",
    probabilistic: true,
    cost: "O(N·K + T·J·K² + W·K²) per iteration; finding groups: up to 50,000 labels, about 15 fits",
    memory: tableBytes,
    options: {
      ...probabilisticOptions,
      ...climbOptions,
      ...priorOption,
      ...smoothingOption,
      shrinkage: {
        default: 0,
        min: 0,
        unit: "labels",
        help: "Pseudo-labels per row, distributed like the pooled confusion matrix of the crowd.",
      },
      ...groupOption,
    },
  },
  function* (data, options, context): Steps<GroupDawidSkene> {
    const found = yield* groupsFor(data, options, context);
    const { groups } = found;
    const fit = yield* climbGroups(data, groups, options, context);
    const shape = { workers: data.workers.length, classes: context.K, given: context.L };
    return {
      ...fit,
      skill: skillOf(fit.confusion, fit.prior, shape),
      groups,
      notes: groupNotes(found),
    };
  },
);
