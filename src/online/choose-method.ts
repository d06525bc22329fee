/** Which method a live model stands for: the one that made the result, or the heaviest of a blend. */
import type { Aggregation, AnyAggregator } from "../aggregate/categorical/aggregator.ts";
import type { Known } from "../belief/known.ts";
import type { CategoricalData } from "../data/categorical.ts";
import type { LiveContext, LiveModel } from "../em/live.ts";
import { CrowdError } from "../error.ts";
import { settle } from "../method.ts";

type Options = Aggregation["options"];

/** A method that was tried for a blend. */
interface LiveCandidate {
  readonly name: string;
  readonly method: string;
  readonly options: Options;
  readonly weight: number;
}

/** The result of a method; a blend of methods says what it is made of. */
export type LiveResult = Aggregation & { readonly portfolio?: readonly LiveCandidate[] };

export interface ChosenMethod {
  readonly method: AnyAggregator;
  readonly options: Options;
  /** Returns the method in live form. */
  readonly make: (context: LiveContext) => LiveModel;
  /** What the method itself makes of the data. */
  readonly fitted: Aggregation;
}

export function chooseMethod(
  data: CategoricalData,
  result: LiveResult,
  known: Known,
  methods: readonly AnyAggregator[],
): ChosenMethod {
  const own = methods.find(({ id }) => id === result.method);
  if (own?.live) return prepared(own, result.options, () => result);
  const live = methods.filter((method) => method.live);
  const ids = live.map(({ id }) => id).join(", ");
  if (!result.portfolio) {
    throw new CrowdError(
      "not-supported",
      `A result of ${result.method} cannot be kept live. Fit one of ${ids} and start from its result.`,
    );
  }
  const heaviest = heaviestOf(result.portfolio, live);
  const method = live.find(({ id }) => id === heaviest?.method);
  if (!heaviest || !method) {
    throw new CrowdError(
      "not-supported",
      `This result of ${result.method} cannot be kept live: none of ${ids} has weight in its blend. ` +
        `Fit one of them and start from its result.`,
    );
  }
  // A blend hands its rule for abstentions on to those candidates that have one.
  const { abstentions } = result.options;
  const more = abstentions !== undefined && Object.hasOwn(method.options, "abstentions");
  const options = { ...heaviest.options, ...(more && { abstentions }) };
  return prepared(method, options, (settled) => method(data, settled, known));
}

/** Returns the candidate with the largest weight among these methods; the first of equals. */
function heaviestOf(
  portfolio: readonly LiveCandidate[],
  methods: readonly AnyAggregator[],
): LiveCandidate | undefined {
  let heaviest: LiveCandidate | undefined;
  for (const candidate of portfolio) {
    if (!methods.some(({ id }) => id === candidate.method)) continue;
    if (candidate.weight > (heaviest?.weight ?? 0)) heaviest = candidate;
  }
  return heaviest;
}

function prepared(
  method: AnyAggregator,
  given: Options,
  resultFor: (options: Options) => Aggregation,
): ChosenMethod {
  const options = settle(method.id, method.options, given);
  const make = (context: LiveContext): LiveModel => {
    const model = method.live?.(options, context);
    if (!model) throw new CrowdError("not-supported", `${method.id} cannot be kept live.`);
    return model;
  };
  return { method, options, make, fitted: resultFor(options) };
}
