import { describe, expect, it } from "vitest";
import { clusterCrowd, numberCrowd, preferenceCrowd } from "../../test/kind-crowds.ts";
import { randomCrowd } from "../../test/random-crowd.ts";
import { runtimes } from "../../test/runtimes.ts";
import type { CrowdData } from "../data/crowd-data.ts";
import { type Features, fromMatrix } from "../data/features.ts";
import { fromRows } from "../data/from-rows.ts";
import { createRandom } from "../math/random.ts";
import { settle } from "../method.ts";
import { openRuntime } from "../node/runtime.ts";
import { input } from "../tensor/graph.ts";
import { interpreter } from "../tensor/interpreter.ts";
import { subtract } from "../tensor/ops/arithmetic.ts";
import { square } from "../tensor/ops/elementwise.ts";
import { mean } from "../tensor/ops/reduce.ts";
import { createScope } from "../tensor/scope.ts";
import { createAugment, drawViews } from "./augment.ts";
import { type Checkpoint, loadCheckpoint, saveCheckpoint } from "./checkpoint.ts";
import type { KindLearner } from "./create-learner.ts";
import { learnerList, numericLearners, pairwiseLearners, similarityLearners } from "./index.ts";
import { learner } from "./learner.ts";
import { trainingOptions } from "./options.ts";
import { twoStage } from "./two-stage.ts";

const executor = await openRuntime();
const [C, H, W] = [2, 5, 6];

/** What is done to one image, as one would say it. */
interface View {
  /** The first row and column of what is left, in pixels. */
  readonly top: number;
  readonly left: number;
  /** Share of each side that is left. */
  readonly side: number;
  readonly flip: boolean;
}

/** An image seen by one view: pixel by pixel, from the centres of pixels. */
function seen(image: Float64Array, { top, left, side, flip }: View): number[] {
  const pixel = (c: number, y: number, x: number) => {
    const at = (value: number, size: number) => Math.min(Math.max(value, 0), size - 1);
    return image[(c * H + at(y, H)) * W + at(x, W)];
  };
  const result: number[] = [];
  for (let c = 0; c < C; c++)
    for (let i = 0; i < H; i++)
      for (let j = 0; j < W; j++) {
        const y = top + (i + 0.5) * side - 0.5;
        const x = left + ((flip ? W - 1 - j : j) + 0.5) * side - 0.5;
        const [y0, x0] = [Math.floor(y), Math.floor(x)];
        const [down, right] = [y - y0, x - x0];
        result.push(
          (1 - down) * ((1 - right) * pixel(c, y0, x0) + right * pixel(c, y0, x0 + 1)) +
            down * ((1 - right) * pixel(c, y0 + 1, x0) + right * pixel(c, y0 + 1, x0 + 1)),
        );
      }
  return result;
}

/** The numbers that the graph is fed for views. */
const numbersOf = (views: readonly View[]) =>
  Float32Array.from(
    views.flatMap(({ top, left, side, flip }) => [
      side,
      top + (side * H - 1) / 2,
      flip ? -side : side,
      left + (side * W - 1) / 2,
    ]),
  );

/** The view that four numbers of the graph stand for. */
const viewOf = ([rowZoom, rowCentre, columnZoom, columnCentre]: ArrayLike<number> &
  Iterable<number>): View => ({
  side: rowZoom,
  flip: columnZoom < 0,
  top: rowCentre - (rowZoom * H - 1) / 2,
  left: columnCentre - (rowZoom * W - 1) / 2,
});

const images = (count: number) => {
  const random = createRandom(5);
  return Float32Array.from({ length: count * C * H * W }, () => Math.round(random.next() * 255));
};

const plain = { top: 0, left: 0, side: 1, flip: false };
const views: Readonly<Record<string, readonly View[]>> = {
  nothing: [plain],
  shift: [
    { ...plain, top: 2 },
    { ...plain, left: -3 },
    { ...plain, top: -1, left: 2 },
  ],
  flip: [{ ...plain, flip: true }],
  crop: [
    { ...plain, side: 0.6 },
    { ...plain, side: 0.8, top: 0.2 * H, left: 0.1 * W },
  ],
  all: [
    { side: 0.7, top: 0.1 * H + 1, left: -2, flip: true },
    { side: 0.9, top: -1, left: 0.05 * W, flip: false },
  ],
};

describe.each([interpreter, ...(await runtimes())])("images on $name", (on) => {
  it.each(Object.entries(views))("%s, as pixel by pixel", async (name, each) => {
    const scope = createScope(true);
    const augment = createAugment("", [C, H, W], "shift,crop,flip");
    const x = input("x", ["batch", C, H, W]);
    const program = await on.compile({ y: augment?.(scope)(x) ?? x });
    const fed = images(each.length);
    const [{ name: drawn }] = scope.requests.masks;
    const { y } = await program.run({ x: fed, [drawn]: numbersOf(each) });
    each.forEach((view, i) => {
      const size = C * H * W;
      const image = Float64Array.from(fed.subarray(i * size, (i + 1) * size));
      const expected = seen(image, view);
      const result = y.subarray(i * size, (i + 1) * size);
      // Whole places are copies of pixels, not something near them.
      if (["nothing", "shift", "flip"].includes(name)) expect([...result]).toEqual(expected);
      expected.forEach((value, at) => {
        expect(Math.abs(result[at] - value)).toBeLessThan(1e-3);
      });
    });
    await program.dispose();
  });
});

