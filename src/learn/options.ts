/** The options that all learners share: the network and how it is trained. */
import type { NumberOption, OptionTable, Values } from "../method.ts";
import { models } from "../tensor/models.ts";
import { schedules } from "../tensor/optim/schedule.ts";

type ModelName = keyof typeof models;
type ScheduleName = keyof typeof schedules;

export const trainingOptions = {
  model: {
    default: "mlp",
    choices: Object.keys(models) as ModelName[],
    help: "The network: softmax regression, hidden layers, or one of three for images.",
  },
  hidden: {
    default: "128",
    pattern: "\\d+(,\\d+)*",
    wants: "sizes such as 128 or 256,128",
    help: "Units of the hidden layers of mlp.",
  },
  dropout: { default: 0.5, min: 0, max: 0.95, help: "Share of hidden units dropped in training." },
  standardise: { default: true, help: "Bring every feature to mean 0 and deviation 1 first." },
  epochs: { default: 50, min: 1, integer: true, help: "How often every task is seen." },
  batch: { default: 64, min: 1, integer: true, unit: "tasks", help: "Tasks of one step." },
  rate: { default: 1e-3, min: 0, help: "Learning rate of the network." },
  crowdRate: { default: 0, min: 0, help: "Learning rate of the workers' parameters; 0: the same." },
  optimiser: {
    default: "adam",
    choices: ["adam", "sgd"],
    help: "What turns gradients into steps.",
  },
  schedule: {
    default: "constant",
    choices: Object.keys(schedules) as ScheduleName[],
    help: "How the learning rate changes over the epochs.",
  },
  decay: { default: 0, min: 0, help: "Weight decay of the network, added to its gradient." },
  clip: { default: 0, min: 0, help: "Longest that the gradient of a step may be; 0: any." },
  selection: {
    default: "auto",
    choices: ["auto", "last", "best"],
    help: "Which epoch is kept: the last, or the best on validation (auto: the best if there is validation gold).",
  },
  patience: {
    default: 0,
    min: 0,
    integer: true,
    unit: "epochs",
    help: "Stop after so many epochs without a better one; 0: never.",
  },
  validShare: {
    default: 0.1,
    min: 0.01,
    max: 0.5,
    help: "Share of tasks held out to choose the epoch, where that is wanted and there is no validation gold.",
  },
  seed: { default: 0, integer: true, help: "Where all random numbers of the method come from." },
} as const satisfies OptionTable;

export type TrainingOptions = typeof trainingOptions;
export type TrainingValues = Values<TrainingOptions>;

type Defaults = { readonly [Name in keyof TrainingOptions]?: TrainingValues[Name] };

/** The shared options with other defaults. */
export function trainingWith(defaults: Defaults): TrainingOptions {
  const table: Record<string, object> & Partial<TrainingOptions> = { ...trainingOptions };
  for (const [name, value] of Object.entries(defaults)) {
    table[name] = { ...(table[name] as NumberOption), default: value };
  }
  return table as TrainingOptions;
}
