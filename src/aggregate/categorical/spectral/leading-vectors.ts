/**
 * Leading eigenvectors over workers, one for each part of the crowd: a matrix between workers who
 * share no tasks is 0, and the vector of the whole would leave all parts but one without a say.
 */
import type { Names } from "../../../data/names.ts";
import { normal } from "../../../math/distributions.ts";
import { leadingEigen } from "../../../math/lanczos.ts";
import type { Random } from "../../../math/random.ts";
import type { Steps } from "../../../method.ts";
import type { CrowdParts } from "./crowd-parts.ts";

export const leadingOptions = {
  maxIterations: {
    default: 100,
    min: 1,
    integer: true,
    help: "Maximum number of rounds, of 24 matrix products each, per connected part of the crowd.",
  },
  tolerance: {
    default: 1e-11,
    min: 0,
    help: "Residual of the eigenvector, relative to its eigenvalue, at which to stop.",
  },
} as const;

export interface LeadingVectors {
  /** Entry of each worker, of length 1 within each part; 0 without labels. */
  readonly vector: Float64Array;
  /** Eigenvalue of the part of each worker. */
  readonly value: Float64Array;
  readonly trace: readonly number[];
  readonly converged: boolean;
}

/** A symmetric matrix between workers: writes its product with v, for these workers only. */
export type WorkerProduct = (v: Float64Array, into: Float64Array, workers: Int32Array) => void;

/** The start is drawn by the names of the workers, so that their order does not matter. */
export function* leadingVectors(
  product: WorkerProduct,
  workers: Names,
  { ofWorker, count }: CrowdParts,
  { maxIterations, tolerance }: { readonly maxIterations: number; readonly tolerance: number },
  random: Random,
): Steps<LeadingVectors> {
  const W = workers.length;
  const vector = new Float64Array(W);
  const value = new Float64Array(W);
  const [wide, wideInto] = [new Float64Array(W), new Float64Array(W)];
  const trace: number[] = [];
  let converged = true;
  for (const members of membersOf(ofWorker, count)) {
    const multiply = (v: Float64Array, into: Float64Array) => {
      for (let j = 0; j < members.length; j++) wide[members[j]] = v[j];
      product(wide, wideInto, members);
      for (let j = 0; j < members.length; j++) into[j] = wideInto[members[j]];
    };
    const start = Float64Array.from(members, (w) => 1 + 0.5 * normal(random.split(workers.at(w))));
    const rounds = leadingEigen(multiply, start, { maxRounds: maxIterations, tolerance });
    let round = rounds.next();
    for (; !round.done; round = rounds.next()) {
      // The logarithm of an eigenvalue of 0 would be no number.
      const objective = round.value > 0 ? Math.log(round.value) : 0;
      trace.push(objective);
      yield { iteration: trace.length, objective };
    }
    const found = round.value;
    converged &&= found.converged;
    for (let j = 0; j < members.length; j++) {
      vector[members[j]] = found.vector[j];
      value[members[j]] = found.value;
    }
  }
  return { vector, value, trace, converged };
}

/** The workers of each part. */
function membersOf(ofWorker: Int32Array, count: number): Int32Array[] {
  const sizes = new Int32Array(count);
  for (const part of ofWorker) if (part >= 0) sizes[part]++;
  const members = Array.from(sizes, (size) => new Int32Array(size));
  sizes.fill(0);
  for (let w = 0; w < ofWorker.length; w++) {
    const part = ofWorker[w];
    if (part >= 0) members[part][sizes[part]++] = w;
  }
  return members;
}