describe("the views that are drawn", () => {
  const draw = (wanted: Parameters<typeof drawViews>[3]) => {
    const numbers = new Float32Array(4 * 4000);
    drawViews(createRandom(1), numbers, [H, W], wanted);
    return Array.from({ length: 4000 }, (_, i) => viewOf(numbers.subarray(4 * i, 4 * i + 4)));
  };

  it("leave everything else alone", () => {
    const still = draw({ shift: 0, crop: 0, flip: false });
    expect(new Set(still.map((view) => JSON.stringify(view))).size).toBe(1);
    expect(still[0]).toEqual(plain);
  });

  it("shift by every number of whole pixels equally often, in both directions", () => {
    const shifted = draw({ shift: 2, crop: 0, flip: false });
    for (const direction of ["top", "left"] as const) {
      for (const pixels of [-2, -1, 0, 1, 2]) {
        const share = shifted.filter((view) => view[direction] === pixels).length / 4000;
        expect(Math.abs(share - 0.2), `${direction} ${pixels}`).toBeLessThan(0.03);
      }
    }
    expect(shifted.every(({ side, flip }) => side === 1 && !flip)).toBe(true);
  });

  it("flip every other image", () => {
    const flipped = draw({ shift: 0, crop: 0, flip: true }).filter(({ flip }) => flip);
    expect(Math.abs(flipped.length / 4000 - 0.5)).toBeLessThan(0.03);
    expect(flipped[0]).toEqual({ ...plain, flip: true });
  });

  it("crop to parts of all sizes that lie within the image, anywhere", () => {
    const cropped = draw({ shift: 0, crop: 0.4, flip: false });
    for (const { side, top, left } of cropped) {
      expect(side).toBeGreaterThanOrEqual(0.6);
      expect(side).toBeLessThanOrEqual(1);
      expect(Math.min(top, left)).toBeGreaterThan(-1e-5);
      expect(top + side * H).toBeLessThan(H + 1e-5);
      expect(left + side * W).toBeLessThan(W + 1e-5);
    }
    const mean = (of: (view: View) => number) => cropped.reduce((sum, v) => sum + of(v), 0) / 4000;
    expect(mean(({ side }) => side)).toBeCloseTo(0.8, 1);
    expect(mean(({ side, top }) => top / (1 - side))).toBeCloseTo(H / 2, 0);
    expect(mean(({ side, left }) => left / (1 - side))).toBeCloseTo(W / 2, 0);
  });
});

describe("the option", () => {
  const words = (augment: string) => settle("m", trainingOptions, { augment }).augment;

  it("takes each word once, with or without a number", () => {
    for (const text of ["none", "flip", "shift=12,flip", "crop=.3,shift", "flip,crop=0.25,shift=1"])
      expect(words(text)).toBe(text);
    for (const text of [
      "",
      "turn",
      "flip=1",
      "shift=0",
      "crop=1",
      "flip,flip",
      "none,flip",
      "flip,",
    ])
      expect(() => words(text), text).toThrow(/^m: augment must be none, or some of shift, crop/);
  });

  it("refuses tables, and shifts beyond the image", () => {
    const say = (shape: number[], text: string) => () => createAugment("aggnet", shape, text);
    expect(say([512], "flip")).toThrow(
      'aggnet: augment: "flip" changes images [channels, height, width], but these features are rows of shape [512]. Leave it out, or give images as features.',
    );
    expect(say([1, 8, 6], "shift=6")).toThrow(
      'aggnet: augment: "shift=6" shifts images of 8 × 6 pixels out of sight. Choose less than 6 pixels.',
    );
    expect(say([1, 8, 6], "shift=5")).not.toThrow();
    expect(say([512], "none")).not.toThrow();
  });
});

const described = (data: CrowdData): readonly string[] =>
  "items" in data ? [...(data.items as Iterable<string>)] : [...data.tasks];

/** Small images, one for each task or item. */
function withImages<Data extends CrowdData>(data: Data): { data: Data; features: Features } {
  const names = described(data);
  const random = createRandom(8);
  const pixels = Float32Array.from({ length: names.length * 16 }, () => random.next());
  return { data, features: fromMatrix(names, [1, 4, 4], pixels) };
}

