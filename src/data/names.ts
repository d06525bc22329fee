/**
 * Names of tasks, workers, classes or items by number: a small read-only list that need not hold
 * strings, so that a hundred million of them can stay bytes.
 */
export interface Names extends Iterable<string> {
  readonly length: number;
  /** The name with this number; empty text where there is none. */
  at(i: number): string;
  /** The number of a name, or -1. */
  indexOf(name: string): number;
}

/** Wraps a list of names; what is a `Names` already stays as it is. */
export function namesOf(names: Names | readonly string[]): Names {
  if (!Array.isArray(names)) return names as Names;
  const list: readonly string[] = names;
  return Object.assign(Object.create(listed) as typeof listed, { list, length: list.length });
}

const places = new WeakMap<object, ReadonlyMap<string, number>>();

/** Behaviour of names that are held as a list of strings. */
const listed = {
  list: [] as readonly string[],
  length: 0,
  at(i: number): string {
    return this.list[i] ?? "";
  },
  indexOf(name: string): number {
    let numbers = places.get(this);
    if (!numbers) {
      numbers = new Map(this.list.map((each, i) => [each, i]));
      places.set(this, numbers);
    }
    return numbers.get(name) ?? -1;
  },
  [Symbol.iterator](): Iterator<string> {
    return this.list[Symbol.iterator]();
  },
  toJSON(): readonly string[] {
    return this.list;
  },
  /** Shows the names as a list in Node's console. */
  [Symbol.for("nodejs.util.inspect.custom")](): readonly string[] {
    return this.list;
  },
};
