/** How long each part of a command took. */
export interface Clock {
  mark(name: string): void;
  seconds(): Record<string, number>;
}

export function createClock(): Clock {
  const parts: Record<string, number> = {};
  let last = performance.now();
  return {
    mark(name) {
      const now = performance.now();
      parts[name] = Number(((now - last) / 1000).toFixed(3));
      last = now;
    },
    seconds: () => ({ ...parts }),
  };
}
