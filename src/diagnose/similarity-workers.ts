/**
 * How each worker's answers about pairs stand against guessing: whether the worker says "same" more often of items in
 * one cluster than of items in two.
 *
 * One who guesses says it equally often of both. The clusters rest on the worker's own answers too, so the test is kind
 * to workers in a small crowd. One who knows half of the answers would have rates half apart.
 */
import type { SimilarityResult } from "../aggregate/similarity/clusterer.ts";
import { SAME, type SimilarityData } from "../data/similarity.ts";
import { type Check, checkOf } from "./checks.ts";
import { type Standing, standingFrom } from "./standing.ts";

/** What is known of one worker who answered about pairs. */
export interface SimilarityWorker {
  readonly labels: number;
  /** Probability of a right answer, of pairs that are as often alike as not; NaN without answers. */
  readonly skill: number;
  /** 95 % interval of the skill. */
  readonly low: number;
  readonly high: number;
  readonly standing: Standing;
}

/** Answers of a worker: all and those that say "same", about pairs in one cluster and in two. */
interface Said {
  readonly within: [all: number, same: number];
  readonly across: [all: number, same: number];
}

/** Answers that the rates of the crowd count for in those of a worker. */
const STRENGTH = 10;

/** Judges each worker, in the order of the workers. */
export function similarityWorkers(
  data: SimilarityData,
  { cluster, skill, workload }: Pick<SimilarityResult, "cluster" | "skill" | "workload">,
): SimilarityWorker[] {
  const said = countsOf(data, cluster);
  const crowd = crowdSaid(said);
  return said.map((own, w) => {
    const error = errorOf(own, crowd);
    const known = workload[w] > 0;
    return {
      labels: workload[w],
      skill: known ? skill[w] : Number.NaN,
      low: known ? Math.max(0, skill[w] - 1.96 * error) : 0,
      high: known ? Math.min(1, skill[w] + 1.96 * error) : 1,
      standing: standingOfSaid(own),
    };
  });
}

function countsOf(
  { workers, worker, left, right, label }: SimilarityData,
  cluster: Int32Array,
): Said[] {
  const said = Array.from(workers, (): Said => ({ within: [0, 0], across: [0, 0] }));
  label.forEach((answer, i) => {
    const { within, across } = said[worker[i]];
    const side = cluster[left[i]] === cluster[right[i]] ? within : across;
    side[0]++;
    if (answer === SAME) side[1]++;
  });
  return said;
}

/** Rates of all workers together. */
function crowdSaid(said: readonly Said[]): { alike: number; apart: number } {
  const rate = (side: "within" | "across") => {
    const sum = (at: 0 | 1) => said.reduce((total, own) => total + own[side][at], 0);
    return (1 + sum(1)) / (2 + sum(0));
  };
  return { alike: rate("within"), apart: rate("across") };
}

/** Standard error of the skill, of rates that are drawn to those of the crowd. */
function errorOf({ within, across }: Said, crowd: { alike: number; apart: number }): number {
  const variance = ([all, same]: readonly [number, number], mean: number) => {
    const p = (same + STRENGTH * mean) / (all + STRENGTH);
    return (p * (1 - p)) / (all + STRENGTH);
  };
  return Math.sqrt(variance(within, crowd.alike) + variance(across, crowd.apart)) / 2;
}

function standingOfSaid({ within, across }: Said): Standing {
  if (within[0] + across[0] < 5 || within[0] === 0 || across[0] === 0) return "unknown";
  // One more answer of each kind, so that one who always says the same has an error too.
  const p = (within[1] + across[1] + 1) / (within[0] + across[0] + 2);
  const error = Math.sqrt(p * (1 - p) * (1 / within[0] + 1 / across[0]));
  return standingFrom((within[1] / within[0] - across[1] / across[0]) / error, 0.5 / error);
}

/** Checks whether "same" means same: whether it is said more often within clusters than across. */
export function swappedCheck(
  data: SimilarityData,
  { cluster, swapped }: Pick<SimilarityResult, "cluster" | "swapped">,
): Check {
  const said = countsOf(data, cluster);
  const { alike, apart } = crowdSaid(said);
  const told = said.some(({ within }) => within[0] > 0) && said.some(({ across }) => across[0] > 0);
  const share = (x: number) => `${(100 * x).toFixed(1)} %`;
  return checkOf(swapped ? "serious" : told ? (alike < apart ? "warn" : "ok") : "unknown", {
    id: "swapped",
    title: "Do same and different mean what they say?",
    finding: swapped
      ? "The answers hold no clusters, but would if same meant different."
      : told
        ? `Workers say "same" of ${share(alike)} of pairs within clusters and of ${share(apart)} of pairs across.`
        : "All pairs are within clusters, or all across.",
    advice: "Look at a few pairs: the words for same and different may be swapped.",
    facts: { alike, apart },
  });
}
