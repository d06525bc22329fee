/**
 * What a kind of answers is to those who ask for something: commands, jobs, reports and pages look here
 * and nowhere else, so that a new kind is new files and one record in kinds.ts.
 */
import type { CrowdResult } from "../aggregate/result.ts";
import type { CrowdData, Size } from "../data/crowd-data.ts";
import type { AnswerColumns, Changes } from "../diagnose/since.ts";
import type { Verdict } from "../diagnose/verdict.ts";
import type { CsvValue } from "../io/csv-writer.ts";
import type { GoldPair, Reading } from "../io/sink.ts";
import type { TableKind } from "../io/table.ts";
import type { Engine } from "../kernels/engine.ts";
import type { MethodCard, Steps } from "../method.ts";
import type { ShownMetric } from "../report/comparison.ts";
import type { Content } from "../report/content.ts";
import type { Report } from "../report/model.ts";
import type { TaskContents } from "../report/task-content.ts";
import type { Corruption } from "../simulate/corruptions.ts";
import type { KnownTables } from "./known.ts";
import type { KindLearning } from "./learning.ts";

/** One row of plain data: an answer, or what is known of a worker. */
type Row = Readonly<Record<string, string | number | null | readonly string[]>>;

/** Rows of cells under a header, as they stand in a file. */
export interface Table {
  readonly header: readonly string[];
  readonly rows: Iterable<readonly CsvValue[]>;
}

/** A method as far as front ends run it; its options are checked when it runs. */
export interface KindMethod<
  Data extends CrowdData = CrowdData,
  Result extends CrowdResult = CrowdResult,
> extends MethodCard {
  steps(data: Data, options?: object, known?: object, engine?: Engine): Steps<Result>;
}

/** How a result compares with gold. */
export interface Scores {
  /** The sentence that people read first. */
  readonly line: string;
  /** The metrics of the kind, by id. */
  readonly values: Readonly<Record<string, number>>;
  /** The first metric task by task, where it is not that of the result itself. */
  readonly credits?: Float64Array;
  /** All that was measured, for result.json. */
  readonly document: object;
  /** The same as a table for a terminal. */
  readonly table: string;
  /** What the kind's own report wants of it. */
  readonly details: unknown;
}

/** What a report and the files of a result are made from. */
export interface Outcome<
  Data extends CrowdData = CrowdData,
  Result extends CrowdResult = CrowdResult,
> {
  readonly data: Data;
  readonly result: Result;
  readonly scores?: Scores | undefined;
  /** What `judge` found. */
  readonly judged: unknown;
  /** What the tasks look like, where that is known. */
  readonly content?: TaskContents | undefined;
  /** Whether to rely on the answers, where the kind can tell. */
  readonly verdict?: Verdict | undefined;
  /** What changed since an earlier run, where one was named. */
  readonly since?: Changes | undefined;
  /** True where the names of workers are replaced in everything that is shown. */
  readonly anonymous: boolean;
}

/** Data without the answers of some workers, and what that did. */
export interface Pruned<Data extends CrowdData = CrowdData> {
  readonly data: Data;
  /** What was done and what it changes, as sentences; those of workers name them. */
  readonly lines: readonly string[];
  /** The same in numbers, for result.json. */
  readonly document: object;
}

/** What answers say about themselves. */
export interface Diagnosed {
  /** As plain data, for programs. */
  readonly document: object;
  /** As lines for a terminal. */
  readonly lines: readonly string[];
  /** As a report. */
  report(): Report;
  /** The tables by file name: workers.csv and more. */
  files(): ReadonlyMap<string, Content>;
}

/** What a verdict may look at besides data, result and scores. */
interface VerdictSettings {
  readonly seed: number;
  /** What was known to the method. */
  readonly known: object;
  readonly engine?: Engine | undefined;
}

/** What a diagnosis looks at besides data and result. */
export interface DiagnoseSettings {
  readonly seed: number;
  /** What the classes are, for kinds that have several scales. */
  readonly scale?: string | undefined;
  /** Workers to list; 0 lists all. */
  readonly workers: number;
  /** Looks at how the skill of each worker went over time. */
  readonly time?: boolean | undefined;
  /** True if the answers are from a file: what they claim of their probabilities is no ground for a verdict. */
  readonly given?: boolean | undefined;
  /** Scores against gold, where the data have some. */
  readonly scores?: Scores | undefined;
  readonly engine?: Engine | undefined;
}

/** The methods that run on answers of a kind: its own, then those it borrows. */
export function methodsOf({
  methods,
  borrowed = [],
}: Pick<Kind, "methods" | "borrowed">): readonly KindMethod[] {
  return [...methods, ...borrowed];
}

export interface Kind<
  Data extends CrowdData = CrowdData,
  Result extends CrowdResult = CrowdResult,
