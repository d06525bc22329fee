/** Columns as readers hand them over, whatever the kind of answer. */
import type { Attributes, CrowdData } from "./crowd-data.ts";

/** Columns of indices into lists of names, in the order in which the names were met. */
export interface AnswerColumns {
  readonly tasks: readonly string[];
  readonly workers: readonly string[];
  readonly task: Int32Array;
  readonly worker: Int32Array;
  readonly weight?: Float64Array | undefined;
  readonly time?: Float64Array | undefined;
}

/** What comes with the columns of every kind. */
export interface ColumnOptions {
  readonly taskAttributes?: Attributes | undefined;
  readonly workerAttributes?: Attributes | undefined;
  /** Notes of whoever read the columns. */
  readonly notes?: readonly string[] | undefined;
}

/** Returns the attributes that there are, for data to be made from. */
export function attributesOf({
  taskAttributes,
  workerAttributes,
}: ColumnOptions): Pick<CrowdData, "taskAttributes" | "workerAttributes"> {
  return {
    ...(taskAttributes && { taskAttributes }),
    ...(workerAttributes && { workerAttributes }),
  };
}
