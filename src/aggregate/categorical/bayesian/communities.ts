/**
 * Workers who belong to communities: what `worker-clusters` and `cbcc` share.
 *
 *   h     ~ Dirichlet(concentration, …)     shares of the J communities
 *   g[w]  ~ Categorical(h)                  the community of worker w
 *
 * Each method says what a community has, how well it fits a worker's labels, and how its members speak to
 * the tasks; the rest is coordinate ascent on the same bound. Communities that nobody needs die out.
 */

import { type Shape, skillOf, transpose } from "../../../belief/confusion-table.ts";
import { type Known, startingPosterior, taskBase } from "../../../belief/known.ts";
import { voteShares } from "../../../belief/votes.ts";
import { expectedLabels } from "../../../belief/worker-beliefs.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { type ClassBelief, createClassBelief } from "../../../em/class-belief.ts";
import { type Climb, climb, climbOptions } from "../../../em/climb.ts";
import { expectLogs } from "../../../em/dirichlet.ts";
import { createExpectation, type Expectation } from "../../../kernels/expectation.ts";
import { normalizeLog } from "../../../math/log-sum-exp.ts";
import type { Random } from "../../../math/random.ts";
import type { Steps } from "../../../method.ts";
import type { Context, Fit } from "../aggregator.ts";
import { groupWorkers } from "./community-starts.ts";
import type { CountSettings } from "./count-settings.ts";

export const communityOptions = {
  maxIterations: {
    ...climbOptions.maxIterations,
    default: 500,
    help: "Maximum number of iterations per start.",
  },
  tolerance: { ...climbOptions.tolerance, default: 1e-7 },
  communities: {
    default: 10,
    min: 1,
    integer: true,
    help: "Maximum number of communities; never more than the number of workers.",
  },
  concentration: {
    default: 0.1,
    min: 1e-6,
    unit: "workers",
    help: "Prior count of workers per community; a small value removes communities that are not needed.",
  },
} as const;

export interface CommunitySettings extends CountSettings {
  readonly communities: number;
  readonly concentration: number;
  readonly maxIterations: number;
  readonly tolerance: number;
}

/** What models of communities of workers find beyond the answers. */
export interface Communities extends Fit {
  /** Mean of the confusions. */
  readonly confusion: Float64Array;
  /** Most probable community of each worker, from 0 with the largest. */
  readonly community: Int32Array;
  /** P(community | labels) as membership[worker * J + community]. */
  readonly membership: Float64Array;
  /** Expected share of each community among the workers. */
  readonly communityShare: Float64Array;
  /** P(label | class, community) as communityConfusion[(community * K + class) * L + label]. */
  readonly communityConfusion: Float64Array;
}

/** What a method says of its communities. Tables of workers are table[(worker * L + label) * K + class]. */
export interface Kind {
  /** Fits the communities to the labels of their members; returns the divergence from their prior. */
  settle(counts: Float64Array, membership: Float64Array): number;
  /** How well each community fits each worker, in nats: into[worker * J + community]. */
  score(counts: Float64Array, into: Float64Array): void;
  /** exp(E log P(label | class, worker)) to `rates`; returns the divergence of workers from communities. */
  speak(counts: Float64Array, membership: Float64Array, rates: Float64Array): number;
  /** Mean of P(label | class, worker), laid out like `rates`. */
  workers(counts: Float64Array, membership: Float64Array): Float64Array;
  /** Mean of P(label | class, community), as [(community * L + label) * K + class]. */
  communities(): Float64Array;
}

export interface Sizes extends Shape {
  readonly communities: number;
}

/** Where an ascent starts or ended. */
interface Place {
  readonly posterior: Float64Array;
  readonly membership: Float64Array;
}

export interface Ascent extends Climb, Place {
  readonly bound: number;
}

/** What an ascent works on. */
interface State {
  readonly data: CategoricalData;
  readonly known: Known;
  readonly options: CommunitySettings;
  readonly sizes: Sizes;
  readonly model: Expectation;
  readonly classes: ClassBelief;
  /** Pseudo-labels of each worker from the past, laid out like `counts`. */
  readonly past: Float64Array | undefined;
  /** Expected labels of each worker, as counts[(worker * L + label) * K + class]. */
  readonly counts: Float64Array;
  /** P(community) of each worker, as membership[worker * J + community]. */
  readonly membership: Float64Array;
  /** Expected workers of each community, with the prior's. */
  readonly members: Float64Array;
  readonly concentration: Float64Array;
  readonly share: Float64Array;
  readonly scores: Float64Array;
  /** Iterations over all starts. */
  iteration: number;
}

/** The crowd in communities: starts, ascends from them, and reads what the last ascent found. */
export interface CommunityModel {
  readonly sizes: Sizes;
  /** Returns vote shares, and workers divided into so many groups by how they differ from the votes. */
  startAt(groups: number, random: Random): Place;
  ascend(kind: Kind, start: Place, stage: string): Steps<Ascent>;
  read(kind: Kind): Omit<Communities, "trace" | "converged">;
}

/** Sets up the coordinate ascent for a crowd. */
export function createCommunities(
  data: CategoricalData,
  options: CommunitySettings,
  context: Context,
): CommunityModel {
  const state = createState(data, options, context);
  const { known, sizes, model } = state;
  return {
    sizes,
    startAt(groups, random) {
      const posterior = startingPosterior(data, known, voteShares(data));
      model.startFrom(posterior);
      readCounts(state);
      const membership = groupWorkers(data, state.counts, groups, options, sizes, random);
      return { posterior, membership };
    },
    ascend: (kind, start, stage) => ascend(state, kind, start, stage),
    read: (kind) => read(state, kind),
  };
}

