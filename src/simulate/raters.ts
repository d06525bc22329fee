/**
 * Raters on an ordered scale. A task has a level; a rater feels that level plus a shift and logistic noise of their own,
 * and says the nearest level there is: a cumulative link model. Some raters are severe or lenient, some guess, and some have the
 * scale the wrong way round.
 */
import type { OrdinalData } from "../data/ordinal.ts";
import { integer } from "../math/distributions.ts";
import type { Random } from "../math/random.ts";
import { answerScenario, between, cast, roleCount } from "./answers.ts";
import { assign, assignmentOptions } from "./assignment.ts";
import { toDataset } from "./draw.ts";

/** Ordered levels: careful raters, severe and lenient ones, guessers, and raters who turn the scale round. */
export const ratersCrowd = answerScenario(
  {
    id: "raters",
    kind: "ordinal",
    title: "Raters on an ordered scale",
    summary:
      "Ordered levels: each rater has noise and a shift; some guess or turn the scale round.",
    options: {
      ...assignmentOptions,
      tasks: { ...assignmentOptions.tasks, default: 500 },
      workers: { ...assignmentOptions.workers, default: 20, max: 1_000_000 },
      levels: { default: 5, min: 2, max: 100, integer: true, help: "Number of levels." },
      low: { default: 0.2, min: 0, max: 100, help: "Least noise of a rater, in levels." },
      high: { default: 0.6, min: 0, max: 100, help: "Largest noise of a rater, in levels." },
      shift: {
        default: 1,
        min: 0,
        max: 100,
        help: "Shift of severe and lenient raters, in levels.",
      },
      shifted: roleCount(4, "Number of raters who are severe or lenient, by turns."),
      guessers: roleCount(3, "Number of raters who say any level."),
      reversed: roleCount(1, "Number of raters who have the scale the wrong way round."),
    },
    answers: ({ tasks, labelsPerTask, workers }) => tasks * (labelsPerTask || workers),
  },
  (options, random) => {
    const { levels: L, workers: W, shift } = options;
    const { shifted, guessers, reversed } = options;
    const severe = Math.ceil(shifted / 2);
    const roles = cast("raters", W, "careful", {
      severe,
      lenient: shifted - severe,
      guesser: guessers,
      reversed,
    });
    const skills = random.split("skills");
    const noise = Float64Array.from(roles, (role) => {
      const drawn = between(skills, options.low, options.high);
      return role === "guesser" ? Number.NaN : drawn;
    });
    const shifts = Float64Array.from(roles, (role) =>
      role === "severe" ? -shift : role === "lenient" ? shift : 0,
    );
    const places = assign({ ...options, testTasks: 0 }, random.split("assignment"));
    const truths = random.split("truth");
    const truth = Int32Array.from({ length: options.tasks }, () => integer(truths, L));
    const draws = random.split("labels");
    const label = new Int32Array(places.worker.length);
    for (let t = 0; t < truth.length; t++) {
      for (let i = places.start[t]; i < places.start[t + 1]; i++) {
        const w = places.worker[i];
        const level = roles[w] === "reversed" ? L - 1 - truth[t] : truth[t];
        label[i] = rate(level + shifts[w], noise[w], L, draws);
      }
    }
    const names = Array.from({ length: L }, (_, k) => String(k + 1));
    const data: OrdinalData = { ...toDataset(places, truth, label, W, names), kind: "ordinal" };
    return { data, roles, facts: { noise, shift: shifts } };
  },
);

/** The level nearest to what is felt; any level where the noise has no size. */
function rate(centre: number, noise: number, L: number, random: Random): number {
  if (Number.isNaN(noise)) return integer(random, L);
  const u = random.next() || Number.MIN_VALUE;
  const felt = centre + noise * Math.log(u / (1 - u));
  return Math.max(0, Math.min(L - 1, Math.round(felt)));
}
