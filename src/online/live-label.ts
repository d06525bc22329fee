/** Labels by name, as they come in, and the numbers that the live state keeps. */
import { CrowdError } from "../error.ts";
import { findLabel, type NumberedLabel } from "./label-store.ts";
import { type LiveState, taskNumber, workerNumber } from "./live-state.ts";

/** What one worker says of one task. */
export interface LiveLabel {
  readonly task: string;
  readonly worker: string;
  /** A class; null if the worker abstains, which only a result that models abstentions can take. */
  readonly label: string | null;
  /** How many labels it counts for; default one. */
  readonly weight?: number;
  /** Milliseconds since 1970. */
  readonly time?: number;
}

type Spoken = Pick<LiveLabel, "task" | "worker" | "label">;

/** Turns names into numbers; refuses what does not exist or has no meaning. */
export interface Reader {
  /** Returns the number of a task that exists. */
  task(name: string): number;
  /** Returns a label by numbers; its task and worker are added if they are new. */
  newLabel(label: LiveLabel): NumberedLabel;
  /** Returns the place of the latest such label. */
  place(label: Spoken): number;
  /** Returns the place of the worker's latest label of the task, whatever it says. */
  latestPlace(label: Spoken): number;
  /** Returns the numbers of a task, added if it is new, and of its class, -1 for undefined. */
  gold(task: string, gold: string | undefined): [t: number, gold: number];
}

export function createReader(now: () => LiveState): Reader {
  const classOf = (label: string, what: string): number => {
    const { classes } = now().source;
    const k = classes.indexOf(label);
    if (k >= 0) return k;
    const names = [...classes].slice(0, 20).join(", ") || "(there are none)";
    throw new CrowdError(
      "bad-data",
      `${what} ${JSON.stringify(label)} is none of the classes ${names}. ` +
        `Fit again with data that names it among its classes.`,
    );
  };
  const find = ({ task, worker }: Spoken, label: number | undefined, said: string): number => {
    const state = now();
    const [t, w] = [state.tasks.indexOf(task), state.workers.indexOf(worker)];
    const place = t < 0 || w < 0 ? -1 : findLabel(state.store, t, w, label);
    if (place >= 0) return place;
    throw new CrowdError(
      "bad-data",
      `Worker ${JSON.stringify(worker)} has no ${said} for task ${JSON.stringify(task)} that could be ` +
        `taken away or corrected. Add labels with apply.`,
    );
  };
  return {
    task(name) {
      const t = now().tasks.indexOf(name);
      if (t >= 0) return t;
      throw new CrowdError(
        "bad-data",
        `There is no task ${JSON.stringify(name)}. A task exists from its first label or gold on.`,
      );
    },
    newLabel(label) {
      const state = now();
      checkLabel(label, state);
      const { weight = 1, time = Number.NaN } = label;
      const code = label.label === null ? state.K : classOf(label.label, "The label");
      const [t, w] = [taskNumber(state, label.task), workerNumber(state, label.worker)];
      return { t, w, label: code, weight, time };
    },
    place(label) {
      const code = label.label === null ? now().K : classOf(label.label, "The label");
      return find(label, code, label.label === null ? "abstention" : `label ${label.label}`);
    },
    latestPlace: (label) => find(label, undefined, "label"),
    gold(task, gold) {
      const k = gold === undefined ? -1 : classOf(gold, "The gold class");
      checkName(task, "task");
      return [taskNumber(now(), task), k];
    },
  };
}

/** Refuses names that are not texts, numbers that are none, and abstentions that are not modelled. */
function checkLabel({ task, worker, label, weight, time }: LiveLabel, state: LiveState): void {
  checkName(task, "task");
  checkName(worker, "worker");
  if (label === null && !state.abstains) {
    throw new CrowdError(
      "bad-data",
      `Worker ${JSON.stringify(worker)} abstains on task ${JSON.stringify(task)}, but the result leaves ` +
        `abstentions out. Leave the label out, or fit with abstentions: "model".`,
    );
  }
  if (weight !== undefined && !(weight >= 0 && weight < Infinity)) {
    throw new CrowdError("bad-data", `The weight of a label must be 0 or more, not ${weight}.`);
  }
  if (time !== undefined && !Number.isFinite(time)) {
    throw new CrowdError(
      "bad-data",
      `The time of a label must be in milliseconds since 1970, not ${time}.`,
    );
  }
}

function checkName(name: unknown, what: string): void {
  if (typeof name === "string") return;
  throw new CrowdError("bad-data", `The name of a ${what} must be text, not ${String(name)}.`);
}
