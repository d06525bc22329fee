/** The aggregators of several labels per task, in the order in which the docs tell them. */
import { setVote } from "./set-vote.ts";
import { sharedWorkers } from "./shared-workers.ts";

/** By id. */
export const multiLabelMethods = {
  "set-vote": setVote,
  "shared-workers": sharedWorkers,
} as const;
