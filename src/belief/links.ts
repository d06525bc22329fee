/** Links between tasks that tend to have the same class: by number as methods take them, and from names. */
import type { CrowdData } from "../data/crowd-data.ts";
import { CrowdError, hint, plural } from "../error.ts";

/** Pairs of tasks that tend to have the same class; the direction does not matter. */
export interface Links {
  /** One task of each link, by its number. */
  readonly from: Int32Array;
  /** The other task. */
  readonly to: Int32Array;
  /** How much each link counts, from 0 up; absent if all count the same. */
  readonly weight?: Float64Array;
  /** How many links were left out because they name something that is no task of the data. */
  readonly leftOut?: number;
}

/** Makes links of pairs of names, each with a weight or without; pairs that name no task of the data are counted. */
export function linksOf(
  data: Pick<CrowdData, "tasks">,
  pairs: Iterable<readonly [task: string, other: string, weight?: number]>,
): Links {
  const place = new Map(Array.from(data.tasks, (name, t) => [name, t]));
  const [from, to, weight]: [number[], number[], number[]] = [[], [], []];
  let leftOut = 0;
  for (const [task, other, count = 1] of pairs) {
    const [a, b] = [place.get(task), place.get(other)];
    if (a === undefined || b === undefined) {
      leftOut++;
      continue;
    }
    from.push(a);
    to.push(b);
    weight.push(count);
  }
  return {
    from: Int32Array.from(from),
    to: Int32Array.from(to),
    ...(weight.some((count) => count !== 1) && { weight: Float64Array.from(weight) }),
    leftOut,
  };
}

/** Refuses links of tasks that there are not, of a task with itself, and weights that are none. */
export function checkLinks(id: string, { from, to, weight }: Links, tasks: number): void {
  const refuse = (what: string): never => {
    throw new CrowdError("bad-option", `${id}: ${hint("known.links")} ${what}`);
  };
  if (to.length !== from.length || (weight && weight.length !== from.length)) {
    refuse(
      `must hold as many ends as beginnings and weights, not ${from.length}, ${to.length}` +
        `${weight ? ` and ${weight.length}` : ""}.`,
    );
  }
  for (let e = 0; e < from.length; e++) {
    for (const t of [from[e], to[e]]) {
      if (!(t >= 0 && t < tasks))
        refuse(`names task ${t}; there are ${plural(tasks, "task", "tasks")}, from 0.`);
    }
    if (from[e] === to[e]) {
      refuse(`connects task ${from[e]} with itself, which says nothing. Remove such links.`);
    }
    const count = weight ? weight[e] : 1;
    if (!(count >= 0 && count <= 1e100))
      refuse(`has the weight ${count}; weights are numbers from 0 up.`);
  }
}

/** The links of tasks under other numbers; those of a task with place -1 are dropped. */
export function renumberLinks({ from, to, weight, ...rest }: Links, place: Int32Array): Links {
  const kept = Array.from(from.keys()).filter((e) => place[from[e]] >= 0 && place[to[e]] >= 0);
  return {
    ...rest,
    from: Int32Array.from(kept, (e) => place[from[e]]),
    to: Int32Array.from(kept, (e) => place[to[e]]),
    ...(weight && { weight: Float64Array.from(kept, (e) => weight[e]) }),
  };
}
