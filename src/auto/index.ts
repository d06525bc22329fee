/** The methods of every kind by id, the default first. */
import type { AnyAggregator } from "../aggregate/categorical/aggregator.ts";
import { aggregatorsById } from "../aggregate/categorical/index.ts";
import { multiLabelMethods as labellers } from "../aggregate/multi-label/index.ts";
import { numericMethods as estimators } from "../aggregate/numeric/index.ts";
import { ordinalMethods as levellers } from "../aggregate/ordinal/index.ts";
import { pairwiseMethods as rankers } from "../aggregate/pairwise/index.ts";
import { sequenceMethods as taggers } from "../aggregate/sequence/index.ts";
import { similarityMethods as clusterers } from "../aggregate/similarity/index.ts";
import { auto } from "./auto.ts";
import { multiLabelAuto } from "./multi-label.ts";
import { numericAuto } from "./numeric.ts";
import { ordinalAuto } from "./ordinal.ts";
import { pairwiseAuto } from "./pairwise.ts";
import { sequenceAuto } from "./sequence.ts";
import { similarityAuto } from "./similarity.ts";

export const categoricalMethods = { auto, ...aggregatorsById } as const;
export const ordinalMethods = { auto: ordinalAuto, ...levellers } as const;
export const numericMethods = { auto: numericAuto, ...estimators } as const;
export const pairwiseMethods = { auto: pairwiseAuto, ...rankers } as const;
export const sequenceMethods = { auto: sequenceAuto, ...taggers } as const;
export const multiLabelMethods = { auto: multiLabelAuto, ...labellers } as const;
export const similarityMethods = { auto: similarityAuto, ...clusterers } as const;

/** Every categorical method, the default first. */
export const methodList: readonly AnyAggregator[] = Object.values(categoricalMethods);
