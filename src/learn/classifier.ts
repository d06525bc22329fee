/** A trained network that tells classes apart. */
import type { Names } from "../data/names.ts";
import type { Executor } from "../tensor/executor.ts";
import { multiply } from "../tensor/ops/arithmetic.ts";
import { softmax } from "../tensor/ops/softmax.ts";
import type { Module } from "../tensor/scope.ts";
import { createPredictor, type Predictor, type PredictorParts } from "./predictor.ts";

/** A trained network from features to classes: it predicts P(class) of each row, as probabilities[row * K + class]. */
export interface Classifier extends Predictor {
  readonly classes: Names;
  /** What the logits of the network were divided by, so that probabilities are honest; absent: 1. */
  readonly temperature?: number;
}

/** Makes a classifier; its ONNX file has the outputs `logits` and `probabilities`. */
export function createClassifier(
  executor: Executor,
  {
    classes,
    temperature = 1,
    module,
    ...parts
  }: PredictorParts & Pick<Classifier, "classes" | "temperature">,
): Classifier {
  const calibrated = temperature !== 1;
  const cooled: Module = (x, scope) => multiply(module(x, scope), 1 / temperature);
  const predictor = createPredictor(
    executor,
    { ...parts, module: calibrated ? cooled : module },
    {
      outputs: (logits) => ({ logits, probabilities: softmax(logits) }),
      width: classes.length,
      metadata: {
        classes: JSON.stringify(classes),
        ...(calibrated && { temperature: String(temperature) }),
      },
    },
  );
  return { ...predictor, classes, ...(calibrated && { temperature }) };
}
