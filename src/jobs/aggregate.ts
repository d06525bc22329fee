/** The main job: from answers of many to one answer each, with scores, tables and a report. */
import type { CrowdResult } from "../aggregate/result.ts";
import type { CrowdData } from "../data/crowd-data.ts";
import type { Changes } from "../diagnose/since.ts";
import type { Verdict } from "../diagnose/verdict.ts";
import { CrowdError, hint } from "../error.ts";
import type { Engine } from "../kernels/engine.ts";
import type { Kind, KindMethod, Outcome, Scores } from "../kinds/kind.ts";
import { kindOf } from "../kinds.ts";
import { rounded } from "../report/csv-files.ts";
import { type MoreDocument, type ResultDocument, resultDocument } from "../report/result-json.ts";
import type { TaskContents } from "../report/task-content.ts";
import { run, walk } from "../run.ts";
import { costNote } from "./applicable.ts";
import { methodNamed, ofKind } from "./choose-method.ts";
import { dropSpammers } from "./drop-spammers.ts";
import { type Hooks, walking } from "./hooks.ts";

/** What to aggregate, by which method. */
export interface AggregateRequest {
  readonly data: CrowdData;
  /** Id or preset of a method, or a method; default: that of the kind. */
  readonly method?: string | KindMethod | undefined;
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  /** What is known beyond the answers. */
  readonly known?: object | undefined;
  /**
   * Takes the labels of workers who cannot be told from guessing out first, for votes also of those who are worse, unless
   * that would do harm; `force` takes them out whatever the guards say.
   */
  readonly dropSpammers?: boolean | "force" | undefined;
  /** Fits the method that allows for groups of workers who err together; goes without `method`. */
  readonly groupAware?: boolean | undefined;
  /** What runs the kernels; a team shares them between threads. */
  readonly engine?: Engine | undefined;
  /** Methods of the user's own. */
  readonly plugins?: readonly KindMethod[] | undefined;
}

/** A fit, with its scores and what they say of its answers. */
export interface AggregateOutcome {
  readonly kind: Kind;
  readonly data: CrowdData;
  /** The data as they were given, and what was taken out of them; absent where nothing was to be. */
  readonly source?: CrowdData | undefined;
  readonly pruning?: object | undefined;
  readonly result: CrowdResult;
  /** Scores against gold, where the data have some. */
  readonly scores: Scores | undefined;
  /** Whether to rely on the answers; absent for kinds that cannot tell. */
  readonly verdict?: Verdict | undefined;
}

/** Fits a method and scores it against the data's gold. */
export async function aggregateJob(
  { data: source, options = {}, known = {}, engine, ...request }: AggregateRequest,
  hooks: Hooks = {},
): Promise<AggregateOutcome> {
  const kind = kindOf(source);
  const { method, options: preset } = methodOf(request, kind);
  const settings = { ...preset, ...options };
  const force = request.dropSpammers === "force";
  const seed = seedOf({ options: settings });
  const pruned = request.dropSpammers
    ? await dropSpammers(kind, source, method, { seed, force }, hooks)
    : undefined;
  const data = pruned?.data ?? source;
  const fitWith = (more: object, name: string) =>
    run(data, method, settings, { known: { ...known, ...more }, engine, ...walking(hooks, name) });
  const cost = costNote(method, kind.size(data), kind.judgeMethod);
  if (cost !== undefined) hooks.note?.(cost);
  const result = await fitWith({}, method.id);
  for (const note of result.notes) hooks.note?.(note);
  if (request.groupAware)
    for (const line of kind.groupLines?.(data, result) ?? []) hooks.note?.(line);
  const scores =
    kind.goldCount(data) > 0 ? await kind.score(data, result, known, fitWith) : undefined;
  const steps = kind.verdict?.(data, result, scores, { seed: seedOf(result), known, engine });
  const verdict = steps && (await walk(steps, "verdict", walking(hooks, "verdict")));
  return {
    kind,
    data,
    ...(pruned && { source, pruning: pruned.document }),
    result,
    scores,
    verdict,
  };
}

/** The method that was named, that of the kind, or the one that allows for groups. */
function methodOf(
  {
    method: named,
    groupAware = false,
    plugins = [],
  }: Pick<AggregateRequest, "method" | "groupAware" | "plugins">,
  kind: Kind,
): { readonly method: KindMethod; readonly options: object } {
  if (groupAware && named !== undefined) {
    throw new CrowdError(
      "usage",
      `${hint("groupAware", true)} is the method ${kind.groupMethod}, so no other ${hint("method")} can be named.`,
    );
  }
  if (groupAware && kind.groupMethod === undefined) {
    throw new CrowdError(
      "not-supported",
      `${hint("groupAware", true)} is for labels; these are ${kind.id} answers.`,
    );
  }
  if (typeof named === "object" || typeof named === "function") {
    return { method: checkKind(named, kind), options: {} };
  }
  const name = (groupAware ? kind.groupMethod : named) ?? kind.defaultMethod;
  return methodNamed(name, kind, ofKind(plugins, kind));
}

/** The seed that was asked for. */
function seedOf({ options }: { readonly options: Readonly<Record<string, unknown>> }): number {
  return typeof options["seed"] === "number" ? options["seed"] : 0;
}

/** Finds what files and report need beyond the result. */
export async function judgeJob(
  { kind, data, result, scores, verdict }: AggregateOutcome,
  {
    seed = 0,
    anonymous = false,
    since,
    content,
  }: {
    readonly seed?: number;
    readonly anonymous?: boolean;
    /** What changed since an earlier run. */
    readonly since?: Changes | undefined;
    /** What the tasks look like, for the report. */
    readonly content?: TaskContents | undefined;
  } = {},
  hooks: Hooks = {},
): Promise<Outcome> {
  const steps = kind.judge(data, result, { seed });
  const judged = await walk(steps, "judging workers", walking(hooks, "judging workers"));
  return { data, result, scores, verdict, judged, anonymous, since, content };
}

/** Makes the document that result.json holds. */
export function aggregateDocument(
  { kind, data, source = data, pruning, result, scores, verdict }: AggregateOutcome,
  {
    answers,
    ...more
  }: Omit<MoreDocument, "own" | "notes" | "answers" | "verdict"> & {
    readonly answers?: boolean;
  },
): ResultDocument {
  const { labels, tasks, workers } = kind.size(source);
  return resultDocument(
    result,
    {
      fingerprint: kind.fingerprint(source),
      labels,
      tasks,
      workers,
      ...kind.describe(data),
      gold: kind.goldCount(data),
    },
    {
      metrics: scores?.document,
      ...more,
      verdict,
      own: { ...kind.document(result), ...portfolioOf(result), ...(pruning && { pruning }) },
      notes: [...data.notes, ...result.notes],
      answers: answers ? [...kind.answers(data, result)] : undefined,
    },
  );
}

/** What `auto` tried, with rounded numbers; nothing for methods that try nothing. */
function portfolioOf(result: object): object {
  const { portfolio } = result as { readonly portfolio?: readonly object[] };
  if (!portfolio) return {};
  const plain = (value: unknown) =>
    typeof value !== "number" ? value : Number.isFinite(value) ? rounded(value) : null;
  return {
    portfolio: portfolio.map((each) =>
      Object.fromEntries(Object.entries(each).map(([name, value]) => [name, plain(value)])),
    ),
  };
}

function checkKind(method: KindMethod, kind: Kind): KindMethod {
  if (method.kind === kind.id) return method;
  throw new CrowdError(
    "bad-option",
    `${method.id} takes ${method.kind} answers, but the data are ${kind.id}.`,
  );
}
