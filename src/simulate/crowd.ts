/** A crowd whose workers are each one confusion matrix, from their blocks to the simulation. */
import type { Random } from "../math/random.ts";
import { type AssignmentChoice, assign } from "./assignment.ts";
import { drawLabels, drawTruth, stack, toDataset } from "./draw.ts";
import type { Drawn } from "./simulation.ts";
import type { Tasks } from "./tasks.ts";

export function simulateCrowd(
  assignment: AssignmentChoice,
  prior: Float64Array,
  workers: readonly { readonly role: string; readonly block: Float64Array }[],
  random: Random,
  tasks: Tasks,
): Drawn {
  const confusion = stack(workers.map(({ block }) => block));
  const truth = drawTruth(tasks, prior, random.split("truth"));
  const places = assign({ ...assignment, workers: workers.length }, random.split("assignment"));
  const label = drawLabels(places, truth, confusion, prior.length, random.split("labels"));
  return {
    data: toDataset(places, truth, label, workers.length, prior.length),
    prior,
    confusion,
    roles: workers.map(({ role }) => role),
  };
}
