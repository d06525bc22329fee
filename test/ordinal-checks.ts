/** What the tests of methods for ordered classes share: a fixture, the laws that all of them keep, gates on public sets. */
import { expect, it } from "vitest";
import type { OrdinalResult } from "../src/aggregate/ordinal/levels.ts";
import { fromRows, type LabelRow } from "../src/data/from-rows.ts";
import type { OrdinalData } from "../src/data/ordinal.ts";
import { evaluateLevels } from "../src/evaluate/ordinal.ts";
import { normal } from "../src/math/distributions.ts";
import { createRandom } from "../src/math/random.ts";
import { loadLevels, withSet } from "./datasets.ts";

type Fit = (data: OrdinalData, options?: object) => OrdinalResult;

/** Fixture O: five tasks, three workers, three levels. */
export const fixture = fromRows(
  "0 0 0,0 1 0,0 2 1,1 0 2,1 1 2,1 2 2,2 0 1,2 1 2,2 2 1,3 0 2,3 1 1,4 2 0".split(",").map(rowOf),
  { kind: "ordinal" },
);

function rowOf(text: string): LabelRow {
  const [task, worker, label] = text.split(" ");
  return { task, worker, label };
}

export const close = (values: readonly number[], digits = 5) =>
  values.map((x) => expect.closeTo(x, digits));

/** Workers with a discrimination and shifted thresholds of their own: P(label ≤ k) = logistic(t[k] + shift − a · m). */
export function randomLevels(
  seed: number,
  { tasks = 60, workers = 8, levels = 5, perTask = 4 } = {},
): OrdinalData & { truth: number[] } {
  const random = createRandom(seed).split("levels");
  const crowd = Array.from({ length: workers }, () => ({
    a: 1.5 * Math.exp(0.4 * normal(random)),
    shift: 0.7 * normal(random),
  }));
  const truth = Array.from({ length: tasks }, () => Math.floor(random.next() * levels));
  const middle = (levels - 1) / 2;
  const rows = truth.flatMap((level, t) =>
    Array.from({ length: perTask }, (_, j) => {
      const w = (t * perTask + j * 3 + Math.floor(random.next() * 2)) % workers;
      const { a, shift } = crowd[w];
      const u = random.next();
      let k = 0;
      while (k < levels - 1) {
        const x = a * (k + 0.5 - middle) + shift - a * (level - middle);
        if (u < 1 / (1 + Math.exp(-x))) break;
        k++;
      }
      return { task: `t${t}`, worker: `w${w}`, label: String(k) };
    }),
  );
  const classes = Array.from({ length: levels }, (_, k) => String(k));
  return { ...fromRows(rows, { kind: "ordinal", classes, repeats: "all" }), truth };
}

const rowsOf = ({ tasks, workers, classes, task, worker, label }: OrdinalData): LabelRow[] =>
  Array.from(label, (k, i) => ({
    task: tasks.at(task[i]),
    worker: workers.at(worker[i]),
    label: classes.at(k),
  }));

