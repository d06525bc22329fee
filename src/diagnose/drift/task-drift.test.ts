import { expect, it } from "vitest";
import { commonChanges, type DatedChange } from "./task-drift.ts";

const change = (worker: number, at: number, fell = true, reach = 5): DatedChange => ({
  ...{ worker, at, earliest: at - reach, latest: at + reach, fell, width: reach / 50 },
});
const spans = Array.from({ length: 20 }, () => ({ first: 0, last: 100 }));

it("five of twenty workers at one date are a change of the tasks", () => {
  const changes = [50, 48, 52, 51, 49].map((at, w) => change(w, at));
  expect(commonChanges(changes, spans)).toMatchObject([
    { fell: true, workers: [0, 1, 2, 3, 4], active: 20 },
  ]);
});

it("four of twenty are not more than 20 %, and two are too few", () => {
  expect(
    commonChanges(
      [50, 49, 51, 50].map((at, w) => change(w, at, true, 2)),
      spans,
    ),
  ).toEqual([]);
  expect(
    commonChanges(
      [50, 50].map((at, w) => change(w, at)),
      spans.slice(0, 4),
    ),
  ).toEqual([]);
});

it("opposite directions, and other dates, are told apart", () => {
  const fall = [50, 48, 52, 51, 49].map((at, w) => change(w, at, true, 4));
  const rise = [20, 21, 22, 20, 19].map((at, w) => change(5 + w, at, false));
  const groups = commonChanges([...fall, ...rise, change(10, 90)], spans);
  expect(groups.map(({ workers, fell }) => [fell, workers.length])).toEqual([
    [true, 5],
    [false, 5],
  ]);
  const mixed = [50, 48, 52, 51, 49].map((at, w) => change(w, at, w % 2 === 0));
  expect(commonChanges(mixed, spans)).toEqual([]);
});

it("intervals so long that they meet by chance are no common date", () => {
  const changes = [30, 40, 50, 60, 70].map((at, w) => change(w, at, true, 25));
  expect(commonChanges(changes, spans)).toEqual([]);
});

it("workers who were not active at the date do not count", () => {
  const changes = [10, 11, 9].map((at, w) => change(w, at, true, 2));
  const late = Array.from({ length: 20 }, (_, w) => ({ first: w < 5 ? 0 : 40, last: 100 }));
  expect(commonChanges(changes, late)).toMatchObject([{ active: 5 }]);
});

it("no changes give none", () => {
  expect(commonChanges([], [])).toEqual([]);
});
