/**
 * Many steps in one run, where an executor has that: the optimiser is part of the graph, so that weights and moments stay
 * on the device while the run lasts, and so do tables of features.
 */
import type { Buffers, Numbers, StepsProgram, Table } from "./executor.ts";
import { gradient } from "./gradient.ts";
import { createSizes } from "./masks.ts";
import { optimiserGraph, PACE } from "./optim/optimiser-graph.ts";
import { countOf } from "./shape.ts";
import type { StepParts, Stepper } from "./stepper.ts";
import type { Step } from "./train.ts";

/**
 * Steps per run at the most: in between progress is told and a stop is obeyed. Each run brings weights and moments to the
 * device and back; where features do not stay there, its batches too.
 */
const AT_ONCE = { resident: 128, fed: 32 };
/** Programs for sizes that stay the same; others go through the one for all sizes. */
const MOST_PROGRAMS = 2;
/** Steps with the same sizes for which a program of their own pays. */
const ENOUGH = 4;

/** Steps that agree in the sizes that stay the same. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly sizes: Readonly<Record<string, number>>;
}

/** Compiles the steps; undefined if each has to be looked at, or if the executor makes them one by one. */
export async function manySteps(parts: StepParts): Promise<Stepper | undefined> {
  const { executor, objective, optimiser, tables, drawMasks } = parts;
  const { loss, outputs = {}, differentiate = [] } = objective;
  if (differentiate.length > 0 || Object.keys(outputs).length > 0) return undefined;
  if (!executor.compileSteps) return undefined;
  const { carried, memory, derived } = stepGraph(parts);
  const compile = async (sizes: Stretch["sizes"], resident: typeof tables) => {
    const steps = { carried, derived, outputs: { loss }, sizes, tables: resident };
    const program = await executor.compileSteps?.(steps);
    if (program) parts.programs.push(program);
    return program;
  };
  const general = await compile({}, {});
  if (!general) return undefined;
  const sizesOf = createSizes([...Object.values(carried), loss], tables);
  const special = new Map<string, StepsProgram>();
  const programFor = async ({ from, to, sizes }: Stretch) => {
    const key = JSON.stringify(sizes);
    const known = special.get(key);
    if (known || to - from < ENOUGH || special.size >= MOST_PROGRAMS) return known;
    const made = await compile(sizes, tables);
    if (made) special.set(key, made);
    return made;
  };
  const runStretch = async (stretch: Stretch, feeds: readonly Buffers[]) => {
    const own = feeds.slice(stretch.from, stretch.to);
    const program = await programFor(stretch);
    if (program) return program.run(own, memory);
    return general.run(
      own.map((each) => withRows(each, tables)),
      memory,
    );
  };
  return {
    atOnce: Object.keys(tables).length > 0 ? AT_ONCE.resident : AT_ONCE.fed,
    async run(done, given, shares) {
      const sizes = given.map(sizesOf);
      const feeds = given.map((each, i) => ({
        ...each,
        ...copies(drawMasks(done + i, sizes[i])),
        [PACE]: optimiser.pace(shares[i]),
      }));
      const steps: Step[] = [];
      for (const stretch of stretches(sizes)) {
        const { loss: losses } = await runStretch(stretch, feeds);
        for (const each of losses) steps.push({ loss: each, outputs: {}, gradients: {} });
      }
      return steps;
    },
  };
}

/** A step as a graph: the optimiser's and what the running statistics make of the batch. */
function stepGraph({ objective, parameters, optimiser, statistics }: StepParts) {
  const slopes = gradient(
    objective.loss,
    parameters.map(({ node }) => node),
  );
  const graph = optimiserGraph(
    optimiser,
    new Map(parameters.map(({ name, shape }) => [name, shape])),
    new Map(parameters.map(({ name }, i) => [name, slopes[i]])),
  );
  return {
    carried: { ...graph.carried, ...statistics.carried },
    memory: { ...graph.memory, ...statistics.memory },
    derived: graph.parameters,
  };
}

/** Masks are drawn into the same memory again and again. */
const copies = (masks: Readonly<Record<string, Float32Array>>): Buffers =>
  Object.fromEntries(Object.entries(masks).map(([name, mask]) => [name, mask.slice()]));

/** What is fed, with rows of tables in place of their numbers. */
function withRows(feeds: Buffers, tables: Readonly<Record<string, Table>>): Buffers {
  const rows = Object.entries(tables).map(([name, { shape, read }]): [string, Numbers] => {
    const picked = new Float32Array(feeds[name].length * countOf(shape.slice(1)));
    read(feeds[name], picked);
    return [name, picked];
  });
  return { ...feeds, ...Object.fromEntries(rows) };
}

/**
 * Parts steps where a size changes that most of them share, such as that of the last, smaller batch. Sizes that change
 * from step to step, such as the number of labels, part nothing.
 */
function stretches(sizes: readonly ReadonlyMap<string, number>[]): readonly Stretch[] {
  const names = [...(sizes[0]?.keys() ?? [])];
  const steady = names.filter((name) => {
    const same = sizes.filter((each) => each.get(name) === sizes[0].get(name));
    return same.length >= (3 / 4) * sizes.length;
  });
  const key = (at: number) => steady.map((name) => sizes[at].get(name)).join();
  const found: Stretch[] = [];
  for (let from = 0; from < sizes.length; ) {
    let to = from + 1;
    while (to < sizes.length && key(to) === key(from)) to++;
    const own = Object.fromEntries(steady.map((name) => [name, sizes[from].get(name) as number]));
    found.push({ from, to, sizes: own });
    from = to;
  }
  return found;
}
