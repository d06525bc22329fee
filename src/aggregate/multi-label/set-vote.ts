/**
 * Set vote: each task gets the labels that at least half of its workers chose, label by label.
 *
 * Nobody is weighed. A label of a long list is often chosen by less than half of the workers although it belongs, so
 * sets are small. Probabilities are shares of votes, and labels are taken for independent.
 *
 * Nowak, Rüger (2010), MIR, 557–566. https://doi.org/10.1145/1743384.1743478
 */
import type { Steps } from "../../method.ts";
import { EQUAL, type Labelling, labeller, voteShares } from "./labeller.ts";

/** Each task gets the labels that at least half of its workers chose. */
export const setVote = labeller(
  {
    id: "set-vote",
    title: "Set vote",
    summary: "Each task gets the labels that at least half of its workers chose, label by label.",
    paper: {
      authors: "S. Nowak, S. Rüger",
      year: 2010,
      title:
        "How reliable are annotations via crowdsourcing: a study about inter-annotator agreement for multi-label image annotation",
      url: "https://doi.org/10.1145/1743384.1743478",
    },
    family: "labels",
    cost: "O(N + TL), with L labels",
    options: {},
  },
  function* (frame): Steps<Labelling> {
    const { T, L } = frame;
    const posterior = voteShares(frame);
    const chosen = Uint8Array.from(posterior, (share) => (share >= 0.5 - EQUAL ? 1 : 0));
    const setProbability = new Float64Array(T).fill(1);
    for (let at = 0; at < posterior.length; at++) {
      setProbability[Math.floor(at / L)] *= chosen[at] ? posterior[at] : 1 - posterior[at];
    }
    return { posterior, chosen, setProbability, trace: [], converged: true };
  },
);
