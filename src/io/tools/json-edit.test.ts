import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { appendTo, setKey, textOfKey } from "./json-edit.ts";

const object = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 });
const spaces = fc.constantFrom(undefined, 1, "\t");

describe("changes in the text of JSON", () => {
  it("set one key and leave the others", () => {
    fc.assert(
      fc.property(object, fc.string(), fc.jsonValue(), spaces, (before, key, value, space) => {
        const text = JSON.stringify(before, undefined, space);
        const after = setKey(text, key, JSON.stringify(value));
        const wanted: unknown = JSON.parse(JSON.stringify(before));
        Object.defineProperty(wanted, key, { value, enumerable: true, configurable: true });
        expect(JSON.parse(after)).toEqual(wanted);
        expect(textOfKey(after, key)).toBe(JSON.stringify(value));
      }),
      { seed: 1 },
    );
  });

  it("leave every byte of the rest", () => {
    const text = '{ "big": 12345678901234567890 ,"a":1.0, "a" : [1,\n2 ],"s":"}\\"]" }';
    expect(setKey(text, "a", "null")).toBe(text.replace("[1,\n2 ]", "null"));
    expect(setKey(text, "b", "1")).toBe(text.replace(/ \}$/, ', "b": 1 }'));
    expect(setKey("{}", "b", "1")).toBe('{"b": 1}');
    expect(setKey("{ \n}", "b", "1")).toBe('{"b": 1 \n}');
    expect(textOfKey(text, "c")).toBeUndefined();
  });

  it("append to a list, and take what was appended before away", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 5 }), spaces, (list, space) => {
        const text = JSON.stringify({ x: 1, list }, undefined, space);
        const isOld = (value: unknown) => typeof value === "string";
        const after: unknown = JSON.parse(appendTo(list, text, "list", '"new"', isOld));
        const kept = list.filter((value) => typeof value !== "string");
        expect(after).toEqual(JSON.parse(JSON.stringify([...kept, "new"])));
      }),
      { seed: 1 },
    );
    expect(appendTo(undefined, "{}", "list", "1", () => false)).toBe("[1]");
    const text = '{"list": [ 1.0,\n 2e0 ]}';
    expect(appendTo([1, 2], text, "list", "3", () => false)).toBe("[ 1.0,\n 2e0, 3]");
    expect(appendTo([1, 2], text, "list", "3", (value) => value === 1)).toBe("[\n 2e0, 3]");
  });
});
