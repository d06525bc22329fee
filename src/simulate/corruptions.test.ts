import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../test/random-crowd.ts";
import { createRandom } from "../math/random.ts";
import { corruptions } from "./corruptions.ts";

const data = randomCrowd(3, { tasks: 60, workers: 20, classes: 4 });
const changed = (labels: Int32Array) =>
  new Set([...labels.keys()].filter((i) => labels[i] !== data.label[i]).map((i) => data.worker[i]));

describe.each(Object.values(corruptions).map((each) => [each.id, each] as const))(
  "%s",
  (id, corruption) => {
    const spoilt = (share: number) => corruption.apply(data, share, createRandom(5));

    it("changes nothing at 0, and nothing in the data it is given", () => {
      const before = data.label.slice();
      expect(spoilt(0).label).toEqual(data.label);
      spoilt(1);
      expect(data.label).toEqual(before);
    });

    it("spoils more with a larger share, and what a smaller one spoilt", () => {
      if (id === "fewer-labels") {
        const counts = [0.2, 0.5, 0.9].map((share) => spoilt(share).label.length);
        expect(counts[0]).toBeGreaterThan(counts[1]);
        expect(counts[1]).toBeGreaterThan(counts[2]);
        return;
      }
      const [few, many] = [changed(spoilt(0.25).label), changed(spoilt(0.5).label)];
      expect(few.size).toBeGreaterThan(0);
      expect(few.size).toBeLessThanOrEqual(5);
      expect(many.size).toBeLessThanOrEqual(10);
      expect([...few].every((w) => many.has(w))).toBe(true);
    });
  },
);

it("bad workers do what their names say", () => {
  const all = (id: keyof typeof corruptions) => corruptions[id].apply(data, 1, createRandom(1));
  const own = (label: Int32Array, w: number) =>
    [...label.keys()].filter((i) => data.worker[i] === w).map((i) => label[i]);
  const one = all("one-class");
  const flipped = all("flipping");
  const late = all("late-turning");
  for (let w = 0; w < 20; w++) {
    expect(new Set(own(one.label, w)).size).toBe(1);
    const said = own(data.label, w);
    const shifts = own(flipped.label, w).map((l, at) => (l - said[at] + 4) % 4);
    expect(new Set(shifts).size).toBe(1);
    expect(shifts[0]).not.toBe(0);
    const turned = own(late.label, w).map((l, at) => l !== said[at]);
    const half = Math.ceil(said.length / 2);
    expect(turned).toEqual(said.map((_, at) => at >= half));
  }
  const together = all("colluding");
  for (let t = 0; t < 60; t++) {
    const said = [...data.task.keys()].filter((i) => data.task[i] === t);
    expect(new Set(said.map((i) => together.label[i])).size).toBeLessThanOrEqual(1);
  }
});

it("late turners turn by time where there is one", () => {
  const time = Float64Array.from(data.label, (_, i) => -i);
  const late = corruptions["late-turning"].apply({ ...data, time }, 1, createRandom(1));
  const own = [...data.label.keys()].filter((i) => data.worker[i] === 0);
  const turned = own.map((i) => late.label[i] !== data.label[i]);
  const half = Math.ceil(own.length / 2);
  expect(turned.toReversed()).toEqual(own.map((_, at) => at >= half));
});
