/** The number of threads on a command line. */
import { availableParallelism } from "node:os";
import { CrowdError } from "../error.ts";
import type { Given } from "./command.ts";

/** Reads --threads: a whole number, capped at the cores of the machine with a note. */
export function threadsOf(given: Given, say: (text: string) => void): number | undefined {
  const threads = given.number("threads");
  if (threads === undefined) return undefined;
  if (!Number.isInteger(threads) || threads < 1) {
    throw new CrowdError("usage", `--threads takes a whole number from 1 up, not ${threads}.`);
  }
  const cores = availableParallelism();
  if (threads <= cores) return threads;
  say(`note: --threads ${threads} is more than this machine has cores; ${cores} are used.`);
  return cores;
}
