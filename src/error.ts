/** Why a call failed, for programs. The message says the same thing, for people. */
export type Code =
  | "bad-option"
  | "bad-data"
  | "bad-shape"
  | "no-labels"
  | "unknown-method"
  | "too-large"
  | "not-supported"
  | "cancelled"
  | "usage"
  | "write-failed";

/** An option that would help, as data: a program shows it as a property, a command as a flag. */
export interface Hint {
  /** Its name in the library; parts of a structured option by a path: `columns.worker`. */
  readonly option: string;
  readonly value?: string | number | boolean;
}

/** The only error class this library throws on purpose; anything else is a bug in it. */
export class CrowdError extends Error {
  override readonly name = "CrowdError";
  readonly code: Code;
  /** The options that the message names. */
  readonly hints: readonly Hint[];
  /** The message with its hints still as data, for front ends that word them: see `wordHints`. */
  readonly template: string;

  /** Takes text in which options stand as `hint(…)`. */
  constructor(code: Code, template: string, options?: ErrorOptions) {
    const hints: Hint[] = [];
    super(
      wordHints(template, (each) => {
        hints.push(each);
        return asProperty(each);
      }),
      options,
    );
    this.code = code;
    this.hints = hints;
    this.template = template;
  }
}

// Private-use characters, which no message holds otherwise.
const OPEN = "\ue000";
const CLOSE = "\ue001";
const MARKED = new RegExp(`${OPEN}([^${CLOSE}]*)${CLOSE}`, "g");

/** Stands for an option within a text until a front end words it. */
export function hint(option: string, value?: string | number | boolean): string {
  return `${OPEN}${JSON.stringify({ option, value })}${CLOSE}`;
}

/** Puts words in place of the hints of a text. */
export function wordHints(text: string, word: (hint: Hint) => string): string {
  return text.replace(MARKED, (_, marked: string) => word(JSON.parse(marked) as Hint));
}

/** Words a hint as a program would write it: `badRows: "drop"`, `columns: { worker: "…" }`. */
export function asProperty({ option, value }: Hint): string {
  const [name, ...path] = option.split(".");
  if (option === "columns" && typeof value === "string") {
    const pairs = value.split(",").map((pair) => pair.split("="));
    return `columns: { ${pairs.map(([role, column]) => `${role}: "${column}"`).join(", ")} }`;
  }
  if (option === "missing" && typeof value === "string") {
    return `missing: ${JSON.stringify(value.split(","))}`;
  }
  const written = value === undefined ? undefined : JSON.stringify(value);
  if (path.length === 0) return written === undefined ? name : `${name}: ${written}`;
  return name === "known"
    ? option
    : path
        .reduceRight((inner, part) => `{ ${part}: ${inner} }`, written ?? '"…"')
        .replace(/^/, `${name}: `);
}

/** Returns a count with separators between thousands: `12,345`. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Returns a count with its noun: `1 row`, `2 rows`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}
