/** The categorical aggregators, in the order in which the docs tell them. */
import type { AnyAggregator } from "./aggregator.ts";
import { confusionVector } from "./confusion-vector.ts";
import { dawidSkene } from "./dawid-skene.ts";
import { ibcc } from "./ibcc.ts";
import { majorityVote } from "./majority-vote.ts";
import { oneCoin } from "./one-coin.ts";
import { oracle } from "./oracle.ts";

export const aggregators: readonly AnyAggregator[] = [
  majorityVote,
  dawidSkene,
  oneCoin,
  confusionVector,
  ibcc,
  oracle,
];
