/** Figures: one number of each method for every point of a grid and every seed. */
import {
  type Check,
  type ComparedRow,
  checkStop,
  curvesOf,
  type Experiment,
  type ExperimentContext,
} from "./experiment.ts";

export type Lines = ReadonlyMap<string, readonly (readonly number[])[]>;

export interface Grid extends Pick<Experiment, "id" | "title" | "paper" | "about" | "seeds"> {
  readonly xName: string;
  readonly yName?: string;
  grid(context: ExperimentContext): readonly number[];
  /** One run: a number by name of the method, or by "method, measure". */
  cell(
    context: ExperimentContext,
    x: number,
    seed: number,
  ): Promise<Readonly<Record<string, number>>>;
  checks(lines: Lines, grid: readonly number[]): readonly Check[];
}

export function gridExperiment(given: Grid): Experiment {
  const { id, title, paper, about, seeds, xName, yName = "Accuracy" } = given;
  return {
    id,
    title,
    paper,
    about,
    seeds,
    async run(context) {
      const grid = given.grid(context);
      const lines = new Map<string, number[][]>();
      for (const [at, x] of grid.entries()) {
        for (let seed = 0; seed < context.seeds; seed++) {
          checkStop(context);
          context.onProgress?.(`${xName} ${x}, seed ${seed + 1} of ${context.seeds}`);
          for (const [name, value] of Object.entries(await given.cell(context, x, seed))) {
            const line = lines.get(name) ?? grid.map(() => []);
            line[at].push(value);
            lines.set(name, line);
          }
        }
      }
      return {
        rows: [...lines].flatMap(([name, values]) =>
          grid.map((x, at): ComparedRow => ({ name, setting: `${xName} ${x}`, ours: values[at] })),
        ),
        charts: [curvesOf({ id, title, xName, yName }, grid, lines)],
        checks: given.checks(lines, grid),
        notes: [],
      };
    },
  };
}

/** The numbers of one line at one point of the grid. */
export const at = (lines: Lines, name: string, place: number): readonly number[] => {
  const line = lines.get(name) ?? [];
  return line[place < 0 ? line.length + place : place] ?? [];
};
