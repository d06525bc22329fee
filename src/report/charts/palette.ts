/**
 * Colours that people with any kind of colour vision can tell apart, on light and on dark.
 *
 * Okabe & Ito (2008), Color Universal Design. https://jfly.uni-koeln.de/color/
 */
export const blue = "#0072B2";
export const sky = "#56B4E9";
export const orange = "#E69F00";
export const vermillion = "#D55E00";

/** Heatmaps: one hue over the page's own background, so that nothing glares in the dark. */
export const deep = "#00588A";

/** Numbers on squares of a heat map: on pale squares, which a dark page has dark, and on strong ones. */
export const ink = "#000";
export const paper = "#fff";

/** What a dark page shows instead, where the colour itself would be too dim. */
export const inTheDark: readonly (readonly [color: string, instead: string])[] = [
  [blue, "#4BA3DB"],
  [vermillion, "#F0803C"],
  [deep, "#1F7AB8"],
  [ink, paper],
];
