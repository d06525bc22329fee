/** Numbers that training keeps without a gradient: running statistics of the batches, and what methods set themselves. */
import type { Numbers } from "./executor.ts";
import { constant, input, type Tensor } from "./graph.ts";
import { add, multiply } from "./ops/arithmetic.ts";
import { concat } from "./ops/layout.ts";
import { reshape } from "./ops/reshape.ts";
import type { State } from "./scope.ts";
import { countOf } from "./shape.ts";

export interface Statistics {
  /** All of them, those that follow the batches first. */
  readonly all: Float32Array;
  /** Views of each. */
  readonly values: ReadonlyMap<string, Float32Array>;
  /** What a step is to compute of the batch. */
  readonly wanted: Readonly<Record<string, Tensor>>;
  /** Follows a batch by what was wanted of it. */
  follow(results: Readonly<Record<string, Numbers>>): void;
  /** The same as a graph: what a step takes from the one before and hands on, and where it lies between runs. */
  readonly carried: Readonly<Record<string, Tensor>>;
  readonly memory: Readonly<Record<string, Float32Array>>;
}

const BATCH = "batch ";
const RUNNING = "statistics";

export function createStatistics(states: readonly State[]): Statistics {
  const following = states.flatMap(({ follows, ...state }) =>
    follows ? [{ ...state, ...follows }] : [],
  );
  const ordered = [...following, ...states.filter(({ follows }) => !follows)];
  const all = new Float32Array(ordered.reduce((sum, { shape }) => sum + countOf(shape), 0));
  const values = new Map<string, Float32Array>();
  let at = 0;
  for (const { name, shape, start } of ordered) {
    values.set(name, all.subarray(at, at + countOf(shape)).fill(start));
    at += countOf(shape);
  }
  const moved = following.reduce((sum, { shape }) => sum + countOf(shape), 0);
  return {
    all,
    values,
    wanted: Object.fromEntries(following.map(({ name, batch }) => [BATCH + name, batch])),
    follow(results) {
      for (const { name, momentum } of following) {
        const [running, batch] = [values.get(name), results[BATCH + name]];
        running?.forEach((x, i) => {
          running[i] = (1 - momentum) * x + momentum * batch[i];
        });
      }
    },
    carried: moved > 0 ? { [RUNNING]: followed(following, moved) } : {},
    memory: moved > 0 ? { [RUNNING]: all.subarray(0, moved) } : {},
  };
}

function followed(
  following: readonly {
    readonly shape: readonly number[];
    readonly batch: Tensor;
    readonly momentum: number;
  }[],
  length: number,
): Tensor {
  const batches = following.map(({ shape, batch }) => reshape(batch, [countOf(shape)]));
  const momenta = following.flatMap(({ shape, momentum }) =>
    new Array<number>(countOf(shape)).fill(momentum),
  );
  const kept = momenta.map((momentum) => 1 - momentum);
  return add(
    multiply(input(RUNNING, [length]), constant(kept, [length])),
    multiply(concat(batches, 0), constant(momenta, [length])),
  );
}
