/**
 * Chains of classes: the model of iBCC, prior and confusions integrated out, sampled task after task
 * (class-sampler.ts), times whatever other evidence a method has about the class of a task. What comes of
 * the chains is the same for all: means, intervals, and whether they have met.
 */

import {
  type Chain,
  type ChainSettings,
  createMeans,
  drawsPerChain,
  keptOf,
  walk,
} from "../../../belief/gibbs.ts";
import { nameOrder } from "../../../belief/name-order.ts";
import type { CategoricalData } from "../../../data/categorical.ts";
import { effectiveSize, splitRHat } from "../../../math/chains.ts";
import { maxOf } from "../../../math/lists.ts";
import { quantile } from "../../../math/statistics.ts";
import type { Steps } from "../../../method.ts";
import type { Context, Fit } from "../aggregator.ts";
import { readChains } from "./chain-tasks.ts";
import {
  type ChainParts,
  createClassModel,
  diagonalMass,
  drawSkills,
  ratesOf,
  startChain,
  sweepClasses,
} from "./class-sampler.ts";
import type { CountSettings } from "./count-settings.ts";

const FURTHEST = 1e6;

/** What sampling of classes finds beyond the answers. */
export interface ClassChains extends Fit {
  /** Posterior mean of the confusions. */
  readonly confusion: Float64Array;
  /** Monte Carlo error of the posterior, from the spread between halves of chains. */
  readonly standardError: Float64Array;
  /** Between these lies 95 % of what was drawn for each worker's skill. */
  readonly skillLow: Float64Array;
  readonly skillHigh: Float64Array;
  /** Split R-hat of each worker's skill: near 1 where the chains agree, at most 1e6. */
  readonly rHat: Float64Array;
  /** Number of independent draws that each worker's skill is worth. */
  readonly effectiveSize: Float64Array;
  /** The same two of the log joint density, for the chains as a whole. */
  readonly rHatOverall: number;
  readonly effectiveSizeOverall: number;
}

export interface ChainModel extends CountSettings, ChainSettings {}

/** Samples the classes of all tasks, and summarises the chains. */
export function* sampleClasses(
  data: CategoricalData,
  options: ChainModel,
  { known, K, L, averageAlike }: Pick<Context, "known" | "K" | "L" | "averageAlike">,
  parts: ChainParts,
): Steps<ClassChains> {
  const W = data.workers.length;
  const { chains } = options;
  const draws = drawsPerChain(options);
  const sorted = nameOrder(data, known, { K, L });
  const model = createClassModel(sorted, options, { K, L }, parts);
  const means = {
    posterior: createMeans(data.tasks.length * K),
    confusion: createMeans(W * L * K),
  };
  const skills = Array.from({ length: W }, () => new Float32Array(chains * draws));
  const crossed: boolean[] = [];

  const trace = yield* walk(options, (c, random): Chain => {
    const chain = startChain(model, random);
    const forSkills = random.split("skills");
    return {
      sweep: () => sweepClasses(chain),
      keep(draw) {
        chain.voice?.keep();
        means.posterior.add(chain.conditional);
        means.confusion.add(ratesOf(chain));
        drawSkills(chain, forSkills, (w, skill) => {
          skills[w][c * draws + draw] = skill;
        });
        if ((draw + 1) % (draws / 2) === 0) for (const each of Object.values(means)) each.close();
        if (draw + 1 === draws) crossed.push(diagonalMass(chain) < 1 / K);
      },
    };
  });

  const joint = Array.from({ length: chains }, (_, c) => keptOf(trace, c, options));
  const skill = summariseSkills(skills, chains, sorted.restore.workers);
  const rHatOverall = rHatOf(joint);
  return {
    ...readChains(data, { known, restore: sorted.restore, averageAlike }, options, means, L),
    skillLow: skill.low,
    skillHigh: skill.high,
    rHat: skill.rHat,
    rHatOverall,
    effectiveSize: skill.effectiveSize,
    effectiveSizeOverall: effectiveSize(joint),
    trace,
    notes: mixingNotes(skill.rHat, rHatOverall, crossed, parts.mixed),
    converged: !(maxOf(skill.rHat, rHatOverall) > parts.mixed),
  };
}

/** Returns intervals and convergence measures of the skills that were drawn, chain after chain. */
function summariseSkills(
  skills: readonly Float32Array[],
  chains: number,
  restore: (values: Float64Array) => Float64Array,
) {
  const byWorker = (measure: (values: Float32Array) => number) =>
    restore(Float64Array.from(skills, measure));
  const inChains = (values: Float32Array) => {
    const draws = values.length / chains;
    return Array.from({ length: chains }, (_, c) => values.subarray(c * draws, (c + 1) * draws));
  };
  return {
    low: byWorker((values) => quantile(values.toSorted(), 0.025)),
    high: byWorker((values) => quantile(values.toSorted(), 0.975)),
    rHat: byWorker((values) => rHatOf(inChains(values))),
    effectiveSize: byWorker((values) => effectiveSize(inChains(values))),
  };
}

/** Returns R-hat. Chains that stand still in different places have no finite one. */
const rHatOf = (chains: readonly ArrayLike<number>[]): number =>
  Math.min(FURTHEST, splitRHat(chains));

/** Says whether the chains disagree, and how many have the classes mixed up. */
function mixingNotes(
  rHat: Float64Array,
  overall: number,
  crossed: readonly boolean[],
  mixed: number,
): string[] {
  const notes: string[] = [];
  const apart = rHat.filter((r) => r > mixed).length;
  if (overall > mixed || apart > 0) {
    const largest = maxOf(rHat, overall).toFixed(2);
    notes.push(
      `The chains disagree: R-hat is ${overall.toFixed(2)} overall, above ${mixed} for ${apart} of ` +
        `${rHat.length} workers, at most ${largest}. More burnIn and samples help if they are only slow.`,
    );
  }
  const turned = crossed.filter(Boolean).length;
  if (turned > 0) {
    notes.push(
      `${turned} of ${crossed.length} chains swap most class names: label switching, ` +
        "or a crowd that misleads. Gold settles which.",
    );
  }
  return notes;
}
