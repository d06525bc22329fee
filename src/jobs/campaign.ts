/** What policies of asking would have saved: campaigns on labels with gold, or on simulated crowds. */
import {
  type CampaignComparison,
  type CampaignData,
  type CampaignOptions,
  comparisonSteps,
} from "../assign/campaign.ts";
import type { CategoricalData } from "../data/categorical.ts";
import type { CrowdData } from "../data/crowd-data.ts";
import { CrowdError } from "../error.ts";
import { kindOf } from "../kinds.ts";
import { campaignReport } from "../report/campaign-report.ts";
import type { Report } from "../report/model.ts";
import { walk } from "../run.ts";
import type { Hooks } from "./hooks.ts";

/** Which policies to compare on which labels. */
export interface CampaignRequest extends CampaignOptions {
  /** Labels with gold, or a function that draws a crowd from a seed. */
  readonly data: CrowdData | ((seed: number) => CategoricalData);
}

/** Policies side by side, with a report. */
export interface CampaignOutcome extends CampaignComparison {
  report(): Report;
}

/** Compares policies, with progress and cancellation. */
export async function campaignJob(
  { data, ...options }: CampaignRequest,
  { progress, signal }: Hooks = {},
): Promise<CampaignOutcome> {
  if (typeof data !== "function" && kindOf(data).id !== "categorical") {
    throw new CrowdError(
      "not-supported",
      `Campaigns are for labels; these are ${kindOf(data).id} answers.`,
    );
  }
  const counts = typeof data === "function" ? ["simulated crowds"] : kindOf(data).counts(data);
  const found = await walk(comparisonSteps(data as CampaignData, options), "campaign", {
    signal,
    onProgress: ({ stage }) => progress?.({ words: `replaying: ${stage}` }),
  });
  const { mode = "both" } = options;
  return { ...found, report: () => campaignReport({ ...found, counts, mode }) };
}
