/** The numeric aggregators, in the order in which the docs tell them. */
import { mean } from "./mean.ts";
import { median } from "./median.ts";

export const estimators = [mean, median];
