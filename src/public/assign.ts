/** `consilience/assign`: whom to ask what next, what a policy would have saved, what more labels would buy, and fair shares of tasks. */

export type { Audited } from "../assign/audits.ts";
export type { WorkerChoice } from "../assign/bandits.ts";
export {
  type Band,
  type CampaignComparison,
  type CampaignData,
  type CampaignOptions,
  type CampaignPoint,
  type PolicyCurve,
  simulateCampaign,
} from "../assign/campaign.ts";
export type { CampaignSettings, RunPoint } from "../assign/campaign-run.ts";
export type { Assignment, AssignPolicy } from "../assign/choose.ts";
export {
  expectedInformation,
  expectedRise,
  type Speaker,
  speakerOf,
} from "../assign/expected-gain.ts";
export {
  type FairShares,
  type FairSharesInput,
  fairShares,
  type GapInterval,
  type PerWorker,
} from "../assign/fair-shares.ts";
export {
  type Forecast,
  type ForecastGoal,
  type ForecastOptions,
  type ForecastPoint,
  forecast,
} from "../assign/forecast.ts";
export type { MeasuredShare } from "../assign/gold-questions.ts";
export { type Plan, type PlanMeasures, type PlanProgress, plan } from "../assign/plan.ts";
export type { PlanOptions } from "../assign/plan-options.ts";
export type { PlanStop } from "../assign/stop-rules.ts";
export { tutorialModel } from "../assign/tutorial-model.ts";
export type { PlanWorker } from "../assign/worker-quality.ts";
