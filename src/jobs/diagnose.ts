/** What answers say about themselves: whether to rely on them, and why. */

import type { CrowdResult } from "../aggregate/result.ts";
import type { CrowdData } from "../data/crowd-data.ts";
import { CrowdError, hint } from "../error.ts";
import type { GoldPair } from "../io/sink.ts";
import type { Diagnosed, Kind, KindMethod } from "../kinds/kind.ts";
import { kindNamed, kindOf } from "../kinds.ts";
import { run, walk } from "../run.ts";
import { methodNamed, ofKind } from "./choose-method.ts";
import { type Hooks, walking } from "./hooks.ts";

/** Which data to diagnose, with which method. */
export interface DiagnoseRequest {
  readonly data: CrowdData;
  /** The method whose answers are judged; default: that of the kind, `auto` for labels. */
  readonly method?: string | undefined;
  readonly seed?: number | undefined;
  /** What the classes are: nominal, ordinal, interval or ratio. */
  readonly scale?: string | undefined;
  /** Looks at how the skill of each worker went over time; needs times of the answers. */
  readonly time?: boolean | undefined;
  /**
   * Answers to judge in place of a method's, as the `answersTable` of the kind reads them; `data` may then be those of
   * `answersData`, without labels.
   */
  readonly answers?: unknown;
  /** Workers to list; 0 lists all; default 20. */
  readonly workers?: number | undefined;
  readonly plugins?: readonly KindMethod[] | undefined;
}

/** Makes data of answers and gold alone, for answers whose labels are not at hand, such as a classifier's. */
export function answersData(
  kind: string,
  answers: unknown,
  gold: readonly GoldPair[] = [],
): CrowdData {
  return givenIn(kindNamed(kind)).data(answers, gold);
}

/**
 * Fits a method, or takes the answers that are given, and says whether to rely on them, and what that rests on; gold is
 * only scored against. Groups are compared if tasks or workers have attributes (see `joinAttributes`).
 */
export async function diagnoseJob(request: DiagnoseRequest, hooks: Hooks = {}): Promise<Diagnosed> {
  const { data, seed = 0, scale, time = false, workers = 20 } = request;
  const kind = kindOf(data);
  checkKind(kind, data, time);
  const given = request.answers !== undefined;
  const result = given
    ? givenIn(kind).result(data, request.answers)
    : await fitted(request, kind, hooks);
  const scores =
    kind.goldCount(data) > 0
      ? await kind.score(data, result, {}, () => Promise.resolve(result))
      : undefined;
  return walk(
    kind.diagnose(data, result, { seed, scale, workers, scores, time, given }),
    "diagnosing",
    walking(hooks, "diagnosing"),
  );
}

/** Refuses what the kind cannot do. */
function checkKind(kind: Kind, data: CrowdData, time: boolean): void {
  if (time && !kind.drifts) {
    throw new CrowdError(
      "not-supported",
      `${hint("time", true)} is not for ${kind.id} answers: how workers go over time is told for labels, numbers and comparisons.`,
    );
  }
  const has = { tasks: data.taskAttributes?.size ?? 0, workers: data.workerAttributes?.size ?? 0 };
  const refused = (["tasks", "workers"] as const).find(
    (whose) => has[whose] > 0 && !kind.groups?.includes(whose),
  );
  if (refused === undefined) return;
  throw new CrowdError(
    "not-supported",
    `Groups of ${refused} are not compared for ${kind.id} answers, only ${kind.groups ? `groups of ${kind.groups}` : "for labels, numbers and comparisons"}.`,
  );
}

function givenIn(kind: Kind): NonNullable<Kind["given"]> {
  if (kind.given) return kind.given;
  throw new CrowdError(
    "not-supported",
    `${hint("answers")} is for labels; these are ${kind.id} answers.`,
  );
}

function fitted(
  { data, method: named, seed = 0, plugins = [] }: DiagnoseRequest,
  kind: Kind,
  hooks: Hooks,
): Promise<CrowdResult> {
  const { method, options } = methodNamed(named ?? kind.defaultMethod, kind, ofKind(plugins, kind));
  const seeded = Object.hasOwn(method.options, "seed") ? { ...options, seed } : options;
  return run(data, method, seeded, walking(hooks, method.id));
}
