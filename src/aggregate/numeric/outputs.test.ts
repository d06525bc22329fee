import { describe, expect, it } from "vitest";
import { fromRows, type ValueRow } from "../../data/from-rows.ts";
import { type NumericData, oneOutput, taskCount, withinTasks } from "../../data/numeric.ts";
import { evaluateValues } from "../../evaluate/numeric.ts";
import { normal } from "../../math/distributions.ts";
import { createRandom } from "../../math/random.ts";
import type { NumericResult } from "./estimator.ts";
import { gaussian } from "./gaussian.ts";
import { estimators, numericMethods } from "./index.ts";

const scales = [1, 50, 0.01];

/** Boxes: three numbers of unlike units per task; the noise of worker w is noise(w, output) in units of the output. */
function boxes(
  seed: number,
  noise: (w: number, o: number) => number,
  { tasks = 40, workers = 6, answers = 5 } = {},
): NumericData {
  const random = createRandom(seed).split("boxes");
  const rows: ValueRow[] = [];
  const gold: [string, number, string][] = [];
  for (let t = 0; t < tasks; t++) {
    scales.forEach((scale, o) => {
      const truth = scale * (10 + 3 * normal(random));
      gold.push([`t${t}`, truth, `o${o}`]);
      for (let a = 0; a < answers; a++) {
        const w = (t + a) % workers;
        const value = truth + scale * noise(w, o) * normal(random);
        rows.push({ task: `t${t}`, worker: `w${w}`, output: `o${o}`, value });
      }
    });
  }
  return fromRows(rows, { kind: "numeric", gold });
}

const own = ({ outputs }: NumericResult, o: number, of: Float64Array) =>
  of.filter((_, t) => outputs?.of[t] === o);

const near = (values: ArrayLike<number>, digits = 6) =>
  Array.from(values, (x) => (Number.isNaN(x) ? Number.NaN : expect.closeTo(x, digits)));

