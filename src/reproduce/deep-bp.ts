/** Kim, Cho, Kim, Ok: Robust Deep Learning from Crowds with Belief Propagation, AISTATS 2022. */
import { beliefPropagation } from "../aggregate/categorical/messages/belief-propagation.ts";
import { meanField } from "../aggregate/categorical/messages/mean-field.ts";
import { majorityVote } from "../aggregate/categorical/votes/majority-vote.ts";
import { createRandom } from "../math/random.ts";
import { blur } from "../simulate/blur.ts";
import { withFeatures } from "../simulate/features.ts";
import { regularCrowd } from "../simulate/regular.ts";
import { type Experiment, type ExperimentContext, larger, mean, shareRight } from "./experiment.ts";
import { at, type Grid, gridExperiment, type Lines } from "./grid.ts";
import { asSet, testAccuracy, train } from "./learning.ts";

export const DEEP_BP_PAPER =
  "Kim, Cho, Kim, Ok (2022). Robust Deep Learning from Crowds with Belief Propagation.";
const FEATURES =
  "Gaussian features (10 dimensions) and a network with 16 hidden units stand in for the paper's images and its network of convolutions, which print no numbers in any case.";

const SEEDS = { full: 10, quick: 3 };

/** The network of every figure, and how it is trained on all tasks at once. */
const network = { hidden: "16", dropout: 0 };
const wholeTraining = { ...network, epochs: 200, batch: 1e6, rate: 0.01, refresh: 5 };

const figure = (given: Omit<Grid, "paper" | "seeds">): Experiment =>
  gridExperiment({ ...given, paper: DEEP_BP_PAPER, seeds: SEEDS });

type Crowd = ReturnType<typeof regularCrowd>;

interface Model {
  readonly right: number;
  readonly wrong: number;
  readonly clipAt?: number;
}

/** The learners of the paper's figures by the names it gives them. */
const learnerIds = {
  "Crowd Layer": "crowd-layer",
  BayesDGC: "bayes-dgc",
  deepMF: "deep-mf",
  deepBP: "deep-bp",
} as const;

/** Accuracy of inference on the labelled tasks: labels alone, then with features. */
async function everyone(
  context: ExperimentContext,
  crowd: Crowd,
  model: Model,
  { separation, seed, deep = true }: { separation: number; seed: number; deep?: boolean },
): Promise<Record<string, number>> {
  const { data } = crowd;
  const { right, wrong, clipAt = 0.9 } = model;
  const score = (posterior: Float64Array) => shareRight(posterior, data.gold);
  const results: Record<string, number> = {
    MV: score(majorityVote(data).posterior),
    MF: score(meanField(data, { right, wrong, workerPrior: "two-coin" }).posterior),
    BP: score(beliefPropagation(data, { right, wrong }).posterior),
  };
  if (!deep) return results;
  const simulation = withFeatures(crowd, { separation, dimensions: 10, seed });
  const set = asSet(simulation);
  const shared = { ...wholeTraining, right, wrong, clipAt };
  for (const [name, id] of Object.entries(learnerIds)) {
    const two = id === "deep-mf" ? { workerPrior: "two-coin" } : {};
    const learning = await train(context, set, { name, id, options: two }, shared, seed);
    results[name] = score(learning.posterior);
    if (set.test) results[`${name}, learning`] = (await testAccuracy(learning, set)).alone;
  }
  return results;
}

const tasksOf = ({ quick }: ExperimentContext) => (quick ? 600 : 1000);