const all: readonly (readonly [string, KindLearner, CrowdData])[] = [
  ...learnerList.map((each) => [each, randomCrowd(3, { tasks: 40 })] as const),
  ...Object.values(numericLearners).map((each) => [each, numberCrowd(1).data] as const),
  ...Object.values(pairwiseLearners).map((each) => [each, preferenceCrowd(1).data] as const),
  ...Object.values(similarityLearners).map((each) => [each, clusterCrowd(1).data] as const),
]
  .filter(([each]) => Object.hasOwn(each.options, "augment"))
  .map(([each, data]) => [each.id, each as unknown as KindLearner, data] as const);

async function learn(
  method: KindLearner,
  data: CrowdData,
  options: Readonly<Record<string, unknown>>,
  context: Partial<Parameters<KindLearner["steps"]>[3]> = {},
) {
  const own = Object.entries(options).filter(([name]) => Object.hasOwn(method.options, name));
  const crowd = withImages(data);
  const chosen = Object.fromEntries(own);
  const walk = method.steps(crowd.data, crowd.features, chosen, { executor, ...context });
  for (;;) {
    const step = await walk.next();
    if (step.done) return step.value;
  }
}

const quick = { epochs: 3, batch: 16, hidden: "5", dropout: 0.2, starts: 2, clusters: 2 };
const augment = "shift=1,crop=0.3,flip";

describe.each(all)("%s", (_, method, data) => {
  it("trains on changed images: the same bits again, also from a checkpoint, and others without", async () => {
    const saved: Uint8Array[] = [];
    const onCheckpoint = (make: () => Checkpoint) => saved.push(saveCheckpoint(make()));
    const whole = await learn(method, data, { ...quick, augment }, { onCheckpoint });
    const resume = loadCheckpoint(saved[Math.floor(saved.length / 2)]);
    const again = await learn(method, data, { ...quick, augment }, { resume });
    expect(again.predictor.weights).toEqual(whole.predictor.weights);
    const off = await learn(method, data, quick);
    expect(off.predictor.weights).not.toEqual(whole.predictor.weights);
    const none = await learn(method, data, { ...quick, augment: "none" });
    expect(none.predictor.weights).toEqual(off.predictor.weights);
    // What is written knows nothing of it: the graph of predictions has the input `features` alone.
    expect(Buffer.from(whole.predictor.toOnnx()).includes("views")).toBe(false);
  });
});

describe("a loss that looks at other inputs of the same rows", () => {
  const twins = learner(
    {
      ...twoStage,
      id: "twins",
      options: trainingOptions,
    },
    async function* (session) {
      const net = await session.network((io) => ({
        loss: mean(square(subtract(io.logits, io.logitsOf(io.x)))),
      }));
      const predicted = await net.evaluator((io) => ({ logits: io.logits }));
      const run = session.run(net);
      while (run.more()) yield await run.done(await run.train());
      for (const batch of net.inOrder(1000)) {
        const [one, two] = [await predicted(batch), await predicted(batch)];
        expect(one["logits"]).toEqual(two["logits"]);
      }
      return { net };
    },
  );

  it("sees them changed alike, and evaluators see them as they are", async () => {
    const { data, features } = withImages(randomCrowd(3, { tasks: 40 }));
    const options = { epochs: 2, augment, dropout: 0, rate: 0.1, decay: 0 };
    const { history } = await twins(data, features, options, { executor });
    expect(history[0].map(({ loss }) => loss)).toEqual([0, 0]);
  });
});

/** Bars of three bright pixels, upright or lying, in the middle or some pixels beside it. */
function bars(count: number, most: number, seed: number) {
  const random = createRandom(seed);
  const names = Array.from({ length: count }, (_, t) => `t${t}`);
  const pixels = new Float32Array(count * 81);
  names.forEach((_, t) => {
    const beside = () => 4 + Math.floor(random.next() * (2 * most + 1)) - most;
    const [y, x] = [beside(), beside()];
    for (let i = 0; i < 81; i++) pixels[t * 81 + i] = 0.3 * random.next();
    for (const d of [-1, 0, 1]) pixels[t * 81 + (t % 2 ? (y + d) * 9 + x : y * 9 + x + d)] += 1;
  });
  return { names, features: fromMatrix(names, [1, 9, 9], pixels) };
}

it("learns from images in the middle what images elsewhere show, which it cannot otherwise", async () => {
  const { names, features } = bars(200, 0, 1);
  const data = fromRows(names.map((task, t) => ({ task, worker: "w", label: `c${t % 2}` })));
  const test = bars(200, 3, 2);
  const accuracy = async (how: string) => {
    const options = { epochs: 60, hidden: "64", dropout: 0, rate: 3e-3, augment: how };
    const { predictor } = await twoStage(data, features, options, { executor });
    const p = await predictor.predict(test.features);
    return test.names.filter((_, t) => p[2 * t + (t % 2)] > 0.5).length / test.names.length;
  };
  expect(await accuracy("none")).toBeLessThan(0.7);
  expect(await accuracy("shift=3")).toBeGreaterThan(0.9);
});
