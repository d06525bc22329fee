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
