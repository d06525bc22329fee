/** What answers say about themselves: whether to rely on them, and why. */
import type { CrowdData } from "../data/crowd-data.ts";
import { CrowdError, hint } from "../error.ts";
import type { Diagnosed, KindMethod } from "../kinds/kind.ts";
import { kindOf } from "../kinds.ts";
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
  /** Workers to list; 0 lists all; default 20. */
  readonly workers?: number | undefined;
  readonly plugins?: readonly KindMethod[] | undefined;
}

/** Fits a method and says whether to rely on its answers, and what that rests on; gold is only scored against. */
export async function diagnoseJob(
  {
    data,
    method: named,
    seed = 0,
    scale,
    time = false,
    workers = 20,
    plugins = [],
  }: DiagnoseRequest,
  hooks: Hooks = {},
): Promise<Diagnosed> {
  const kind = kindOf(data);
  if (time && !kind.drifts) {
    throw new CrowdError(
      "not-supported",
      `${hint("time", true)} is for labels; these are ${kind.id} answers.`,
    );
  }
  const name = named ?? kind.defaultMethod;
  const { method, options } = methodNamed(name, kind, ofKind(plugins, kind));
  const seeded = Object.hasOwn(method.options, "seed") ? { ...options, seed } : options;
  const result = await run(data, method, seeded, walking(hooks, method.id));
  const scores =
    kind.goldCount(data) > 0
      ? await kind.score(data, result, {}, () => Promise.resolve(result))
      : undefined;
  return walk(
    kind.diagnose(data, result, { seed, scale, workers, scores, time }),
    "diagnosing",
    walking(hooks, "diagnosing"),
  );
}