/** Tests what holds for every method for ordered classes. */
export function ordinalLaws(run: Fit, { digits = 6, mirrors = true } = {}): void {
  const data = randomLevels(3);
  const found = run(data);
  const K = data.classes.length;
  const read = (rows: readonly LabelRow[]) =>
    fromRows(rows, { kind: "ordinal", classes: data.classes, repeats: "all" });

  it("does not depend on the order of rows or on names", () => {
    const rows = rowsOf(data)
      .map((row) => ({ ...row, worker: `z${9 - Number(String(row.worker).slice(1))}` }))
      .reverse();
    const turned = run(read(rows));
    const order = Array.from(data.tasks, (name) => turned.tasks.indexOf(name));
    const posterior = order.flatMap((t) => [...turned.posterior.subarray(t * K, (t + 1) * K)]);
    expect(posterior).toEqual(close([...found.posterior], digits));
  });

  const mirroring = () => {
    const mirrored = run({ ...data, label: data.label.map((k) => K - 1 - k) });
    const back = Array.from(found.posterior, (_, at) => {
      const c = at % K;
      return mirrored.posterior[at - c + (K - 1 - c)];
    });
    expect(back).toEqual(close([...found.posterior], digits));
  };
  if (mirrors) it("mirrors its beliefs if all levels are mirrored", mirroring);

  it("takes a weight of 2 for the same answer given twice", () => {
    const rows = rowsOf(data);
    const weighted = run(read(rows.map((row, i) => ({ ...row, weight: i % 3 === 0 ? 2 : 1 }))));
    const repeated = run(read(rows.flatMap((row, i) => (i % 3 === 0 ? [row, row] : [row]))));
    expect([...weighted.posterior]).toEqual(close([...repeated.posterior], digits));
  });

  it("keeps known levels, and gives the same bits twice", () => {
    const gold = data.label
      .map(() => -1)
      .subarray(0, data.tasks.length)
      .slice();
    gold[0] = K - 1;
    const told = (run as (data: OrdinalData, options: object, known: object) => OrdinalResult)(
      data,
      {},
      { gold },
    );
    expect(told.consensus[0]).toBe(K - 1);
    expect(told.expectedError[0]).toBeCloseTo(0, 9);
    expect(run(data).posterior).toEqual(found.posterior);
  });

  it("one answer, one level and two levels", () => {
    const one = fromRows([{ task: "a", worker: "x", label: 3 }], {
      kind: "ordinal",
      classes: ["1", "2", "3"],
    });
    expect(one.classes.at(run(one, { decision: "mode" }).consensus[0])).toBe("3");
    const same = Array.from({ length: 60 }, (_, i) => ({
      task: `t${i % 20}`,
      worker: `w${i % 3}`,
      label: "3",
    }));
    const unanimous = run(fromRows(same, { kind: "ordinal", classes: ["0", "1", "2", "3", "4"] }));
    expect([...unanimous.consensus]).toEqual(new Array(20).fill(3));
    const binary = randomLevels(5, { levels: 2 });
    for (const p of run(binary).posterior) expect(Number.isFinite(p)).toBe(true);
  });

  it("has less absolute error than the mode of the votes", () => {
    const big = randomLevels(11, { tasks: 400, workers: 40, perTask: 5 });
    const error = (consensus: Int32Array) =>
      consensus.reduce(
        (sum, k, t) => sum + Math.abs(k - big.truth[Number(big.tasks.at(t).slice(1))]),
        0,
      ) / consensus.length;
    const votes = Int32Array.from(big.tasks, (_, t) => {
      const counts = new Int32Array(5);
      big.label.forEach((k, i) => {
        if (big.task[i] === t) counts[k]++;
      });
      return counts.indexOf(Math.max(...counts));
    });
    expect(error(run(big).consensus)).toBeLessThan(error(votes));
  });
}

/** Accuracy, mean absolute error, root mean square error and quadratic kappa by set. */
export function ordinalGates(
  run: Fit,
  gates: Readonly<
    Record<string, readonly [accuracy: number, mae: number, rmse: number, kappa: number]>
  >,
  slack = 1e-4,
): void {
  for (const [name, [accuracy, mae, rmse, kappa]] of Object.entries(gates)) {
    withSet(
      name,
      `accuracy ${accuracy}, MAE ${mae}, RMSE ${rmse}, quadratic kappa ${kappa}`,
      () => {
        const data = loadLevels(name);
        const { consensus } = run(data);
        const found = evaluateLevels({ consensus, gold: data.gold, levels: data.classes.length });
        const near = (x: number, y: number) =>
          expect(Math.abs(x - y)).toBeLessThanOrEqual(slack + 5e-5);
        near(found.accuracy, accuracy);
        near(found.mae.value, mae);
        near(found.rmse, rmse);
        near(found.quadraticKappa, kappa);
      },
    );
  }
}
