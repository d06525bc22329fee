/** How robust a model is: its accuracy while inputs are perturbed more and more, by its own gradients or another's. */
import type { Attack } from "../attack/attack.ts";
import { attackList } from "../attack/index.ts";
import type { Norm } from "../attack/perturb.ts";
import { accuracyUnderAttack } from "../attack/under-attack.ts";
import { type Features, rowSize } from "../data/features.ts";
import { featureStatistics } from "../data/standardise.ts";
import { CrowdError } from "../error.ts";
import { writeCsv } from "../io/csv-writer.ts";
import type { TrainedModel } from "../learn/trained-model.ts";
import type { AttackCurve, AttackReportInput } from "../report/attack-report.ts";
import { rounded } from "../report/csv-files.ts";
import type { Executor } from "../tensor/executor.ts";
import { createClock, type Hooks } from "./hooks.ts";
import { goldOfRows, type TaskGold } from "./learn.ts";
import { noSuchName } from "./nearest-name.ts";
import { checkClassifier, checkShape } from "./predict.ts";

/** Distances that are tried: for pixels from 0 to 1, and for tables in standard deviations. */
const EPSILONS = {
  // The grid of the paper on adversarial learning from crowds.
  features: [0, 0.001, 0.0025, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03],
  deviations: [0, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3],
} as const;

export const attackUnits = ["deviations", "features"] as const;
/** A unit of distances: standard deviations of each feature, or the features' own unit. */
export type AttackUnits = (typeof attackUnits)[number];

/** Which model to attack, on which rows, and how. */
export interface AttackRequest {
  readonly model: TrainedModel;
  readonly features: Features;
  /** The classes of the rows by name of the task. */
  readonly gold: TaskGold;
  /** What runs the network. */
  readonly executor: Executor;
  /** Ids of attacks; default: all. */
  readonly attacks?: readonly string[] | undefined;
  /** How far inputs may be moved, in `units`; default: up to 0.3 standard deviations, or 0.03 in the features' own unit. */
  readonly epsilons?: readonly number[] | undefined;
  /** Unit of distances: the standard deviation of each feature, as default of tables, or that of the features, as of images. */
  readonly units?: AttackUnits | undefined;
  /** How distance is measured; default: inf. */
  readonly norm?: Norm | undefined;
  /** Steps of pgd, mim and cw; default 10. */
  readonly steps?: number | undefined;
  /** Whether pgd and cw start anywhere in the ball; default: true. */
  readonly randomStart?: boolean | undefined;
  /** What inputs can be, where there are limits. */
  readonly range?: readonly [low: number, high: number] | undefined;
  /** Black-box: the model whose gradients are used, in place of the one attacked. */
  readonly substitute?: TrainedModel | undefined;
  readonly seed?: number | undefined;
  /** What messages call features and gold. */
  readonly featuresName?: string | undefined;
  readonly goldName?: string | undefined;
}

/** Attacks the rows whose class is known. */
export async function attackJob(
  request: AttackRequest,
  hooks: Hooks = {},
): Promise<AttackReportInput> {
  const { model, features, executor, substitute, seed = 0 } = request;
  const { featuresName = "The features", goldName = "The gold" } = request;
  const chosen = request.attacks?.map(attackNamed) ?? attackList;
  for (const each of [model, substitute]) {
    if (!each) continue;
    checkClassifier(each, "an attack");
    checkShape(each, features, featuresName);
  }
  const truth = goldOfRows(features.tasks, request.gold, model.classes);
  const rows = truth.filter((k) => k >= 0).length;
  if (rows === 0) {
    throw new CrowdError(
      "bad-data",
      `${goldName}: no row of ${featuresName} has a class that the model knows.`,
    );
  }
  const { units = features.shape.length === 3 ? "features" : "deviations" } = request;
  const { norm = "inf", epsilons = EPSILONS[units], steps = 10, randomStart = true } = request;
  const { range } = request;
  const unit = units === "deviations" ? placeScale(features) : undefined;
  const clock = createClock(chosen.length);
  const curves: AttackCurve[] = [];
  for (const [at, each] of chosen.entries()) {
    const points = await accuracyUnderAttack(executor, model, features, truth, each, {
      epsilons,
      norm,
      steps,
      randomStart,
      range,
      unit,
      seed,
      substitute,
      signal: hooks.signal,
      onProgress: (share) => hooks.progress?.({ words: each.id, ...clock(at + share) }),
    });
    if (hooks.signal?.aborted) throw new CrowdError("cancelled", "attack was cancelled.");
    curves.push({ attack: each.id, title: each.title, points });
  }
  return {
    curves,
    model: model.name,
    substitute: substitute?.name,
    rows,
    norm,
    units,
    engine: executor.name,
  };
}

/** The standard deviation of each number of a row; those of images are of its channel. */
function placeScale(features: Features): Float64Array {
  const { scale } = featureStatistics(features);
  const size = rowSize(features);
  return Float64Array.from(
    { length: size },
    (_, i) => scale[Math.floor((i * scale.length) / size)],
  );
}

/** Finds an attack by its id. */
function attackNamed(name: string): Attack {
  const found = attackList.find(({ id }) => id === name);
  if (found) return found;
  const ids = attackList.map(({ id }) => id);
  throw new CrowdError("bad-option", noSuchName("attack", name, ids));
}

/** attack.csv: attack,box,epsilon,right,tasks,accuracy. */
export function attackCsv({ curves, substitute }: AttackReportInput): Iterable<string> {
  const box = substitute === undefined ? "white" : "black";
  function* rows(): Iterable<(string | number)[]> {
    for (const { attack: id, points } of curves) {
      for (const { epsilon, right, total, accuracy } of points) {
        yield [id, box, epsilon, right, total, rounded(accuracy)];
      }
    }
  }
  return writeCsv(["attack", "box", "epsilon", "right", "tasks", "accuracy"], rows());
}
