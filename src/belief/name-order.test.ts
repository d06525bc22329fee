import { describe, expect, it } from "vitest";
import { randomCrowd } from "../../test/random-crowd.ts";
import { fromRows } from "../data/from-rows.ts";
import { nameOrder } from "./name-order.ts";

const sizes = { K: 3, L: 4 };

describe("nameOrder", () => {
  const rows = ["a10y", "a2x", "b2y", "b10z", "b1x"].map((text) => ({
    task: text[0],
    worker: text.slice(1, -1),
    label: text.slice(-1),
  }));
  const data = fromRows(rows, { classes: ["z", "x", "y"], gold: [["a", "z"]] });

  it("sorts numbers by size and text by letters, and says the same", () => {
    const { data: named } = nameOrder(data, {}, sizes);
    expect([...named.workers]).toEqual(["1", "2", "10"]);
    expect([...named.classes]).toEqual(["x", "y", "z"]);
    const spell = (from: typeof data) =>
      Array.from(
        from.label,
        (l, i) =>
          `${from.tasks.at(from.task[i])}${from.workers.at(from.worker[i])}${from.classes.at(l)}`,
      );
    expect(spell(named)).toEqual(spell(data));
    expect(named.classes.at(named.gold[0])).toBe("z");
    expect(
      [...nameOrder(randomCrowd(1, { workers: 12 }), {}, sizes).data.workers].slice(0, 3),
    ).toEqual(["w0", "w1", "w10"]);
  });

  it("brings confusions back, abstentions last", () => {
    const { data: named, restore } = nameOrder(data, {}, sizes);
    const name = (from: typeof data, at: number) => {
      const [w, k, l] = [Math.floor(at / 12), Math.floor(at / 4) % 3, at % 4];
      return `${from.workers.at(w)} ${from.classes.at(k)} ${from.classes.at(l) ?? "none"}`;
    };
    const numbers = new Map(Array.from({ length: 36 }, (_, at) => [name(named, at), at]));
    const restored = restore.confusion(Float64Array.from({ length: 36 }, (_, at) => at));
    restored.forEach((number, at) => {
      expect(numbers.get(name(data, at))).toBe(number);
    });
  });
});
