/** Crowds in which some workers are exact copies of another. */
import { fromRows } from "../src/data/from-rows.ts";
import { createRandom } from "../src/math/random.ts";

export const K = 4;

export interface Crowd {
  /** Share of right labels of each worker. */
  readonly skills: readonly number[];
  /** Who is copied, and how often. */
  readonly copied?: readonly [worker: number, times: number];
  readonly tasks?: number;
  readonly seed?: number;
  /** How often a task is of the first class. */
  readonly first?: number;
}

/** Workers with skills, of whom one is copied: the copies come last. */
export function crowdOf({ skills, copied = [0, 0], tasks = 600, seed = 0, first = 1 / K }: Crowd) {
  const random = createRandom(seed).split("crowd");
  const rows: { task: string; worker: string; label: string }[] = [];
  const gold: [string, string][] = [];
  const other = (k: number) => (k + 1 + Math.floor(random.next() * (K - 1))) % K;
  for (let t = 0; t < tasks; t++) {
    const k = random.next() < first ? 0 : 1 + Math.floor(random.next() * (K - 1));
    gold.push([`t${t}`, `c${k}`]);
    const said = skills.map((p) => (random.next() < p ? k : other(k)));
    const copies = Array.from({ length: copied[1] }, () => said[copied[0]]);
    [...said, ...copies].forEach((l, w) => {
      rows.push({ task: `t${t}`, worker: `w${w}`, label: `c${l}` });
    });
  }
  const classes = Array.from({ length: K }, (_, k) => `c${k}`);
  return fromRows(rows, { gold, classes });
}
