/** Collects what is wrong with rows, so that a user hears of all of it at once. */
import { CrowdError, grouped, hint, plural } from "../error.ts";

export interface Problems {
  readonly count: number;
  /** `line` counts from 1; 0 where the problem is with the whole file. */
  add(file: string, line: number, what: string): void;
  /** Throws one error that shows them, if there are any. */
  raise(): void;
  /** The same as a note, for readers told to leave such rows out. */
  note(): string | undefined;
}

const SHOWN = 20;

export function createProblems(): Problems {
  const shown: string[] = [];
  let count = 0;
  return {
    get count() {
      return count;
    },
    add(file, line, what) {
      if (count++ < SHOWN) shown.push(`${place(file, line)}: ${what}`);
    },
    raise() {
      if (count === 0) return;
      const rest = count > SHOWN ? `\n  and ${grouped(count - SHOWN)} more` : "";
      const list =
        count === 1
          ? shown[0]
          : `${grouped(count)} rows have problems:\n  ${shown.join("\n  ")}${rest}`;
      throw new CrowdError(
        "bad-data",
        `${list}\nTo leave such rows out, use ${hint("badRows", "drop")}.`,
      );
    },
    note() {
      if (count === 0) return undefined;
      return `${plural(count, "row")} with problems dropped; the first: ${shown[0]}`;
    },
  };
}

export function place(file: string, line: number): string {
  return line > 0 ? `${file}:${line}` : file;
}

/** A piece of text short enough for a message. */
export function excerpt(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** Says of a file what went wrong while it was read; errors that say so already stay as they are. */
export function unreadable(file: string, format: string, cause: unknown): CrowdError {
  if (cause instanceof CrowdError) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new CrowdError(
    "bad-data",
    `${file}: this ${format} file cannot be read: ${why}. Is it complete?`,
    { cause },
  );
}
