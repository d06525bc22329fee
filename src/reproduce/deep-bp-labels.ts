/** Figures of deep belief propagation that need labels alone (Kim, Cho, Kim, Ok, AISTATS 2022). */
import { beliefPropagation } from "../aggregate/categorical/messages/belief-propagation.ts";
import { meanField } from "../aggregate/categorical/messages/mean-field.ts";
import { labelsPerWorker } from "../data/crowd-data.ts";
import { minOf } from "../math/lists.ts";
import { regularCrowd } from "../simulate/regular.ts";
import { DEEP_BP_PAPER as PAPER } from "./deep-bp.ts";
import { type Check, type Experiment, larger, mean, shareRight } from "./experiment.ts";
import { at, gridExperiment } from "./grid.ts";
import { missing } from "./max-mig.ts";

export const deepBpFig4: Experiment = {
  id: "deep-bp-fig-4",
  title: "Deep BP, figure 4: MF is too sure",
  paper: PAPER,
  about:
    "Labels alone, one extreme spammer, model Dir(2, 1.4): the share of beliefs outside [.05, .95], and the lowest accuracy over seeds.",
  seeds: { full: 100, quick: 10 },
  async run(context) {
    const sure: Record<string, number[]> = { MF: [], BP: [] };
    const right: Record<string, number[]> = { MF: [], BP: [] };
    for (let seed = 0; seed < context.seeds; seed++) {
      context.onProgress?.(`seed ${seed + 1}`);
      const { data } = regularCrowd({ a: 2, b: 1, spammers: 1, seed });
      const prior = { right: 2, wrong: 1.4 };
      for (const [name, posterior] of [
        ["MF", meanField(data, { ...prior, workerPrior: "two-coin" }).posterior],
        ["BP", beliefPropagation(data, prior).posterior],
      ] as const) {
        const second = posterior.filter((_, i) => i % 2 === 1);
        sure[name].push(second.filter((p) => p < 0.05 || p > 0.95).length / second.length);
        right[name].push(shareRight(posterior, data.gold));
      }
    }
    const grid = right["MF"].map((_, i) => i + 1);
    const sorted = (name: string) => right[name].toSorted((a, b) => a - b).map((value) => [value]);
    return {
      rows: ["MF", "BP"].flatMap((name) => [
        { name, setting: "share of beliefs outside [.05, .95]", ours: sure[name] },
        { name, setting: "accuracy", ours: right[name] },
        { name, setting: "lowest accuracy", ours: [minOf(right[name])] },
      ]),
      charts: [
        {
          kind: "curves",
          id: "sorted",
          title: "Accuracy, sorted over seeds",
          description: `MF from ${minOf(right["MF"]).toFixed(2)}, BP from ${minOf(right["BP"]).toFixed(2)}.`,
          xName: "Seed, by accuracy",
          yName: "Accuracy",
          share: true,
          series: ["MF", "BP"].map((name) => ({
            name,
            points: sorted(name).map(([y], i) => ({ x: grid[i], y })),
          })),
        },
      ],
      checks: [
        {
          claim: "In every seed MF is surer than BP",
          passed: sure["MF"].every((share, i) => share > sure["BP"][i]),
          measured: `MF ${mean(sure["MF"]).toFixed(3)}, BP ${mean(sure["BP"]).toFixed(3)}`,
        },
        larger("BP is more accurate", right["BP"], right["MF"], 0.1),
      ],
      notes: [],
    };
  },
};

export const deepBpFig8 = gridExperiment({
  id: "deep-bp-fig-8",
  title: "Deep BP, figure 8: how many draws belief propagation needs",
  paper: PAPER,
  about:
    "Labels alone, skills Dir(2, 1), which the model knows; skills averaged over by draws from the prior, or exactly.",
  seeds: { full: 100, quick: 6 },
  xName: "Draws",
  grid: () => [10, 50, 100, 400],
  async cell(_, samples, seed) {
    const results: Record<string, number> = {};
    for (const [a, b] of [
      [2, 1],
      [1, 0.5],
      [0.5, 0.25],
    ]) {
      const { data } = regularCrowd({ a, b, seed });
      const prior = { right: a, wrong: b };
      const drawn = beliefPropagation(data, { ...prior, integral: "mc", samples, seed });
      results[`Dir(${a}, ${b}), draws`] = shareRight(drawn.posterior, data.gold);
      results[`Dir(${a}, ${b}), exact`] = shareRight(
        beliefPropagation(data, prior).posterior,
        data.gold,
      );
    }
    return results;
  },
  checks: (lines) =>
    ["Dir(2, 1)", "Dir(1, 0.5)", "Dir(0.5, 0.25)"].map((name): Check => {
      const [draws, exact] = [
        mean(at(lines, `${name}, draws`, -1)),
        mean(at(lines, `${name}, exact`, -1)),
      ];
      return {
        claim: `400 draws are within .006 of exact, ${name}`,
        passed: Math.abs(draws - exact) <= 0.006,
        measured: `${draws.toFixed(4)} against ${exact.toFixed(4)}`,
      };
    }),
});

/** Workers of figure 10 who labelled most: tasks, and the accuracy that the paper's points show. */
const busy: Readonly<Record<string, readonly (readonly [tasks: number, accuracy: number])[]>> = {
  temp: [
    [442, 0.5],
    [452, 0.44],
    [462, 0.44],
  ],
  rte: [
    [540, 0.5],
    [700, 0.58],
    [760, 0.49],
    [800, 0.5],
  ],
};

export const deepBpFig10: Experiment = {
  id: "deep-bp-fig-10",
  title: "Deep BP, figure 10: those who label most guess",
  paper: PAPER,
  about:
    "The busiest workers of temp and rte: how many labels they gave, and how many of them are right.",
  seeds: { full: 1, quick: 1 },
  async run(context) {
    const rows = [];
    const checks: Check[] = [];
    for (const [name, theirs] of Object.entries(busy)) {
      const data = await context.labels(name);
      if (!data) return missing(name);
      const counts = labelsPerWorker(data);
      const right = new Float64Array(counts.length);
      data.label.forEach((label, i) => {
        if (label === data.gold[data.task[i]]) right[data.worker[i]]++;
      });
      for (const [tasks, accuracy] of theirs) {
        const found = [...counts.keys()]
          .filter((w) => Math.abs(counts[w] - tasks) <= 1)
          .map((w) => right[w] / counts[w]);
        const nearest = found.toSorted(
          (a, b) => Math.abs(a - accuracy) - Math.abs(b - accuracy),
        )[0];
        rows.push({
          name,
          setting: `${tasks} labels`,
          ours: [nearest ?? Number.NaN],
          theirs: accuracy,
        });
        checks.push({
          claim: `A worker of ${name} gave ${tasks} labels and is right on ${accuracy} of them (within .02)`,
          passed: nearest !== undefined && Math.abs(nearest - accuracy) <= 0.02,
          measured: nearest === undefined ? "nobody gave so many" : nearest.toFixed(3),
        });
      }
    }
    return { rows, checks, charts: [], notes: [] };
  },
};
