/** Draws dropout masks and what else is random in a step, anew for every step and the same for the same step. */
import { type Arena, arenaBytes, createEngine } from "../kernels/engine.ts";
import type { Random } from "../math/random.ts";
import type { Buffers } from "./executor.ts";
import { inputName, sortGraph, type Tensor } from "./graph.ts";
import { feedShape } from "./interpreter.ts";
import type { Draw, Mask } from "./scope.ts";
import { countOf } from "./shape.ts";

/** Rounds after which no bit of the seed shows, as in PractRand's own seeding of sfc32. */
const WARM_UP = 4 * 16;

/** A function from what is fed to the sizes that vary. A table's rows are fed by their numbers. */
export function createSizes(
  outputs: readonly Tensor[],
  tables: Readonly<Record<string, unknown>> = {},
): (feeds: Buffers) => ReadonlyMap<string, number> {
  const inputs = sortGraph(outputs).flatMap((node) => {
    const name = inputName(node);
    const shape = name !== undefined && name in tables ? node.shape.slice(0, 1) : node.shape;
    const varies = shape.some((size) => typeof size === "string");
    return name === undefined || !varies ? [] : [{ name, shape }];
  });
  return (feeds) => {
    const sizes = new Map<string, number>();
    for (const { name, shape } of inputs) {
      if (feeds[name]) feedShape(name, shape, feeds[name].length, sizes);
    }
    return sizes;
  };
}

/** A function from the number of a step, and the sizes of what is fed to it, to the masks by name. */
export function createMasks(
  masks: readonly (Mask | Draw)[],
  random: Random,
): (step: number, sizes: ReadonlyMap<string, number>) => Record<string, Float32Array> {
  const drawers = new Map<string, Drawer>();
  return (step, sizes) => {
    if (masks.length === 0) return {};
    const stream = random.split(step);
    return Object.fromEntries(
      masks.map((mask) => {
        const { name, shape } = mask;
        const length = countOf(shape.map((size) => Number(sizes.get(String(size)) ?? size)));
        const key = `${name} ${length}`;
        const draw = drawers.get(key) ?? drawerOf(mask, length);
        drawers.set(key, draw);
        return [name, draw(stream.split(name))];
      }),
    );
  };
}

/** Fills one buffer again and again. */
type Drawer = (random: Random) => Float32Array;

function drawerOf(mask: Mask | Draw, length: number): Drawer {
  if ("keep" in mask) return createDrawer(length, mask.keep);
  const buffer = new Float32Array(length);
  return (random) => {
    mask.fill(random, buffer);
    return buffer;
  };
}

function createDrawer(length: number, keep: number): Drawer {
  const padded = Math.ceil(Math.max(length, WARM_UP) / 4) * 4;
  const arena: Arena = createEngine().arena(arenaBytes([16], [], [padded]) + 64);
  const state = arena.ints(16);
  const buffer = arena.floats(padded);
  // The share of all 32-bit words that are kept; as a signed word, which is how they are passed.
  const limit = Math.min(2 ** 32 - 1, Math.round(keep * 2 ** 32)) | 0;
  return (random) => {
    for (let i = 0; i < 16; i++) state[i] = i < 12 ? random.next() * 2 ** 32 : 1;
    arena.run("drop", [[WARM_UP, buffer, limit, 0, state]]);
    arena.run("drop", [[Math.ceil(length / 4) * 4, buffer, limit, 1 / keep, state]]);
    return buffer.subarray(0, length);
  };
}
