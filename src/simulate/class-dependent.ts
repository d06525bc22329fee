/** Workers who know some classes well and others badly; errors spread evenly. */
import { assignmentOptions } from "./assignment.ts";
import { simulateCrowd } from "./crowd.ts";
import { classOption, evenErrors, uniform } from "./draw.ts";
import { scenario } from "./scenario.ts";

/**
 * Workers who know some classes better: a worker's accuracy is drawn anew for each class, uniformly
 * between low and high.
 */
export const classDependentCrowd = scenario(
  {
    id: "class-dependent",
    title: "Workers who know some classes better",
    summary: "A worker's accuracy per class is drawn uniformly between low and high.",
    options: {
      ...assignmentOptions,
      classes: { ...classOption.classes, default: 4 },
      low: { default: 0.3, min: 0, max: 1, help: "Lowest accuracy for a class." },
      high: { default: 0.95, min: 0, max: 1, help: "Highest accuracy for a class." },
    },
  },
  (options, random, tasks) => {
    const { classes: K, low, high } = options;
    const skills = random.split("skills");
    const workers = Array.from({ length: options.workers }, () => ({
      role: "class-dependent",
      block: evenErrors(Float64Array.from({ length: K }, () => low + (high - low) * skills.next())),
    }));
    return simulateCrowd(options, uniform(K), workers, random, tasks);
  },
);
