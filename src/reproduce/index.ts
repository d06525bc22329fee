/** All reruns of published tables and figures. */
import { aLfcFig1, aLfcFig3, aLfcFig4, aLfcFig5, aLfcFig6 } from "./a-lfc.ts";
import { bayesDgcFig3, bayesDgcFig4 } from "./bayes-dgc.ts";
import { coinNetExperiment, geoCrowdNet } from "./crowds.ts";
import {
  deepBpFig1,
  deepBpFig2,
  deepBpFig3,
  deepBpFig3c,
  deepBpFig6,
  deepBpFig7,
  deepBpFig7b,
  deepBpTable1,
} from "./deep-bp.ts";
import { deepBpFeatures } from "./deep-bp-features.ts";
import { deepBpFig4, deepBpFig8, deepBpFig10 } from "./deep-bp-labels.ts";
import type { Experiment } from "./experiment.ts";
import { identifiability } from "./identifiability.ts";
import { maxMigE2, maxMigTable2 } from "./max-mig.ts";
import { maxMigFig4, maxMigTable3 } from "./max-mig-crowds.ts";
import { publicTables } from "./public-tables.ts";
import { tutorialMoments } from "./tutorial.ts";
import { tutorialActive } from "./tutorial-active.ts";
import { tutorialColluders } from "./tutorial-colluders.ts";
import { tutorialFairness } from "./tutorial-fairness.ts";
import { tutorialGroups } from "./tutorial-groups.ts";
import { tutorialSpammers } from "./tutorial-spammers.ts";

export const experiments: readonly Experiment[] = [
  maxMigTable2,
  maxMigTable3,
  maxMigFig4,
  maxMigE2,
  deepBpFig1,
  deepBpFig2,
  deepBpFig3,
  deepBpFig3c,
  deepBpFig4,
  deepBpFig6,
  deepBpFig7,
  deepBpFig7b,
  deepBpFig8,
  deepBpFig10,
  deepBpTable1,
  deepBpFeatures,
  bayesDgcFig3,
  bayesDgcFig4,
  aLfcFig1,
  aLfcFig3,
  aLfcFig4,
  aLfcFig5,
  aLfcFig6,
  geoCrowdNet,
  coinNetExperiment,
  tutorialMoments,
  tutorialSpammers,
  tutorialColluders,
  tutorialGroups,
  tutorialFairness,
  tutorialActive,
  identifiability,
  publicTables,
];
