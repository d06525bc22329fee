/** What a rerun of a published table or figure is: a card, and a run that gives our numbers beside the paper's. */
import type { CategoricalData } from "../data/categorical.ts";
import type { Features } from "../data/features.ts";
import { namesOf } from "../data/names.ts";
import { CrowdError } from "../error.ts";
import { accuracy } from "../evaluate/accuracy.ts";
import type { Executor } from "../tensor/executor.ts";

/** A set with features: its crowd (gold is the truth, where known), and tasks to test and validate on. */
export interface FeatureSet {
  readonly data: CategoricalData;
  readonly features: Features;
  readonly test?: { readonly features: Features; readonly gold: Int32Array };
  readonly valid?: { readonly features: Features; readonly gold: Int32Array };
}

export interface ExperimentContext {
  readonly executor: Executor;
  readonly seeds: number;
  /** Smaller and fewer, in minutes. */
  readonly quick: boolean;
  /** A public set by name; undefined where it is not there. */
  set(name: string): Promise<FeatureSet | undefined>;
  /** The labels and gold of a public set without features. */
  labels(name: string): Promise<CategoricalData | undefined>;
  readonly signal?: { readonly aborted: boolean } | undefined;
  readonly onProgress?: ((text: string) => void) | undefined;
}

export interface Experiment {
  /** What the command calls it: paper and table or figure. */
  readonly id: string;
  readonly title: string;
  readonly paper: string;
  /** What is run on which data, and how that differs from the paper. */
  readonly about: string;
  readonly seeds: { readonly full: number; readonly quick: number };
  run(context: ExperimentContext): Promise<Finding>;
}

export interface Finding {
  readonly rows: readonly ComparedRow[];
  readonly charts: readonly Curves[];
  readonly checks: readonly Check[];
  readonly notes: readonly string[];
}

/** One number of a table: ours for each seed, and the paper's where it prints one. */
export interface ComparedRow {
  readonly name: string;
  /** Column or setting, where a table has several. */
  readonly setting: string;
  readonly ours: readonly number[];
  readonly theirs?: number | undefined;
}

/** Something that is claimed, and whether we find it. */
export interface Check {
  readonly claim: string;
  readonly passed: boolean;
  readonly measured: string;
}

export function checkStop({ signal }: ExperimentContext): void {
  if (signal?.aborted) throw new CrowdError("cancelled", "Interrupted; nothing was written.");
}

export const mean = (values: readonly number[]): number =>
  values.reduce((a, b) => a + b, 0) / values.length;

export function deviation(values: readonly number[]): number {
  const m = mean(values);
  const n = Math.max(1, values.length - 1);
  return Math.sqrt(values.reduce((sum, x) => sum + (x - m) ** 2, 0) / n);
}

/** The share of rows whose most probable class is the true one, the first among equals; gold -1 is left out. */
export function shareRight(posterior: Float64Array, gold: Int32Array): number {
  const classes = Array.from({ length: posterior.length / gold.length }, (_, k) => String(k));
  return accuracy({ classes: namesOf(classes), posterior, gold }).first;
}

/** Whether a is larger than b, seed by seed: mean difference above `margin`. */
export function larger(
  claim: string,
  a: readonly number[],
  b: readonly number[],
  margin = 0,
): Check {
  const differences = a.map((x, i) => x - b[i]);
  const m = mean(differences);
  const error = deviation(differences) / Math.sqrt(differences.length);
  return {
    claim,
    passed: m > margin,
    measured: `difference ${signed(m)} ± ${error.toFixed(4)} (standard error, ${a.length} seeds)`,
  };
}

export const signed = (x: number): string => `${x >= 0 ? "+" : ""}${x.toFixed(4)}`;

/** Lines over a common axis, as the report draws them. */
export interface Curves {
  readonly kind: "curves";
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly xName: string;
  readonly yName: string;
  readonly share: boolean;
  readonly series: readonly {
    readonly name: string;
    readonly points: readonly {
      readonly x: number;
      readonly y: number;
      readonly low?: number;
      readonly high?: number;
    }[];
  }[];
}

/** A chart of means over a grid, one line per name. */
export function curvesOf(
  frame: Pick<Curves, "id" | "title" | "xName" | "yName">,
  grid: readonly number[],
  lines: ReadonlyMap<string, readonly (readonly number[])[]>,
): Curves {
  const series = [...lines].map(([name, values]) => ({
    name,
    points: grid.map((x, i) => {
      const [y, half] = [mean(values[i]), halfWidth(values[i])];
      return { x, y, ...(half > 0 && { low: y - half, high: y + half }) };
    }),
  }));
  const words = series.map(({ name, points }) => {
    const [first, last] = [points[0], points[points.length - 1]];
    return `${name}: ${first.y.toFixed(3)} at ${first.x}, ${last.y.toFixed(3)} at ${last.x}`;
  });
  return { kind: "curves", ...frame, description: words.join("; "), share: true, series };
}

/** Student's 99.5 % points by degrees of freedom, for intervals of 99 % as the papers give. */
const STUDENT = [
  63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.25, 3.169, 3.106, 3.055, 3.012, 2.977,
  2.947, 2.921, 2.898, 2.878, 2.861, 2.845,
];

/** Half the width of the 99 % interval of the mean. */
export function halfWidth(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const t = STUDENT[values.length - 2] ?? 2.6;
  return (t * deviation(values)) / Math.sqrt(values.length);
}