export const deepBpFig1 = figure({
  id: "deep-bp-fig-1",
  title: "Deep BP, figure 1: poor features, and clipping against them",
  about: `Skills Dir(1, .5), which the model knows; features are blurred more and more, and the classifier's word is clipped at .55 to 1 (not at all). ${FEATURES}`,
  xName: "Blur",
  grid: ({ quick }) => (quick ? [0, 16, 32] : [0, 4, 8, 16, 32]),
  async cell(context, radius, seed) {
    const crowd = regularCrowd({ tasks: tasksOf(context), a: 1, b: 0.5, seed });
    const made = withFeatures(crowd, { separation: 2, dimensions: 10, seed });
    const features = blur(made.features, radius, createRandom(seed).split("blur"));
    const set = { data: made.data, features };
    const results: Record<string, number> = {
      BP: shareRight(
        beliefPropagation(crowd.data, { right: 1, wrong: 0.5 }).posterior,
        crowd.data.gold,
      ),
      MF: shareRight(meanField(crowd.data, { right: 1, wrong: 0.5 }).posterior, crowd.data.gold),
    };
    for (const [name, id] of [
      ["deepMF", "deep-mf"],
      ["deepBP", "deep-bp"],
    ] as const) {
      for (const clipAt of context.quick ? [0.55, 0.9] : [0.55, 0.7, 0.9, 1]) {
        const options = { right: 1, wrong: 0.5, clipAt };
        const learning = await train(context, set, { name, id, options }, wholeTraining, seed);
        results[`${name}, clipped at ${clipAt}`] = shareRight(learning.posterior, made.data.gold);
      }
    }
    return results;
  },
  checks: (lines) => [
    larger(
      "deepBP falls with blur",
      at(lines, "deepBP, clipped at 0.9", 0),
      at(lines, "deepBP, clipped at 0.9", -1),
    ),
    larger(
      "with useless features, clipping at .55 keeps deepBP within .02 of BP",
      at(lines, "deepBP, clipped at 0.55", -1),
      at(lines, "BP", -1),
      -0.02,
    ),
    larger(
      "with useless features, .55 is better than .9",
      at(lines, "deepBP, clipped at 0.55", -1),
      at(lines, "deepBP, clipped at 0.9", -1),
    ),
  ],
});

export const deepBpFig2 = figure({
  id: "deep-bp-fig-2",
  title: "Deep BP, figure 2: the prior of skills is known",
  about: `Regular crowds (3 labels per task, 4 per worker), skills Dir(a, a/2). ${FEATURES} MF has two coins, as the authors' code, BP one.`,
  xName: "a",
  grid: ({ quick }) => (quick ? [0.2, 1, 2] : [0.2, 0.5, 1, 1.5, 2]),
  cell: (context, a, seed) =>
    everyone(
      context,
      regularCrowd({ tasks: tasksOf(context), testTasks: tasksOf(context), a, b: a / 2, seed }),
      { right: a, wrong: a / 2 },
      { separation: 2, seed },
    ),
  checks: (lines) => [
    larger("BP is better than MF where skills are extreme", at(lines, "BP", 0), at(lines, "MF", 0)),
    larger("deepBP is better than BP", at(lines, "deepBP", 0), at(lines, "BP", 0)),
    larger(
      "deepBP is at least deepMF - .015",
      at(lines, "deepBP", 0),
      at(lines, "deepMF", 0),
      -0.015,
    ),
    larger("deepBP is better than the vote", at(lines, "deepBP", -1), at(lines, "MV", -1)),
  ],
});

/** Skills Dir(2, 1), and some who label everything at random. */
function spammedCrowd(context: ExperimentContext, spammers: number, seed: number): Crowd {
  const tasks = tasksOf(context);
  return regularCrowd({ tasks, testTasks: tasks, a: 2, b: 1, spammers, seed });
}

