/**
 * SpEM: Dawid–Skene with a prior that pulls the rows of a worker's confusion together, one strength per worker.
 *
 *   z[t]       ~ Categorical(prior)
 *   label[i]   ~ Categorical(confusion[w, z[t]])
 *   confusion  ∝ exp(−λ[w] S[w] / 2)     S = Σ_k Σ_l (rate[k][l] − mean_k rate[k][l])² / (K − 1)
 *
 * For two classes S = (sensitivity + specificity − 1)². EM over the classes; the M step of a worker is a Newton
 * step in two dimensions for two classes, and else coordinate ascent over rows and their mean. Then
 * λ[w] = (K − 1)(L − 1) / S[w], the most probable strength of a Gaussian with so many free directions: 1 / S for two
 * classes. A worker whose rows differ by less than about two standard errors has no such point: λ grows until the
 * rows are equal. When EM stands still, workers with S below `threshold` or λ at its limit are eliminated, their
 * labels count for nothing from there on, and EM goes on without them until nobody is eliminated any more.
 *
 * Strong in crowds with many spammers; with few labels per worker it takes honest workers for spammers, so
 * workers with fewer than `fewest` labels keep λ = 1 and are never eliminated.
 *
 * Raykar & Yu (2012), Journal of Machine Learning Research 13, 491–518. https://jmlr.org/papers/v13/raykar12a.html
 */
import {
  exposureOf,
  normaliseTable,
  type Shape,
  skillOf,
  tableBytes,
  transpose,
} from "../../../belief/confusion-table.ts";
import { informativeness } from "../../../belief/informativeness.ts";
import { startingPosterior, taskBase } from "../../../belief/known.ts";
import { FLOOR } from "../../../belief/shares.ts";
import { voteShares } from "../../../belief/votes.ts";
import { type ClassPrior, createClassPrior, priorOption } from "../../../em/class-prior.ts";
import { climb, climbOptions } from "../../../em/climb.ts";
import { createPseudo, logDensity, type Pseudo, smoothingOption } from "../../../em/confusion.ts";
import { pulledCoins, pulledRows } from "../../../em/pulled-rows.ts";
import { plural } from "../../../error.ts";
import { createExpectation, type Expectation } from "../../../kernels/expectation.ts";
import type { Steps } from "../../../method.ts";
import { aggregator, type Fit, probabilisticOptions } from "../aggregator.ts";

/** What SpEM finds beyond the answers. */
export interface Spem extends Fit {
  readonly confusion: Float64Array;
  /** 1 for each worker whose labels were eliminated, else 0. */
  readonly eliminated: Int32Array;
  /** How far the rows of each worker's confusion are apart: 0 for a spammer, 1 for a perfect worker. */
  readonly informativeness: Float64Array;
  /** Strength λ of the pull on each worker's rows. */
  readonly penalty: Float64Array;
}

/** The largest strength: rows this close together cannot be told from equal ones. */
const MOST = 1e4;

/** SpEM: Dawid–Skene that finds spammers and eliminates their labels. */
export const spem = aggregator(
  {
    id: "spem",
    title: "SpEM",
    summary:
      "Dawid–Skene that finds spammers by a prior on equal rows and eliminates their labels.",
    paper: {
      authors: "V. C. Raykar, S. Yu",
      year: 2012,
      title: "Eliminating spammers and ranking annotators for crowdsourced labeling tasks",
      url: "https://jmlr.org/papers/v13/raykar12a.html",
    },
    family: "em",
    probabilistic: true,
    cost: "O(N·K + W·K²) per iteration, W·K² memory",
    memory: tableBytes,
    options: {
      ...probabilisticOptions,
      ...climbOptions,
      ...priorOption,
      ...smoothingOption,
      threshold: {
        default: 0.05,
        min: 0,
        max: 1,
        help: "Informativeness below which a worker is eliminated.",
      },
      fewest: {
        default: 10,
        min: 0,
        unit: "labels",
        help: "Number of labels below which a worker is never eliminated.",
      },
    },
  },
  function* (data, options, { known, engine, K, L }): Steps<Spem> {
    const shape = { workers: data.workers.length, classes: K, given: L };
    const model = createExpectation(
      { ...data, tasks: data.tasks.length, ...shape, base: taskBase(data, known) },
      engine,
    );
    const prior = createClassPrior(data, known, options.prior);
    const none = new Float64Array(K * L);
    const pseudo = createPseudo({ ...options, shrinkage: 0 }, none, known.history, { K, L });
    model.startFrom(startingPosterior(data, known, voteShares(data)));
    const crowd = createCrowd(model, prior, pseudo, shape, options.fewest);
    const trace: number[] = [];
    let converged = false;
    let found: "none" | "some" | "all" = "some";
    while (found === "some") {
      const left = options.maxIterations - trace.length;
      const climbed = yield* climb(crowd, { ...options, maxIterations: left });
      for (const objective of climbed.trace) trace.push(objective);
      converged = climbed.converged;
      // Who is eliminated must be left out of at least one more iteration.
      found = trace.length < options.maxIterations ? crowd.find(options.threshold) : "none";
    }
    const confusion = transpose(model.rates, shape);
    return {
      posterior: model.posterior.slice(),
      prior: prior.shares,
      confusion,
      exposure: exposureOf(model.counts, shape),
      skill: skillOf(confusion, prior.shares, shape),
      eliminated: crowd.eliminated,
      informativeness: crowd.score,
      penalty: crowd.strength,
      trace,
      converged,
      notes: notesOn(crowd.eliminated, found === "all"),
    };
  },
);

