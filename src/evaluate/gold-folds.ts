/** Scoring on gold that was not used to fit, where gold is also used to fit. */
import type { Known } from "../belief/known.ts";
import type { CategoricalData } from "../data/categorical.ts";
import { goldFolds } from "../data/split.ts";
import type { Scored } from "./accuracy.ts";

/** Parts of the gold that take turns in being scored. */
export const FOLDS = 5;

/** What is scored of a result. */
interface Beliefs extends Pick<Scored, "posterior" | "classes" | "confidence"> {
  readonly consensus: Int32Array;
}

/**
 * Beliefs and gold to be scored. Where gold is known to the method, each part of it is believed by a
 * fit that did not see that part.
 */
export async function scoredWith(
  data: CategoricalData,
  result: Beliefs,
  known: Known,
  fitWith: (more: Known, name: string) => Promise<Beliefs>,
): Promise<Scored> {
  if (!known.gold) return { ...result, gold: data.gold };
  const K = data.classes.length;
  const folds = goldFolds(data, FOLDS, 0);
  const posterior = result.posterior.slice();
  const consensus = result.consensus.slice();
  const confidence = result.confidence?.slice();
  for (let f = 0; f < FOLDS; f++) {
    if (!folds.includes(f)) continue;
    const shown = data.gold.map((k, t) => (folds[t] === f ? -1 : k));
    const part = await fitWith({ gold: shown }, `gold part ${f + 1} of ${FOLDS}`);
    for (let t = 0; t < folds.length; t++) {
      if (folds[t] !== f) continue;
      posterior.set(part.posterior.subarray(t * K, (t + 1) * K), t * K);
      consensus[t] = part.consensus[t];
      if (confidence && part.confidence) confidence[t] = part.confidence[t];
    }
  }
  return { classes: data.classes, posterior, consensus, confidence, gold: data.gold };
}