function createState(
  data: CategoricalData,
  options: CommunitySettings,
  { known, engine, K, L }: Context,
): State {
  const W = data.workers.length;
  const J = Math.max(1, Math.min(options.communities, W));
  const shape = { workers: W, classes: K, given: L };
  const sizes = { ...shape, communities: J };
  const base = taskBase(data, known);
  const counted = new Float64Array(K).fill(options.classCount);
  return {
    data,
    known,
    options,
    sizes,
    model: createExpectation({ ...data, tasks: data.tasks.length, ...shape, base }, engine),
    classes: createClassBelief(data, known, options.prior, counted),
    past: known.history && transpose(known.history, { workers: W, classes: L, given: K }),
    counts: new Float64Array(W * L * K),
    membership: new Float64Array(W * J),
    members: new Float64Array(J),
    concentration: new Float64Array(J).fill(options.concentration),
    share: new Float64Array(J),
    scores: new Float64Array(W * J),
    iteration: 0,
  };
}

/** Reads the expected labels. A worker's past counts like labels on tasks whose class is known. */
function readCounts({ model, past, counts }: State): void {
  for (let at = 0; at < counts.length; at++) counts[at] = model.counts[at] + (past ? past[at] : 0);
}

/** Climbs the bound from a place until it settles. */
function* ascend(state: State, kind: Kind, start: Place, stage: string): Steps<Ascent> {
  const { options, model, classes, membership } = state;
  model.startFrom(start.posterior);
  membership.set(start.membership);
  let divergence = 0;
  const steps = climb(
    {
      maximise() {
        divergence = maximise(state, kind);
      },
      infer: () => model.infer(classes.factor) - divergence,
      change: model.change,
    },
    options,
  );
  let step = steps.next();
  for (; !step.done; step = steps.next()) {
    state.iteration++;
    yield { ...step.value, iteration: state.iteration, stage };
  }
  const climbed = step.value;
  return {
    ...climbed,
    bound: climbed.trace[climbed.trace.length - 1],
    posterior: model.posterior.slice(),
    membership: membership.slice(),
  };
}

/** Fits classes, communities and memberships to the posterior; returns their divergence from the priors. */
function maximise(state: State, kind: Kind): number {
  const { model, classes, past, counts, membership } = state;
  readCounts(state);
  let divergence = classes.update(model.totals);
  divergence += kind.settle(counts, membership);
  divergence += assign(state, kind);
  divergence += kind.speak(counts, membership, model.rates);
  for (let at = 0; past && at < past.length; at++) {
    if (past[at] > 0) divergence -= past[at] * Math.log(model.rates[at]);
  }
  return divergence;
}

/** Fits the shares of the communities, then the memberships; returns the divergence of both. */
function assign(state: State, kind: Kind): number {
  const { sizes, counts, membership, members, concentration, share, scores } = state;
  const { workers: W, communities: J } = sizes;
  members.set(concentration);
  for (let at = 0; at < membership.length; at++) members[at % J] += membership[at];
  let divergence = expectLogs(members, concentration, share, 1);
  kind.score(counts, scores);
  for (let w = 0; w < W; w++) {
    const row = membership.subarray(w * J, (w + 1) * J);
    for (let j = 0; j < J; j++) row[j] = Math.log(share[j]) + scores[w * J + j];
    normalizeLog(row, 0, J);
    for (let j = 0; j < J; j++) {
      if (row[j] > 0) divergence += row[j] * (Math.log(row[j]) - Math.log(share[j]));
    }
  }
  return divergence;
}

/** Returns what the last ascent found, the largest community first. */
function read(state: State, kind: Kind): Omit<Communities, "trace" | "converged"> {
  const { data, sizes, model, classes, counts, membership, members } = state;
  const { workers: W, classes: K, given: L, communities: J } = sizes;
  const order = Array.from(members.keys()).sort((a, b) => members[b] - members[a] || a - b);
  const total = members.reduce((sum, n) => sum + n, 0);
  const sorted = new Float64Array(W * J).map(
    (_, at) => membership[Math.floor(at / J) * J + order[at % J]],
  );
  const tables = transpose(kind.communities(), { ...sizes, workers: J });
  const confusion = transpose(kind.workers(counts, membership), sizes);
  const posterior = model.posterior.slice();
  return {
    posterior,
    prior: classes.shares,
    confusion,
    exposure: expectedLabels(data, posterior, K),
    skill: skillOf(confusion, classes.shares, sizes),
    community: Int32Array.from({ length: W }, (_, w) => largest(sorted, w * J, J)),
    membership: sorted,
    communityShare: Float64Array.from(order, (j) => members[j] / total),
    communityConfusion: Float64Array.from(tables, (_, at) => {
      const size = K * L;
      return tables[order[Math.floor(at / size)] * size + (at % size)];
    }),
  };
}

/** Returns the place of the largest of `length` values, the first of equals. */
function largest(values: Float64Array, from: number, length: number): number {
  let best = 0;
  for (let j = 1; j < length; j++) if (values[from + j] > values[from + best]) best = j;
  return best;
}
