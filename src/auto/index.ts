/** Every categorical method, the default first. */
import type { AnyAggregator } from "../aggregate/categorical/aggregator.ts";
import { aggregators } from "../aggregate/categorical/index.ts";
import { auto } from "./auto.ts";

export const methods: readonly AnyAggregator[] = [auto, ...aggregators];
