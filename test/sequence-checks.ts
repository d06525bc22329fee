/** What the tests of methods for sequences share: a fixture, the laws that all of them keep, gates on a public set. */
import { expect, it } from "vitest";
import type { SequenceKnown, SequenceResult } from "../src/aggregate/sequence/tagger.ts";
import { fromRows, type TagRow } from "../src/data/from-rows.ts";
import { isBroken, type SequenceData, schemeOf } from "../src/data/sequence.ts";
import { evaluateTags } from "../src/evaluate/sequence.ts";
import { loadSequences, withSet } from "./datasets.ts";
import { randomTags } from "./random-answers.ts";

type Fit = (data: SequenceData, options?: object, known?: SequenceKnown) => SequenceResult;

const tags = ["B-X", "I-X", "O"];

/** Three workers on one chain of four; two tags break BIO. */
export const fixture = fromRows(
  ["0120", "0221", "2120"].flatMap((line, w) =>
    Array.from(line, (k, position) => ({
      task: "a",
      worker: `w${w}`,
      position,
      label: tags[Number(k)],
    })),
  ),
  { kind: "sequence" },
);

export const near = (values: ArrayLike<number>, digits = 6) =>
  Array.from(values, (x) => (Number.isNaN(x) ? Number.NaN : expect.closeTo(x, digits)));

const rowsOf = (data: SequenceData): TagRow[] =>
  Array.from(data.label, (k, i) => ({
    task: data.tasks.at(data.task[i]),
    worker: data.workers.at(data.worker[i]),
    position: data.tokens.position[data.token[i]],
    label: data.classes.at(k),
  }));

const read = (rows: readonly TagRow[]) => fromRows(rows, { kind: "sequence", repeats: "all" });

/** Expects that no tag of a result breaks BIO, and that probabilities are some. */
function expectSound({ classes, tokens, path, posterior, confidence, spans }: SequenceResult) {
  const scheme = schemeOf(classes);
  const K = classes.length;
  for (let c = 0; c + 1 < tokens.chains.length; c++) {
    for (let t = tokens.chains[c]; t < tokens.chains[c + 1]; t++) {
      const before = t > tokens.chains[c] ? path[t - 1] : -1;
      if (scheme) expect(isBroken(scheme, before, path[t])).toBe(false);
      const sum = posterior.subarray(t * K, (t + 1) * K).reduce((a, b) => a + b, 0);
      expect(sum).toBeCloseTo(1, 10);
    }
  }
  for (const p of [...confidence, ...spans.probability]) {
    expect(p).toBeGreaterThanOrEqual(0);
    expect(p).toBeLessThanOrEqual(1 + 1e-12);
  }
}

/** Tests what holds for every method of sequences. */
export function sequenceLaws(run: Fit): void {
  const data = randomTags(5, { tags: ["B-X", "B-Y", "I-X", "I-Y", "O"] });
  const found = run(data);

  it("gives sound results, of plain classes too", () => {
    expectSound(found);
    const plain = run(randomTags(3, { tags: ["noun", "other", "verb"] }));
    expectSound(plain);
    expect(plain.spans.start).toHaveLength(0);
  });

  it("does not depend on the order of rows or on names", () => {
    const rows = rowsOf(data)
      .map((row) => ({ ...row, worker: `z${9 - Number(String(row.worker).slice(1))}` }))
      .reverse();
    const turned = run(read(rows));
    const place = (result: SequenceResult) =>
      new Map(
        Array.from(result.path, (_, t) => [
          `${result.tasks.at(result.tokens.task[t])} ${result.tokens.position[t]}`,
          t,
        ]),
      );
    const at = place(turned);
    const order = [...place(found).keys()].map((key) => at.get(key) ?? -1);
    expect(order.map((t) => turned.path[t])).toEqual([...found.path]);
    expect(order.map((t) => turned.confidence[t])).toEqual(near(found.confidence, 9));
  });

  it("gives the same bits twice", () => {
    expect(run(data).posterior).toEqual(found.posterior);
  });

  it("takes a weight of 2 for the same answer given twice", () => {
    const rows = rowsOf(data);
    const weighted = read(rows.map((row, i) => ({ ...row, weight: i % 3 === 0 ? 2 : 1 })));
    const repeated = read(rows.flatMap((row, i) => (i % 3 === 0 ? [row, row] : [row])));
    expect([...run(weighted).posterior]).toEqual(near(run(repeated).posterior, 9));
  });

  it("keeps known tags", () => {
    const gold = data.gold.map((k, t) => (data.tokens.task[t] % 2 === 0 ? k : -1));
    const { path, confidence } = run(data, {}, { gold });
    gold.forEach((k, t) => {
      if (k >= 0) expect([path[t], confidence[t]]).toEqual([k, expect.closeTo(1, 9)]);
    });
  });

  it("takes one worker, one token, one tag, and positions that nobody's answer counts for", () => {
    const row = { task: "a", worker: "w", position: 3, label: "O" };
    expect([...run(read([row])).path]).toEqual([0]);
    const legal = ["B-X", "I-X", "O", "B-X"];
    const alone = run(read(legal.map((label, position) => ({ ...row, position, label }))));
    expect(Array.from(alone.path, (k) => alone.classes.at(k))).toEqual(legal);
    const idle = run(read([row, { ...row, position: 4, label: "B-X", weight: 0 }]));
    expectSound(idle);
  });
}

/** Tests the scores on the public set: precision, recall, F1, token accuracy, F1 of its test part. */
export function sequenceGates(
  run: Fit,
  [precision, recall, f1, accuracy, test]: readonly number[],
  more: (result: SequenceResult) => void = () => {},
): void {
  withSet("seq_conll", `F1 ${f1}, token accuracy ${accuracy}`, () => {
    const { data, breaks, split } = loadSequences("seq_conll");
    const result = run(data);
    const score = (gold: Int32Array) => evaluateTags({ ...result, gold, breaks });
    const all = score(data.gold);
    const part = score(
      data.gold.map((k, t) => (split.get(data.tasks.at(data.tokens.task[t])) === "test" ? k : -1)),
    );
    const found = [all.precision, all.recall, all.f1.value, all.tokenAccuracy.value, part.f1.value];
    for (const [i, expected] of [precision, recall, f1, accuracy, test].entries()) {
      expect(Math.abs(found[i] - expected)).toBeLessThanOrEqual(0.0001);
    }
    expectSound(result);
    more(result);
  });
}

/** Tests that an objective never falls. */
export function expectRise(trace: Float64Array): void {
  for (let i = 1; i < trace.length; i++) {
    expect(trace[i] - trace[i - 1]).toBeGreaterThanOrEqual(-1e-9 * Math.abs(trace[i]));
  }
}
