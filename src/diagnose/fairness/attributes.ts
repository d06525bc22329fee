/** Groups of tasks or workers from a column of attributes. */
import type { Attributes, CrowdData } from "../../data/crowd-data.ts";
import { CrowdError } from "../../error.ts";

/** Groups by number, in the order of their names. */
export interface Grouping {
  readonly names: readonly string[];
  /** The group of each task or worker, or -1 if its attribute is empty. */
  readonly of: Int32Array;
}

/** Returns the attribute of each task; throws `bad-data` if the data do not have it. */
export function taskAttribute(
  data: Pick<CrowdData, "taskAttributes">,
  name: string,
): readonly string[] {
  return column("task", data.taskAttributes, name);
}

/** Returns the attribute of each worker; throws `bad-data` if the data do not have it. */
export function workerAttribute(
  data: Pick<CrowdData, "workerAttributes">,
  name: string,
): readonly string[] {
  return column("worker", data.workerAttributes, name);
}

function column(
  whose: "task" | "worker",
  attributes: Attributes | undefined,
  name: string,
): readonly string[] {
  const found = attributes?.get(name);
  if (found) return found;
  const known = [...(attributes?.keys() ?? [])].map((each) => `"${each}"`).join(", ") || "none";
  throw new CrowdError(
    "bad-data",
    `There is no ${whose} attribute "${name}". The data have: ${known}. ` +
      `Give one value per ${whose} as ${whose}Attributes.`,
  );
}

/** Numbers groups by name; refuses a column of the wrong length, and fewer than two groups. */
export function groupingOf(
  whose: "task" | "worker",
  values: readonly string[],
  length: number,
): Grouping {
  if (values.length !== length) {
    throw new CrowdError(
      "bad-data",
      `There are ${length} ${whose}s and groups of ${values.length}. Give one group per ${whose}, "" if unknown.`,
    );
  }
  const names = [...new Set(values)].filter((name) => name !== "").sort();
  if (names.length < 2) {
    const found = names.length === 0 ? "none" : `only "${names[0]}"`;
    throw new CrowdError(
      "bad-data",
      `A gap is between two groups of ${whose}s or more; found ${found}. Check the attribute of each ${whose}.`,
    );
  }
  const numbers = new Map(names.map((name, at) => [name, at]));
  return { names, of: Int32Array.from(values, (value) => numbers.get(value) ?? -1) };
}
