/** All learners, in the order in which they are shown. */
import { aggnet } from "./aggnet.ts";
import { ccem } from "./ccem.ts";
import type { AnyLearner } from "./learner.ts";
import { twoStage } from "./two-stage.ts";

export const learners: readonly AnyLearner[] = [twoStage, aggnet, ccem] as readonly AnyLearner[];
