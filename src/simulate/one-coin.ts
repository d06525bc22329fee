/** Workers right with one probability, drawn from a Beta distribution; errors spread evenly. */
import { beta } from "../math/distributions.ts";
import { assignmentOptions } from "./assignment.ts";
import { simulateCrowd } from "./crowd.ts";
import { classOption, evenErrors, uniform } from "./draw.ts";
import { scenario } from "./scenario.ts";

/** One-coin workers: each is right with a probability drawn from Beta(a, b), whatever the class. */
export const oneCoinCrowd = scenario(
  {
    id: "one-coin",
    title: "One-coin workers",
    summary: "Every worker is right with a probability drawn from Beta(a, b), whatever the class.",
    options: {
      ...assignmentOptions,
      ...classOption,
      a: { default: 4, min: 1e-6, help: "First parameter of the Beta distribution of skills." },
      b: { default: 2, min: 1e-6, help: "Second parameter of the Beta distribution of skills." },
    },
  },
  (options, random, tasks) => {
    const { classes: K, a, b } = options;
    const skills = random.split("skills");
    const workers = Array.from({ length: options.workers }, () => ({
      role: "one-coin",
      block: evenErrors(new Float64Array(K).fill(beta(skills, a, b))),
    }));
    return simulateCrowd(options, uniform(K), workers, random, tasks);
  },
);
