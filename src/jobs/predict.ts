/** Classes of new tasks from a trained model: from features alone, or with what a crowd said of them. */
import { decide } from "../belief/ties.ts";
import type { CategoricalData } from "../data/categorical.ts";
import type { Features } from "../data/features.ts";
import { CrowdError, hint } from "../error.ts";
import type { Kind } from "../kinds/kind.ts";
import type { PredictedRows } from "../kinds/learning.ts";
import { kindNamed } from "../kinds.ts";
import { createClassifier } from "../learn/classifier.ts";
import { forecast, labelsOn } from "../learn/forecast.ts";
import { createPredictor } from "../learn/predictor.ts";
import type { TrainedModel } from "../learn/trained-model.ts";
import type { Predicted } from "../report/learning-report.ts";
import { count } from "../report/text.ts";
import type { Executor } from "../tensor/executor.ts";
import type { Hooks } from "./hooks.ts";

/** Which model predicts, from what. */
export interface PredictRequest {
  readonly model: TrainedModel;
  readonly features: Features;
  /** What runs the network. */
  readonly executor: Executor;
  /** Labels of the same tasks: features and labels together decide. */
  readonly labels?: CategoricalData | undefined;
  /** What messages call the features. */
  readonly featuresName?: string | undefined;
}

/** Predicts the class of each row. */
export async function predictJob(
  { model, features, executor, labels, featuresName = "The features" }: PredictRequest,
  { note }: Pick<Hooks, "note"> = {},
): Promise<Predicted> {
  checkClassifier(model, "predictJob");
  checkShape(model, features, featuresName);
  const { classes } = model;
  const { tasks } = features;
  const alone = await createClassifier(executor, model).predict(features);
  const posterior = labels ? withLabels(model, features, alone, labels, note) : alone;
  const prior = new Float64Array(classes.length).fill(1 / classes.length);
  const { consensus } = decide({ tasks, classes }, posterior, prior, { ties: "first", seed: 0 });
  return { tasks, classes, posterior, consensus };
}

/** Predicts the numbers of each row, with a model that was not learnt from classes. */
export async function predictRowsJob({
  model,
  features,
  executor,
  featuresName = "The features",
}: Omit<PredictRequest, "labels">): Promise<PredictedRows & { readonly kind: Kind }> {
  checkShape(model, features, featuresName);
  const { kind, outputs } = model.predicts ?? { kind: "categorical", outputs: [...model.classes] };
  const predictor = createPredictor(executor, model, {
    outputs: (numbers) => ({ numbers }),
    width: outputs.length,
    metadata: {},
  });
  const numbers = await predictor.predict(features);
  return { kind: kindNamed(kind), rows: features.tasks, numbers, outputs };
}

/** Refuses a model that tells no classes apart. */
export function checkClassifier({ predicts, name }: TrainedModel, wanted: string): void {
  if (!predicts) return;
  throw new CrowdError(
    "not-supported",
    `${name} was learnt from ${predicts.kind} answers and predicts ${predicts.outputs.join(", ")}; ${wanted} takes classifiers.`,
  );
}

/** Refuses features of another shape than the model was trained on. */
export function checkShape(model: TrainedModel, features: Features, name: string): void {
  if (String(model.shape) === String(features.shape)) return;
  throw new CrowdError(
    "bad-data",
    `${name}: rows have the shape [${features.shape.join(", ")}], the model wants [${model.shape.join(", ")}].`,
  );
}

/** Joins the labels of the tasks that have features with what the classifier says. */
function withLabels(
  { forecaster, name }: TrainedModel,
  { tasks }: Features,
  f: Float64Array,
  labels: CategoricalData,
  note: Hooks["note"],
): Float64Array {
  if (!forecaster) {
    throw new CrowdError(
      "bad-option",
      `${name}: its method does not say what a label is worth, or workers were anonymised; ${hint("labels")} cannot be used.`,
    );
  }
  const data = labelsOn(tasks, labels);
  const left = labels.label.length - data.label.length;
  if (left > 0) {
    note?.(`${count(left, "label")} of tasks without features, or abstentions, were left out.`);
  }
  const { posterior, unknown } = forecast(forecaster, f, data);
  if (unknown > 0)
    note?.(`${count(unknown, "label")} of workers that the model does not know say nothing.`);
  return posterior;
}

/** Makes plain rows of predictions, with a probability for each class. */
export function predictionRows({ tasks, classes, posterior, consensus }: Predicted): {
  readonly task: string;
  readonly label: string;
  readonly probabilities: Readonly<Record<string, number>>;
}[] {
  const K = classes.length;
  return Array.from(tasks, (task, t) => ({
    task,
    label: classes.at(consensus[t]),
    probabilities: Object.fromEntries(
      Array.from(classes, (name, k) => [name, posterior[t * K + k]]),
    ),
  }));
}
