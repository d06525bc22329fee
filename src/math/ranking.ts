/** Things ranked by a number that changes: a binary heap that knows where each thing stands. */
export interface Ranking {
  /** Gives a thing its number, whether it had one or not. O(log n). */
  set(thing: number, value: number): void;
  /** Takes a thing out of the ranking. O(log n). */
  remove(thing: number): void;
  /** Yields the things from the largest number on, equals in any but a fixed order. O(log n) each; do not change it meanwhile. */
  largest(): Generator<number>;
  size(): number;
}

/** Returns a ranking of nothing. */
export function createRanking(): Ranking {
  const heap: number[] = [];
  const place = new Map<number, number>();
  const values = new Map<number, number>();
  const value = (at: number) => values.get(heap[at]) ?? -Infinity;
  const put = (thing: number, at: number) => {
    heap[at] = thing;
    place.set(thing, at);
  };
  const swap = (a: number, b: number) => {
    const [one, other] = [heap[a], heap[b]];
    put(other, a);
    put(one, b);
  };
  const settle = (start: number) => {
    let at = start;
    while (at > 0 && value(at) > value((at - 1) >> 1)) {
      swap(at, (at - 1) >> 1);
      at = (at - 1) >> 1;
    }
    for (;;) {
      let next = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && value(child) > value(next)) next = child;
      }
      if (next === at) return;
      swap(at, next);
      at = next;
    }
  };
  return {
    set(thing, number) {
      values.set(thing, number);
      const at = place.get(thing) ?? heap.length;
      put(thing, at);
      settle(at);
    },
    remove(thing) {
      const at = place.get(thing);
      const last = heap.pop();
      if (at === undefined || last === undefined) {
        if (last !== undefined) heap.push(last);
        return;
      }
      place.delete(thing);
      values.delete(thing);
      if (last === thing) return;
      put(last, at);
      settle(at);
    },
    largest: () => fromTheTop(heap, value),
    size: () => heap.length,
  };
}

/** Yields what stands in a heap, largest first: of the children of what was given already, the largest is next. */
function* fromTheTop(heap: readonly number[], value: (at: number) => number): Generator<number> {
  const open = heap.length > 0 ? [0] : [];
  while (open.length > 0) {
    let best = 0;
    for (let i = 1; i < open.length; i++) if (value(open[i]) > value(open[best])) best = i;
    const [at] = open.splice(best, 1);
    yield heap[at];
    for (const child of [2 * at + 1, 2 * at + 2]) if (child < heap.length) open.push(child);
  }
}
