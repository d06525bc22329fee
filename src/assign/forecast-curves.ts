/**
 * Accuracy with more and more labels, of crowds that fit the labels there are. Each crowd (crowd-chain.ts) gives a class to every
 * task and the labels that would come next (future-labels.ts); Dawid–Skene is fitted to old and new labels, and its answers are
 * compared with those classes.
 */
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { type CategoricalData, selectLabels } from "../data/categorical.ts";
import { sharedErrorSteps } from "../diagnose/shared-errors.ts";
import { beta, categorical, exponential, normal } from "../math/distributions.ts";
import type { Random } from "../math/random.ts";
import type { Steps } from "../method.ts";
import { type CrowdChain, createCrowdChain, sharpen } from "./crowd-chain.ts";
import { createFutureLabels, type FutureCrowd } from "./future-labels.ts";

/** Numbers of labels that are shown, as multiples of those there are. */
export const SHOWN = [1, 1.25, 1.5, 2, 3, 4];
/** How far a goal that is not reached yet is looked for. */
const BEYOND = [6, 10];
/** Sweeps before the first draw, and between draws. */
const BURN = 60;
const THIN = 5;
/** What labels alone cannot show of the correlation, on average: public crowds with gold have .02 to .2 more. */
const UNSEEN = 0.1;
/**
 * The urn is a rough model of shared errors: how uncertain ρ is, as a share of it, beyond its standard deviation.
 * Set on public sets (docs/forecast.md).
 */
const ROUGH = 0.5;
const MOST_CORRELATION = 0.6;
const FIT = { shrinkage: 4 } as const;

/** What is forecast, and from what. */
export interface Scene {
  readonly data: CategoricalData;
  /** Known classes; undefined if it rests on labels alone. */
  readonly gold: Int32Array | undefined;
  /** Share of tasks with gold among all tasks, of which these may be a sample. */
  readonly goldShare: number;
  /** Number of labels of each task; all have some. */
  readonly load: Int32Array;
}

/** The accuracy with more and more labels of one crowd that was drawn. */
export interface Curve {
  readonly correlation: number;
  readonly times: readonly number[];
  readonly accuracy: readonly number[];
}

/** Draws crowds and follows the accuracy of answers in each. */
export function* drawCurves(
  scene: Scene,
  {
    goal,
    draws,
    independent = false,
  }: { goal: number; draws: number; independent?: boolean | undefined },
  random: Random,
): Steps<Curve[]> {
  const { data, gold } = scene;
  const judged = gold ? selectLabels(data, (i) => gold[data.task[i]] >= 0) : data;
  const shared = yield* sharedErrorSteps(judged, { known: gold ? { gold } : {} });
  const now = yield* dawidSkene.steps(data, FIT);
  const chain = createCrowdChain(data, now.posterior, gold, random.split("chain"));
  for (let sweep = 0; sweep < BURN; sweep++) {
    chain.sweep();
    yield { iteration: sweep, objective: 0, stage: "drawing crowds" };
  }
  const curves: Curve[] = [];
  for (let draw = 0; draw < draws; draw++) {
    for (let sweep = 0; sweep < THIN; sweep++) chain.sweep();
    const stream = random.split(draw);
    const unseen = !gold && !independent ? UNSEEN * exponential(stream) : 0;
    const correlation = drawCorrelation(shared, unseen, stream);
    const truth = drawTruth(scene, chain, now.consensus, correlation, stream);
    chain.learn(truth);
    const crowd = { truth, rows: chain.rows, correlation };
    curves.push(yield* follow(scene, crowd, now.consensus, goal, stream));
  }
  return curves;
}

function drawCorrelation(
  { correlation, deviation }: { correlation: number; deviation: number },
  unseen: number,
  random: Random,
): number {
  const spread = Math.hypot(deviation, ROUGH * Math.max(0, correlation));
  const drawn = Math.max(0, correlation + spread * normal(random)) + unseen;
  return Math.min(MOST_CORRELATION, drawn);
}

/** Draws the class of every task: known, or as the labels say with the weight that shared errors leave them. */
function drawTruth(
  { gold, load, data }: Scene,
  chain: CrowdChain,
  answers: Int32Array,
  correlation: number,
  random: Random,
): Int32Array {
  const [T, K] = [load.length, data.classes.length];
  const [logs, p] = [new Float64Array(K), new Float64Array(K)];
  const believe = (t: number, scale: number) => {
    chain.weigh(t, logs);
    return sharpen(logs, 0, scale / (1 + Math.max(0, load[t] - 1) * correlation), p);
  };
  const scale = gold ? anchor(gold, load, answers, believe, random) : 1;
  return Int32Array.from({ length: T }, (_, t) => {
    if (load[t] === 0) return -1;
    return gold && gold[t] >= 0 ? gold[t] : categorical(random, believe(t, scale));
  });
}

/** Finds the scale of beliefs at which answers are expected to be right as often as gold shows, give or take its sampling error. */
function anchor(
  gold: Int32Array,
  load: Int32Array,
  answers: Int32Array,
  believe: (t: number, scale: number) => Float64Array,
  random: Random,
): number {
  const known = [...gold.keys()].filter((t) => gold[t] >= 0 && load[t] > 0 && answers[t] >= 0);
  const right = known.filter((t) => answers[t] === gold[t]).length;
  const wanted = beta(random, right + 0.5, known.length - right + 0.5);
  const expected = (scale: number) =>
    known.reduce((sum, t) => sum + believe(t, scale)[answers[t]], 0) / known.length;
  let [low, high] = [1e-3, 8];
  for (let step = 0; step < 25; step++) {
    const middle = Math.sqrt(low * high);
    if (expected(middle) > wanted) high = middle;
    else low = middle;
  }
  return Math.sqrt(low * high);
}

/** Follows the accuracy of answers while labels of one crowd come in. */
function* follow(
  scene: Scene,
  crowd: FutureCrowd,
  answers: Int32Array,
  goal: number,
  random: Random,
): Steps<Curve> {
  const future = createFutureLabels(scene.data, crowd, random);
  const accuracy: number[] = [];
  const times = [...SHOWN, ...BEYOND];
  for (const many of times) {
    if (many > SHOWN[SHOWN.length - 1] && accuracy.some((value) => value >= goal)) break;
    if (many > 1) future.grow(many);
    const consensus =
      many === 1 ? answers : (yield* dawidSkene.steps(future.data(), FIT)).consensus;
    accuracy.push(shareRight(scene, consensus, crowd.truth));
    yield { iteration: accuracy.length, objective: 0, stage: "adding labels" };
  }
  return { correlation: crowd.correlation, times, accuracy };
}

/** Share of right answers among all tasks, by those that are here. */
function shareRight({ gold, goldShare }: Scene, answers: Int32Array, truth: Int32Array): number {
  const [right, all] = [
    [0, 0],
    [0, 0],
  ];
  for (let t = 0; t < truth.length; t++) {
    const part = gold && gold[t] >= 0 ? 0 : 1;
    all[part]++;
    if (answers[t] === truth[t]) right[part]++;
  }
  if (all[0] === 0 || all[1] === 0) return (right[0] + right[1]) / (all[0] + all[1]);
  return goldShare * (right[0] / all[0]) + (1 - goldShare) * (right[1] / all[1]);
}
