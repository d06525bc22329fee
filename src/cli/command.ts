/** What a command is, and the world it runs in. */

/** Everything outside that a command touches; a test hands it another. */
export interface World {
  /** Writes results. Resolves when more may be written; throws `stopped` when nobody reads any more. */
  print(text: string): Promise<void>;
  /** Writes words for people, a line each. */
  say(text: string): void;
  /** Shows how far something is, in place of what it showed before; nothing where nobody watches. */
  show(text: string): void;
  /** True where results go to a terminal, not into a file or a pipe. */
  readonly terminal: boolean;
  /** Columns of the terminal; 80 if they are unknown. */
  readonly width: number;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Raised by Ctrl-C and by the system's wish to end. */
  readonly signal: AbortSignal;
  /** Does work that a signal must not cut short: it stops by itself when the signal is raised. */
  whole<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Told of every temporary path, which is removed if the command is ended from outside. */
  temporary(path: string): void;
}

export interface Command {
  readonly id: string;
  /** What comes after the name: "LABELS… [options]". */
  readonly usage: string;
  /** One or more command lines, one per line of the text. */
  readonly example: string;
  /** The flags, which may depend on the arguments (a method's own options). */
  flags(args: readonly string[]): FlagTable;
  run(given: Given, world: World): Promise<void>;
}

export interface Flag {
  readonly type: "text" | "number" | "switch";
  readonly help: string;
  /** What stands for the value in the help: "FILE". */
  readonly value?: string;
  readonly default?: string | number | boolean;
  /** True where the flag may come more than once; its values are joined by commas. */
  readonly many?: boolean;
  /** Heading under which the help lists it. */
  readonly group?: string;
}

export type FlagTable = Readonly<Record<string, Flag>>;

/** The command line after parsing: what was named, and what was not. */
export interface Given {
  readonly files: readonly string[];
  text(flag: string): string | undefined;
  number(flag: string): number | undefined;
  on(flag: string): boolean;
  /** Names of the flags that were on the command line. */
  readonly named: ReadonlySet<string>;
  /** The command line again, without what only says where and how to write. */
  repeatable(options?: { readonly files?: boolean }): string[];
  /** What only says where and how to write. */
  output(): string[];
  /** Paths that are read: the files, and the values of flags that name files. */
  inputs(files?: readonly string[]): readonly string[];
}
