/** Workers with full confusion matrices: rows drawn from a Dirichlet around the right answer. */
import { dirichlet } from "../math/distributions.ts";
import { assignmentOptions } from "./assignment.ts";
import { simulateCrowd } from "./crowd.ts";
import { classOption } from "./draw.ts";
import { scenario } from "./scenario.ts";

/** Workers with confusion matrices: every row is drawn from a Dirichlet distribution. */
export const confusionCrowd = scenario(
  {
    id: "confusion",
    title: "Workers with confusion matrices",
    summary: "The rows of every worker's confusion matrix are drawn from a Dirichlet distribution.",
    options: {
      ...assignmentOptions,
      classes: { ...classOption.classes, default: 4 },
      diagonal: { default: 6, min: 1e-6, help: "Dirichlet parameter of the right label." },
      offDiagonal: { default: 1, min: 1e-6, help: "Dirichlet parameter of each wrong label." },
      classCount: {
        default: 1000,
        min: 1e-6,
        help: "Dirichlet parameter of the class shares; large values give equal shares.",
      },
    },
  },
  (options, random, tasks) => {
    const { classes: K, diagonal, offDiagonal } = options;
    const rows = random.split("rows");
    const workers = Array.from({ length: options.workers }, () => {
      const block = new Float64Array(K * K);
      for (let k = 0; k < K; k++) {
        const alpha = new Float64Array(K).fill(offDiagonal);
        alpha[k] = diagonal;
        dirichlet(rows, alpha, block.subarray(k * K, (k + 1) * K));
      }
      return { role: "confusion", block };
    });
    const prior = dirichlet(random.split("prior"), new Float64Array(K).fill(options.classCount));
    return simulateCrowd(options, prior, workers, random, tasks);
  },
);