export const deepBpFig3 = figure({
  id: "deep-bp-fig-3",
  title: "Deep BP, figure 3: a wrong prior, and one who labels everything at random (a, b)",
  about: `Skills Dir(2, 1) and one extreme spammer; the model takes them for Dir(2, a2). ${FEATURES}`,
  xName: "a2",
  grid: ({ quick }) => (quick ? [0.8, 1.2, 1.4] : [0.8, 1, 1.2, 1.4, 1.6]),
  cell: (context, wrong, seed) =>
    everyone(context, spammedCrowd(context, 1, seed), { right: 2, wrong }, { separation: 2, seed }),
  checks: (lines, grid) => [
    larger(
      "MF falls for a2 above 1.2",
      at(lines, "BP", grid.indexOf(1.4)),
      at(lines, "MF", grid.indexOf(1.4)),
      0.1,
    ),
    {
      claim: "BP stays where it is up to 1.4 (within .03)",
      passed: Math.abs(mean(at(lines, "BP", grid.indexOf(1.4))) - mean(at(lines, "BP", 0))) < 0.03,
      measured: `${mean(at(lines, "BP", 0)).toFixed(3)} at .8, ${mean(at(lines, "BP", grid.indexOf(1.4))).toFixed(3)} at 1.4`,
    },
    larger(
      "features rescue MF: deepMF is above .83",
      at(lines, "deepMF", grid.indexOf(1.4)),
      at(lines, "deepMF", grid.indexOf(1.4)).map(() => 0.83),
    ),
  ],
});

export const deepBpFig3c = figure({
  id: "deep-bp-fig-3c",
  title: "Deep BP, figure 3: more and more extreme spammers (c, d)",
  about: `Skills Dir(2, 1), model Dir(2, 1.4), 0 to 5 workers who label everything at random. ${FEATURES}`,
  xName: "Spammers",
  grid: ({ quick }) => (quick ? [0, 1, 4] : [0, 1, 2, 3, 4, 5]),
  cell: (context, spammers, seed) =>
    everyone(
      context,
      spammedCrowd(context, spammers, seed),
      { right: 2, wrong: 1.4 },
      { separation: 2, seed },
    ),
  checks: (lines) => [
    larger("BP loses less than MF", at(lines, "BP", -1), at(lines, "MF", -1), 0.1),
    larger(
      "deepBP is better than the vote with many spammers",
      at(lines, "deepBP", -1),
      at(lines, "MV", -1),
    ),
  ],
});

export const deepBpFig6 = figure({
  id: "deep-bp-fig-6",
  title: "Deep BP, figure 6: more labels per task or more tasks, for the same money",
  about: `A budget of 2000 labels, skills Dir(2, 1), which the model knows; accuracy of the classifier on 1000 other tasks. ${FEATURES}`,
  xName: "Labels per task",
  yName: "Accuracy of the classifier",
  grid: ({ quick }) => (quick ? [1, 4, 10] : [1, 2, 4, 5, 8, 10]),
  async cell(context, labelsPerTask, seed) {
    const tasks = Math.floor(2000 / labelsPerTask);
    const crowd = regularCrowd({
      tasks: tasks - (tasks % 4),
      testTasks: 1000,
      labelsPerTask,
      a: 2,
      b: 1,
      seed,
    });
    const results = await everyone(context, crowd, { right: 2, wrong: 1 }, { separation: 2, seed });
    return Object.fromEntries(
      Object.keys(learnerIds).map((name) => [name, results[`${name}, learning`]]),
    );
  },
  checks: (lines) => [
    larger(
      "deepBP learns better from many tasks with few labels than from few with many",
      at(lines, "deepBP", 1),
      at(lines, "deepBP", -1),
    ),
  ],
});

/** Skills Dir(3, 1), with features and tasks to test on. */
function skilledSet(context: ExperimentContext, seed: number) {
  const crowd = regularCrowd({ tasks: tasksOf(context), testTasks: 1000, a: 3, b: 1, seed });
  return asSet(withFeatures(crowd, { separation: 2, dimensions: 10, seed }));
}

/** Accuracy of the classifier under the trace with a logarithm, and of the crowd layer beside it. */
async function traceAndLayer(
  context: ExperimentContext,
  { lambda, delta }: { lambda: number; delta: number },
  seed: number,
): Promise<Record<string, number>> {
  const set = skilledSet(context, seed);
  const shared = { ...network, epochs: 100, batch: 64, rate: 1e-3, crowdRate: 0.01 };
  // The softmax of delta on the diagonal of two classes and 0 beside it.
  const startDiagonal = 1 / (1 + Math.exp(-delta));
  const trace = { penalty: "log", form: "softmax", startDiagonal, lambda };
  const run = async (id: string, options: Record<string, string | number>) =>
    (await testAccuracy(await train(context, set, { name: id, id, options }, shared, seed), set))
      .alone;
  return {
    Trace: await run("trace-regularised", trace),
    "Crowd Layer": await run("crowd-layer", {}),
  };
}