> {
  readonly id: string;
  readonly title: string;
  /** The methods, in the order in which the docs tell them. */
  readonly methods: readonly KindMethod<Data, Result>[];
  /** Methods of another kind that run on this one too. */
  readonly borrowed?: readonly KindMethod<Data, Result>[];
  /** Ids of methods by the other names that people type for them. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Id of the method that runs when none is named, and of the one that others are compared with. */
  readonly defaultMethod: string;
  readonly baseline: string;
  /** Id of the method that judges workers when only they are asked for. */
  readonly judgeMethod: string;
  /** Id of the method that allows for groups of workers who err together; absent where there is none. */
  readonly groupMethod?: string;
  /** How files are recognised and read. */
  readonly reading: Reading<Data>;
  /** Joins what is known beyond the answers to the data; absent where a kind takes gold and nothing else. */
  known?(data: Data, tables: KnownTables): object;
  /** The answers and what is known of the truth as tables, in the columns that files of the kind are read by. */
  tables(data: Data): { readonly answers: Table; readonly gold: Table };
  size(data: Data): Size;
  /** Counts for people: `7,000 values`, `700 tasks`. */
  counts(data: Data): readonly string[];
  /** What gold is about: `item`; absent: `task`. */
  readonly goldNoun?: string;
  /** Number of tasks or items with gold. */
  goldCount(data: Data): number;
  fingerprint(data: Data): string;
  /** What result.json says of the data besides counts of labels, tasks and workers. */
  describe(data: Data): object;
  /** What result.json says of the result besides what all kinds have. */
  document(result: Result): object;
  /** Answers by name, as plain rows. */
  answers(data: Data, result: Result): Iterable<Row>;
  /** Workers by name, as plain rows. */
  workers(data: Data, result: Result): Iterable<Row>;
  /** What is compared of the answers of two runs; absent where runs are not compared. */
  readonly compared?: AnswerColumns;
  /** The metrics of `Scores`, the most important first. */
  readonly metrics: readonly ShownMetric[];
  /**
   * Scores a result against gold. Where gold was known to the method, each part of it is scored by a
   * fit that did not see that part.
   */
  score(
    data: Data,
    result: Result,
    known: object,
    refit: (known: object, part: string) => Promise<Result>,
  ): Promise<Scores>;
  /** Takes out the answers of workers who would only harm the method; absent where the kind cannot tell who would. */
  prune?(
    data: Data,
    method: KindMethod<Data, Result>,
    settings: { readonly seed: number; readonly force: boolean },
  ): Steps<Pruned<Data>>;
  /** The groups of workers that a method found, as sentences. */
  groupLines?(data: Data, result: Result): readonly string[];
  /** Judges whether to rely on the answers; absent where the kind cannot tell, undefined where it would take too long. */
  verdict?(
    data: Data,
    result: Result,
    scores: Scores | undefined,
    settings: VerdictSettings,
  ): Steps<Verdict> | undefined;
  /** The first metric task by task, larger is better: for paired differences. */
  credits(data: Data, result: Result): Float64Array;
  /** Mean log-probability of hidden answers, in nats; absent where the kind cannot hide any. */
  heldOut?(
    method: KindMethod<Data, Result>,
    options: object,
    data: Data,
    known: object,
    settings: { readonly folds: number; readonly seed: number },
  ): Steps<number>;
  /** How much two results agree, from 0 to 1. */
  alike(a: Result, b: Result): number;
  /** Finds what files and report say of workers and tasks beyond the result. */
  judge(data: Data, result: Result, settings: { readonly seed: number }): Steps<unknown>;
  /** The tables of a result by file name: truth.csv and more. */
  files(outcome: Outcome<Data, Result>): ReadonlyMap<string, Content>;
  /** Counts of what deserves attention, as sentences. */
  attention(outcome: Outcome<Data, Result>): readonly string[];
  report(outcome: Outcome<Data, Result>): Report;
  /** The answers in a few lines, for a terminal. */
  summary(data: Data, result: Result): string;
  /** The answers as text for a pipe. */
  truth(result: Result): Iterable<string>;
  /** Ways in which workers may spoil answers, to be tried on the data; absent where there are none. */
  readonly corruptions?: readonly Corruption<Data>[];
  /** How networks are learnt from answers and features; absent where they are not. */
  readonly learning?: KindLearning<Data>;
  diagnose(data: Data, result: Result, settings: DiagnoseSettings): Steps<Diagnosed>;
  /** True if `diagnose` can look at time. */
  readonly drifts?: boolean;
  /** Which groups `diagnose` compares; absent if it compares none. */
  readonly groups?: "workers" | "tasks and workers";
  /** How `diagnose` takes answers from a file in place of a method's; absent if it does not. */
  readonly given?: {
    /** Makes data of the answers and gold alone, without labels. */
    data(answers: unknown, gold: readonly GoldPair[]): Data;
    /** Makes a result of the answers on the tasks of the data. */
    result(data: Data, answers: unknown): Result;
  };
  /** Reads a file of answers such as truth.csv, to be scored. */
  readonly answersTable: TableKind<unknown>;
  /** Says why a table with these columns holds answers of this kind; undefined where it need not. */
  recogniseAnswers(header: readonly string[]): string | undefined;
  /** Scores what `answersTable` read; also returns what is worth a note. */
  scoreAnswers(
    answers: unknown,
    gold: readonly GoldPair[],
    goldName: string,
  ): { readonly scores: Scores; readonly notes: readonly string[] };
}
