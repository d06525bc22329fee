import { describe, expect, it } from "vitest";
import { methodsOf } from "../kinds/kind.ts";
import { kinds } from "../kinds.ts";
import type { Given } from "./command.ts";
import { commonFlags, dataFlags } from "./data-flags.ts";
import { chosenOptions, knownFlags, methodFlags } from "./method-flags.ts";

const flagOf = (option: string) => option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Both on purpose: the flag of the command sets the option of the method. */
const shared = new Set(["prior", "seed"]);

// A method's option becomes a flag; if the command has a flag of that name, one of the two would never be heard.
describe("options of methods and flags of the command", () => {
  const own = new Set(Object.keys({ ...knownFlags, ...dataFlags, ...commonFlags }));

  it.each(kinds.map((kind) => [kind.id, kind] as const))("%s: have different names", (_, kind) => {
    for (const { id, options } of methodsOf(kind)) {
      const clash = Object.keys(options)
        .filter((option) => !shared.has(option))
        .filter((option) => own.has(flagOf(option)));
      expect(clash, id).toEqual([]);
    }
  });
});

describe("options of auto", () => {
  const flags = (...args: string[]) => Object.keys(methodFlags(args));

  it("are known for every kind until the file says which it is", () => {
    expect(flags()).toEqual(expect.arrayContaining(["effort", "folds", "clusters", "target"]));
    expect(flags("--kind", "numeric")).toContain("folds");
    expect(flags("--kind", "numeric")).not.toContain("effort");
  });

  it("of another kind are refused by name", () => {
    const given = (flag: string, value: string) =>
      ({
        named: new Set([flag]),
        text: (name: string) => (name === flag ? value : undefined),
        number: () => undefined,
      }) as unknown as Given;
    expect(() => chosenOptions(given("effort", "fast"), "numeric")).toThrow(
      /for numeric answers; it is one for categorical answers/,
    );
    expect(chosenOptions(given("folds", "3"), "numeric").options).toMatchObject({ folds: 3 });
  });
});
