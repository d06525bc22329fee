/** What the arithmetic of a network runs on, and when a graphics card pays. */
import type { Executor } from "./executor.ts";
import { sortGraph, type Tensor } from "./graph.ts";

/** What computes: the processor, or a graphics card by NVIDIA's CUDA or by WebGPU. */
export type Device = "cpu" | "cuda" | "webgpu";

/** Devices, in words for people. */
export const deviceTitles: Readonly<Record<Device, string>> = {
  cpu: "the CPU",
  cuda: "CUDA",
  webgpu: "WebGPU",
};

/**
 * The number of weights from which a network without convolutions is faster on a graphics card. Measured on an H200
 * against eight cores, per step: with 1,050,000 weights (8192–128–8) .55 ms against 5.1; with the 66,000 of 512 features
 * starting the nodes takes longer than the arithmetic. Convolutions use each weight at every pixel: 2.1 ms against 148.
 */
export const WEIGHTS_THAT_PAY = 1_000_000;

/** Whether a graph is faster on a graphics card than on the CPU: one with convolutions, or with many weights. */
export function paysOnCard(outputs: Readonly<Record<string, Tensor>>): boolean {
  const graph = sortGraph(Object.values(outputs));
  if (graph.some(({ op }) => op.name === "convolve")) return true;
  const weights = graph
    .filter(({ inputs }) => inputs.length === 0)
    .reduce((sum, { shape }) => sum + fixedCount(shape), 0);
  return weights >= WEIGHTS_THAT_PAY;
}

/** The number of elements of weights and constants; 0 of what changes its size with the batch. */
const fixedCount = (shape: Tensor["shape"]): number =>
  shape.reduce<number>((product, size) => product * (typeof size === "number" ? size : 0), 1);

/** What `whereItPays` chooses between. */
export interface Places {
  readonly cpu: Executor;
  readonly card: Executor;
  /** Whether the card can be used; asked once, and only when a network would gain by it. */
  works(): Promise<boolean>;
  /** Told the name of what runs, with the first network and when a later one goes to the card. */
  onEngine(name: string): void;
}

/** Runs each network on the card if it gains by that, else on the CPU. */
export function whereItPays({ cpu, card, works, onEngine }: Places): Executor {
  let working: Promise<boolean> | undefined;
  let told: string | undefined;
  const choose = async (outputs: Readonly<Record<string, Tensor>>) => {
    const pays = paysOnCard(outputs);
    if (pays) working ??= works();
    const executor = pays && (await working) ? card : cpu;
    // A run is named after the card if any of its networks is there: small ones beside it do not count.
    if (told !== card.name && told !== executor.name) {
      told = executor.name;
      onEngine(told);
    }
    return executor;
  };
  return {
    get name() {
      return told ?? cpu.name;
    },
    async compile(outputs) {
      const executor = await choose(outputs);
      return executor.compile(outputs);
    },
    async compileSteps(steps) {
      const executor = await choose({ ...steps.carried, ...steps.outputs });
      return executor.compileSteps?.(steps);
    },
  };
}
