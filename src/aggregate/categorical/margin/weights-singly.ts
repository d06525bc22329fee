/**
 * The weights of a margin model one after the other, each from what it is given all others and the classes:
 *
 *   log density(x) = -x² / (2 variance) - 2C · sum over the worker's tasks of what the class is short at x
 *
 * What a class is short of the margin is the largest of a few straight lines in x, so that the log density is
 * concave, a parabola between kinks, and can be drawn from as it is: with any number of classes.
 */
import { drawLogConcave } from "../../../math/log-concave.ts";
import type { Random } from "../../../math/random.ts";
import type { MarginSettings } from "./margin-voice.ts";
import { scoreVotes, type Votes } from "./vote-lists.ts";

export function createSingly(
  votes: Votes,
  { penalty: C, margin, variance }: MarginSettings,
  random: Random,
) {
  const { T, W, K, label, count, from, order, task } = votes;
  const scores = new Float64Array(T * K);
  const own = new Float64Array(K);
  const lines = createLines();

  /** Adds what task t with class y is short as a function of the weight x of the worker whose votes `own` holds. */
  const addTask = (t: number, y: number, x: number): void => {
    const base = margin - (scores[t * K + y] - x * own[y]);
    let rest = -Infinity;
    lines.begin();
    lines.add(0, 0);
    for (let k = 0; k < K; k++) {
      if (k === y) continue;
      if (own[k] > 0) lines.add(own[k] - own[y], base + scores[t * K + k] - x * own[k]);
      else rest = Math.max(rest, scores[t * K + k]);
    }
    if (rest > -Infinity) lines.add(-own[y], base + rest);
    lines.end();
  };

  const drawOne = (w: number, z: Int32Array, x: number): number => {
    lines.clear();
    for (let at = from[w]; at < from[w + 1]; ) {
      const t = task[order[at]];
      own.fill(0);
      for (; at < from[w + 1] && task[order[at]] === t; at++)
        own[label[order[at]]] += count[order[at]];
      addTask(t, z[t], x);
    }
    return drawLogConcave(random, lines.density(2 * C, variance));
  };

  return {
    /** Draws all weights, in place. */
    draw(z: Int32Array, weights: Float64Array): void {
      scoreVotes(votes, weights, scores);
      for (let w = 0; w < W; w++) {
        const x = drawOne(w, z, weights[w]);
        for (let at = from[w]; at < from[w + 1]; at++) {
          const i = order[at];
          scores[task[i] * K + label[i]] += count[i] * (x - weights[w]);
        }
        weights[w] = x;
      }
    },
  };
}

/** A sum of functions, each the largest of some lines: its slope far to the left, and its kinks. */
interface Kinks {
  first: number;
  /** Where the sum bends, and by how much its slope rises there; in no order. */
  places: number[];
  rises: number[];
}

/** Collects the lines of one function after the other, and adds up their kinks. */
function createLines() {
  const slopes: number[] = [];
  const heights: number[] = [];
  let sum: Kinks = { first: 0, places: [], rises: [] };
  return {
    clear(): void {
      sum = { first: 0, places: [], rises: [] };
    },
    begin(): void {
      slopes.length = 0;
      heights.length = 0;
    },
    add(slope: number, height: number): void {
      slopes.push(slope);
      heights.push(height);
    },
    end: () => addEnvelope(slopes, heights, sum),
    density: (factor: number, variance: number) => densityOf(sum, factor, variance),
  };
}

/** Walks along the largest of the lines from the left: from each line to the one that crosses it first. */
function addEnvelope(slopes: readonly number[], heights: readonly number[], sum: Kinks): void {
  let now = 0;
  for (let j = 1; j < slopes.length; j++) {
    const flatter = slopes[j] - slopes[now];
    if (flatter < 0 || (flatter === 0 && heights[j] > heights[now])) now = j;
  }
  sum.first += slopes[now];
  for (;;) {
    let [next, x] = [-1, Infinity];
    for (let j = 0; j < slopes.length; j++) {
      if (!(slopes[j] > slopes[now])) continue;
      const crossing = (heights[now] - heights[j]) / (slopes[j] - slopes[now]);
      if (crossing < x || (crossing === x && slopes[j] > slopes[next])) [next, x] = [j, crossing];
    }
    if (next < 0) return;
    sum.places.push(x);
    sum.rises.push(slopes[next] - slopes[now]);
    now = next;
  }
}

/** Makes the density exp(-x² / (2 variance) - factor · sum), up to a constant: a parabola between kinks. */
function densityOf({ first, places, rises }: Kinks, factor: number, variance: number) {
  const { kinks, rise } = sortKinks(places, rises);
  const n = kinks.length;
  const slope = new Float64Array(n + 1); // of the sum left of kink i
  const height = new Float64Array(n + 1); // and where that line meets x = 0
  slope[0] = first;
  for (let i = 0; i < n; i++) {
    slope[i + 1] = slope[i] + rise(i);
    height[i + 1] = height[i] - rise(i) * kinks[i];
  }
  // Each parabola has its top left of the one before: the first that has it before its end holds the mode.
  let piece = 0;
  const topOf = (i: number) => -factor * variance * slope[i];
  while (piece < n && topOf(piece) > kinks[piece]) piece++;
  const mode = piece > 0 ? Math.max(topOf(piece), kinks[piece - 1]) : topOf(piece);
  return {
    mode,
    scale: Math.sqrt(variance),
    log(x: number): number {
      const i = pieceAt(kinks, x);
      return (-x * x) / (2 * variance) - factor * (slope[i] * x + height[i]);
    },
    slope: (x: number): number => -x / variance - factor * slope[pieceAt(kinks, x)],
  };
}

/** Returns how many kinks lie left of x. */
function pieceAt(kinks: Float64Array, x: number): number {
  let [low, high] = [0, kinks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (kinks[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Sorts by place. If all rise alike, as votes of one do, plain numbers are sorted, which is much faster. */
function sortKinks(places: readonly number[], rises: readonly number[]) {
  if (rises.every((rise) => rise === rises[0])) {
    return { kinks: Float64Array.from(places).sort(), rise: () => rises[0] };
  }
  const order = places.map((_, i) => i).sort((i, j) => places[i] - places[j]);
  return {
    kinks: Float64Array.from(order, (i) => places[i]),
    rise: (i: number) => rises[order[i]],
  };
}
