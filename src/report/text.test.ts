import { describe, expect, it } from "vitest";
import { cellText } from "./cells.ts";
import { attribute, html } from "./html-text.ts";
import {
  brief,
  count,
  decimal,
  finite,
  grouped,
  listed,
  percent,
  signed,
  visible,
} from "./text.ts";

describe("numbers", () => {
  it("are written alike everywhere", () => {
    expect([0, 999, 1000, 1234567, -1234].map(grouped)).toEqual([
      "0",
      "999",
      "1,000",
      "1,234,567",
      "−1,234",
    ]);
    expect([0.12345, -0.5, 12345.678].map((x) => decimal(x))).toEqual([
      "0.123",
      "−0.500",
      "12,345.7",
    ]);
    expect([percent(0.1234), percent(1, 0)]).toEqual(["12.3 %", "100 %"]);
    expect([1.26, -1.26, 0.01, -0.01].map((x) => signed(x))).toEqual([
      "+1.3",
      "−1.3",
      "0.0",
      "0.0",
    ]);
    expect([count(1, "label"), count(2000, "class", "classes")]).toEqual([
      "1 label",
      "2,000 classes",
    ]);
    expect([NaN, Infinity, undefined, null, 0].map(finite)).toEqual([null, null, null, null, 0]);
  });

  it("fit their column", () => {
    expect([cellText(null, "number"), cellText("x", "text")]).toEqual(["–", "x"]);
    expect((["integer", "percent", "number"] as const).map((kind) => cellText(0.5, kind))).toEqual([
      "1",
      "50.0 %",
      "0.500",
    ]);
  });
});

describe("names", () => {
  it("are cut in the middle, between characters", () => {
    expect(brief("x".repeat(80))).toHaveLength(80);
    expect(brief(`start${"x".repeat(100)}end`, 11)).toBe("start…xxend");
    expect(brief("😀".repeat(100), 5)).toBe("😀😀…😀😀");
  });

  it("are listed as far as one reads", () => {
    expect([listed([]), listed(["a"]), listed(["a", "b"])]).toEqual(["none", "a", "a and b"]);
    expect(listed(["a", "b", "c", "d"], 3)).toBe("a, b and 2 more");
  });

  it("show what cannot be seen", () => {
    expect(visible("a\u0000b\nc\u007f\u0085\ud800")).toBe("a␀b␊c␡��");
    expect(visible("evil\u202etxt.exe\u2069")).toBe("evil⟨U+202E⟩txt.exe⟨U+2069⟩");
    expect(visible("schön 日本 😀")).toBe("schön 日本 😀");
  });

  it("mean only themselves in a page", () => {
    expect(html("<img src=x onerror=\"alert('1')\">&lt;")).toBe(
      "&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;lt;",
    );
    expect(html("w1 said שלום עולם (+1.2)")).toBe("w1 said <bdi>שלום עולם</bdi> (+1.2)");
    expect(attribute("שלום")).toBe("שלום");
  });
});
