/** What the tests of methods for several labels per task share: a fixture, the laws that all of them keep, gates on a public set. */
import { expect, it } from "vitest";
import type { MultiLabelKnown, MultiLabelResult } from "../src/aggregate/multi-label/labeller.ts";
import { fromRows, type LabelSetRow } from "../src/data/from-rows.ts";
import { type MultiLabelData, selectSets } from "../src/data/multi-label.ts";
import { evaluateSets } from "../src/evaluate/multi-label.ts";
import { loadSets, withSet } from "./datasets.ts";
import { randomSets } from "./random-answers.ts";

type Fit = (data: MultiLabelData, options?: object, known?: MultiLabelKnown) => MultiLabelResult;

/** Three workers on three tasks, three labels. */
export const fixture = fromRows(
  [
    { task: 0, worker: 0, label: ["0"] },
    { task: 0, worker: 1, label: ["0", "1"] },
    { task: 0, worker: 2, label: ["2"] },
    { task: 1, worker: 0, label: ["2"] },
    { task: 1, worker: 1, label: ["2"] },
    { task: 2, worker: 2, label: ["0"] },
  ],
  { kind: "multi-label" },
);

export const near = (values: ArrayLike<number>, digits = 6) =>
  Array.from(values, (x) => (Number.isNaN(x) ? Number.NaN : expect.closeTo(x, digits)));

export const rowsOf = (data: MultiLabelData): LabelSetRow[] =>
  Array.from(data.task, (t, i) => ({
    task: data.tasks.at(t),
    worker: data.workers.at(data.worker[i]),
    label: Array.from(data.label.subarray(data.start[i], data.start[i + 1]), (l) =>
      data.classes.at(l),
    ),
  }));

const read = (rows: readonly LabelSetRow[], classes: readonly string[]) =>
  fromRows(rows, { kind: "multi-label", repeats: "all", classes });

/** Expects probabilities, and sets that agree with them where labels do not exclude each other. */
function expectSound({
  posterior,
  chosen,
  setProbability,
  exclusive,
  ...result
}: MultiLabelResult) {
  for (const p of [...posterior, ...setProbability, ...result.sensitivity, ...result.specificity]) {
    expect(p).toBeGreaterThanOrEqual(0);
    expect(p).toBeLessThanOrEqual(1 + 1e-12);
  }
  if (exclusive >= 0) return;
  const L = result.classes.length;
  setProbability.forEach((p, t) => {
    let product = 1;
    for (let at = t * L; at < (t + 1) * L; at++) {
      expect(chosen[at]).toBe(posterior[at] >= 0.5 - 1e-12 ? 1 : 0);
      product *= chosen[at] ? posterior[at] : 1 - posterior[at];
    }
    expect(p).toBeCloseTo(product, 9);
  });
}