function notesOn(eliminated: Int32Array, kept: boolean): string[] {
  const count = eliminated.reduce((sum, flag) => sum + flag, 0);
  return [
    ...(count > 0
      ? [`The labels of ${plural(count, "worker were", "workers were")} eliminated as guesses.`]
      : []),
    ...(kept
      ? [
          "All remaining workers look like guesses; none of them was eliminated. Do not trust these answers.",
        ]
      : []),
  ];
}

/** The state of all workers, as EM steps it. */
function createCrowd(
  model: Expectation,
  prior: ClassPrior,
  pseudo: Pseudo,
  shape: Shape,
  fewest: number,
) {
  const { workers: W, classes: K, given: L } = shape;
  const directions = (K - 1) * (L - 1);
  const eliminated = new Int32Array(W);
  const strength = new Float64Array(W);
  const score = new Float64Array(W);
  const rows = new Float64Array(K * L);
  const few = countedFew(model.counts, shape, fewest);
  let started = false;
  return {
    eliminated,
    strength,
    score,
    maximise() {
      prior.update(model.totals);
      // Rows are first counted without any pull.
      if (!started) normaliseTable(model.counts, pseudo, shape, model.rates);
      started = true;
      for (let w = 0; w < W && K > 1; w++) {
        estimateRows(model, pseudo, shape, w, eliminated[w] ? undefined : strength[w], rows);
        score[w] = informativeness(rows, K, L);
        strength[w] = few[w] ? 1 : eliminated[w] ? MOST : Math.min(MOST, directions / score[w]);
      }
    },
    infer() {
      let pull = 0;
      for (let w = 0; w < W && K > 1; w++) {
        if (eliminated[w]) continue;
        pull += (directions * Math.log(strength[w]) - strength[w] * score[w]) / 2;
      }
      const penalty = logDensity(model.rates, pseudo, shape) + prior.logDensity() + pull;
      return model.infer(prior.factor) + penalty;
    },
    change: model.change,
    /** Eliminates those who look like guesses, unless that is everybody who is left. */
    find(threshold: number): "none" | "some" | "all" {
      const found: number[] = [];
      let judged = 0;
      for (let w = 0; w < W && K > 1; w++) {
        if (eliminated[w]) continue;
        judged++;
        if (!few[w] && (score[w] < threshold || strength[w] >= MOST)) found.push(w);
      }
      if (found.length === judged) return judged === 0 ? "none" : "all";
      for (const w of found) eliminated[w] = 1;
      return found.length > 0 ? "some" : "none";
    },
  };
}

/** Marks the workers with fewer labels than `fewest`. */
function countedFew(counts: Float64Array, shape: Shape, fewest: number): Uint8Array {
  const K = shape.classes;
  const labels = exposureOf(counts, shape);
  return Uint8Array.from({ length: shape.workers }, (_, w) =>
    labels.subarray(w * K, (w + 1) * K).reduce((sum, count) => sum + count, 0) < fewest ? 1 : 0,
  );
}

/** Writes the rows of a worker, pulled to their mean, to the model and to `rows`; equal rows without a strength. */
function estimateRows(
  model: Expectation,
  pseudo: Pseudo,
  { classes: K, given: L }: Shape,
  w: number,
  strength: number | undefined,
  rows: Float64Array,
): void {
  const counts = new Float64Array(K * L);
  for (let k = 0; k < K; k++) {
    for (let l = 0; l < L; l++) {
      const at = (w * L + l) * K + k;
      counts[k * L + l] = Math.max(FLOOR, model.counts[at] + pseudo(w, k, l));
      rows[k * L + l] = model.rates[at];
    }
  }
  if (strength === undefined) equalRows(counts, K, L, rows);
  else if (K === 2 && L === 2) pulledCoins(counts, strength, rows);
  else pulledRows(counts, strength / (K - 1), K, L, rows);
  for (let k = 0; k < K; k++) {
    for (let l = 0; l < L; l++) model.rates[(w * L + l) * K + k] = rows[k * L + l];
  }
}

/** Writes the same row for every class: how often the worker gives each label at all. */
function equalRows(counts: Float64Array, K: number, L: number, rows: Float64Array): void {
  let total = 0;
  for (const count of counts) total += count;
  for (let l = 0; l < L; l++) {
    let sum = 0;
    for (let k = 0; k < K; k++) sum += counts[k * L + l];
    for (let k = 0; k < K; k++) rows[k * L + l] = sum / total;
  }
}
