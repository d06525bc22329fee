/**
 * Trains whatever a graph of a loss describes. It knows nothing of data: each step is fed a batch.
 *
 * Everything random comes from the stream given, split by the number of the step, so that a training
 * that goes on from a saved state makes the same steps as one that never stopped.
 */
import type { Random } from "../math/random.ts";
import type { Buffers, Executor, Numbers, Program } from "./executor.ts";
import { gradient } from "./gradient.ts";
import { inputName, sortGraph, type Tensor } from "./graph.ts";
import { createMasks } from "./masks.ts";
import { createOptimiser, type OptimiserOptions, type Share } from "./optim/optimiser.ts";
import { createScope, type Scope, type State } from "./scope.ts";
import { badShape, countOf } from "./shape.ts";

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
  /** One step with `share` of the learning rates, or a share for each group by name. */
  step(feeds: Buffers, share?: Share): Promise<Step>;
  /** Something else computed with the same weights, as in use: no dropout, remembered statistics. */
  evaluator(build: (scope: Scope) => Readonly<Record<string, Tensor>>): Promise<Evaluator>;
  save(): TrainerState;
  load(state: TrainerState): void;
  dispose(): Promise<void>;
}

type Evaluator = (feeds: Buffers) => Promise<Readonly<Record<string, Numbers>>>;

const GRADIENT = "gradient of ";
const NEXT = "next ";

/** Builds the graph of a training step, starts its parameters, and compiles it. */
export async function createTrainer({
  executor,
  random,
  optimiser: optimiserOptions,
  build,
}: TrainerOptions): Promise<Trainer> {
  const scope = createScope(true);
  const objective = build(scope);
  const parameters = used([...scope.requests.parameters.values()], objective.loss);
  const states = [...scope.requests.states.values()];
  const optimiser = createOptimiser(parameters, optimiserOptions);
  for (const { name, shape, start } of parameters) {
    optimiser.values.get(name)?.set(start(shape, random.split("start").split(name)));
  }
  const remembered = new Map(
    states.map(({ name, shape, start }) => [name, new Float32Array(countOf(shape)).fill(start)]),
  );
  const weights = new Map([...optimiser.values, ...remembered]);
  const wanted = wantedOf(objective, parameters, states);
  const into: Record<string, Numbers> = {};
  for (const [name, buffer] of optimiser.gradients) into[GRADIENT + name] = buffer;
  const programs: Program[] = [await executor.compile(wanted)];
  const drawMasks = createMasks(scope.requests.masks, wanted, random.split("masks"));
  const fixed = Object.fromEntries(weights);
  let steps = 0;
  return {
    weights,
    parameterCount: parameters.reduce((sum, { shape }) => sum + countOf(shape), 0),
    async step(feeds, share = 1) {
      const all = { ...fixed, ...feeds, ...drawMasks(steps, feeds) };
      const results = await programs[0].run(all, into);
      optimiser.step(share);
      for (const { name } of states) remembered.get(name)?.set(results[NEXT + name]);
      steps++;
      return stepOf(objective, results);
    },
    async evaluator(buildOther) {
      const program = await compileOther(executor, buildOther, weights, programs);
      return (feeds) => program.run({ ...fixed, ...feeds });
    },
    save() {
      const { arrays } = optimiser.save();
      return { steps, arrays: [...arrays, ...[...remembered.values()].map((a) => a.slice())] };
    },
    load(state) {
      steps = state.steps;
      const own = state.arrays.length - remembered.size;
      optimiser.load({ steps, arrays: state.arrays.slice(0, own) });
      [...remembered.values()].forEach((array, i) => {
        array.set(state.arrays[own + i]);
      });
    },
    async dispose() {
      for (const program of programs.splice(0)) await program.dispose();
    },
  };
}

/** Names everything that a step computes: the loss, outputs, gradients, and the next running statistics. */
function wantedOf(
  { loss, outputs = {}, differentiate = [] }: Objective,
  parameters: readonly { readonly node: Tensor }[],
  states: readonly State[],
): Record<string, Tensor> {
  const targets = [...parameters.map(({ node }) => node), ...differentiate];
  const gradients = gradient(loss, targets);
  const wanted: Record<string, Tensor> = { loss, ...outputs };
  targets.forEach((target, i) => {
    wanted[GRADIENT + inputName(target)] = gradients[i];
  });
  for (const { name, next } of states) if (next) wanted[NEXT + name] = next;
  return wanted;
}

/** Picks loss, outputs and the gradients of inputs from what a step computed. */
function stepOf(
  { outputs = {}, differentiate = [] }: Objective,
  results: Readonly<Record<string, Numbers>>,
): Step {
  return {
    loss: results["loss"][0],
    outputs: Object.fromEntries(Object.keys(outputs).map((name) => [name, results[name]])),
    gradients: Object.fromEntries(
      differentiate.map((node) => {
        const name = String(inputName(node));
        return [name, results[GRADIENT + name]];
      }),
    ),
  };
}

/** Compiles another graph over the same weights; refuses one that asks for others. */
async function compileOther(
  executor: Executor,
  build: (scope: Scope) => Readonly<Record<string, Tensor>>,
  weights: ReadonlyMap<string, Float32Array>,
  programs: Program[],
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
