/**
 * Student's t: workers with noise of an own size whose errors have heavy tails.
 *
 *   answer of worker w to task t ~ value[t] + offset[w] + s[w] · Student(freedom)
 *
 * EM as for Gaussian workers with one more weight per answer, (freedom + 1) / (freedom + error² / s²): an
 * answer that lies far off for its worker counts less, so that a slip of a precise worker does no harm.
 * Good for slips; on answers that pile up at one number it takes the others for slips.
 *
 * Lange, Little & Taylor (1989), JASA 84(408), 881–896. https://doi.org/10.1080/01621459.1989.10478852
 */
import type { Steps } from "../../method.ts";
import { noiseEm } from "./noise-em.ts";
import { noiseIntervals } from "./noise-interval.ts";
import { type FrameFit, workerAware } from "./worker-frame.ts";

/** Degrees of freedom that the prior of the noise is worth. */
const PRIOR_FREEDOM = 6;

/** Student's t: workers have noise of an own size with heavy tails. */
export const studentT = workerAware(
  {
    id: "student-t",
    title: "Student's t",
    summary: "Each worker has noise of an own size with heavy tails, so that slips count less.",
    paper: {
      authors: "K. L. Lange, R. J. A. Little, J. M. G. Taylor",
      year: 1989,
      title: "Robust statistical modeling using the t distribution",
      url: "https://doi.org/10.1080/01621459.1989.10478852",
    },
    family: "noise",
    cost: "O(N) per iteration",
    options: {
      freedom: {
        default: 4,
        min: 1,
        help: "Degrees of freedom of the errors: small values have heavy tails.",
      },
      bias: { default: false, help: "Learn an offset for each worker." },
      maxIterations: {
        default: 500,
        min: 1,
        integer: true,
        help: "Maximum number of iterations.",
      },
      tolerance: {
        default: 1e-8,
        min: 0,
        unit: "pooled standard deviations",
        help: "Largest change of a value at which to stop.",
      },
    },
  },
  function* (frame, options): Steps<FrameFit> {
    const { precision, ...fit } = yield* noiseEm(frame, { ...options, valuePrior: "flat" });
    const prior = { freedom: PRIOR_FREEDOM, offsets: options.bias ? 1 : 0 };
    return { ...fit, ...noiseIntervals(frame, fit.value, precision, prior) };
  },
);
