/**
 * How far the workers agree, in all the usual coefficients, each with its interval over tasks.
 *
 * They answer different questions and differ most where classes are unequally common: a kappa or
 * alpha near 0 beside a high percentage means that one class dominates; AC1 then stays near the
 * percentage. None says that the labels are right: workers can agree on an error.
 */
import type { CategoricalData } from "../data/categorical.ts";
import { type Coefficient, type CoefficientOptions, estimate } from "./coefficient.ts";
import { type MeanCohen, type MeanCohenOptions, meanCohenKappa } from "./cohen.ts";
import { countTable } from "./counts.ts";
import { fleissStatistic } from "./fleiss.ts";
import { gwetStatistic } from "./gwet.ts";
import { krippendorffStatistic } from "./krippendorff.ts";
import { percentStatistic } from "./percent.ts";

/** What the classes are: names, ranks, numbers, or numbers with a zero that means none. */
export type Scale = "nominal" | "ordinal" | "interval" | "ratio";

/** How agreement is measured. */
export interface AgreementOptions
  extends CoefficientOptions,
    Pick<MeanCohenOptions, "minOverlap" | "mostPairs"> {
  /**
   * Default: nominal. Others choose that distance for alpha, ordinal or quadratic weights for AC2 and
   * quadratic ones for Cohen's kappa.
   */
  readonly scale?: Scale | undefined;
}

/** Coefficients of agreement between workers. */
export interface Agreement {
  readonly scale: Scale;
  /** Mean over tasks of the share of agreeing pairs of labels. */
  readonly percent: Coefficient;
  /** Share of agreeing pairs among all pairs. */
  readonly pooled: Coefficient;
  /** Mean of Cohen's kappa over pairs of workers with enough shared tasks. */
  readonly cohen: MeanCohen;
  readonly fleiss: Coefficient;
  readonly krippendorff: Coefficient;
  /** AC1, or AC2 where the scale has an order. */
  readonly gwet: Coefficient;
}

/** Measures how far workers agree, by percent agreement, kappa, alpha and related coefficients. */
export function agreement(data: CategoricalData, options: AgreementOptions = {}): Agreement {
  const { scale = "nominal" } = options;
  const table = countTable(data);
  const nominal = scale === "nominal";
  return {
    scale,
    percent: estimate(table, percentStatistic(table), options),
    pooled: estimate(table, percentStatistic(table, "pairs"), options),
    cohen: meanCohenKappa(data, { ...options, weights: nominal ? "identity" : "quadratic" }),
    fleiss: estimate(table, fleissStatistic(table), options),
    krippendorff: estimate(table, krippendorffStatistic(table, data.classes, scale), options),
    gwet: estimate(
      table,
      gwetStatistic(table, nominal ? "identity" : scale === "ordinal" ? "ordinal" : "quadratic"),
      options,
    ),
  };
}
