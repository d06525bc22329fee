/** What more labels would buy, for data of any source. */
import { type Forecast, type ForecastOptions, forecastSteps } from "../assign/forecast.ts";
import type { CategoricalData } from "../data/categorical.ts";
import type { CrowdData } from "../data/crowd-data.ts";
import { CrowdError } from "../error.ts";
import { kindOf } from "../kinds.ts";
import { forecastSentences } from "../report/forecast-text.ts";
import type { Report } from "../report/model.ts";
import { forecastSection } from "../report/sections/categorical/forecast.ts";
import { walk } from "../run.ts";
import { type Hooks, walking } from "./hooks.ts";

/** Labels, and what to forecast; the data's gold anchors the forecast. */
export interface ForecastRequest
  extends Pick<ForecastOptions, "goal" | "independent" | "draws" | "seed"> {
  readonly data: CrowdData;
}

/** A forecast as numbers, in sentences and as a page. */
export interface Forecasted {
  readonly forecast: Forecast;
  readonly lines: readonly string[];
  report(): Report;
}

/** Forecasts the accuracy of answers with more labels. */
export async function forecastJob(
  { data, ...options }: ForecastRequest,
  hooks: Hooks = {},
): Promise<Forecasted> {
  const kind = kindOf(data);
  if (kind.id !== "categorical") {
    throw new CrowdError("not-supported", `forecast is for labels; these are ${kind.id} answers.`);
  }
  const steps = forecastSteps(data as CategoricalData, options);
  const forecast = await walk(steps, "forecast", walking(hooks, "forecast"));
  const section = forecastSection(forecast);
  return {
    forecast,
    lines: forecastSentences(forecast),
    report: () => ({
      title: "What more labels would buy",
      subtitle: kind.counts(data).join(", "),
      facts: [],
      notes: [],
      sections: section ? [section] : [],
    }),
  };
}
