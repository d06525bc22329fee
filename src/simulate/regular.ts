/**
 * The exactly regular sparse crowd of belief-propagation papers: every task l labels, every worker r,
 * skills from a Beta prior; and on top a few extreme spammers, who label every task at random.
 */
import { beta } from "../math/distributions.ts";
import { assign } from "./assignment.ts";
import { balancedTruth, drawLabels, evenErrors, stack, toDataset, uniform } from "./draw.ts";
import { scenario } from "./scenario.ts";

/**
 * Regular sparse crowd with extreme spammers: two classes, equally many labels per task and per
 * worker.
 */
export const regularCrowd = scenario(
  {
    id: "regular",
    title: "Regular sparse crowd with extreme spammers",
    summary:
      "Two classes with a fixed number of labels per task and per worker; spammers label everything at random.",
    paper: {
      authors: "Q. Liu, J. Peng, A. Ihler",
      year: 2012,
      title: "Variational inference for crowdsourcing",
      url: "https://proceedings.neurips.cc/paper/2012/hash/cd00692c3bfe59267d5ecfac5310286c-Abstract.html",
    },
    options: {
      tasks: { default: 1000, min: 1, integer: true, help: "Number of tasks." },
      labelsPerTask: { default: 3, min: 1, integer: true, help: "Number of labels per task." },
      labelsPerWorker: { default: 4, min: 1, integer: true, help: "Number of labels per worker." },
      a: { default: 2, min: 1e-6, help: "First parameter of the Beta distribution of skills." },
      b: { default: 1, min: 1e-6, help: "Second parameter of the Beta distribution of skills." },
      spammers: {
        default: 0,
        min: 0,
        integer: true,
        help: "Number of extreme spammers added to the crowd.",
      },
    },
  },
  (options, random, tasks) => {
    const { labelsPerTask, labelsPerWorker, spammers } = options;
    const honest = Math.floor((options.tasks * labelsPerTask) / labelsPerWorker);
    const graph = assign(
      { ...options, workers: honest, activity: 0, regular: true },
      random.split("assignment"),
    );
    const skills = random.split("skills");
    const blocks = Array.from({ length: honest }, () => {
      const skill = beta(skills, options.a, options.b);
      return evenErrors([skill, skill]);
    });
    const confusion = stack([
      ...blocks,
      ...Array.from({ length: spammers }, () => evenErrors([0.5, 0.5])),
    ]);
    const truth = balancedTruth(tasks, 2, random.split("truth"));
    const T = truth.length;
    const size = labelsPerTask + spammers;
    const start = Int32Array.from({ length: T + 1 }, (_, t) => t * size);
    const worker = new Int32Array(T * size);
    for (let t = 0; t < T; t++) {
      worker.set(graph.worker.subarray(t * labelsPerTask, (t + 1) * labelsPerTask), t * size);
      for (let s = 0; s < spammers; s++) worker[t * size + labelsPerTask + s] = honest + s;
    }
    const places = { start, worker };
    const label = drawLabels(places, truth, confusion, 2, random.split("labels"));
    return {
      data: toDataset(places, truth, label, honest + spammers, 2),
      prior: uniform(2),
      confusion,
      roles: [
        ...blocks.map(() => "one-coin"),
        ...Array.from({ length: spammers }, () => "extreme spammer"),
      ],
    };
  },
);
