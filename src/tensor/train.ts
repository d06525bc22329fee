/**
 * Trains whatever a graph of a loss describes. It knows nothing of data: each step is fed a batch.
 *
 * Everything random comes from the stream given, split by the number of the step, so that a training
 * that goes on from a saved state makes the same steps as one that never stopped.
 */
import type { Random } from "../math/random.ts";
import type { Buffers, Executor, Numbers, Program, Table } from "./executor.ts";
import { sortGraph, type Tensor } from "./graph.ts";
import { manySteps } from "./many-steps.ts";
import { createMasks } from "./masks.ts";
import { oneStep } from "./one-step.ts";
import { createOptimiser, type OptimiserOptions, type Share } from "./optim/optimiser.ts";
import { createScope, type Scope } from "./scope.ts";
import { badShape, countOf } from "./shape.ts";
import { createStatistics } from "./statistics.ts";
import type { Closable } from "./stepper.ts";

/** What a training step computes. */
export interface Objective {
  /** One number, made smaller by every step. */
  readonly loss: Tensor;
  /** More to compute on the way. */
  readonly outputs?: Readonly<Record<string, Tensor>>;
  /** Inputs whose gradients are wanted too, for those who move them themselves. */
  readonly differentiate?: readonly Tensor[];
}

/** What is trained, with what. */
export interface TrainerOptions {
  readonly executor: Executor;
  /** Where starts and masks come from. */
  readonly random: Random;
  readonly optimiser: OptimiserOptions;
  readonly build: (scope: Scope) => Objective;
  /** Inputs that may be fed as numbers of rows of a table, where `byRows` says so. */
  readonly tables?: Readonly<Record<string, Table>>;
}

export interface Step {
  readonly loss: number;
  readonly outputs: Readonly<Record<string, Numbers>>;
  /** By name of the input. */
  readonly gradients: Readonly<Record<string, Numbers>>;
}

/** Everything that changes in a trainer. */
export interface TrainerState {
  readonly steps: number;
  readonly arrays: readonly Float32Array[];
}

/** A network in training. */
export interface Trainer {
  /** Parameters and running statistics by name; they change with every step. */
  readonly weights: ReadonlyMap<string, Float32Array>;
  readonly parameterCount: number;
  /** How many steps make up one run: with more than 1, nothing can be looked at in between. */
  readonly atOnce: number;
  /** Whether an input is to be fed as numbers of rows of its table. */
  byRows(name: string): boolean;
  /** One step with `share` of the learning rates, or a share for each group by name. */
  step(feeds: Buffers, share?: Share): Promise<Step>;
  /** Several steps, one after another. */
  steps(feeds: readonly Buffers[], shares: readonly Share[]): Promise<readonly Step[]>;
  /** Something else computed with the same weights, as in use: no dropout, remembered statistics. */
  evaluator(build: (scope: Scope) => Readonly<Record<string, Tensor>>): Promise<Evaluator>;
  save(): TrainerState;
  load(state: TrainerState): void;
  dispose(): Promise<void>;
}

type Evaluator = (feeds: Buffers) => Promise<Readonly<Record<string, Numbers>>>;

/** Builds the graph of a training step, starts its parameters, and compiles it. */
export async function createTrainer({
  executor,
  random,
  optimiser: optimiserOptions,
  build,
  tables = {},
}: TrainerOptions): Promise<Trainer> {
  const scope = createScope(true);
  const objective = build(scope);
  const parameters = used([...scope.requests.parameters.values()], objective.loss);
  const optimiser = createOptimiser(parameters, optimiserOptions);
  for (const { name, shape, start } of parameters) {
    optimiser.values.get(name)?.set(start(shape, random.split("start").split(name)));
  }
  const statistics = createStatistics([...scope.requests.states.values()]);
  const weights = new Map([...optimiser.values, ...statistics.values]);
  const drawMasks = createMasks(scope.requests.masks, random.split("masks"));
  const programs: Closable[] = [];
  const computed = { executor, objective, tables, drawMasks, programs };
  const parts = { ...computed, parameters, optimiser, statistics, weights };
  const stepper = (await manySteps(parts)) ?? (await oneStep(parts));
  let done = 0;
  const steps: Trainer["steps"] = async (feeds, shares) => {
    const results = await stepper.run(done, feeds, shares);
    done += feeds.length;
    return results;
  };
  return {
    weights,
    parameterCount: parameters.reduce((sum, { shape }) => sum + countOf(shape), 0),
    atOnce: stepper.atOnce,
    byRows: (name) => stepper.atOnce > 1 && name in tables,
    steps,
    async step(feeds, share = 1) {
      const [result] = await steps([feeds], [share]);
      return result;
    },
    async evaluator(buildOther) {
      const program = await compileOther(executor, buildOther, weights, programs);
      const fixed = Object.fromEntries(weights);
      return (feeds) => program.run({ ...fixed, ...feeds });
    },
    save() {
      const { arrays } = optimiser.save();
      return { steps: done, arrays: [...arrays, statistics.all.slice()] };
    },
    load({ steps, arrays }) {
      done = steps;
      optimiser.load({ steps, arrays: arrays.slice(0, -1) });
      statistics.all.set(arrays[arrays.length - 1]);
    },
    async dispose() {
      for (const program of programs.splice(0)) await program.dispose();
    },
  };
}

/** Compiles another graph over the same weights; refuses one that asks for others. */
async function compileOther(
  executor: Executor,
  build: (scope: Scope) => Readonly<Record<string, Tensor>>,
  weights: ReadonlyMap<string, Float32Array>,
  programs: Closable[],
): Promise<Program> {
  const scope = createScope(false);
  const program = await executor.compile(build(scope));
  programs.push(program);
  for (const name of [...scope.requests.parameters.keys(), ...scope.requests.states.keys()]) {
    if (!weights.has(name)) throw badShape(`"${name}" is not among the weights that are trained.`);
  }
  return program;
}

/** Returns those that the loss depends on: a module may ask for more than it uses. */
function used<P extends { readonly node: Tensor }>(parameters: readonly P[], loss: Tensor): P[] {
  const graph = new Set(sortGraph([loss]));
  return parameters.filter(({ node }) => graph.has(node));
}
