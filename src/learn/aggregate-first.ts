/** From beliefs to targets that a network learns as if they were the truth. */
import type { Session } from "./session.ts";

/** The most probable class with certainty; among equals one is drawn for each task. */
export function hardened({ data, random }: Session, belief: Float64Array): Float64Array {
  const K = data.classes.length;
  const draws = random.split("ties");
  const hard = new Float64Array(belief.length);
  [...data.tasks].forEach((name, t) => {
    const row = belief.subarray(t * K, (t + 1) * K);
    const top = row.reduce((a, b) => Math.max(a, b));
    const tied = [...row.keys()].filter((k) => row[k] >= top - 1e-12);
    const pick = tied.length > 1 ? Math.floor(draws.split(name).next() * tied.length) : 0;
    hard[t * K + tied[pick]] = 1;
  });
  return hard;
}
