/** Two classes; a worker's sensitivity and specificity are drawn apart, so workers lean to a side. */
import { beta } from "../math/distributions.ts";
import { assignmentOptions } from "./assignment.ts";
import { simulateCrowd } from "./crowd.ts";
import { evenErrors } from "./draw.ts";
import { scenario } from "./scenario.ts";

/**
 * Two-coin workers: two classes; each worker's sensitivity and specificity are drawn from Beta(a,
 * b).
 */
export const twoCoinCrowd = scenario(
  {
    id: "two-coin",
    title: "Two-coin workers",
    summary: "Two classes; each worker's sensitivity and specificity come from Beta(a, b).",
    options: {
      ...assignmentOptions,
      a: { default: 4, min: 1e-6, help: "First parameter of the Beta distribution of skills." },
      b: { default: 2, min: 1e-6, help: "Second parameter of the Beta distribution of skills." },
      positive: { default: 0.5, min: 0, max: 1, help: "Share of tasks of the second class." },
    },
  },
  (options, random, tasks) => {
    const skills = random.split("skills");
    const draw = () => beta(skills, options.a, options.b);
    const workers = Array.from({ length: options.workers }, () => ({
      role: "two-coin",
      block: evenErrors([draw(), draw()]),
    }));
    return simulateCrowd(
      options,
      Float64Array.of(1 - options.positive, options.positive),
      workers,
      random,
      tasks,
    );
  },
);
