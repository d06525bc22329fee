/** Workers with one skill: the labels they gave, and the confusion that a skill stands for. */
import type { CategoricalData } from "../data/categorical.ts";
/** Weighted labels of each worker that name a class, and the share that names none. */
export function countLabels({ worker, label, weight, workers }: CategoricalData, K: number) {
  const labels = new Float64Array(workers.length);
  const silence = new Float64Array(workers.length);
  for (let i = 0; i < label.length; i++) {
    const count = weight ? weight[i] : 1;
    if (label[i] < K) labels[worker[i]] += count;
    else silence[worker[i]] += count;
  }
  return { labels, silence: silence.map((s, w) => (s > 0 ? s / (s + labels[w]) : 0)) };
}

/** The confusion a single skill stands for: errors spread evenly, abstentions whatever the class. */
export function coinConfusion(
  skill: Float64Array,
  silence: Float64Array,
  K: number,
  L: number,
): Float64Array {
  const confusion = new Float64Array(skill.length * K * L);
  for (let w = 0; w < skill.length; w++) {
    const said = L > K ? 1 - silence[w] : 1;
    for (let k = 0; k < K; k++) {
      for (let l = 0; l < L; l++) {
        const rate = K === 1 ? 1 : l === k ? skill[w] : (1 - skill[w]) / (K - 1);
        confusion[(w * K + k) * L + l] = l < K ? said * rate : silence[w];
      }
    }
  }
  return confusion;
}
