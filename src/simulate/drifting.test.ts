import { describe, expect, it } from "vitest";
import { driftingCrowd } from "./drifting.ts";

/** The rows of each worker in the order of time. */
function histories({ data }: ReturnType<typeof driftingCrowd>): number[][] {
  const { time = new Float64Array(), worker, workers } = data;
  const rows: number[][] = Array.from(workers, () => []);
  worker.forEach((w, i) => {
    rows[w].push(i);
  });
  for (const own of rows) own.sort((a, b) => time[a] - time[b]);
  return rows;
}

describe("drifting", () => {
  const options = { workers: 20, tasks: 4000, turning: 0.3, tiring: 0.2, seed: 4 };
  const crowd = driftingCrowd(options);
  const { data, roles } = crowd;
  const rows = histories(crowd);
  const share = (own: readonly number[]) =>
    own.filter((i) => data.label[i] === data.gold[data.task[i]]).length / own.length;

  it("has as many workers of each kind as asked for", () => {
    expect(roles.filter((role) => role.startsWith("turns")).length).toBe(6);
    expect(roles.filter((role) => role === "tires").length).toBe(4);
    expect(roles.filter((role) => role === "stable").length).toBe(10);
  });

  it("workers turn where their role says, tire slowly, or stay", () => {
    roles.forEach((role, w) => {
      const own = rows[w];
      const [, turn] = /after (\d+)/.exec(role) ?? [];
      const place = turn ? Number(turn) : Math.round(own.length / 2);
      const [before, after] = [share(own.slice(0, place)), share(own.slice(place))];
      if (turn) {
        expect(before).toBeGreaterThan(0.75);
        expect(after).toBeCloseTo(0.25, 0.8);
        expect(share(own.slice(place - 60, place))).toBeGreaterThan(0.6);
      } else if (role === "tires") expect(before - after).toBeGreaterThan(0.05);
      else expect(Math.abs(before - after)).toBeLessThan(0.06);
    });
  });

  it("times are different, in sessions of 20 to 40 labels", () => {
    const { time = new Float64Array() } = data;
    for (const own of rows) {
      let size = 1;
      for (let at = 1; at < own.length; at++) {
        const gap = time[own[at]] - time[own[at - 1]];
        expect(gap).toBeGreaterThan(0);
        if (gap > 1_800_000) expect(size).toBeGreaterThanOrEqual(20);
        size = gap > 1_800_000 ? 1 : size + 1;
        expect(size).toBeLessThanOrEqual(40);
      }
    }
  });

  it("tasks to test on come later, and leave the others as they are", () => {
    const more = driftingCrowd({ ...options, testTasks: 50 });
    expect(more.data.label).toEqual(data.label);
    expect(more.data.time).toEqual(data.time);
    expect(more.roles).toEqual(roles);
    expect(more.test?.data.time?.length).toBe(more.test?.data.label.length);
  });

  it("fatigue lowers the accuracy within sessions", () => {
    const plain = driftingCrowd({ tasks: 1000, turning: 0, tiring: 0 });
    const tired = driftingCrowd({ tasks: 1000, turning: 0, tiring: 0, fatigue: 0.5 });
    const right = (each: typeof plain) =>
      each.data.label.filter((l, i) => l === each.data.gold[each.data.task[i]]).length;
    expect(right(tired)).toBeLessThan(0.9 * right(plain));
  });
});
