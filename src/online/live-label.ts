/** Labels by name, as they come in, and the numbers that the live state keeps. */
import type { Name } from "../data/rows.ts";
import { isWeight, weightRule } from "../data/weights.ts";
import { CrowdError, hint } from "../error.ts";
import { findLabel, type NumberedLabel } from "./label-store.ts";
import { type LiveState, taskNumber, workerNumber } from "./live-state.ts";

/** What one worker says of one task; numbers become names. */
export interface LiveLabel {
  readonly task: Name;
  readonly worker: Name;
  /** A class; null if the worker abstains, which only a result that models abstentions can take. */
  readonly label: Name | boolean | null;
  /** How many labels this one counts for; default 1. */
  readonly weight?: number | undefined;
  /** Milliseconds since 1970. */
  readonly time?: number | undefined;
}

type Spoken = Pick<LiveLabel, "task" | "worker" | "label">;

/** Turns names into numbers; refuses what does not exist or has no meaning. */
export interface Reader {
  /** Returns the number of a task that exists. */
  task(name: Name): number;
  /** Tells whether a task exists. */
  has(name: Name): boolean;
  /** Returns the name of a task and P(class) of it, which sums to 1. */
  prior(task: Name, prior: ArrayLike<number>): [name: string, prior: Float64Array];
  /** Returns the number of a worker, undefined for one without labels. */
  worker(name: Name): number | undefined;
  /** Returns a label by numbers; its task and worker are added if they are new. */
  newLabel(label: LiveLabel): NumberedLabel;
  /** Returns the place of the latest such label. */
  place(label: Spoken): number;
  /** Returns the place of the worker's latest label of the task, whatever it says. */
  latestPlace(label: Spoken): number;
  /** Returns the numbers of a task, added if it is new, and of its class, -1 for undefined. */
  gold(task: Name, gold: Name | boolean | undefined): [t: number, gold: number];
}

export function createReader(now: () => LiveState): Reader {
  /** Returns the number of a class, or K for an abstention. */
  const codeOf = (label: LiveLabel["label"], what: string): number => {
    const { source, K } = now();
    if (label === null) return K;
    const name = nameOf(label, what);
    const k = source.classes.indexOf(name);
    if (k >= 0) return k;
    throw noSuchClass(name, what, source.classes);
  };
  const find = (spoken: Spoken, label: number | undefined): number => {
    const state = now();
    const [task, worker] = [nameOf(spoken.task, "task"), nameOf(spoken.worker, "worker")];
    const [t, w] = [state.tasks.indexOf(task), state.workers.indexOf(worker)];
    const place = t < 0 || w < 0 ? -1 : findLabel(state.store, t, w, label);
    if (place >= 0) return place;
    const said = label === undefined ? "label" : `label ${spoken.label ?? "(an abstention)"}`;
    throw new CrowdError(
      "bad-data",
      `Worker ${JSON.stringify(worker)} has no ${said} for task ${JSON.stringify(task)} that could be ` +
        `taken away or corrected. Add labels with apply.`,
    );
  };
  return {
    task(given) {
      const name = nameOf(given, "task");
      const t = now().tasks.indexOf(name);
      if (t >= 0) return t;
      throw new CrowdError(
        "bad-data",
        `There is no task ${JSON.stringify(name)}. A task exists from its first label or gold on.`,
      );
    },
    has: (given) => now().tasks.indexOf(nameOf(given, "task")) >= 0,
    prior: (task, prior) => [nameOf(task, "task"), sharesOf(task, prior, now().K)],
    worker(given) {
      const w = now().workers.indexOf(nameOf(given, "worker"));
      return w < 0 ? undefined : w;
    },
    newLabel(given) {
      const state = now();
      checkLabel(given, state);
      const { weight = 1, time = Number.NaN } = given;
      const [task, worker] = [nameOf(given.task, "task"), nameOf(given.worker, "worker")];
      const label = codeOf(given.label, "label");
      return { t: taskNumber(state, task), w: workerNumber(state, worker), label, weight, time };
    },
    place: (label) => find(label, codeOf(label.label, "label")),
    latestPlace: (label) => find(label, undefined),
    gold(task, gold) {
      const name = nameOf(task, "task");
      const k = gold === undefined ? -1 : codeOf(gold, "gold class");
      return [taskNumber(now(), name), k];
    },
  };
}

function noSuchClass(name: string, what: string, classes: Iterable<string>): CrowdError {
  const names = [...classes].slice(0, 20).join(", ") || "(there are none)";
  return new CrowdError(
    "bad-data",
    `The ${what} ${JSON.stringify(name)} is none of the classes ${names}. ` +
      `Fit again with data that names it among its classes.`,
  );
}

/** Returns P(class) of a task; refuses what has the wrong length or does not sum to 1. */
function sharesOf(task: Name, prior: ArrayLike<number>, K: number): Float64Array {
  const shares = Float64Array.from(prior);
  const sum = shares.reduce((total, p) => total + p, 0);
  const fine = shares.length === K && shares.every((p) => p >= 0) && Math.abs(sum - 1) < 0.01;
  if (fine) return shares.map((p) => p / sum);
  throw new CrowdError(
    "bad-option",
    `The prior of task ${JSON.stringify(task)} must be ${K} probabilities that sum to 1, not ${[...shares].join(", ")}.`,
  );
}

/** Refuses weights and times that are none, and abstentions that are not modelled. */
function checkLabel({ task, worker, label, weight, time }: LiveLabel, state: LiveState): void {
  if (label === null && !state.abstains) {
    throw new CrowdError(
      "bad-data",
      `Worker "${worker}" abstains on task "${task}", but the result leaves abstentions out. ` +
        `Leave the label out, or fit with ${hint("abstentions", "model")}.`,
    );
  }
  if (weight !== undefined && !isWeight(weight)) {
    throw new CrowdError("bad-data", `The weight of a label must be ${weightRule}, not ${weight}.`);
  }
  if (time !== undefined && !Number.isFinite(time)) {
    throw new CrowdError(
      "bad-data",
      `The time of a label must be in milliseconds since 1970, not ${time}.`,
    );
  }
}

/** Returns the text of a name; numbers and booleans become text, as in rows. */
function nameOf(name: unknown, what: string): string {
  if (typeof name === "string") return name;
  const number = typeof name === "number" && Number.isFinite(name);
  if (number || typeof name === "boolean" || typeof name === "bigint") return String(name);
  throw new CrowdError(
    "bad-data",
    `The ${what} should be text or a number, but is ${String(name)}.`,
  );
}
