import { describe, expect, it } from "vitest";
import { createSvgDocument } from "../../node/svg-document.ts";
import type { Chart } from "./chart.ts";
import { drawChart } from "./index.ts";
import { CHARACTER, LINE } from "./labels.ts";
import { deep, ink, inTheDark, paper } from "./palette.ts";
import { linearAxis, logTicks } from "./ticks.ts";

const words = { title: "A title", description: "What it shows." };

const small: readonly Chart[] = [
  {
    kind: "agreement",
    id: "agreement",
    ...words,
    coefficients: [
      { name: "alpha", value: 0.5, low: 0.4, high: 0.6 },
      { name: "kappa", value: -0.1, low: null, high: null },
    ],
  },
  {
    kind: "box-plot",
    id: "box",
    ...words,
    axis: "Labels",
    scale: "counts",
    boxes: [{ name: "Labels per task", min: 0, lower: 2, median: 5, upper: 9, max: 20 }],
  },
  {
    kind: "calibration",
    id: "calibration",
    ...words,
    bins: [{ tasks: 10, confidence: 0.8, accuracy: 0.7, low: 0.4, high: 0.9 }],
  },
  {
    kind: "class-balance",
    id: "balance",
    ...words,
    classes: ["no", "yes"],
    labels: [0.4, 0.6],
    answers: [0.5, 0.5],
    gold: [0.45, 0.55],
  },
  {
    kind: "confidence-histogram",
    id: "confidence",
    ...words,
    certain: 0.9,
    bins: [
      { from: 0.85, to: 0.9, tasks: 3 },
      { from: 0.9, to: 0.95, tasks: 7 },
    ],
  },
  {
    kind: "confusion-heatmap",
    id: "confusion",
    ...words,
    rowName: "Answer",
    columnName: "Label",
    rows: ["no", "yes"],
    columns: ["no", "yes"],
    panels: [
      {
        title: "All",
        values: [
          [0.9, 0.1],
          [0, 1],
        ],
      },
    ],
  },
  {
    kind: "objective-trace",
    id: "trace",
    ...words,
    points: [
      { iteration: 1, objective: -120 },
      { iteration: 2, objective: -100 },
    ],
  },
  {
    kind: "worker-skill",
    id: "skill",
    ...words,
    workers: [
      { name: "ann", labels: 100, skill: 0.9, low: 0.85, high: 0.95, flagged: false },
      { name: "bob", labels: 10, skill: 0.3, low: null, high: null, flagged: true },
    ],
  },
  {
    kind: "curves",
    id: "curves",
    ...words,
    xName: "Distance",
    yName: "Accuracy",
    share: true,
    series: [
      {
        name: "pgd",
        points: [
          { x: 0, y: 0.9, low: 0.85, high: 0.95 },
          { x: 0.1, y: 0.4 },
        ],
      },
      {
        name: "fgsm",
        points: [
          { x: 0, y: 0.9 },
          { x: 0.1, y: 0.5 },
        ],
      },
    ],
    mark: { x: 0.05, name: "here" },
  },
  {
    kind: "comparison",
    id: "comparison",
    ...words,
    xName: "Accuracy",
    rows: [
      { name: "ours alone", value: 0.8, half: 0.02, theirs: null },
      { name: "beside a paper's", value: 0.7, half: 0, theirs: 0.75 },
    ],
  },
  {
    kind: "trade-off",
    id: "trade-off",
    ...words,
    yName: "Accuracy",
    share: true,
    points: [
      { name: "quick", seconds: 0, score: 0.7, best: true },
      { name: "slow and worse", seconds: 2, score: 0.6, best: false },
      { name: "slow", seconds: 10, score: 0.9, best: true },
    ],
  },
];

const draw = (chart: Chart) => drawChart(chart, createSvgDocument()).outerHTML;

/** What was drawn of the data, an element a line. */
const pieces = (svg: string, tag: RegExp) =>
  [...svg.matchAll(/<(\w+)[^>]*>/g)].filter(([, name]) => tag.test(name)).map(([piece]) => piece);

