import fc from "fast-check";
import { expect, it } from "vitest";
import { randomCrowd } from "../../../test/random-crowd.ts";
import { namesOf } from "../../data/names.ts";
import { CrowdError } from "../../error.ts";
import { dawidSkene } from "./em/dawid-skene.ts";
import { aggregators } from "./index.ts";
import { load, save } from "./save.ts";

const result = dawidSkene(randomCrowd(1));
const bytes = save(result);

it("brings every result back as it was", () => {
  const data = randomCrowd(2, { classes: 2 });
  for (const method of aggregators.filter(({ needs }) => !needs)) {
    const fitted = method(data);
    expect(load(save(fitted))).toEqual(fitted);
  }
});

it("takes what Node reads from a file", () => {
  const file = Buffer.concat([Buffer.from("before"), bytes]);
  expect(load(file.subarray(6))).toEqual(result);
});

it("keeps hostile names as names", () => {
  const named = {
    ...result,
    tasks: namesOf(Array.from(result.tasks, (_, t) => (t === 0 ? "__proto__" : `</script>${t}`))),
  };
  expect([...load(save(named)).tasks]).toEqual([...named.tasks]);
});

it("refuses a file that is cut off, anywhere", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: bytes.length - 8 }), (length) => {
      expect(() => load(bytes.slice(0, length))).toThrow(CrowdError);
    }),
  );
});

it("meets any damage with our error or a sound result", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 0, max: 255 })), {
        minLength: 1,
      }),
      (damage) => {
        const copy = bytes.slice();
        for (const [at, value] of damage) copy[at] = value;
        try {
          const loaded = load(copy);
          expect(loaded.posterior.length).toBe(loaded.tasks.length * loaded.classes.length);
        } catch (error) {
          expect(error).toBeInstanceOf(CrowdError);
        }
      },
    ),
    { numRuns: 500 },
  );
});

it.each([
  ["posterior", { posterior: new Float64Array(3) }, /"posterior" should hold 120 numbers/],
  ["tasks", { tasks: namesOf([7 as unknown as string]) }, /"tasks" is no list of names/],
  ["given", { given: 9 }, /"given" does not fit/],
  ["number of groups", { groups: new Int32Array(3) }, /"groups" should hold 8 numbers/],
  [
    "group",
    { groups: new Int32Array(8).fill(8) },
    /"groups" holds 8, which is not between 0 and 7/,
  ],
  ["prior", { prior: Float64Array.of(Number.NaN, 0, 1) }, /"prior" holds what is no number/],
])("refuses a wrong %s", (_, change, message) => {
  expect(() => load(save({ ...result, ...change } as typeof result))).toThrow(message);
});
