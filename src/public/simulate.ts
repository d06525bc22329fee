/** `consilience/simulate`: crowds with known truth. */
export type {
  AnswerScenario,
  AnswerSimulation,
  AnyAnswerScenario,
  SimulatedAnswers,
} from "../simulate/answers.ts";
export { blur } from "../simulate/blur.ts";
export { classDependentCrowd } from "../simulate/class-dependent.ts";
export { colludersCrowd } from "../simulate/colluders.ts";
export { confusionCrowd } from "../simulate/confusion.ts";
export { copiedCoinCrowd } from "../simulate/copied-coin.ts";
export { type Corruption, corruptions } from "../simulate/corruptions.ts";
export { difficultyCrowd } from "../simulate/difficulty.ts";
export { driftingCrowd } from "../simulate/drifting.ts";
export {
  bayesAccuracy,
  type GaussOptions,
  gaussFeatures,
  separationFor,
  withFeatures,
} from "../simulate/features.ts";
export { fiveWorkersCrowd } from "../simulate/five-workers.ts";
export { groupsCrowd } from "../simulate/groups.ts";
export { hammerSpammerCrowd } from "../simulate/hammer-spammer.ts";
export { hospitalsCrowd } from "../simulate/hospitals.ts";
export { scenarios } from "../simulate/index.ts";
export { instanceDependentCrowd } from "../simulate/instance-dependent.ts";
export { judgesCrowd } from "../simulate/judges.ts";
export { machinesCrowd } from "../simulate/machines.ts";
export { matchersCrowd } from "../simulate/matchers.ts";
export { maxMigCrowd } from "../simulate/max-mig.ts";
export { measurersCrowd } from "../simulate/measurers.ts";
export { mixedCrowd } from "../simulate/mixed.ts";
export { oneCoinCrowd } from "../simulate/one-coin.ts";
export { pickersCrowd } from "../simulate/pickers.ts";
export { ratersCrowd } from "../simulate/raters.ts";
export { regularCrowd } from "../simulate/regular.ts";
export { robustnessCrowd } from "../simulate/robustness.ts";
export { scatteredCrowd } from "../simulate/scattered.ts";
export type {
  AnyLabelScenario,
  AnyScenario,
  LabelledTasks,
  Scenario,
  Simulated,
  Simulation,
} from "../simulate/scenario.ts";
export { taggersCrowd } from "../simulate/taggers.ts";
export type { GivenTasks, TasksWithTruth } from "../simulate/tasks.ts";
export { thin } from "../simulate/thin.ts";
export { twoCoinCrowd } from "../simulate/two-coin.ts";
