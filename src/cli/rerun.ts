/** The command line of an earlier run, from the result.json it wrote. */
import { CrowdError } from "../error.ts";
import { readDocument } from "../node/earlier-run.ts";
import type { Command, Given } from "./command.ts";
import { parse } from "./flags.ts";

export interface Rerun {
  readonly given: Given;
  readonly method: string;
  readonly options: Readonly<Record<string, number | string | boolean>>;
  /** What the file says of the data it was made from. */
  readonly dataset: { readonly fingerprint?: unknown; readonly labels?: unknown };
}

/** Arguments, or values of flags, that lead to another machine. */
const ADDRESS = /^(--[^=]+=)?[a-z][a-z0-9+.-]*:\/\//i;

/** Says that data are not those that a result was made from; undefined if they are. */
export function changedSince(
  path: string,
  { fingerprint, labels }: Rerun["dataset"],
  now: { readonly fingerprint: string; readonly labels: number },
): string | undefined {
  if (fingerprint === undefined || fingerprint === now.fingerprint) return undefined;
  const counts =
    labels === now.labels
      ? "as many labels, but not the same"
      : `${labels} labels then, ${now.labels} now`;
  return `The data have changed since ${path} was written: ${counts}.`;
}

/** Where to write, and how, comes from the new command line; all else from the old one. */
export async function rerunArguments(path: string, command: Command, now: Given): Promise<Rerun> {
  const document = await documentOf(path);
  const { command: old, method, options } = document;
  const sound =
    Array.isArray(old) &&
    old.every((arg) => typeof arg === "string") &&
    typeof method === "string" &&
    typeof options === "object" &&
    options !== null &&
    Object.values(options).every((value) => ["number", "string", "boolean"].includes(typeof value));
  if (!sound)
    throw new CrowdError("bad-data", `${path}: this is no result.json of consilience aggregate.`);
  const address = (old as string[]).find((arg) => ADDRESS.test(arg));
  if (address !== undefined) {
    throw new CrowdError(
      "bad-data",
      `${path} names the address ${address}. An address is never taken from a file: give it on the command line.`,
    );
  }
  const args = [
    ...repeatableOf(old as string[], command, now.files.length === 0),
    ...now.repeatable(),
    ...now.output(),
  ];
  const given = parse(command, args);
  const { dataset } = document;
  return {
    given,
    method,
    dataset: typeof dataset === "object" && dataset !== null ? dataset : {},
    options:
      given.named.has("method") && given.text("method") !== method
        ? {}
        : (options as Rerun["options"]),
  };
}

/** The old arguments that say what to do; where to write and what code to load is never taken from a file. */
function repeatableOf(args: readonly string[], command: Command, files: boolean): string[] {
  return parse(command, args).repeatable({ files });
}

async function documentOf(path: string): Promise<Record<string, unknown>> {
  const document = await readDocument(path);
  if (typeof document === "object" && document !== null) return document as Record<string, unknown>;
  throw new CrowdError("bad-data", `${path}: this is no result.json.`);
}
