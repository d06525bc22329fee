/** Moments of three groups of workers, whose labels on a task are added up: second, third, and with each worker. */
import type { CategoricalData } from "../../../data/categorical.ts";
import { labelMeans, type PairMoments } from "./moments.ts";

export interface GroupMoments {
  /** The three groups as if they were workers: E[Z[a] Z[b]ᵀ] of each pair, E[Z[g]] as means. */
  readonly between: PairMoments;
  /** E[Z[0] ⊗ Z[1] ⊗ Z[2]] as third[(label0 * L + label1) * L + label2]. */
  readonly third: Float64Array;
  readonly workers: number;
  readonly groupOf: Uint8Array;
  /** Labels of each worker. */
  readonly labels: Float64Array;
  /** E[Z[w] Z[others]ᵀ], others being the two groups without w: cross[(worker * L + label) * L + label']. */
  readonly cross: Float64Array;
}

/** O(N·K + T·K³). */
export function groupMoments(
  data: CategoricalData,
  L: number,
  rule: "order" | "balanced",
): GroupMoments {
  const { labels } = labelMeans(data, L);
  const groupOf = dealGroups(labels, rule);
  const T = data.tasks.length;
  const sums = new Float64Array(3 * T * L);
  data.label.forEach((l, i) => {
    sums[(groupOf[data.worker[i]] * T + data.task[i]) * L + l] += data.weight ? data.weight[i] : 1;
  });
  const at = (g: number, t: number, l: number) => sums[(g * T + t) * L + l];
  const third = new Float64Array(L * L * L);
  const second = Array.from({ length: 3 }, () => new Float64Array(L * L));
  const means = new Float64Array(3 * L);
  for (let t = 0; t < T; t++) {
    for (let i = 0; i < L; i++) {
      for (let g = 0; g < 3; g++) means[g * L + i] += at(g, t, i) / T;
      for (let j = 0; j < L; j++) {
        const both = (at(0, t, i) * at(1, t, j)) / T;
        second[0][i * L + j] += both;
        second[1][i * L + j] += (at(0, t, i) * at(2, t, j)) / T;
        second[2][i * L + j] += (at(1, t, i) * at(2, t, j)) / T;
        if (both === 0) continue;
        for (let k = 0; k < L; k++) third[(i * L + j) * L + k] += both * at(2, t, k);
      }
    }
  }
  const cross = new Float64Array(labels.length * L * L);
  data.label.forEach((l, i) => {
    const from = (data.worker[i] * L + l) * L;
    const weight = (data.weight ? data.weight[i] : 1) / T;
    for (let g = 0; g < 3; g++) {
      if (g === groupOf[data.worker[i]]) continue;
      for (let k = 0; k < L; k++) cross[from + k] += weight * at(g, data.task[i], k);
    }
  });
  const between = asPairs(second, means, T, data.classes.length, L);
  return { between, third, workers: labels.length, groupOf, labels, cross };
}

/** Every third worker, or the busiest dealt in turn, there and back. */
function dealGroups(labels: Float64Array, rule: "order" | "balanced"): Uint8Array {
  const order = Array.from(labels.keys());
  if (rule === "order") return Uint8Array.from(order, (w) => w % 3);
  order.sort((a, b) => labels[b] - labels[a] || a - b);
  const groupOf = new Uint8Array(labels.length);
  order.forEach((w, place) => {
    groupOf[w] = [0, 1, 2, 2, 1, 0][place % 6];
  });
  return groupOf;
}

/** Second moments of the groups 01, 02 and 12 as those of pairs of workers. */
export function asPairs(
  [second01, second02, second12]: readonly Float64Array[],
  means: Float64Array,
  tasks: number,
  K: number,
  L: number,
): PairMoments {
  const turned = (block: Float64Array) =>
    block.map((_, at) => block[(at % L) * L + Math.floor(at / L)]);
  const blocks = [
    second01,
    second02,
    turned(second01),
    second12,
    turned(second02),
    turned(second12),
  ];
  const joint = new Float64Array(6 * L * L);
  blocks.forEach((block, p) => {
    joint.set(block, p * L * L);
  });
  return {
    workers: 3,
    classes: K,
    given: L,
    means,
    joint,
    labels: new Float64Array(3).fill(tasks),
    start: Int32Array.of(0, 2, 4, 6),
    partner: Int32Array.of(1, 2, 0, 2, 0, 1),
    common: new Float64Array(6).fill(tasks),
  };
}
