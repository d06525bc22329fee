/** The options of `drift`, with their defaults and ranges. */
import { type OptionTable, settle, type Values } from "../../method.ts";
import type { JudgeOptions } from "./worker-answers.ts";

/** Settings of `drift`. */
export interface DriftOptions extends JudgeOptions {
  /** Number of labels of a window. Default: 50. */
  readonly window?: number | undefined;
  /** Number of labels from one window to the next. Default: 10. */
  readonly step?: number | undefined;
  /** What the curve has one entry for: so many labels, or each day (UTC). Default: 10. */
  readonly bin?: number | "day" | undefined;
  /** Probability of all intervals. Default: .95. */
  readonly level?: number | undefined;
  /** Number of judged labels below which a worker is not tested. Default: 20. */
  readonly fewest?: number | undefined;
  /** Share of flagged workers who may be flagged wrongly. Default: .05. */
  readonly falseDiscoveries?: number | undefined;
}

const table = {
  gold: { default: false, help: "Judge labels on tasks with gold by it." },
  seed: { default: 0, integer: true, help: "Random seed." },
  window: { default: 50, min: 1, integer: true, help: "Number of labels of a window." },
  step: {
    default: 10,
    min: 1,
    integer: true,
    help: "Number of labels from one window to the next.",
  },
  bin: { default: 10, min: 1, integer: true, help: "Number of labels of one entry of the curve." },
  level: { default: 0.95, min: 0.5, max: 0.999, help: "Probability of all intervals." },
  fewest: {
    default: 20,
    min: 2,
    integer: true,
    help: "Number of judged labels that a test needs.",
  },
  falseDiscoveries: {
    default: 0.05,
    min: 0,
    max: 1,
    help: "Share of flagged workers who may be flagged wrongly.",
  },
} as const satisfies OptionTable;

/** The value of every option. */
export interface DriftSettings extends Omit<Values<typeof table>, "bin"> {
  readonly bin: number | "day";
}

/** Fills in the defaults and refuses what is out of range. */
export function driftSettings({ bin, ...options }: DriftOptions): DriftSettings {
  if (bin === "day") return { ...settle("drift", table, options), bin };
  return settle("drift", table, { ...options, bin });
}
