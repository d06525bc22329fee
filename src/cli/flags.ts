/** The command line: parsing it against a table of flags, and the help made from the same table. */
import { parseArgs } from "node:util";
import { CrowdError } from "../error.ts";
import { nearestName, type Synonyms, sameName } from "../jobs/nearest-name.ts";
import type { Option, OptionTable } from "../method.ts";
import { wrap, wrapCommand } from "../report/wrap.ts";
import type { Command, Flag, FlagTable, Given } from "./command.ts";

export function parse(command: Command, args: readonly string[]): Given {
  const table = command.flags(args);
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({
      args: joinNegative(spelled(args, table), table),
      allowPositionals: true,
      options: Object.fromEntries(
        Object.entries(table).map(([name, { type, many }]) => [
          name,
          {
            type: type === "switch" ? ("boolean" as const) : ("string" as const),
            multiple: many ?? false,
          },
        ]),
      ),
    });
  } catch (cause) {
    throw usage(command, explainError(cause, table), cause);
  }
  const values = new Map(Object.entries(parsed.values));
  for (const [name, value] of values) {
    const flag = table[name];
    if (
      flag?.type === "number" &&
      !(String(value).trim() !== "" && Number.isFinite(Number(value)))
    ) {
      throw usage(command, `--${name} takes a number, not "${String(value)}".`);
    }
  }
  const value = (name: string) => {
    const given = values.get(name) ?? table[name]?.default;
    return Array.isArray(given) ? given.join(",") : given;
  };
  return {
    files: parsed.positionals,
    text: (name) => (value(name) === undefined ? undefined : String(value(name))),
    number: (name) => (value(name) === undefined ? undefined : Number(value(name))),
    on: (name) => value(name) === true,
    named: new Set(values.keys()),
    repeatable: ({ files = true } = {}) => [
      ...(files ? parsed.positionals : []),
      ...[...values].filter(([name]) => !OUTPUT.has(name)).map(asArgument),
    ],
    output: () =>
      [...values].filter(([name]) => OUTPUT.has(name) && name !== "rerun").map(asArgument),
    inputs: (files = parsed.positionals) => [
      ...files,
      ...[...values]
        .filter(([name]) => READ.has(table[name]?.value ?? "") && !WRITTEN.has(name))
        .flatMap(([, each]) => String(each).split(",")),
    ],
  };
}

/** What stands for the value of a flag that names something to read. */
const READ = new Set(["FILE", "MODEL", "EXPORT"]);

/** Flags that name a file to write. */
const WRITTEN = new Set(["out", "checkpoint", "log"]);

/** The value of a flag that takes a whole number within limits. */
export function wholeNumber(
  given: Given,
  flag: string,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  const value = given.number(flag);
  if (value === undefined || (Number.isInteger(value) && value >= min && value <= max)) {
    return value;
  }
  throw new CrowdError(
    "usage",
    `--${flag} takes a whole number from ${min} to ${max}, not ${value}.`,
  );
}

/** Flags that say where and how to write, and nothing about what. */
const OUTPUT = new Set([
  "out",
  "log",
  "force",
  "json",
  "quiet",
  "rerun",
  "since",
  "threads",
  "anonymise",
  "help",
  // Code to run is never taken from a file.
  "plugin",
]);

function asArgument([name, value]: [string, unknown]): string {
  return value === true
    ? `--${name}`
    : `--${name}=${Array.isArray(value) ? value.join(",") : String(value)}`;
}

/** Flags by the names that other tools have for them. */
const ALIASES: Synonyms = {
  lr: "rate",
  "learning-rate": "rate",
  "batch-size": "batch",
  "weight-decay": "decay",
};

/** What people look for under other names; suggested, not taken. */
const SYNONYMS: Synonyms = {
  ...ALIASES,
  output: "out",
  "out-dir": "out",
  "output-dir": "out",
  "gold-file": "gold",
  truth: "gold",
  algorithm: "method",
  model: "method",
  overwrite: "force",
  "random-seed": "seed",
  verbose: "quiet",
  silent: "quiet",
};

/** The arguments with every flag under its own name: aliases, capitals and underscores are understood. */
function spelled(args: readonly string[], table: FlagTable): string[] {
  const end = args.indexOf("--");
  const names = Object.keys(table);
  return args.map((arg, at) => {
    const [, typed, rest] = /^--([^=]+)(.*)$/s.exec(arg) ?? [];
    if (typed === undefined || (end >= 0 && at >= end) || names.includes(typed)) return arg;
    const alias = Object.hasOwn(ALIASES, typed) ? ALIASES[typed] : undefined;
    const name = alias && names.includes(alias) ? alias : sameName(typed, names);
    return name === undefined ? arg : `--${name}${rest}`;
  });
}

