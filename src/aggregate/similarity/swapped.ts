/**
 * Whether the words for same and different are swapped. Such answers hold no clusters, so that a fit ends in one, with
 * rates that are equal but for noise; the same answers turned round then have clusters, and are much likelier.
 */
import { drain } from "../../method.ts";
import { type BlockFit, fitBlocks, usual } from "./block-fit.ts";
import type { Frame } from "./frame.ts";
import { embed, spectralLabels } from "./spectral.ts";

/** Rates closer than this are as good as equal, and nats by which turned answers must be likelier. */
const [NEAR, CLEARLY] = [0.05, 10];

/** Clusters that turned answers are given where a fit has fewer. */
const SOME = 3;

/** True where answers that are turned round have clusters, and as they are have none. */
export function looksSwapped(frame: Frame, K: number, { crowd, trace }: BlockFit): boolean {
  if (K > 1 && crowd.alike - crowd.apart > NEAR) return false;
  const turned: Frame = { ...frame, same: frame.same.map((said) => 1 - said) };
  const clusters = Math.min(frame.N, Math.max(K, SOME));
  const labels = spectralLabels(embed(turned, clusters - 1), frame.N, clusters);
  const fit = drain(fitBlocks(turned, clusters, labels, usual));
  const gain = (fit.trace.at(-1) ?? 0) - (trace.at(-1) ?? 0);
  return gain >= CLEARLY && fit.crowd.alike > fit.crowd.apart + NEAR;
}
