/** How networks are learnt from answers of a kind and features. */
import type { CrowdData } from "../data/crowd-data.ts";
import type { Names } from "../data/names.ts";
import type { GoldPair } from "../io/sink.ts";
import type { KindLearner } from "../learn/create-learner.ts";
import type { Table } from "./kind.ts";

/** Learners of a kind. */
export interface KindLearning<Data extends CrowdData = CrowdData> {
  /** The learners, in the order in which the docs tell them. */
  readonly learners: readonly KindLearner[];
  /** Id of the learner that runs when none is named. */
  readonly defaultLearner: string;
  /** Ids of learners by the other names that people type for them. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** What a network predicts of rows of features; absent for labels, whose predictions are classes. */
  readonly predictions?: KindPredictions<Data>;
}

/** Predictions that are no classes. */
export interface KindPredictions<Data extends CrowdData = CrowdData> {
  /** Names of what rows of features describe. */
  described(data: Data): Names;
  /** The names of what is predicted of a row, as model.json and the ONNX file have them. */
  outputs(data: Data): readonly string[];
  /** What is known of rows, in the layout of the predictions; NaN where nothing is. */
  goldOf(rows: Names, gold: readonly GoldPair[], outputs: readonly string[]): Float64Array;
  /** Predictions as a table. */
  table(predicted: PredictedRows): Table;
  /** The same as the kind's `scoreAnswers` takes them. */
  answers(predicted: PredictedRows): unknown;
}

/** What a network said of rows of features. */
export interface PredictedRows {
  readonly rows: Names;
  /** numbers[row * width + output]. */
  readonly numbers: Float64Array;
  readonly outputs: readonly string[];
}
