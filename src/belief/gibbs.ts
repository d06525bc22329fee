/** What all samplers share: their chains, their labels as counts, the means of what they drew. */
import type { CategoricalData } from "../data/categorical.ts";
import { logGamma } from "../math/gamma.ts";
import { createRandom, type Random } from "../math/random.ts";
import type { Steps } from "../method.ts";
import type { Known } from "./known.ts";

export const chainOptions = {
  chains: { default: 4, min: 1, integer: true, help: "Number of chains, each with its own start." },
  burnIn: {
    default: 200,
    min: 0,
    integer: true,
    help: "Number of sweeps of each chain that are discarded.",
  },
  samples: {
    default: 1000,
    min: 4,
    integer: true,
    help: "Number of sweeps that are kept, over all chains together; at least four per chain.",
  },
} as const;

export interface ChainSettings {
  readonly chains: number;
  readonly burnIn: number;
  readonly samples: number;
  readonly seed: number;
}

/** Draws that each chain keeps: an even number, for halves. */
export function drawsPerChain({ chains, samples }: ChainSettings): number {
  return 2 * Math.max(2, Math.ceil(samples / chains / 2));
}

export interface Chain {
  /** Draws everything once; returns the log of the joint density, in nats. */
  sweep(): number;
  /** Notes the state after a sweep, the `draw`-th of this chain that is kept. */
  keep(draw: number): void;
}

/** Runs the chains one after the other; returns the log joint density after every sweep of all. */
export function* walk(
  settings: ChainSettings,
  begin: (chain: number, random: Random) => Chain,
): Steps<number[]> {
  const draws = drawsPerChain(settings);
  const random = createRandom(settings.seed).split("chains");
  const trace: number[] = [];
  for (let c = 0; c < settings.chains; c++) {
    const chain = begin(c, random.split(c));
    for (let sweep = -settings.burnIn; sweep < draws; sweep++) {
      const objective = chain.sweep();
      trace.push(objective);
      if (sweep >= 0) chain.keep(sweep);
      yield { iteration: trace.length, objective, stage: `chain ${c + 1}` };
    }
  }
  return trace;
}

/** What `walk` kept of one chain. */
export function keptOf(trace: readonly number[], chain: number, settings: ChainSettings): number[] {
  const length = settings.burnIn + drawsPerChain(settings);
  return trace.slice(chain * length + settings.burnIn, (chain + 1) * length);
}

/** The labels of each task, those alike put together: entries start[t]..start[t + 1]. */
export interface Entries {
  readonly start: Int32Array;
  readonly worker: Int32Array;
  readonly label: Int32Array;
  /** How many labels the entry stands for, by their weights. */
  readonly count: Float64Array;
  /** How many of the same worker and task come before it. */
  readonly before: Float64Array;
}

export function entriesOf({ tasks, task, worker, label, weight }: CategoricalData): Entries {
  const order = Int32Array.from(task, (_, i) => i).sort(
    (i, j) => task[i] - task[j] || worker[i] - worker[j] || label[i] - label[j],
  );
  const start = new Int32Array(tasks.length + 1);
  const rows: number[] = [];
  const count: number[] = [];
  const before: number[] = [];
  let last = -1;
  for (const i of order) {
    const one = weight ? weight[i] : 1;
    const samePair = last >= 0 && task[last] === task[i] && worker[last] === worker[i];
    if (samePair && label[last] === label[i]) count[count.length - 1] += one;
    else {
      before.push(samePair ? before[before.length - 1] + count[count.length - 1] : 0);
      rows.push(i);
      count.push(one);
      start[task[i] + 1]++;
    }
    last = i;
  }
  for (let t = 0; t < tasks.length; t++) start[t + 1] += start[t];
  return {
    start,
    worker: Int32Array.from(rows, (i) => worker[i]),
    label: Int32Array.from(rows, (i) => label[i]),
    count: Float64Array.from(count),
    before: Float64Array.from(before),
  };
}

/** log of a·(a + 1)···(a + n - 1), and between the whole numbers of its extension. */
export function logRising(a: number, n: number): number {
  return n === 1 ? Math.log(a) : logGamma(a + n) - logGamma(a);
}

/** False for gold that says nothing of how common its class is. */
export function countsInPrior({ gold, goldInPrior }: Known, t: number): boolean {
  return !(gold && gold[t] >= 0 && goldInPrior === false);
}

export interface Means {
  /** Adds the values of one draw. */
  add(values: Float64Array): void;
  /** Ends a part: a half of a chain. */
  close(): void;
  /** Means over everything, and their standard errors by the spread between the parts. */
  finish(): { mean: Float64Array; standardError: Float64Array };
}

/** Means of `size` numbers over all draws, in parts whose spread says how good they are. */
export function createMeans(size: number): Means {
  const current = new Float64Array(size);
  const sum = new Float64Array(size);
  const squares = new Float64Array(size);
  let draws = 0;
  let parts = 0;
  return {
    add(values) {
      for (let i = 0; i < size; i++) current[i] += values[i];
      draws++;
    },
    close() {
      if (draws === 0) return;
      for (let i = 0; i < size; i++) {
        const part = current[i] / draws;
        sum[i] += part;
        squares[i] += part * part;
      }
      current.fill(0);
      draws = 0;
      parts++;
    },
    finish() {
      const mean = sum.map((total) => total / parts);
      const standardError = mean.map((m, i) =>
        Math.sqrt(Math.max(0, squares[i] / parts - m * m) / Math.max(1, parts - 1)),
      );
      return { mean, standardError };
    },
  };
}
