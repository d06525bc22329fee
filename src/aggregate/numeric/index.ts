/** The numeric aggregators, in the order in which the docs tell them. */
import { catdNumeric } from "./catd-numeric.ts";
import { gaussian } from "./gaussian.ts";
import { looWeight } from "./loo-weight.ts";
import { lowRankCovariance } from "./low-rank-covariance.ts";
import { mean } from "./mean.ts";
import { median } from "./median.ts";
import { ok2019 } from "./ok-2019.ts";
import { pmNumeric } from "./pm-numeric.ts";
import { studentT } from "./student-t.ts";
import { trimmedMean } from "./trimmed-mean.ts";

/** By id. */
export const numericMethods = {
  mean,
  median,
  "trimmed-mean": trimmedMean,
  gaussian,
  "student-t": studentT,
  "loo-weight": looWeight,
  "catd-numeric": catdNumeric,
  "pm-numeric": pmNumeric,
  "ok-2019": ok2019,
  "low-rank-covariance": lowRankCovariance,
} as const;

export const estimators = Object.values(numericMethods);