describe.each(small.map((chart) => [chart.kind, chart] as const))("%s", (_, chart) => {
  const svg = draw(chart);

  it("says what it shows to those who cannot see it", () => {
    const { id } = chart;
    expect(svg).toContain(`aria-labelledby="chart-${id}-title chart-${id}-description"`);
    expect(svg).toContain('role="img"');
    expect(svg).toContain(`<title id="chart-${id}-title">A title</title>`);
    expect(svg).toContain(`<desc id="chart-${id}-description">What it shows.</desc>`);
  });

  it("needs no style of its own, and warns of nothing", () => {
    expect(svg).not.toMatch(/<style|style="|⚠|NaN|undefined|Infinity|null/);
    expect(svg).toContain('fill="currentColor"');
  });

  it("is the same twice", () => {
    expect(draw(chart)).toBe(svg);
  });
});

describe("pictures", () => {
  it("agreement: a dot a coefficient, a line where there is an interval", () => {
    expect(pieces(draw(small[0]), /circle/)).toMatchInlineSnapshot(`
      [
        "<circle cx="361.45" cy="16" r="5">",
        "<circle cx="56" cy="50" r="5">",
      ]
    `);
  });

  it("box-plot: whiskers, box, median", () => {
    expect(pieces(draw(small[1]), /^(rect|line)$/)).toMatchInlineSnapshot(`
      [
        "<line x1="132" x2="132" y1="12" y2="60"/>",
        "<line x1="239" x2="239" y1="12" y2="60"/>",
        "<line x1="345.99" x2="345.99" y1="12" y2="60"/>",
        "<line x1="502.14" x2="502.14" y1="12" y2="60"/>",
        "<line x1="132" x2="301.58" y1="25" y2="25"/>",
        "<line x1="487.43" x2="601.96" y1="25" y2="25"/>",
        "<line x1="132" x2="132" y1="31" y2="42"/>",
        "<line x1="601.96" x2="601.96" y1="31" y2="42"/>",
        "<rect x="301.58" width="185.85" y="25" height="23">",
        "<line x1="408.58" x2="408.58" y1="25" y2="48"/>",
      ]
    `);
  });

  it("class-balance: a wide bar for labels, a narrow one for answers", () => {
    expect(pieces(draw(small[3]), /rect/)).toMatchInlineSnapshot(`
      [
        "<rect x="40.8" width="383.47" y="40" height="21">",
        "<rect x="40.8" width="575.2" y="68" height="21">",
        "<rect x="40.8" width="479.33" y="46.46" height="8.08">",
        "<rect x="40.8" width="479.33" y="74.46" height="8.08">",
      ]
    `);
  });

  it("confusion-heatmap: stronger where it happens more often", () => {
    expect(pieces(draw(small[5]), /rect/)).toMatchInlineSnapshot(`
      [
        "<rect x="74" width="70" y="12" height="70" rx="2" fill-opacity="0.91">",
        "<rect x="147" width="70" y="12" height="70" rx="2" fill-opacity="0.15">",
        "<rect x="74" width="70" y="85" height="70" rx="2" fill-opacity="0.05">",
        "<rect x="147" width="70" y="85" height="70" rx="2" fill-opacity="1">",
      ]
    `);
    expect(draw(small[5])).toContain("<title>Answer no, Label yes: 10.0 %</title>");
  });

  it("worker-skill: circles and triangles, with names", () => {
    expect(pieces(draw(small[7]), /circle/)).toMatchInlineSnapshot(`
      [
        "<circle cx="570.87" cy="73.2" r="3.5">",
        "<circle cx="60" cy="44" r="5"/>",
      ]
    `);
    expect(draw(small[7])).toContain("<title>bob: 30.0 %, 10 labels, flagged</title>");
  });
});

describe("the graph of workers", () => {
  const nodes = ["ann", "<b>bob", "cy"].map((name) => ({ name, labels: 10, group: 1 }));
  const edge = (from: number, to: number, suspected: boolean) => ({
    ...{ from, to, suspected, excess: 0.25, common: 30 },
  });
  const graph = (...edges: ReturnType<typeof edge>[]): Chart => ({
    kind: "worker-graph",
    id: "graph",
    ...words,
    nodes,
    edges,
  });

  it("has a point and a name per worker, and a line per pair in the colour of its state", () => {
    const svg = draw(graph(edge(0, 1, true), edge(1, 2, false)));
    expect(svg).toContain(
      "<title>ann and &lt;b&gt;bob: 25.0 % more than expected on 30 tasks</title>",
    );
    expect(svg.match(/<title>[^<]*: 10 labels, group 1<\/title>/g)).toHaveLength(3);
    expect(svg).toContain("suspected");
    expect(svg).toContain("alike");
    expect(draw(graph(edge(0, 1, true)))).not.toContain("alike");
    expect(svg).not.toMatch(/NaN|⚠/);
  });
});

describe("limits", () => {
  it("numbers the squares of ten classes, not of eleven", () => {
    const square = (K: number): Chart => ({
      kind: "confusion-heatmap",
      id: "k",
      ...words,
      rowName: "Gold",
      columnName: "Answer",
      rows: Array.from({ length: K }, (_, k) => `class ${k}`),
      columns: Array.from({ length: K }, (_, k) => `class ${k}`),
      panels: [
        {
          title: "",
          values: Array.from({ length: K }, (_, k) =>
            Array.from({ length: K }, (__, l) => (k === l ? 1 : 0)),
          ),
        },
      ],
    });
    expect(draw(square(10))).toContain(">100</text>");
    expect(draw(square(11))).not.toContain(">100</text>");
    expect(pieces(draw(square(30)), /rect/)).toHaveLength(900);
  });

  it("keeps classes apart whose names are cut alike", () => {
    const long = "a name that is far too long for an axis";
    const svg = draw({
      kind: "class-balance",
      id: "long",
      ...words,
      classes: [`${long} 1`, `${long} 2`],
      labels: [0.4, 0.6],
      answers: [0.5, 0.5],
    });
    expect(pieces(svg, /rect/)).toHaveLength(4);
    expect(svg).toContain("a name tha…an axis 1");
  });

  it("comparison: a dot per row, a line where there is an interval, a triangle where a paper has it", () => {
    const svg = draw(small[small.length - 2]);
    const legend = 1;
    expect(pieces(svg, /circle/)).toHaveLength(2 + legend);
    expect(svg).toContain("<title>beside a paper's: 0.700, paper 0.750</title>");
    expect(svg).toContain("<title>ours alone: 0.800 ± 0.020</title>");
  });

  it("trade-off: a triangle where nothing faster is as good, named; a dot for the rest", () => {
    const svg = draw(small[small.length - 1]);
    const legend = 1;
    expect(pieces(svg, /circle/)).toHaveLength(1 + legend);
    expect(svg).toContain("<title>quick: 70.0 % in 0.001 s</title>");
    expect(svg).toContain(">slow</text>");
    expect(svg).toContain(">slow and worse</text>");
  });

  it("copes with nothing to draw", () => {
    const empty: readonly Chart[] = [
      { kind: "agreement", id: "a", ...words, coefficients: [] },
      { kind: "calibration", id: "c", ...words, bins: [] },
      { kind: "comparison", id: "n", ...words, xName: "Accuracy", rows: [] },
      { kind: "confidence-histogram", id: "h", ...words, bins: [], certain: 0.9 },
      { kind: "objective-trace", id: "o", ...words, points: [] },
      { kind: "trade-off", id: "t", ...words, yName: "Accuracy", share: true, points: [] },
      { kind: "worker-graph", id: "g", ...words, nodes: [], edges: [] },
      { kind: "worker-skill", id: "w", ...words, workers: [] },
    ];
    for (const chart of empty) expect(draw(chart)).not.toMatch(/NaN|Infinity|⚠/);
  });

  it("ticks logarithms at round numbers", () => {
    expect(logTicks(0.8, 120)).toEqual([1, 2, 5, 10, 20, 50, 100]);
    expect(logTicks(0.8, 1e6)).toEqual([1, 10, 100, 1000, 1e4, 1e5, 1e6]);
    expect(logTicks(2.4, 5)).toEqual([3, 4, 5]);
    expect(logTicks(110, 170)).toEqual([120, 140, 160]);
    expect(logTicks(0.011, 0.013)).toEqual([0.011, 0.012, 0.013]);
  });
});

/** Names of points with the boxes that they fill. */
function labelBoxes(svg: string) {
  const [, group = ""] = /<g aria-label="text" text-anchor="start">([\s\S]*?)<\/g>/.exec(svg) ?? [];
  return [...group.matchAll(/translate\(([\d.-]+),([\d.-]+)\)[^>]*>([^<]*)</g)].map(
    ([, x, y, name]) => ({
      name,
      left: Number(x),
      right: Number(x) + CHARACTER * name.length,
      top: Number(y) - LINE / 2,
      bottom: Number(y) + LINE / 2,
    }),
  );
}

describe("names of points", () => {
  const crowded = (count: number): Chart => ({
    kind: "trade-off",
    id: "crowded",
    ...words,
    yName: "Accuracy",
    share: true,
    points: Array.from({ length: count }, (_, i) => ({
      name: `method-number-${i}`,
      seconds: 0.5 + 0.01 * (i % 4),
      score: 0.912 + 0.0004 * (i % 7),
      best: i < 2,
    })),
  });

  it.each([2, 8, 30])("do not overlap: %i of them", (count) => {
    const boxes = labelBoxes(draw(crowded(count)));
    expect(boxes.length).toBeGreaterThanOrEqual(Math.min(count, 8));
    expect(boxes.slice(0, 2).map(({ name }) => name)).toEqual([
      "method-number-0",
      "method-number-1",
    ]);
    for (const [i, a] of boxes.entries()) {
      expect(a.left).toBeGreaterThanOrEqual(0);
      expect(a.right).toBeLessThanOrEqual(640);
      for (const b of boxes.slice(i + 1)) {
        const apart =
          a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
        expect(apart, `${a.name} and ${b.name}`).toBe(true);
      }
    }
  });
});

describe("ticks", () => {
  it.each([
    [0.912, 0.915],
    [0.9999, 1],
    [0.2, 0.97],
    [-1234.567, -1234.561],
    [0.5, 0.5],
    [0, 0],
    [12, 90_000],
  ])("from %d to %d are distinct, and hold both ends", (least, most) => {
    for (const share of [false, true]) {
      const { domain, ticks, tickFormat } = linearAxis(least, most, { share });
      const texts = ticks.map(tickFormat);
      expect(new Set(texts).size, texts.join()).toBe(texts.length);
      expect(ticks.length).toBeGreaterThanOrEqual(3);
      expect(domain[0]).toBeLessThanOrEqual(least);
      expect(domain[1]).toBeGreaterThanOrEqual(most);
    }
  });

  it("have as many digits as a narrow range needs", () => {
    const { ticks, tickFormat } = linearAxis(0.912, 0.915, { share: true, count: 3 });
    expect(ticks.map(tickFormat)).toEqual(["91.2 %", "91.3 %", "91.4 %", "91.5 %"]);
    const curve = draw({
      kind: "curves",
      id: "narrow",
      ...words,
      xName: "Epoch",
      yName: "Accuracy",
      share: true,
      series: [{ name: "a", points: [0.9121, 0.9139].map((y, x) => ({ x, y })) }],
    });
    expect(curve).toContain(">91.25 %<");
  });

  it("of shares stay between 0 and 100 %", () => {
    const svg = draw({
      kind: "trade-off",
      id: "wide",
      ...words,
      yName: "Accuracy",
      share: true,
      points: [0.03, 0.99].map((score, i) => ({ name: `m${i}`, seconds: 1, score, best: i > 0 })),
    });
    expect(svg).toContain(">100 %<");
    expect(svg).not.toMatch(/>(−20|120) %</);
  });

  it("are whole where all points are", () => {
    const svg = draw({
      kind: "curves",
      id: "epochs",
      ...words,
      xName: "Epoch",
      yName: "Loss",
      series: [{ name: "a", points: [10, 20, 30].map((y, x) => ({ x: x + 1, y })) }],
    });
    for (const tick of ["1", "2", "3"]) expect(svg).toContain(`>${tick}<`);
    expect(svg).not.toMatch(/>[123]\.\d</);
  });
});

describe("bands and levels of chance", () => {
  const drift: Chart = {
    kind: "curves",
    id: "drift",
    ...words,
    xName: "Time (UTC)",
    yName: "Skill",
    share: true,
    band: true,
    dates: true,
    range: [0, 1],
    series: [
      {
        name: "w0",
        points: [0.9, 0.4].map((y, day) => ({
          x: Date.UTC(2026, 0, 5 + day),
          y,
          low: y - 0.1,
          high: y + 0.05,
        })),
      },
    ],
    mark: { x: Date.UTC(2026, 0, 5, 12), name: "change" },
  };

  it("a band is one shaded area, and no bars", () => {
    const svg = draw(drift);
    expect(svg.match(/aria-label="area"/g)).toHaveLength(1);
    expect(draw({ ...drift, band: false })).not.toContain('aria-label="area"');
  });

  it("dates are written as dates, and the axis goes where it is told to", () => {
    const svg = draw(drift);
    expect(svg).toMatch(/Jan/);
    for (const tick of ["0 %", "100 %"]) expect(svg).toContain(`>${tick}<`);
    expect(draw({ ...drift, dates: false })).not.toMatch(/Jan/);
  });

  it("chance is a tick beside the interval, named in a legend, and part of the axis", () => {
    const gaps: Chart = {
      kind: "intervals",
      id: "gaps",
      ...words,
      xName: "Gap",
      zero: true,
      bars: true,
      rows: [
        { name: "Parity", value: 0.1, low: 0.05, high: 0.15, chance: 0.38 },
        { name: "Error gap", value: 0.02, low: null, high: null },
      ],
    };
    const svg = draw(gaps);
    expect(svg.match(/aria-label="tick"/g)).toHaveLength(1);
    expect(svg).toContain("chance stays left of this");
    expect(svg).toContain(">0.4<");
    expect(svg).toContain("Parity: 0.100 [0.050, 0.150], chance 0.380");
    const without = draw({ ...gaps, rows: gaps.rows.map(({ chance: _, ...row }) => row) });
    expect(without).not.toContain("chance");
    expect(draw({ ...gaps, share: true })).toContain("10.0 % [5.0 %, 15.0 %]");
  });

  it("wide letters have room", () => {
    const left = (name: string) =>
      Number(
        /x1="([\d.]+)"/.exec(
          draw({
            kind: "intervals",
            id: "room",
            ...words,
            xName: "x",
            zero: true,
            rows: [{ name, value: 1, low: 0, high: 1 }],
          }),
        )?.[1],
      );
    expect(left("WWWWW")).toBeGreaterThan(left("iiiii"));
  });
});

describe("heat maps", () => {
  const agreement: Chart = {
    kind: "confusion-heatmap",
    id: "same",
    ...words,
    rowName: "Method",
    columnName: "Method",
    rows: ["a", "b", "c"],
    columns: ["a", "b", "c"],
    panels: [
      {
        title: "All",
        values: [
          [1, 0.962, 0.951],
          [0.962, 1, 0.958],
          [0.951, 0.958, 1],
        ],
      },
    ],
  };

  it("reach from the palest to the strongest colour, and say what these mean", () => {
    const svg = draw(agreement);
    const opacities = [...svg.matchAll(/<rect[^>]*fill-opacity="([\d.]+)"/g)].map(([, x]) =>
      Number(x),
    );
    expect(Math.min(...opacities)).toBe(0.05);
    expect(Math.max(...opacities)).toBe(1);
    expect(svg).toContain(">95.1</text>");
    expect(svg).toContain(">95.1 %</text>");
    expect(svg).toContain(">100.0 %</text>");
  });

  it("have numbers that can be read on every square, in the light and in the dark", () => {
    const steps = Array.from({ length: 10 }, (_, i) => i / 9);
    const svg = draw({
      ...agreement,
      rows: ["a"],
      columns: steps.map(String),
      panels: [{ title: "", values: [steps] }],
    });
    const opacities = [...svg.matchAll(/<rect[^>]*fill-opacity="([\d.]+)"/g)].map(([, x]) =>
      Number(x),
    );
    const fills = [...svg.matchAll(/<text[^>]*fill="(#[0-9a-f]+)"[^>]*>\d+</g)].map(
      ([, fill]) => fill,
    );
    expect(fills).toHaveLength(9);
    const themes = [
      { page: "#ffffff", color: (fill: string) => fill },
      {
        page: "#181c22",
        color: (fill: string) => inTheDark.find(([from]) => from === fill)?.[1] ?? fill,
      },
    ];
    for (const { page, color } of themes) {
      fills.forEach((fill, i) => {
        const square = mixed(page, color(deep), opacities[i + 1]);
        expect(contrast(square, rgb(color(fill))), `${page} ${opacities[i + 1]}`).toBeGreaterThan(
          4.5,
        );
      });
    }
    expect(new Set(fills)).toEqual(new Set([ink, paper]));
  });
});

type Rgb = readonly [number, number, number];

function rgb(hex: string): Rgb {
  const long = hex.length === 4 ? hex.replace(/[0-9a-f]/gi, "$&$&") : hex;
  const part = (at: number) => Number.parseInt(long.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
}

function mixed(page: string, over: string, opacity: number): Rgb {
  const [a, b] = [rgb(page), rgb(over)];
  const part = (c: 0 | 1 | 2) => (1 - opacity) * a[c] + opacity * b[c];
  return [part(0), part(1), part(2)];
}

/** The contrast of two colours by WCAG 2. */
function contrast(a: Rgb, b: Rgb): number {
  const luminance = (color: Rgb) => {
    const [red, green, blue] = color.map((c) =>
      c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}
