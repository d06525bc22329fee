/** `consilience/assign`: whom to ask what next, and what a policy would have saved. */
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
export { type Plan, type PlanOptions, type PlanProgress, plan } from "../assign/plan.ts";
