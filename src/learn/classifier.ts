/** A trained network that tells classes apart. */
import type { Names } from "../data/names.ts";
import type { Executor } from "../tensor/executor.ts";
import { softmax } from "../tensor/ops/softmax.ts";
import { createPredictor, type Predictor, type PredictorParts } from "./predictor.ts";

/** A trained network from features to classes: it predicts P(class) of each row, as probabilities[row * K + class]. */
export interface Classifier extends Predictor {
  readonly classes: Names;
}

/** Makes a classifier; its ONNX file has the outputs `logits` and `probabilities`. */
export function createClassifier(
  executor: Executor,
  { classes, ...parts }: PredictorParts & Pick<Classifier, "classes">,
): Classifier {
  const predictor = createPredictor(executor, parts, {
    outputs: (logits) => ({ logits, probabilities: softmax(logits) }),
    width: classes.length,
    metadata: { classes: JSON.stringify(classes) },
  });
  return { ...predictor, classes };
}
