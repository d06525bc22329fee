// What a policy of asking saves on public sets, and what one label and one question cost on a million labels.
// Draws the curves into docs/images/assign.svg.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { online } from "../dist/index.js";
import { createSvgDocument } from "../dist/node/svg-document.js";
import { plan, simulateCampaign } from "../dist/public/assign.js";
import { dawidSkene } from "../dist/public/methods.js";
import { scenarios } from "../dist/public/simulate.js";
import { drawChart } from "../dist/report/charts/index.js";
import { presentSets, publicSet } from "./public-sets.mjs";
import { say, table } from "./shared.mjs";

const sets = ["bluebird", "rte", "temp", "possent", "sp_amt", "web", "weather_amt", "leaves"];
const policies = ["random", "round-robin", "cover-gain"];
/** Shares of all labels at which accuracy is measured. */
const shares = Array.from({ length: 40 }, (_, i) => (i + 1) / 40);
/** How far below the accuracy with all labels counts as the same. */
const SAME = 0.005;

export function assignTables({ quick }) {
  const seeds = quick ? 2 : 10;
  const rows = presentSets()
    .filter((name) => sets.includes(name))
    .map((name) => measure(name, seeds));
  writeFileSync(join(import.meta.dirname, "../docs/images/assign.svg"), panels(rows));
  return [
    "## Assignment",
    "",
    ...savedPart(rows, seeds),
    ...curvePart(rows),
    ...costPart(quick ? 100_000 : 1_000_000),
  ].join("\n");
}

/** Mean accuracy of each policy at each share of the labels. */
function measure(name, seeds) {
  say(`assign: ${name}`);
  const data = publicSet(name);
  const N = data.label.length;
  const checkpoints = shares.map((share) => Math.round(share * N));
  // The model is fitted again only where the policy looks at it: the others choose the same without.
  const curves = Object.fromEntries(
    policies.map((policy) => {
      const refit = policy === "cover-gain" ? undefined : Infinity;
      const { curves } = simulateCampaign(data, { policies: [policy], seeds, checkpoints, refit });
      return [policy, curves[0].points.map(({ accuracy }) => accuracy.mean)];
    }),
  );
  const perTask = N / new Set(data.task).size;
  return { name, curves, perTask };
}

/** The share of labels from which on a curve stays within half a point of its end. */
function enough(curve) {
  let at = curve.length - 1;
  while (at > 0 && curve[at - 1] >= curve.at(-1) - SAME) at--;
  return shares[at];
}

const percent = (x) => `${(100 * x).toFixed(0)} %`;
const points = (x) => (100 * x).toFixed(1).replace("-", "−");

function savedPart(rows, seeds) {
  const lines = rows.map(({ name, curves, perTask }) => {
    const [random, robin, gain] = policies.map((policy) => enough(curves[policy]));
    const late = shares.map((share, i) => [share * perTask, i]).filter(([labels]) => labels > 2);
    const worst = Math.min(...late.map(([, i]) => curves["cover-gain"][i] - curves.random[i]));
    return { name, random, robin, gain, saved: 1 - gain / random, worst };
  });
  const saved = lines.map((line) => line.saved).sort((a, b) => a - b);
  const middle = (saved[(saved.length - 1) >> 1] + saved[saved.length >> 1]) / 2;
  const worst = Math.min(...lines.map((line) => line.worst));
  return [
    `Labels are revealed one at a time as the policy asks for them; mean accuracy of ${seeds} seeds by a shrunk \`dawid-skene\` with a uniform`,
    "class prior, the model that the plan stands on. Labels needed: the share from which on the mean accuracy stays within half a point of that with all labels.",
    "",
    table(
      [
        "set",
        "random",
        "round-robin",
        "cover-gain",
        "fewer than random",
        "least above random, points",
      ],
      lines.map((line) => [
        line.name,
        ...[line.random, line.robin, line.gain, line.saved].map(percent),
        points(line.worst),
      ]),
    ),
    "",
    table(
      ["what", "budget", "measured", ""],
      [
        [
          "labels saved against random order, median",
          "≥ 25 %, target 40 %",
          percent(middle),
          middle >= 0.25 ? "met" : "missed",
        ],
        [
          "least difference to random order above two labels per task, points",
          "≥ −1",
          points(worst),
          worst >= -0.01 ? "met" : "missed",
        ],
      ],
    ),
    "",
  ];
}

