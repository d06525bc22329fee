/** The numeric aggregators, in the order in which the docs tell them. */
import { gaussian } from "./gaussian.ts";
import { looWeight } from "./loo-weight.ts";
import { mean } from "./mean.ts";
import { median } from "./median.ts";
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
} as const;

export const estimators = Object.values(numericMethods);
