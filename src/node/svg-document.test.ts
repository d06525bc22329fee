import * as Plot from "@observablehq/plot";
import { describe, expect, it } from "vitest";
import { createSvgDocument } from "./svg-document.ts";

const SVG = "http://www.w3.org/2000/svg";

describe("invariants", () => {
  it("writes what was put together", () => {
    const document = createSvgDocument();
    const group = document.createElementNS(SVG, "g");
    const last = group.appendChild(document.createElementNS(SVG, "path"));
    last.setAttribute("d", "M0,0L1.23456,2");
    group.insertBefore(document.createElementNS(SVG, "circle"), last);
    group.append("text", document.createElement("b"));
    expect(group.outerHTML).toBe('<g><circle/><path d="M0,0L1.23,2"/>text<b></b></g>');
    expect(group.children.map(({ tagName }) => tagName)).toEqual(["circle", "path", "b"]);
    expect(group.textContent).toBe("text");
  });

  it("moves a node rather than showing it twice", () => {
    const document = createSvgDocument();
    const [one, two] = [document.createElementNS(SVG, "g"), document.createElementNS(SVG, "g")];
    const child = one.appendChild(document.createTextNode("x"));
    two.appendChild(child);
    expect([one.outerHTML, two.outerHTML]).toEqual(["<g/>", "<g>x</g>"]);
    expect(child.parentNode).toBe(two);
    two.textContent = "y";
    expect(child.parentNode).toBe(null);
    two.remove();
    expect(two.outerHTML).toBe("<g>y</g>");
  });

  it("keeps style in its attribute", () => {
    const element = createSvgDocument().createElementNS(SVG, "g");
    element.style.setProperty("color", "red");
    element.style.setProperty("mix-blend-mode", "multiply");
    expect(element.getAttribute("style")).toBe("color: red; mix-blend-mode: multiply");
    expect(element.style.getPropertyValue("color")).toBe("red");
    element.style.removeProperty("color");
    element.style.removeProperty("mix-blend-mode");
    expect(element.hasAttribute("style")).toBe(false);
  });

  it("lets no text become markup", () => {
    const document = createSvgDocument();
    const element = document.createElementNS(SVG, "text");
    element.textContent = "</text><script>alert(1)</script>&amp;";
    element.setAttribute("aria-label", '"><img src=x onerror=alert(1)>');
    expect(element.outerHTML).toBe(
      '<text aria-label="&quot;&gt;&lt;img src=x onerror=alert(1)&gt;">' +
        "&lt;/text&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;</text>",
    );
  });
});

describe("Plot", () => {
  it("draws into it, facets, axes and all, the same twice", () => {
    const draw = () =>
      Plot.plot({
        document: createSvgDocument() as never,
        className: "chart",
        marks: [
          Plot.dot([{ x: 1, y: 2, f: "a" }], { x: "x", y: "y", fx: "f", title: "f" }),
          Plot.text(["two\nlines"], { frameAnchor: "middle", text: (d: string) => d }),
          Plot.frame(),
        ],
      }).outerHTML;
    expect(draw()).toContain('<circle cx="');
    expect(draw()).toContain("<tspan");
    expect(draw()).not.toContain("undefined");
    expect(draw()).toBe(draw());
  });
});