/** Tests what holds for every method of several labels per task. */
export function multiLabelLaws(run: Fit): void {
  const data = randomSets(5);
  const labels = [...data.classes];
  const found = run(data);

  it("gives sound results", () => expectSound(found));

  it("does not depend on the order of rows or on names", () => {
    const rows = rowsOf(data).map((row) => ({
      ...row,
      worker: `z${9 - Number(String(row.worker).slice(1))}`,
    }));
    const turned = run(read(rows.toReversed(), labels));
    const L = labels.length;
    const order = Array.from(data.tasks, (name) => turned.tasks.indexOf(name));
    const column = (result: MultiLabelResult, at: readonly number[]) =>
      at.flatMap((t) => [...result.posterior.subarray(t * L, (t + 1) * L)]);
    expect(column(turned, order)).toEqual(near(found.posterior, 9));
    expect(order.map((t) => turned.setProbability[t])).toEqual(near(found.setProbability, 9));
  });

  it("does not depend on the order of the labels", () => {
    const turned = run(read(rowsOf(data), labels.toReversed()));
    const L = labels.length;
    const swapped = turned.posterior.map((_, at, q) => q[at - (at % L) + (L - 1 - (at % L))]);
    expect([...swapped]).toEqual(near(found.posterior, 9));
  });

  it("gives the same bits twice", () => {
    expect(run(data).posterior).toEqual(found.posterior);
  });

  it("takes a weight of 2 for the same answer given twice", () => {
    const rows = rowsOf(data);
    const weighted = rows.map((row, i) => ({ ...row, weight: i % 3 === 0 ? 2 : 1 }));
    const repeated = rows.flatMap((row, i) => (i % 3 === 0 ? [row, row] : [row]));
    expect([...run(read(weighted, labels)).posterior]).toEqual(
      near(run(read(repeated, labels)).posterior, 9),
    );
  });

  it("keeps known labels, of whole tasks and of parts", () => {
    const gold = data.gold.map((known, at) => (at % 8 < 3 ? known : -1));
    const { posterior, chosen } = run(data, {}, { gold });
    gold.forEach((known, at) => {
      if (known >= 0) expect([posterior[at], chosen[at]]).toEqual([known, known]);
    });
    const whole = run(data, {}, { gold: data.gold });
    expect([...whole.setProbability]).toEqual(near(new Float64Array(data.tasks.length).fill(1), 9));
  });

  it("takes one worker, one label, empty sets, and answers that do not count", () => {
    const row = { task: "a", worker: "w", label: ["x"] };
    const alone = run(read([row], ["x"]));
    expectSound(alone);
    expectSound(run(read([{ ...row, label: [] }], ["x", "y"])));
    const idle = run(read([row, { ...row, task: "b", weight: 0 }], ["x", "y"]));
    expectSound(idle);
    const all = run(read([row, { ...row, worker: "v" }, { ...row, task: "b" }], ["x"]));
    expectSound(all);
    expect([...all.chosen]).toEqual([1, 1]);
  });
}

/** Scores labels that are chosen, from 0 to L - 1 of each task: precision, recall, micro and macro F1, whole sets. */
function scores(data: MultiLabelData, chosen: Uint8Array, gold: Int8Array): number[] {
  const found = evaluateSets({ classes: data.classes, chosen, gold });
  return [
    found.precision,
    found.recall,
    found.microF1.value,
    found.macroF1,
    found.setAccuracy.value,
  ];
}

/** The labels whose probability is at least a half. */
export const marginals = ({ posterior }: MultiLabelResult) =>
  Uint8Array.from(posterior, (q) => (q >= 0.5 - 1e-12 ? 1 : 0));

/** Scores against the answers of workers who were hidden, a fifth of them at a time: micro, macro, whole sets. */
function hiddenWorkers(data: MultiLabelData, run: (data: MultiLabelData) => Uint8Array): number[] {
  const L = data.classes.length;
  const sorted = Array.from(data.workers).sort((a, b) => Number(a) - Number(b));
  const fold = Int32Array.from(data.workers, (name) => sorted.indexOf(name) % 5);
  const said = new Uint8Array(data.task.length * L);
  const truth = new Int8Array(data.task.length * L);
  for (let f = 0; f < 5; f++) {
    const rows = Array.from(data.task.keys());
    const chosen = run(
      selectSets(
        data,
        rows.filter((i) => fold[data.worker[i]] !== f),
      ),
    );
    for (const i of rows.filter((row) => fold[data.worker[row]] === f)) {
      said.set(chosen.subarray(data.task[i] * L, (data.task[i] + 1) * L), i * L);
      for (let at = data.start[i]; at < data.start[i + 1]; at++) truth[i * L + data.label[at]] = 1;
    }
  }
  return scores(data, said, truth).slice(2);
}

/** Tests one row of scores on the public set: against the weak reference without "none", and hidden workers. */
export function multiLabelGates(
  title: string,
  run: (data: MultiLabelData) => Uint8Array,
  weak: readonly number[],
  hidden: readonly number[],
): void {
  withSet("multi_openrel", `${title}: micro F1 ${weak[2]}, of hidden workers ${hidden[0]}`, () => {
    const data = loadSets("multi_openrel");
    const [L, none] = [data.classes.length, data.classes.indexOf("none")];
    const gold = data.gold.map((known, at) => (at % L === none ? -1 : known));
    const found = [...scores(data, run(data), gold).slice(0, 4), ...hiddenWorkers(data, run)];
    for (const [i, expected] of [...weak, ...hidden].entries()) {
      expect(Math.abs(found[i] - expected), `${i}: ${found[i]}`).toBeLessThanOrEqual(0.0001);
    }
  });
}
