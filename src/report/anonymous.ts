/** Names that say nothing, in place of those of workers. */
import { type Names, namesOf } from "../data/names.ts";

/** Returns worker-1, worker-2, … in the order of the workers. */
export function anonymousNames(workers: Names): Names {
  const width = String(workers.length).length;
  return namesOf(Array.from(workers, (_, w) => `worker-${String(w + 1).padStart(width, "0")}`));
}