/** `--flag -1` as `--flag=-1`, since a value that begins with a dash would be taken for a flag. */
function joinNegative(args: readonly string[], table: FlagTable): string[] {
  const joined: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const takesValue = args[i].startsWith("--") && table[args[i].slice(2)]?.type === "number";
    if (takesValue && /^-[\d.]/.test(args[i + 1] ?? "")) joined.push(`${args[i]}=${args[++i]}`);
    else joined.push(args[i]);
  }
  return joined;
}

/** The value of a flag before the table is known, for tables that depend on it. */
export function peek(args: readonly string[], name: string): string | undefined {
  for (const [i, arg] of args.entries()) {
    if (arg === "--") return undefined;
    if (arg === `--${name}`) return args[i + 1];
    if (arg.startsWith(`--${name}=`)) return arg.slice(name.length + 3);
  }
  return undefined;
}

function usage(command: Command, message: string, cause?: unknown): CrowdError {
  return new CrowdError("usage", `${message} See: consilience ${command.id} --help`, { cause });
}

function explainError(cause: unknown, table: FlagTable): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  const unknown = /Unknown option '(--?[^']+)'/.exec(message)?.[1];
  if (unknown) {
    const near = nearestName(unknown.replace(/^-+/, ""), Object.keys(table), SYNONYMS);
    return `There is no option ${unknown}.${near ? ` Did you mean --${near}?` : ""}`;
  }
  const missing = /Option '(?:-\w, )?(--[^ ']+).*argument missing/.exec(message)?.[1];
  if (missing) return `${missing} needs a value.`;
  const extra = /Option '(?:-\w, )?(--[^ ']+)' does not take an argument/.exec(message)?.[1];
  if (extra) return `${extra} takes no value.`;
  return message;
}

/** The flags that a card's options make. */
export function cardFlags(options: OptionTable, group: string): FlagTable {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => [kebab(name), cardFlag(option, group)]),
  );
}

function cardFlag(option: Option, group: string): Flag {
  if ("choices" in option)
    return {
      type: "text",
      help: option.help,
      value: option.choices.join("|"),
      default: option.default,
      group,
    };
  if (typeof option.default === "boolean") {
    // A switch that is on by default is turned off by its opposite.
    return { type: "text", help: option.help, value: "true|false", default: option.default, group };
  }
  if (typeof option.default === "string") {
    return { type: "text", help: option.help, value: "TEXT", default: option.default, group };
  }
  const unit = "unit" in option && option.unit ? ` (${option.unit})` : "";
  return { type: "number", help: option.help + unit, value: "N", default: option.default, group };
}

/** The options of a card that were on the command line, by their own names. */
export function cardValues(
  given: Given,
  options: OptionTable,
): Record<string, number | string | boolean> {
  const values: Record<string, number | string | boolean> = {};
  for (const [name, option] of Object.entries(options)) {
    const flag = kebab(name);
    if (!given.named.has(flag)) continue;
    const text = given.text(flag) ?? "";
    if (typeof option.default === "number") values[name] = Number(text);
    else if (typeof option.default === "boolean")
      values[name] = text === "true" ? true : text === "false" ? false : text;
    else values[name] = text;
  }
  return values;
}

export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** What `--help` prints on a terminal of so many columns. */
export function help(
  command: Command,
  summary: string,
  args: readonly string[],
  width: number,
): string {
  const table = command.flags(args);
  const groups = new Map<string, string[]>();
  for (const [name, flag] of Object.entries(table)) {
    const group = flag.group ?? "Options";
    groups.set(group, [...(groups.get(group) ?? []), helpLine(name, flag, width)]);
  }
  const text = [
    summary,
    "",
    `Usage: consilience ${command.id} ${command.usage}`,
    "",
    ...command.example.split("\n").map((example) => wrapCommand(`Example: ${example}`, width)),
    ...[...groups].flatMap(([group, lines]) => ["", `${group}:`, ...lines]),
    "",
  ].join("\n");
  return wrap(text, width);
}

/** Where the help of flags begins; narrow terminals have it below the flag. */
const HELP_COLUMN = 32;

function helpLine(
  name: string,
  { type, value, help: text, default: usual }: Flag,
  width: number,
): string {
  const flag = `  --${name}${type === "switch" ? "" : ` ${value ?? "TEXT"}`}`;
  const shown = usual === undefined || usual === false ? "" : ` [${usual}]`;
  const column = width < 2 * HELP_COLUMN ? 6 : HELP_COLUMN;
  const words = wrap(`${" ".repeat(column - 2)}  ${text}${shown}`, width)
    .split("\n")
    .map((line) => " ".repeat(column) + line.trimStart());
  if (flag.length > column - 2) return [flag, ...words].join("\n");
  return [flag.padEnd(column) + words[0].trimStart(), ...words.slice(1)].join("\n");
}