/** One chart per set, two beside each other: accuracy against labels per task. */
function panels(rows) {
  const [width, height] = [640, 330];
  const drawn = rows.map(({ name, curves, perTask }, i) => {
    const series = policies.map((policy) => ({
      name: policy,
      // Every second of forty points, and as many digits as can be seen.
      points: shares.flatMap((share, at) =>
        at % 2 === 1
          ? [{ x: Number((share * perTask).toFixed(2)), y: Number(curves[policy][at].toFixed(3)) }]
          : [],
      ),
    }));
    const chart = {
      ...{
        kind: "curves",
        id: `assign-${name}`,
        title: `Accuracy against labels per task on ${name}`,
      },
      description: series
        .map((line) => `${line.name}: ${line.points.map(({ x, y }) => `${y} at ${x}`).at(9)}`)
        .join("; "),
      ...{ xName: "Labels per task", yName: "Accuracy", share: true, series },
    };
    const [x, y] = [(i % 2) * width, Math.floor(i / 2) * height];
    const svg = drawChart(chart, createSvgDocument()).outerHTML;
    return `<g transform="translate(${x},${y})"><text x="${width / 2}" y="16" text-anchor="middle" font-weight="bold">${name}</text><g transform="translate(0,20)">${svg}</g></g>`;
  });
  const size = [2 * width, Math.ceil(rows.length / 2) * height];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.join(" ")}" font-family="system-ui, sans-serif" font-size="15">` +
    `<title>Accuracy against labels per task on public sets, by policy</title><rect width="100%" height="100%" fill="white"/>${drawn.join("")}</svg>\n`
  );
}

function curvePart(rows) {
  const some = [3, 7, 11, 15, 19, 23, 27, 31, 35, 39];
  return [
    "### Accuracy by share of the labels",
    "",
    "![Accuracy against labels per task on eight public sets: random order, round-robin and cover-gain](../docs/images/assign.svg)",
    "",
    table(
      ["set", "policy", ...some.map((i) => percent(shares[i]))],
      rows.flatMap(({ name, curves }) =>
        policies.map((policy) => [name, policy, ...some.map((i) => curves[policy][i].toFixed(3))]),
      ),
    ),
    "",
  ];
}

/** One label and one question at a time on a live model. */
function costPart(labels) {
  say(`assign: ${labels} labels`);
  const { data } = scenarios.confusion({ tasks: labels / 5, workers: 1000, seed: 3 });
  const live = online(data, dawidSkene(data, { shrinkage: 4, prior: "uniform" }));
  const campaign = plan(live, { seed: 1, confident: 1 });
  const times = [];
  for (let i = 0; i < 2000; i++) {
    const start = performance.now();
    const next = campaign.next(i % 2 === 0 ? undefined : data.workers.at(i % 1000));
    if (!next) break;
    const { task, worker } = next;
    campaign.apply({ task, worker, label: data.classes.at(i % data.classes.length) });
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.floor(share * (times.length - 1))];
  return [
    "### One label and one question",
    "",
    `On ${labels.toLocaleString("en-US")} labels of 1,000 workers, \`next\` and \`apply\` together, ${times.length} times: median ${at(0.5).toFixed(2)} ms, p99`,
    `${at(0.99).toFixed(2)} ms (budget 5 ms, ${at(0.99) <= 5 ? "met" : "missed"}).`,
  ];
}
