/** What results of every kind share, and methods of the kinds whose fits need nothing more than that. */
import { type CrowdData, labelsPerWorker } from "../data/crowd-data.ts";
import type { Names } from "../data/names.ts";
import {
  drain,
  type MethodCard,
  type OptionTable,
  type Steps,
  settle,
  type Values,
} from "../method.ts";

/** What the results of all kinds of answers have in common. */
export interface CrowdResult {
  /** The kind of answers it was made from. */
  readonly kind: string;
  readonly method: string;
  /** All options, after defaults. */
  readonly options: Readonly<Record<string, number | string | boolean>>;
  readonly workers: Names;
  /** Number of answers of each worker. */
  readonly workload: Int32Array;
  /** The objective after each iteration, in nats; empty for methods that do not iterate. */
  readonly trace: Float64Array;
  readonly iterations: number;
  readonly converged: boolean;
  readonly notes: readonly string[];
}

/** What a method's own code returns besides what its kind asks for. */
export interface Fitted {
  readonly trace: readonly number[];
  readonly converged: boolean;
  readonly notes?: readonly string[];
}

/** The same as part of a result. */
export type Finished<Fit extends Fitted> = Omit<Fit, "trace" | "notes"> & CrowdResult;

/** A method for data of one kind: call it for the answer, or walk its `steps` to watch it and stop. */
export interface Method<Data, Options extends OptionTable, Known, Result>
  extends MethodCard<Options> {
  (data: Data, options?: Partial<Values<Options>>, known?: Known): Result;
  steps(data: Data, options?: Partial<Values<Options>>, known?: Known): Steps<Result>;
}

/** Makes a method of a card and its iterations: options are settled and provenance stamped here. */
export function crowdMethod<
  Data extends CrowdData,
  const Options extends OptionTable,
  Known extends object,
  Fit extends Fitted,
>(
  card: MethodCard<Options>,
  iterate: (data: Data, options: Values<Options>, known: Known) => Steps<Fit>,
): Method<Data, Options, Known, Finished<Fit>> {
  function* steps(data: Data, chosen: object = {}, known = {} as Known): Steps<Finished<Fit>> {
    const values = settle(card.id, card.options, chosen as Readonly<Record<string, unknown>>);
    const { trace, notes = [], ...fit } = yield* iterate(data, values, known);
    const unsettled = fit.converged
      ? []
      : [`Stopped after ${trace.length} iterations, before it converged.`];
    return {
      ...fit,
      kind: card.kind,
      method: card.id,
      options: values as CrowdResult["options"],
      workers: data.workers,
      workload: labelsPerWorker(data),
      trace: Float64Array.from(trace),
      iterations: trace.length,
      notes: [...notes, ...unsettled],
    };
  }
  const call = (data: Data, chosen?: object, known?: Known) => drain(steps(data, chosen, known));
  return Object.assign(call, card, { steps });
}
