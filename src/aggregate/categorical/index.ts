/** The categorical aggregators, in the order in which the docs tell them. */
import type { AnyAggregator } from "./aggregator.ts";
import { dawidSkene } from "./dawid-skene.ts";
import { majorityVote } from "./majority-vote.ts";

export const aggregators: readonly AnyAggregator[] = [majorityVote, dawidSkene];
