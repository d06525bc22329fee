/**
 * Labels whose classes have an order: ratings, grades, severities. The columns are those of labels; class 0 is
 * the lowest level.
 */

import { CrowdError, hint } from "../error.ts";
import type { CategoricalData } from "./categorical.ts";
import type { CategoricalOptions } from "./categorical-from-columns.ts";

/** Labels with ordered classes: which worker put which task at which level. */
export interface OrdinalData extends Omit<CategoricalData, "kind"> {
  readonly kind: "ordinal";
}

/** Takes labels for levels; refuses those whose order is not known. */
export function inOrder(
  data: CategoricalData,
  { classes }: Pick<CategoricalOptions, "classes">,
): OrdinalData {
  const names = [...data.classes];
  if (!classes && names.length > 1 && names.some((name) => !Number.isFinite(Number(name)))) {
    const most = names.slice(0, 5).map((name) => JSON.stringify(name));
    const more = names.length > 5 ? ` and ${names.length - 5} more` : "";
    throw new CrowdError(
      "bad-data",
      `The order of the levels ${most.join(", ")}${more} is not known, since they are not all numbers. ` +
        `Name all levels, the lowest first: ${hint("classes", "low,medium,high")}.`,
    );
  }
  return { ...data, kind: "ordinal" };
}

const seen = new WeakMap<OrdinalData, CategoricalData>();

/** Returns the same labels without the order; the same object each time, so that its indexes are made once. */
export function asLabels(data: OrdinalData): CategoricalData {
  const known = seen.get(data);
  if (known) return known;
  const labels: CategoricalData = { ...data, kind: "categorical" };
  seen.set(data, labels);
  return labels;
}
