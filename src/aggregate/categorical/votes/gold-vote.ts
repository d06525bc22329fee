/**
 * Gold vote: each worker counts for how often they were right where the class is known.
 *
 *   skill[w]     = (right[w] + 1) / (asked[w] + K)     on the tasks with gold
 *   score[t, k]  = sum of skill[w] over the workers w who called task t a k
 *
 * Workers who met no gold count for the crowd's pooled skill. Good when gold was mixed into the
 * work: no worker can hide in a wrong majority. A handful of gold labels per worker measures little,
 * and this weight is mild: `weighted-vote` with `oneCoinWeight` of the same skills is bolder.
 * The posterior is a share of weight, no probability.
 *
 * After Snow, O'Connor, Jurafsky & Ng (2008), EMNLP, 254–263. https://aclanthology.org/D08-1027
 */

import { clampGold } from "../../../belief/known.ts";
import { labelShares, voteShares } from "../../../belief/votes.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { CrowdError, hint } from "../../../error.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit } from "../aggregator.ts";

/** What the gold vote finds beyond the answers. */
export interface GoldVote extends Fit {
  /** Labels each worker gave to tasks with gold: what the skill rests on. */
  readonly asked: Float64Array;
}

/** Gold vote: each worker counts by the share of right labels on tasks with gold. */
export const goldVote = aggregator(
  {
    id: "gold-vote",
    title: "Gold vote",
    summary: "Workers are weighted by their accuracy on gold tasks.",
    paper: {
      authors: "R. Snow, B. O'Connor, D. Jurafsky, A. Y. Ng",
      year: 2008,
      title: "Cheap and fast — but is it good? Evaluating non-expert annotations",
      url: "https://aclanthology.org/D08-1027",
    },
    family: "votes",
    probabilistic: false,
    needs: "gold",
    cost: "O(N), two passes",
    options: {},
  },
  function* (data, _options, { known }): Steps<GoldVote> {
    if (!known.gold) {
      throw new CrowdError(
        "bad-option",
        `gold-vote needs ${hint("known.gold")}: the class of some tasks.`,
      );
    }
    const { skill, asked } = skillOnGold(data, known.gold);
    const posterior = voteShares(data, skill);
    clampGold(data, known, posterior);
    const silent = asked.filter((count) => count === 0).length;
    return {
      posterior,
      prior: labelShares(data),
      skill,
      asked,
      trace: [],
      converged: true,
      notes:
        silent > 0
          ? [
              `${silent} of ${asked.length} workers labelled no gold task and get the skill of the crowd.`,
            ]
          : [],
    };
  },
);

/** Right labels on gold, one right pseudo-label and K - 1 wrong ones added. */
function skillOnGold(
  { workers, classes, task, worker, label, weight }: CategoricalData,
  gold: Int32Array,
): { skill: Float64Array; asked: Float64Array } {
  const K = classes.length;
  const right = new Float64Array(workers.length);
  const asked = new Float64Array(workers.length);
  for (let i = 0; i < label.length; i++) {
    if (gold[task[i]] < 0) continue;
    const count = weight ? weight[i] : 1;
    asked[worker[i]] += count;
    if (label[i] === gold[task[i]]) right[worker[i]] += count;
  }
  const sum = (counts: Float64Array) => counts.reduce((total, count) => total + count, 0);
  const pooled = (sum(right) + 1) / (sum(asked) + K);
  const skill = right.map((hits, w) => (asked[w] > 0 ? (hits + 1) / (asked[w] + K) : pooled));
  return { skill, asked };
}
