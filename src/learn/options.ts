/** The options that learners share: the network and how it is trained, and of classifiers how sure they are. */
import type { NumberOption, OptionTable, Values } from "../method.ts";
import { models } from "../tensor/models.ts";
import { schedules } from "../tensor/optim/schedule.ts";
import { AUGMENT_PATTERN } from "./augment.ts";

type ModelName = keyof typeof models;
type ScheduleName = keyof typeof schedules;

const networkOptions = {
  model: {
    default: "mlp",
    choices: Object.keys(models) as ModelName[],
    help: "Network: softmax regression, a multilayer perceptron, or one of three networks for images.",
  },
  hidden: {
    default: "128",
    pattern: "\\d+(,\\d+)*",
    wants: "sizes such as 128 or 256,128",
    help: "Number of units of each hidden layer of mlp.",
  },
  dropout: { default: 0.5, min: 0, max: 0.95, help: "Dropout rate of the hidden units." },
  standardise: { default: true, help: "Standardise features to mean 0 and standard deviation 1." },
  augment: {
    default: "none",
    pattern: AUGMENT_PATTERN,
    wants: "none, or some of shift, crop and flip, such as shift,flip or shift=2,crop=0.3",
    help: "Random changes of images in training: none, or some of shift, crop and flip, with sizes such as shift=2,crop=0.3.",
  },
  epochs: { default: 50, min: 1, integer: true, help: "Number of epochs." },
  batch: { default: 64, min: 1, integer: true, unit: "tasks", help: "Batch size, in tasks." },
  rate: { default: 1e-3, min: 0, help: "Learning rate of the network." },
  crowdRate: {
    default: 0,
    min: 0,
    help: "Learning rate of the worker parameters; 0 uses the rate of the network.",
  },
  optimiser: {
    default: "adam",
    choices: ["adam", "sgd"],
    help: "Optimiser.",
  },
  schedule: {
    default: "constant",
    choices: Object.keys(schedules) as ScheduleName[],
    help: "Learning-rate schedule.",
  },
  decay: { default: 0, min: 0, help: "Weight decay of the network." },
  clip: { default: 0, min: 0, help: "Maximum gradient norm; 0 disables clipping." },
  selection: {
    default: "auto",
    choices: ["auto", "last", "best"],
    help: "Which epoch is kept: the last one, or the best on validation data (auto: the best if there is validation gold).",
  },
  patience: {
    default: 0,
    min: 0,
    integer: true,
    unit: "epochs",
    help: "Number of epochs without improvement after which training stops; 0 disables early stopping.",
  },
  validShare: {
    default: 0.1,
    min: 0.01,
    max: 0.5,
    help: "Share of tasks held out to choose the epoch or to calibrate, if there is no validation gold.",
  },
  seed: { default: 0, integer: true, help: "Random seed." },
} as const satisfies OptionTable;

export const trainingOptions = {
  ...networkOptions,
  epochs: {
    default: 0,
    min: 0,
    integer: true,
    help: "Number of epochs; 0: as many as make the number of steps, and at least 15.",
  },
  steps: {
    default: 1200,
    min: 1,
    integer: true,
    help: "With 0 epochs: number of batches to train on, so that small data get as much training as large data.",
  },
  copies: {
    default: "merge",
    choices: ["merge", "keep"],
    help: "Workers whose labels are exact copies of one another: merge them into one worker, or keep each.",
  },
  calibrate: {
    default: true,
    help: "Temper the probabilities of the classifier by validation gold, else by the labels of tasks held out for it.",
  },
} as const satisfies OptionTable;

type NetworkOptions = typeof networkOptions;
export type TrainingOptions = typeof trainingOptions;
export type TrainingValues = Values<TrainingOptions>;

type Defaults = { readonly [Name in keyof TrainingOptions]?: TrainingValues[Name] };

/** The options of classifiers with other defaults. */
export const trainingWith = (defaults: Defaults): TrainingOptions =>
  withDefaults(trainingOptions, defaults);

/** The options of networks whose numbers are no probabilities, with other defaults. */
export const networkWith = (defaults: Defaults): NetworkOptions =>
  withDefaults(networkOptions, defaults);

function withDefaults<Options extends OptionTable>(options: Options, defaults: Defaults): Options {
  const table: Record<string, object> = { ...options };
  for (const [name, value] of Object.entries(defaults)) {
    table[name] = { ...(table[name] as NumberOption), default: value };
  }
  return table as Options;
}