describe("several outputs", () => {
  const data = boxes(1, (w) => 0.3 + 0.2 * w);

  it("are entries of tasks of one name", () => {
    expect([data.tasks.length, taskCount(data)]).toEqual([120, 40]);
    expect(Array.from(data.outputs?.names ?? [])).toEqual(["o0", "o1", "o2"]);
    const rows = fromRows(
      [
        { task: "a", worker: "x", value_left: 1, value_top: 5 },
        { task: "b", worker: "x", value_left: 2 },
        { task: "a", worker: "y", value_left: 3, value_top: 7 },
      ],
      { kind: "numeric", gold: [["a", 6, "top"]] },
    );
    expect(Array.from(rows.tasks)).toEqual(["a", "a", "b"]);
    expect([...rows.gold]).toEqual([Number.NaN, 6, Number.NaN]);
    expect([...numericMethods.mean(rows).value]).toEqual([2, 6, 2]);
    expect(rows.notes).toEqual(["1 row without value_top; other values of these rows count."]);
  });

  it("one output that is named is no different from one that is not", () => {
    const rows = [1, 2, 5].map((value, i) => ({ task: "t", worker: `w${i}`, value }));
    const named = fromRows(
      rows.map((row) => ({ ...row, output: "size" })),
      { kind: "numeric" },
    );
    expect(named.outputs).toBeUndefined();
    expect(gaussian(named)).toEqual(gaussian(fromRows(rows, { kind: "numeric" })));
  });

  it.each(["mean", "median", "trimmed-mean"] as const)("%s: each as if it were alone", (id) => {
    const whole = numericMethods[id](data);
    for (const o of [0, 1, 2]) {
      const alone = numericMethods[id](oneOutput(data, `o${o}`));
      expect(own(whole, o, whole.value)).toEqual(alone.value);
      expect(own(whole, o, whole.high)).toEqual(alone.high);
    }
  });

  it.each(estimators.map((method) => [method.id, method] as const))(
    "%s follows another map of each",
    (_, method) => {
      const maps = [
        [2, 7],
        [-3, 0],
        [1e4, -5],
      ];
      const of = (t: number) => maps[data.outputs?.of[t] ?? 0];
      const moved = {
        ...data,
        value: data.value.map((y, i) => of(data.task[i])[0] * y + of(data.task[i])[1]),
      };
      const [found, then] = [method(data), method(moved)] as NumericResult[];
      const unit = withinTasks(data);
      const back = (x: number, t: number) =>
        (x - of(t)[1]) / of(t)[0] / unit[data.outputs?.of[t] ?? 0];
      const plain = (x: number, t: number) => x / unit[data.outputs?.of[t] ?? 0];
      expect([...then.value.map(back)]).toEqual(near(found.value.map(plain), 5));
      expect([...then.error]).toEqual(near(found.error, 5));
    },
  );

  it.each([
    "gaussian",
    "student-t",
    "loo-weight",
    "catd-numeric",
    "pm-numeric",
    "ok-2019",
  ] as const)("%s: a worker whose noise shows in one counts less in all", (id) => {
    // Worker 0 is wild in the first output, and like all others in the second.
    const crowd = boxes(2, (w, o) => (w === 0 && o === 0 ? 6 : 1), { tasks: 60, answers: 6 });
    /** How far the values of the second output follow the answers of worker 0 to it. */
    const pull = (data: NumericData, of: (t: number) => boolean) => {
      const moved = data.value.map((y, i) =>
        data.worker[i] === 0 && of(data.task[i]) ? y + 0.01 * scales[1] : y,
      );
      const [before, after] = [data, { ...data, value: moved }].map((each) =>
        numericMethods[id](each).value.filter((_, t) => of(t)),
      );
      return after.reduce((sum, x, t) => sum + (x - before[t]) / after.length, 0);
    };
    const shared = pull(crowd, (t) => crowd.outputs?.of[t] === 1);
    const alone = pull(oneOutput(crowd, "o1"), () => true);
    expect(shared).toBeLessThan(0.6 * alone);
  });

  it("offsets are those of each output", () => {
    const shifted = {
      ...data,
      value: data.value.map((y, i) =>
        data.worker[i] === 2 && data.outputs?.of[data.task[i]] === 1 ? y + 200 : y,
      ),
    };
    const { offset } = gaussian(shifted, { bias: true });
    expect(offset.length).toBe(18);
    expect(offset[2 * 3 + 1]).toBeGreaterThan(100);
    expect(Math.abs(offset[2 * 3])).toBeLessThan(2);
    for (const o of [0, 1, 2]) {
      const sum = offset.reduce((total, b, k) => total + (k % 3 === o ? b / scales[o] : 0), 0);
      expect(sum).toBeCloseTo(0, 8);
    }
  });

  it("an output whose answers are all the same is that, and teaches nothing", () => {
    const flat = {
      ...data,
      value: data.value.map((y, i) => (data.outputs?.of[data.task[i]] === 2 ? 4 : y)),
    };
    const found = gaussian(flat);
    expect(new Set(own(found, 2, found.value))).toEqual(new Set([4]));
    expect(found.notes).toEqual([
      'All answers of output "o2" are the same: there is nothing to learn about workers.',
    ]);
    const rest = fromRows(
      Array.from(data.value.keys())
        .filter((i) => data.outputs?.of[data.task[i]] !== 2)
        .map((i) => ({
          task: data.tasks.at(data.task[i]),
          worker: data.workers.at(data.worker[i]),
          output: `o${data.outputs?.of[data.task[i]]}`,
          value: data.value[i],
        })),
      { kind: "numeric" },
    );
    expect([...own(found, 1, found.value)]).toEqual(
      near(own(gaussian(rest), 1, gaussian(rest).value), 9),
    );
  });

  it("are scored one by one, and together in units of their gold", () => {
    const { value, outputs } = numericMethods.mean(data);
    const names = Array.from(data.tasks, (_, t) => outputs?.names.at(outputs.of[t]) ?? "");
    const scored = evaluateValues({ value, gold: data.gold, output: names });
    const alone = oneOutput(data, "o1");
    const { mae, rmse } = evaluateValues({
      value: numericMethods.mean(alone).value,
      gold: alone.gold,
    });
    expect(scored.outputs?.["o1"]).toMatchObject({ mae, rmse });
    expect(scored.tasks).toBe(120);
    const scaled = evaluateValues({
      value: value.map((x, t) => x * (outputs?.of[t] === 1 ? 9 : 1)),
      gold: data.gold.map((x, t) => x * (outputs?.of[t] === 1 ? 9 : 1)),
      output: names,
    });
    expect(scaled.mae.value).toBeCloseTo(scored.mae.value, 10);
  });
});

describe("rows that do not fit", () => {
  const read = (rows: object[], gold?: [string, number, string?][]) =>
    fromRows(rows as ValueRow[], { kind: "numeric", ...(gold && { gold }) });

  it("are refused", () => {
    const [one, two] = [
      { task: "a", worker: "x", value: 1 },
      { task: "a", worker: "x", value: 1, output: "o" },
    ];
    expect(() => read([one, two])).toThrow(/Some rows name an output and others do not/);
    expect(() => read([{ ...one, value_1: 3 }])).toThrow(
      /Row 1 has "value" and others in its place/,
    );
    expect(() => read([{ task: "a", worker: "x" }])).toThrow(/"value" is missing/);
    expect(() => read([{ task: "a", worker: "x", value_1: "3" }])).toThrow(/finite number/);
    const boxed = [{ task: "a", worker: "x", value_1: 1, value_2: 2 }];
    expect(() => read(boxed, [["a", 1]])).toThrow(/names no output/);
    expect(() => read(boxed, [["a", 1, "3"]])).toThrow(/outputs 1, 2/);
    expect(() => oneOutput(data1(), "none")).toThrow(/no output "none"/);
  });

  const data1 = () => read([{ task: "a", worker: "x", value_1: 1, value_2: 2 }]);
});
