/** Steps that are a run each: the executor computes the gradients, a kernel beside it moves the weights. */
import type { Buffers, Numbers } from "./executor.ts";
import { gradient } from "./gradient.ts";
import { inputName, type Tensor } from "./graph.ts";
import { createSizes } from "./masks.ts";
import type { Share } from "./optim/optimiser.ts";
import type { StepParts, Stepper } from "./stepper.ts";
import type { Objective, Step } from "./train.ts";

const GRADIENT = "gradient of ";

export async function oneStep(parts: StepParts): Promise<Stepper> {
  const { executor, objective, parameters, optimiser, statistics, weights, drawMasks } = parts;
  const wanted = { ...wantedOf(objective, parameters), ...statistics.wanted };
  const into: Record<string, Numbers> = {};
  for (const [name, buffer] of optimiser.gradients) into[GRADIENT + name] = buffer;
  const program = await executor.compile(wanted);
  parts.programs.push(program);
  const sizesOf = createSizes(Object.values(wanted));
  const fixed = Object.fromEntries(weights);
  const step = async (number: number, feeds: Buffers, share: Share) => {
    const all = { ...fixed, ...feeds, ...drawMasks(number, sizesOf(feeds)) };
    const results = await program.run(all, into);
    optimiser.step(share);
    statistics.follow(results);
    return stepOf(objective, results);
  };
  return {
    atOnce: 1,
    async run(done, feeds, shares) {
      const results: Step[] = [];
      for (const [i, each] of feeds.entries()) results.push(await step(done + i, each, shares[i]));
      return results;
    },
  };
}

/** Names everything that a step computes: the loss, outputs and gradients. */
function wantedOf(
  { loss, outputs = {}, differentiate = [] }: Objective,
  parameters: readonly { readonly node: Tensor }[],
): Record<string, Tensor> {
  const targets = [...parameters.map(({ node }) => node), ...differentiate];
  const gradients = gradient(loss, targets);
  const wanted: Record<string, Tensor> = { loss, ...outputs };
  targets.forEach((target, i) => {
    wanted[GRADIENT + inputName(target)] = gradients[i];
  });
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
