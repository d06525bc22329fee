/** Every categorical method, the default first. */
import type { AnyAggregator } from "../aggregate/categorical/aggregator.ts";
import { aggregatorsById } from "../aggregate/categorical/index.ts";
import { auto } from "./auto.ts";

/** By id. */
export const categoricalMethods = { auto, ...aggregatorsById } as const;

export const methodList: readonly AnyAggregator[] = Object.values(categoricalMethods);