const belowLayer = (lines: Lines) =>
  larger(
    "the trace with a logarithm is below the crowd layer at the end of the axis",
    at(lines, "Crowd Layer", -1),
    at(lines, "Trace", -1),
  );

export const deepBpFig7 = figure({
  id: "deep-bp-fig-7",
  title: "Deep BP, figure 7: the trace with a logarithm, by its weight",
  about: `Skills Dir(3, 1); trace regularisation with the logarithms of the diagonals and weight lambda (confusions start from the softmax of 2 on the diagonal) beside the crowd layer, accuracy of the classifier. ${FEATURES}`,
  xName: "lambda",
  yName: "Accuracy of the classifier",
  grid: () => [0.5, 1, 1.5, 2],
  cell: (context, lambda, seed) => traceAndLayer(context, { lambda, delta: 2 }, seed),
  checks: (lines) => [
    larger(
      "more weight on the trace does not help (tolerance .02)",
      at(lines, "Trace", 0),
      at(lines, "Trace", -1),
      -0.02,
    ),
    belowLayer(lines),
  ],
});

export const deepBpFig7b = figure({
  id: "deep-bp-fig-7b",
  title: "Deep BP, figure 7: the trace with a logarithm, by where confusions start",
  about: `As deep-bp-fig-7 with lambda .5: confusions start from the softmax of delta on the diagonal. ${FEATURES}`,
  xName: "delta",
  yName: "Accuracy of the classifier",
  grid: ({ quick }) => (quick ? [1, 3, 6] : [1, 2, 3, 4, 5, 6]),
  cell: (context, delta, seed) => traceAndLayer(context, { lambda: 0.5, delta }, seed),
  checks: (lines) => [belowLayer(lines)],
});

export const deepBpTable1: Experiment = {
  id: "deep-bp-table-1",
  title: "Deep BP, table 1: Crowd Layer and trace regularisation as cases of deep mean field",
  paper: DEEP_BP_PAPER,
  about: `The paper calls both special cases of its mean field. Their real losses, -log sum_k f[k] theta[k][y], are below the bound that mean field has, the mean of -log theta[k][y], by Jensen's inequality: the claim holds as a bound only. Both losses are trained and both accuracies shown. ${FEATURES}`,
  seeds: SEEDS,
  async run(context) {
    const names = {
      "Crowd Layer, exact": "exact",
      "Crowd Layer, bound of mean field": "jensen",
    } as const;
    const losses: Record<string, number[]> = {};
    const accuracy: Record<string, number[]> = {};
    for (let seed = 0; seed < context.seeds; seed++) {
      const set = skilledSet(context, seed);
      const shared = { ...network, epochs: 50, batch: 64, rate: 1e-3, crowdRate: 0.01 };
      for (const [name, loss] of Object.entries(names)) {
        context.onProgress?.(`${name}, seed ${seed + 1}`);
        const options = { variant: "simplex", loss };
        const learning = await train(
          context,
          set,
          { name, id: "crowd-layer", options },
          shared,
          seed,
        );
        losses[name] = [...(losses[name] ?? []), -(learning.trace.at(-1) ?? Number.NaN)];
        accuracy[name] = [...(accuracy[name] ?? []), (await testAccuracy(learning, set)).alone];
      }
    }
    const [exact, bound] = Object.keys(names).map((name) => losses[name]);
    return {
      rows: Object.keys(names).flatMap((name) => [
        { name, setting: "loss", ours: losses[name] },
        { name, setting: "test accuracy", ours: accuracy[name] },
      ]),
      checks: [larger("the bound is above the exact loss", bound, exact)],
      charts: [],
      notes: [],
    };
  },
};
