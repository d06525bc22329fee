/** The pairwise aggregators, in the order in which the docs tell them. */
import { bradleyTerry } from "./bradley-terry.ts";

export const rankers = [bradleyTerry];
