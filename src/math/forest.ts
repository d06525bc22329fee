/** Things joined into trees: which of them hang together, directly or through others. */
export interface Forest {
  /** The least of the things that hang together with this one. */
  root(thing: number): number;
  join(a: number, b: number): void;
}

/** `size` things, none of them joined. */
export function createForest(size: number): Forest {
  const parent = Int32Array.from({ length: size }, (_, thing) => thing);
  const root = (thing: number): number => {
    let at = thing;
    while (parent[at] !== at) {
      parent[at] = parent[parent[at]];
      at = parent[at];
    }
    return at;
  };
  return {
    root,
    join(a, b) {
      const [one, other] = [root(a), root(b)];
      if (one !== other) parent[Math.max(one, other)] = Math.min(one, other);
    },
  };
}

/** What the pairs join of `size` things: those that hang together, ascending; things in no pair are left out. */
export function joinedBy(
  pairs: readonly (readonly [number, number])[],
  size: number,
): Int32Array[] {
  const { root, join } = createForest(size);
  for (const [a, b] of pairs) join(a, b);
  const members = new Map<number, Set<number>>();
  for (const pair of pairs) {
    for (const thing of pair) {
      const group = members.get(root(thing)) ?? new Set();
      members.set(root(thing), group.add(thing));
    }
  }
  return [...members.values()]
    .map((group) => Int32Array.from(group).sort())
    .sort((a, b) => a[0] - b[0]);
}
