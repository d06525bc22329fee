/** Answers hidden in turn from methods of any kind: the judge between them without gold. */
import { answerHashes, mix, type Role } from "../data/content-hash.ts";
import type { CrowdData } from "../data/crowd-data.ts";
import { createRandom } from "../math/random.ts";
import type { Steps } from "../method.ts";

/** Which answers are hidden together; -1 for those that are always shown. */
export interface HiddenParts {
  readonly part: Int32Array;
  readonly parts: number;
}

/** The answers as things that go together: what each says, and what it is about. */
export interface Units {
  readonly said: Uint32Array;
  readonly roles: readonly Role[];
  /** How many answers each counts for; absent where all count for one. */
  readonly weight?: Float64Array | undefined;
  /** Nothing is hidden that would leave one of these without an answer: the task of a number, say. */
  readonly kept: { readonly of: Int32Array; readonly count: number };
}

/** Gives units that say nothing about order or names: tasks and workers, and what each answer says as a hash. */
export function taskUnits(
  { task, tasks, worker, workers, weight }: CrowdData,
  said: Uint32Array,
): Units {
  const kept = { of: task, count: tasks.length };
  const roles = [
    { of: [task], count: tasks.length },
    { of: [worker], count: workers.length },
  ];
  return { said, roles, kept, weight };
}

/**
 * Cuts answers into parts by what they are like, so that names and order do not matter. With `folds` 1 a tenth
 * is hidden once. What would be left without any answer is never hidden.
 */
export function hiddenParts(
  { said, roles, kept, weight }: Units,
  folds: number,
  seed: number,
): HiddenParts {
  const salt = Math.floor(createRandom(seed).split("hidden answers").next() * 2 ** 32);
  const cut = folds === 1 ? 10 : folds;
  const part = Int32Array.from(answerHashes(said, roles, weight), (hash) => mix(hash, salt) % cut);
  const first = new Int32Array(kept.count).fill(-1);
  const several = new Uint8Array(kept.count);
  part.forEach((p, i) => {
    if (weight && weight[i] === 0) return;
    const t = kept.of[i];
    if (first[t] < 0) first[t] = p;
    else if (first[t] !== p) several[t] = 1;
  });
  return {
    part: part.map((p, i) => (several[kept.of[i]] && p < folds && weight?.[i] !== 0 ? p : -1)),
    parts: folds,
  };
}

/**
 * Hides each part in turn and hands on what is shown and what is hidden, as numbers of answers; returns whatever
 * `predict` says of each hidden answer, NaN for those that are never hidden.
 */
export function* hideInTurn(
  { part, parts }: HiddenParts,
  predict: (shown: Int32Array, hidden: Int32Array) => Steps<ArrayLike<number>>,
): Steps<Float64Array> {
  const said = new Float64Array(part.length).fill(Number.NaN);
  const all = Int32Array.from(part.keys());
  for (let f = 0; f < parts; f++) {
    const hidden = all.filter((i) => part[i] === f);
    if (hidden.length === 0) continue;
    yield { iteration: f + 1, objective: 0, stage: `hiding answers, part ${f + 1} of ${parts}` };
    const found = yield* predict(
      all.filter((i) => part[i] !== f),
      hidden,
    );
    hidden.forEach((i, at) => {
      said[i] = found[at];
    });
  }
  return said;
}

/** Returns the mean of what is known, each by its weight; 0 where nothing is. */
export function meanOfKnown(values: Float64Array, weight?: Float64Array): number {
  let [sum, total] = [0, 0];
  values.forEach((x, i) => {
    if (Number.isNaN(x)) return;
    const count = weight ? weight[i] : 1;
    sum += count * x;
    total += count;
  });
  return total > 0 ? sum / total : 0;
}
