/** The numeric aggregators, in the order in which the docs tell them. */
import { mean } from "./mean.ts";
import { median } from "./median.ts";

/** By id. */
export const numericMethods = { mean, median } as const;

export const estimators = Object.values(numericMethods);
