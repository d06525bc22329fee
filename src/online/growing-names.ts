/** Names of tasks or workers to which new ones are added at the end, in order of first appearance. */
import { type Names, namesOf } from "../data/names.ts";

export interface GrowingNames {
  length(): number;
  at(i: number): string;
  /** Returns the number of a name, or -1. */
  indexOf(name: string): number;
  /** Returns the number of a name, which is added if it is new. */
  add(name: string): number;
  /** Returns the names as they are now; later ones do not change the list. O(names) if some are new. */
  list(): Names;
}

export function createGrowingNames(given: Names): GrowingNames {
  const known = namesOf(given);
  // Lists of names are indexed when first searched: now, and not with the first label.
  known.indexOf("");
  const added: string[] = [];
  const places = new Map<string, number>();
  const indexOf = (name: string): number => {
    const place = places.get(name);
    return place === undefined ? known.indexOf(name) : place;
  };
  return {
    length: () => known.length + added.length,
    at: (i) => (i < known.length ? known.at(i) : (added[i - known.length] ?? "")),
    indexOf,
    add(name) {
      const place = indexOf(name);
      if (place >= 0) return place;
      const number = known.length + added.length;
      places.set(name, number);
      added.push(name);
      return number;
    },
    list: () => (added.length === 0 ? known : namesOf([...known, ...added])),
  };
}
