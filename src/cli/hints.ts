/** Options that the library names in its messages, as the flags that set them here. */
import type { Hint } from "../error.ts";
import { kebab } from "./flags.ts";

/** Flags that are not called like the option. */
const flags: Readonly<Record<string, (value: Hint["value"]) => string>> = {
  badRows: () => "--drop-bad-rows",
  header: () => "--no-header",
  quotes: () => "--no-quotes",
  predictions: () => "--with-predictions",
  rejected: () => "--with-rejected",
  size: (value) => `--image-size ${value ?? "N"}`,
  tasks: () => "--tasks FILE",
  labelSeparator: (value) => `--label-separator "${value ?? "…"}"`,
  maxClasses: () => "--max-classes N",
  // Memory is the machine's here.
  memoryLimit: () => "the memory of the machine",
  dropSpammers: (value) => (value === "force" ? "--drop-spammers-anyway" : "--drop-spammers"),
  "known.gold": () => "--use-gold",
  "known.taskPrior": () => "--task-prior FILE",
  "known.prior": () => "--prior",
  "known.abstentions": () => "--abstentions model",
  "test.labels": () => "--test-labels",
};

/** Words a hint as a flag: `--columns worker=…`. */
export function asFlag({ option, value }: Hint): string {
  const own = flags[option];
  if (own) return own(value);
  const [name, ...path] = option.split(".");
  if (name === "columns" && path.length > 0) return `--columns ${path[0]}=${value ?? "…"}`;
  if (name === "goldColumns") return `--gold-columns ${path[0] ?? "task"}=${value ?? "…"}`;
  const flag = `--${kebab(path[0] ?? name)}`;
  if (value === true) return flag;
  if (name === "known") return `${flag} FILE`;
  return value === undefined ? flag : `${flag} ${value}`;
}
