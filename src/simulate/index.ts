/** The kinds of simulated crowds, in the order in which the docs tell them. */
import { classDependentCrowd } from "./class-dependent.ts";
import { colludersCrowd } from "./colluders.ts";
import { confusionCrowd } from "./confusion.ts";
import { copiedCoinCrowd } from "./copied-coin.ts";
import { difficultyCrowd } from "./difficulty.ts";
import { fiveWorkersCrowd } from "./five-workers.ts";
import { groupsCrowd } from "./groups.ts";
import { hammerSpammerCrowd } from "./hammer-spammer.ts";
import { hospitalsCrowd } from "./hospitals.ts";
import { instanceDependentCrowd } from "./instance-dependent.ts";
import { machinesCrowd } from "./machines.ts";
import { maxMigCrowd } from "./max-mig.ts";
import { mixedCrowd } from "./mixed.ts";
import { oneCoinCrowd } from "./one-coin.ts";
import { regularCrowd } from "./regular.ts";
import { robustnessCrowd } from "./robustness.ts";
import { scatteredCrowd } from "./scattered.ts";
import type { AnyScenario } from "./scenario.ts";
import { twoCoinCrowd } from "./two-coin.ts";

export const scenarios: readonly AnyScenario[] = [
  oneCoinCrowd,
  twoCoinCrowd,
  confusionCrowd,
  classDependentCrowd,
  hammerSpammerCrowd,
  difficultyCrowd,
  regularCrowd,
  mixedCrowd,
  hospitalsCrowd,
  maxMigCrowd,
  colludersCrowd,
  groupsCrowd,
  fiveWorkersCrowd,
  copiedCoinCrowd,
  instanceDependentCrowd,
  machinesCrowd,
  scatteredCrowd,
  robustnessCrowd,
];
