/** Small crowds with features, for tests of learners. */
import type { CategoricalData } from "../src/data/categorical.ts";
import { type Features, fromMatrix } from "../src/data/features.ts";
import { normal } from "../src/math/distributions.ts";
import { createRandom } from "../src/math/random.ts";
import { type CrowdShape, randomCrowd } from "./random-crowd.ts";

export interface FeatureCrowd {
  readonly data: CategoricalData;
  readonly features: Features;
}

/** A crowd, and for every task a normal vector around the mean of its class. */
export function featureCrowd(
  seed: number,
  {
    dimensions = 6,
    separation = 3,
    ...shape
  }: CrowdShape & { dimensions?: number; separation?: number } = {},
): FeatureCrowd {
  const data = randomCrowd(seed, shape);
  return { data, features: featuresOf(data, dimensions, separation, seed) };
}

export function featuresOf(
  { tasks, gold }: CategoricalData,
  dimensions: number,
  separation: number,
  seed: number,
): Features {
  const random = createRandom(seed).split("features");
  const matrix = new Float32Array(tasks.length * dimensions);
  [...tasks].forEach((_, t) => {
    for (let j = 0; j < dimensions; j++) {
      matrix[t * dimensions + j] = normal(random) + (j === gold[t] % dimensions ? separation : 0);
    }
  });
  return fromMatrix([...tasks], [dimensions], matrix);
}
