/** `consilience/assign`: whom to ask what next, what a policy would have saved, and fair shares of tasks. */
export {
  type CampaignOptions,
  type CampaignPoint,
  replayCampaign,
} from "../assign/campaign.ts";
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
export { type Plan, type PlanOptions, type PlanProgress, plan } from "../assign/plan.ts";
