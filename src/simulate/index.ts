/** The kinds of simulated crowds, in the order in which the docs tell them. */
import { classDependentCrowd } from "./class-dependent.ts";
import { colludersCrowd } from "./colluders.ts";
import { confusionCrowd } from "./confusion.ts";
import { copiedCoinCrowd } from "./copied-coin.ts";
import { difficultyCrowd } from "./difficulty.ts";
import { driftingCrowd } from "./drifting.ts";
import { fiveWorkersCrowd } from "./five-workers.ts";
import { groupsCrowd } from "./groups.ts";
import { hammerSpammerCrowd } from "./hammer-spammer.ts";
import { hospitalsCrowd } from "./hospitals.ts";
import { instanceDependentCrowd } from "./instance-dependent.ts";
import { judgesCrowd } from "./judges.ts";
import { machinesCrowd } from "./machines.ts";
import { matchersCrowd } from "./matchers.ts";
import { maxMigCrowd } from "./max-mig.ts";
import { measurersCrowd } from "./measurers.ts";
import { mixedCrowd } from "./mixed.ts";
import { oneCoinCrowd } from "./one-coin.ts";
import { pickersCrowd } from "./pickers.ts";
import { ratersCrowd } from "./raters.ts";
import { regularCrowd } from "./regular.ts";
import { robustnessCrowd } from "./robustness.ts";
import { scatteredCrowd } from "./scattered.ts";
import type { AnyLabelScenario, AnyScenario } from "./scenario.ts";
import { taggersCrowd } from "./taggers.ts";
import { twoCoinCrowd } from "./two-coin.ts";

/** The kinds of crowds by id: `scenarios["hammer-spammer"]`. */
export const scenarios = {
  "one-coin": oneCoinCrowd,
  "two-coin": twoCoinCrowd,
  confusion: confusionCrowd,
  "class-dependent": classDependentCrowd,
  "hammer-spammer": hammerSpammerCrowd,
  difficulty: difficultyCrowd,
  regular: regularCrowd,
  mixed: mixedCrowd,
  hospitals: hospitalsCrowd,
  "max-mig": maxMigCrowd,
  colluders: colludersCrowd,
  groups: groupsCrowd,
  "five-workers": fiveWorkersCrowd,
  "copied-coin": copiedCoinCrowd,
  "instance-dependent": instanceDependentCrowd,
  machines: machinesCrowd,
  scattered: scatteredCrowd,
  robustness: robustnessCrowd,
  drifting: driftingCrowd,
  raters: ratersCrowd,
  measurers: measurersCrowd,
  judges: judgesCrowd,
  matchers: matchersCrowd,
  taggers: taggersCrowd,
  pickers: pickersCrowd,
} as const;

export const scenarioList: readonly AnyScenario[] = Object.values(scenarios);

/** Those whose answers are labels. */
export const labelScenarios: readonly AnyLabelScenario[] = scenarioList.filter(
  (scenario): scenario is AnyLabelScenario => "given" in scenario,
);
