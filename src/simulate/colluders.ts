/**
 * Colluding adversaries among honest Dawid–Skene workers: on most tasks all of them give the same
 * wrong label, on the rest the truth.
 */
import { everybody } from "./assignment.ts";
import {
  balancedTruth,
  classOption,
  drawLabels,
  stack,
  toDataset,
  unevenErrors,
  uniform,
} from "./draw.ts";
import { scenario } from "./scenario.ts";

/**
 * Colluding adversaries: a share of the workers agree on one wrong label per task; the others err
 * independently.
 */
export const colludersCrowd = scenario(
  {
    id: "colluders",
    title: "Colluding adversaries",
    summary:
      "A share of the workers agree on one wrong label per task; the others err independently.",
    paper: {
      authors: "P. A. Traganitis, G. B. Giannakis",
      year: 2021,
      title: "Detecting adversaries in crowdsourcing",
      url: "https://arxiv.org/abs/2110.04117",
    },
    options: {
      tasks: { default: 5000, min: 1, integer: true, help: "Number of tasks." },
      workers: { default: 60, min: 1, integer: true, help: "Number of workers." },
      classes: { ...classOption.classes, default: 3 },
      share: { default: 0.3, min: 0, max: 1, help: "Share of workers who collude." },
      together: {
        default: 0.9,
        min: 0,
        max: 1,
        help: "Probability that the colluders attack a task; otherwise they give the true class.",
      },
      low: {
        default: 0.4,
        min: 0,
        max: 1,
        help: "Lowest accuracy of an honest worker for a class.",
      },
      high: {
        default: 0.8,
        min: 0,
        max: 1,
        help: "Highest accuracy of an honest worker for a class.",
      },
    },
  },
  (options, random, tasks) => {
    const { workers: W, classes: K, low, high } = options;
    const colluders = Math.round(options.share * W);
    const skills = random.split("skills");
    const blocks = Array.from({ length: W - colluders }, () =>
      unevenErrors(K, () => low + (high - low) * skills.next(), skills),
    );
    const truth = balancedTruth(tasks, K, random.split("truth"));
    const T = truth.length;
    const places = everybody(T, W);
    // Colluders come last; they have no confusion of their own.
    const nobody = new Float64Array(K * K).fill(1 / K);
    const table = stack([...blocks, ...Array.from({ length: colluders }, () => nobody)]);
    const label = drawLabels(places, truth, table, K, random.split("labels"));
    const plots = random.split("plots");
    for (let t = 0; t < T; t++) {
      const attacked = plots.next() < options.together;
      const error = Math.floor(plots.next() * (K - 1));
      const wrong = error < truth[t] ? error : error + 1;
      label.fill(attacked ? wrong : truth[t], t * W + W - colluders, (t + 1) * W);
    }
    return {
      data: toDataset(places, truth, label, W, K),
      prior: uniform(K),
      roles: Array.from({ length: W }, (_, w) => (w < W - colluders ? "honest" : "colluder")),
    };
  },
);
