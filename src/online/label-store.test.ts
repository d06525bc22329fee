import { expect, it } from "vitest";
import { datasetOf, type Spoken } from "../../test/live-session.ts";
import { createRandom } from "../math/random.ts";
import {
  addLabel,
  createLabelStore,
  findLabel,
  labelColumns,
  makeRoomForTask,
  removeLabel,
} from "./label-store.ts";

interface Row {
  readonly t: number;
  readonly w: number;
  readonly label: number;
  readonly weight: number;
  readonly time: number;
}

it("holds what a plain list holds after any labels come and go", () => {
  for (let seed = 0; seed < 40; seed++) {
    const random = createRandom(seed).split("store");
    const below = (n: number) => Math.floor(random.next() * n);
    const weighted = seed % 2 === 0;
    const draw = (): Row => ({
      t: below(5),
      w: below(3),
      label: below(3),
      weight: weighted ? 0.5 + random.next() : 1,
      time: seed % 3 === 0 ? below(1000) : Number.NaN,
    });
    const list = Array.from({ length: below(20) }, draw);
    const data = {
      ...plain(list),
      weight: Float64Array.from(list, ({ weight }) => weight),
      time: Float64Array.from(list, ({ time }) => time),
    };
    const store = createLabelStore(data);
    makeRoomForTask(store, 4);
    let most = list.length;
    for (let event = 0; event < 200; event++) {
      if (random.next() < 0.55 || list.length === 0) {
        const row = draw();
        list.push(row);
        addLabel(store, row);
      } else {
        const { t, w, label } = list[below(list.length)];
        const any = random.next() < 0.5;
        const at = list.findLastIndex(
          (row) => row.t === t && row.w === w && (any || row.label === label),
        );
        list.splice(at, 1);
        removeLabel(store, findLabel(store, t, w, any ? undefined : label));
      }
      most = Math.max(most, list.length);
      expect(store.abstentions).toBe(list.filter(({ label }) => label === 2).length);
    }
    const columns = labelColumns(store, data);
    expect([...columns.task]).toEqual(list.map(({ t }) => t));
    expect([...columns.worker]).toEqual(list.map(({ w }) => w));
    expect([...columns.label]).toEqual(list.map(({ label }) => label));
    expect([...(columns.weight ?? [])]).toEqual(list.map(({ weight }) => weight));
    expect([...(columns.time ?? [])]).toEqual(list.map(({ time }) => time));
    // Places are used again: no more than the given ones and the most that were held at once.
    expect(store.size).toBeLessThanOrEqual(data.label.length + most);
  }
});

it("says that there is no such label", () => {
  const store = createLabelStore(plain([{ t: 0, w: 1, label: 0, weight: 1, time: Number.NaN }]));
  expect(findLabel(store, 0, 1, 1)).toBe(-1);
  expect(findLabel(store, 0, 0)).toBe(-1);
  expect(findLabel(store, 0, 1)).toBe(0);
});

it("has columns of weights and times only while labels have some", () => {
  const data = plain([{ t: 0, w: 0, label: 0, weight: 1, time: Number.NaN }]);
  const store = createLabelStore(data);
  expect(labelColumns(store, data)).not.toHaveProperty("weight");
  const i = addLabel(store, { t: 0, w: 1, label: 1, weight: 2, time: 5 });
  expect(labelColumns(store, data).weight).toEqual(Float64Array.of(1, 2));
  expect(labelColumns(store, data).time).toEqual(Float64Array.of(Number.NaN, 5));
  removeLabel(store, i);
  expect(labelColumns(store, data)).not.toHaveProperty("weight");
  expect(labelColumns(store, data)).not.toHaveProperty("time");
});

/** A dataset of five tasks, three workers and two classes; label 2 is an abstention. */
function plain(rows: readonly Row[]) {
  const spoken = rows.map(
    ({ t, w, label }): Spoken => ({
      task: `t${t}`,
      worker: `w${w}`,
      label: label === 2 ? null : `c${label}`,
    }),
  );
  const names = (letter: string, n: number) => Array.from({ length: n }, (_, i) => letter + i);
  return datasetOf(spoken, ["c0", "c1"], { tasks: names("t", 5), workers: names("w", 3) });
}
