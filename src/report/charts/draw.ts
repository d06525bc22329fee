/**
 * What all charts share: Plot draws, and the picture gets a name and a description that are read out
 * where it cannot be seen.
 *
 * Text and axes take the colour of the page around them. Plot's own style sheet is taken out, since
 * a page with a strict content policy refuses it; nothing drawn here needs it.
 */
import * as Plot from "@observablehq/plot";
import { maxOf } from "../../math/lists.ts";
import { brief, visible } from "../text.ts";
import type { ChartDocument, ChartElement, ChartFrame } from "./document.ts";

export const WIDTH = 640;

const SVG = "http://www.w3.org/2000/svg";

export function draw(
  { id, title, description }: ChartFrame,
  document: ChartDocument,
  options: Plot.PlotOptions,
): ChartElement {
  const svg = Plot.plot({
    width: WIDTH,
    marginTop: 28,
    marginRight: 24,
    marginBottom: 44,
    ...options,
    className: "chart",
    document: document as NonNullable<Plot.PlotOptions["document"]>,
  }) as unknown as ChartElement;
  if (svg.firstChild) svg.removeChild(svg.firstChild);
  const name = `chart-${id}-title`;
  const words = `chart-${id}-description`;
  const texts: [string, string, string][] = [
    ["title", name, title],
    ["desc", words, description],
  ];
  for (const [tag, key, text] of texts.reverse()) {
    const element = document.createElementNS(SVG, tag);
    element.setAttribute("id", key);
    element.textContent = visible(text);
    svg.insertBefore(element, svg.firstChild);
  }
  svg.setAttribute("font-size", "13");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-labelledby", `${name} ${words}`);
  return svg;
}

/** A label short enough for an axis; the table beside it has it in full. */
export function axisLabel(name: string, most = 20): string {
  return brief(visible(name), most);
}

/**
 * Room and axis for one row per name, from the top. Names may be alike once they are cut, so rows
 * stand by number.
 */
export function namedRows(
  names: readonly string[],
  { most = 20, ...axis }: Plot.ScaleOptions & { readonly most?: number } = {},
): Pick<Plot.PlotOptions, "marginLeft" | "y"> {
  return {
    marginLeft: labelRoom(names, most),
    y: {
      type: "band",
      domain: [...names.keys()],
      label: null,
      tickSize: 0,
      tickFormat: (row: number) => axisLabel(names[row], most),
      ...axis,
    },
  };
}

/** Letters that are wider than others. */
const WIDE = /[mwMW@]/;

/** Room for labels at the left of an axis, in pixels. */
export function labelRoom(names: readonly string[], most = 20): number {
  const widths = names.map((name) =>
    [...axisLabel(name, most)].reduce((sum, each) => sum + (WIDE.test(each) ? 11 : 7.6), 0),
  );
  return 18 + maxOf(widths, 7.6);
}

export interface LegendEntry {
  readonly name: string;
  readonly color: string;
  readonly opacity?: number;
  readonly symbol?: "circle" | "triangle" | "square";
}

/** Small marks with words, in a row above the frame. */
export function legend(entries: readonly LegendEntry[]): Plot.Markish[] {
  let right = 0;
  return entries.flatMap(({ name, color, opacity = 1, symbol = "square" }) => {
    const at = right;
    right += 36 + 7 * name.length;
    const place = { frameAnchor: "top-left" as const, dy: -16 };
    return [
      Plot.dot([0], { ...place, dx: at + 5, r: 5, symbol, fill: color, fillOpacity: opacity }),
      Plot.text([name], {
        ...place,
        dx: at + 15,
        textAnchor: "start",
        lineAnchor: "middle",
        text: (text: string) => text,
      }),
    ];
  });
}
