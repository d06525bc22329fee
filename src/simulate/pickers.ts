/**
 * Workers who pick all labels that fit a task. Each worker picks a label that fits with a sensitivity and leaves out one that does not
 * with a specificity, the same for all labels. Some pick too few, some too many, and some guess. A label `none`, which
 * excludes all others, fits where no other does; it is seen with the same sensitivity, and said by whoever picks nothing.
 */
import type { MultiLabelData } from "../data/multi-label.ts";
import { namesOf } from "../data/names.ts";
import type { Random } from "../math/random.ts";
import { answerScenario, between, cast, numbered, roleCount } from "./answers.ts";
import { type Assignment, assign, assignmentOptions } from "./assignment.ts";

/** Sets of labels: careful workers, those who pick too few or too many, and guessers. */
export const pickersCrowd = answerScenario(
  {
    id: "pickers",
    kind: "multi-label",
    title: "Workers who pick labels",
    summary: "Several labels per task: some workers pick too few, too many, or any.",
    options: {
      ...assignmentOptions,
      tasks: { ...assignmentOptions.tasks, default: 300 },
      workers: { ...assignmentOptions.workers, default: 20, max: 1_000_000 },
      labelsPerTask: {
        ...assignmentOptions.labelsPerTask,
        help: "Number of answers per task; 0 means that every worker answers every task.",
      },
      labels: { default: 6, min: 1, max: 200, integer: true, help: "Number of labels." },
      rarest: { default: 0.1, min: 0, max: 1, help: "Share of tasks with the rarest label." },
      commonest: { default: 0.4, min: 0, max: 1, help: "Share of tasks with the commonest label." },
      none: { default: true, help: "Whether there is a label none for tasks without any other." },
      low: {
        default: 0.75,
        min: 0,
        max: 1,
        help: "Least sensitivity and specificity of a careful worker.",
      },
      high: {
        default: 0.95,
        min: 0,
        max: 1,
        help: "Largest sensitivity and specificity of a careful worker.",
      },
      sparing: roleCount(3, "Number of workers who pick too few labels: sensitivity .4."),
      generous: roleCount(3, "Number of workers who pick too many: specificity .5."),
      guessers: roleCount(2, "Number of workers who pick each label with probability ½."),
    },
    answers: ({ tasks, labelsPerTask, workers, labels }) =>
      tasks * Math.max(labels / 4, (labelsPerTask || workers) * (1 + labels / 4)),
  },
  (options, random) => {
    const { tasks: T, workers: W, labels: L, low, high } = options;
    const roles = cast("pickers", W, "careful", {
      sparing: options.sparing,
      generous: options.generous,
      guesser: options.guessers,
    });
    const skills = random.split("skills");
    const rates = (fixed: Readonly<Record<string, number>>) =>
      Float64Array.from(roles, (role) => {
        const drawn = between(skills, low, high);
        return fixed[role] ?? drawn;
      });
    const sensitivity = rates({ sparing: 0.4, guesser: 0.5 });
    const specificity = rates({ sparing: 0.98, generous: 0.5, guesser: 0.5 });
    const truths = random.split("truth");
    const share = Float64Array.from(
      { length: L },
      (_, l) => options.rarest + ((options.commonest - options.rarest) * l) / Math.max(1, L - 1),
    );
    const fits = Uint8Array.from({ length: T * L }, (_, at) =>
      truths.next() < share[at % L] ? 1 : 0,
    );
    const places = assign({ ...options, testTasks: 0 }, random.split("assignment"));
    const draws = random.split("answers");
    const chance = (w: number, fit: boolean) => (fit ? sensitivity[w] : 1 - specificity[w]);
    // Guessers do not see that nothing fits.
    const sees = (w: number) => (roles[w] === "guesser" ? 0 : sensitivity[w]);
    const data: MultiLabelData = {
      kind: "multi-label",
      tasks: namesOf(numbered("t", T)),
      workers: namesOf(numbered("w", W)),
      classes: namesOf([...numbered("l", L), ...(options.none ? ["none"] : [])]),
      worker: places.worker,
      ...pickedBy(places, fits, L, options.none, chance, sees, draws),
      gold: goldOf(fits, L, options.none),
      notes: [],
    };
    return { data, roles, facts: { sensitivity, specificity } };
  },
);

/** The labels of every answer; the one after the last where none was picked and that can be said. */
function pickedBy(
  { start: places, worker }: Assignment,
  fits: Uint8Array,
  L: number,
  none: boolean,
  chance: (worker: number, fit: boolean) => number,
  sees: (worker: number) => number,
  random: Random,
): Pick<MultiLabelData, "task" | "start" | "label"> {
  const label: number[] = [];
  const [task, start] = [new Int32Array(worker.length), new Int32Array(worker.length + 1)];
  for (let t = 0; t + 1 < places.length; t++) {
    const empty = none && !fits.subarray(t * L, (t + 1) * L).includes(1);
    for (let i = places[t]; i < places[t + 1]; i++) {
      task[i] = t;
      const seen = empty && random.next() < sees(worker[i]);
      for (let l = 0; l < L && !seen; l++) {
        if (random.next() < chance(worker[i], fits[t * L + l] === 1)) label.push(l);
      }
      if (none && label.length === start[i]) label.push(L);
      start[i + 1] = label.length;
    }
  }
  return { task, start, label: Int32Array.from(label) };
}

/** Which labels fit each task; with `none`, one more that fits where no other does. */
function goldOf(fits: Uint8Array, L: number, none: boolean): Int8Array {
  if (!none) return Int8Array.from(fits);
  const gold = new Int8Array((fits.length / L) * (L + 1));
  for (let t = 0; t * L < fits.length; t++) {
    const own = fits.subarray(t * L, (t + 1) * L);
    gold.set(own, t * (L + 1));
    if (!own.includes(1)) gold[t * (L + 1) + L] = 1;
  }
  return gold;
}
