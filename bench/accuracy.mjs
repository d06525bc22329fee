// Accuracy, log-loss and time of every method on the public crowds.
import { methods } from "../dist/index.js";
import { inapplicable } from "../dist/jobs/applicable.js";
import { accuracy, credits, logLoss } from "../dist/public/evaluate.js";
import { presentSets, publicSet } from "./public-sets.mjs";
import { say, table } from "./shared.mjs";

/** A fit that takes longer than this is given up, in seconds. */
const LONGEST = 120;

export function accuracyTables({ quick }) {
  const present = presentSets();
  if (present.length === 0) return "## Accuracy\n\nNo public sets were on the machine.";
  const compared = Object.values(methods).filter(
    ({ kind, needs }) => kind === "categorical" && (!needs || needs === "gold"),
  );
  const reasons = new Map();
  const columns = present.map((name) => measure(name, compared, quick ? 20 : LONGEST, reasons));
  const cell = (field, digits) => (id) =>
    columns.map((of) => of[id][field]?.toFixed(digits).replace(/^0\./, ".") ?? "–");
  const tableOf = (cells, total) =>
    table(
      ["method", ...present, total.name],
      compared.map(({ id }) => [id, ...cells(id), total.of(id)]),
    );
  const over = (id, field) => columns.flatMap((of) => of[id][field] ?? []);
  const mean = (id, field, digits) => {
    const values = over(id, field);
    if (values.length < present.length) return "";
    return (values.reduce((sum, x) => sum + x, 0) / values.length).toFixed(digits);
  };
  return [
    `## Accuracy on ${present.length} public crowds`,
    "",
    "Default options, ties shared; methods see labels only, but `gold-vote`, which is given the gold of every",
    "fifth task and scored on the rest. Defaults of several methods, and `auto` as a whole, were chosen with these",
    "sets in view: see below. Methods that need weights, predictions or the true confusions are left out.",
    "",
    "### Which to take",
    "",
    "Mean over all sets (empty where a method does not run on all); mean gain over the majority vote on the sets",
    "it runs on, in points; the sets on which no other is better, `gold-vote` aside; CPU seconds for all of them.",
    "",
    table(
      ["method", "mean accuracy", "gain", "mean log-loss", "best on", "CPU s"],
      compared.map(({ id }) => [
        ...[id, mean(id, "accuracy", 4), gain(columns, id), mean(id, "logLoss", 3)],
        bestOn(present, columns, compared, id).join(", "),
        brief(over(id, "seconds").reduce((sum, x) => sum + x, 0)),
      ]),
    ),
    "",
    "### Accuracy",
    "",
    tableOf(cell("accuracy", 4), { name: "mean", of: (id) => mean(id, "accuracy", 4) }),
    "",
    "### Log-loss (nats; probabilities below 1e-10 count as 1e-10)",
    "",
    tableOf(cell("logLoss", 3), { name: "mean", of: (id) => mean(id, "logLoss", 3) }),
    "",
    "### CPU seconds of a fit",
    "",
    tableOf(cell("seconds", 2), { name: "mean", of: (id) => mean(id, "seconds", 2) }),
    "",
    ...(reasons.size > 0 ? ["Where there is no number:", ""] : []),
    ...[...reasons].map(([reason, where]) => `- ${where.join(", ")}: ${reason}`),
  ].join("\n");
}

/** What every method gives on one set. */
function measure(name, compared, longest, reasons) {
  const data = publicSet(name);
  const fifth = data.gold.map((k, t) => (t % 5 === 0 ? k : -1));
  const rest = data.gold.map((k, t) => (t % 5 === 0 ? -1 : k));
  return Object.fromEntries(
    compared.map((method) => {
      say(`accuracy: ${name}, ${method.id}`);
      const known = method.needs === "gold" ? { gold: fifth } : {};
      const { result, seconds, reason } = timed(method, data, known, longest);
      if (reason) {
        reasons.set(reason, [...(reasons.get(reason) ?? []), `${method.id} on ${name}`]);
        return [method.id, {}];
      }
      const scored = { ...result, gold: method.needs === "gold" ? rest : data.gold };
      const right = { accuracy: accuracy(scored).split, logLoss: logLoss(scored) };
      return [method.id, { ...right, credits: credits(scored), seconds }];
    }),
  );
}

function timed(method, data, known, longest) {
  const size = {
    labels: data.label.length,
    tasks: data.tasks.length,
    workers: data.workers.length,
    classes: data.classes.length,
  };
  const reason = inapplicable(method, size, known)?.skipped;
  if (reason) return { reason };
  const start = process.cpuUsage();
  const seconds = () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1e6;
  };
  try {
    const steps = method.steps(data, {}, known);
    for (;;) {
      const step = steps.next();
      if (step.done) return { result: step.value, seconds: seconds() };
      if (seconds() > longest) return { reason: `given up after ${longest} CPU seconds` };
    }
  } catch (error) {
    return { reason: error.message };
  }
}

/** Two digits that tell. */
const brief = (x) => x.toFixed(x < 0.1 ? 3 : x < 1 ? 2 : x < 10 ? 1 : 0);

function gain(columns, id) {
  const gains = columns.flatMap((of) =>
    of[id].accuracy === undefined ? [] : [of[id].accuracy - of["majority-vote"].accuracy],
  );
  const points = (100 * gains.reduce((sum, x) => sum + x, 0)) / Math.max(1, gains.length);
  return `${points < 0 ? "−" : "+"}${Math.abs(points).toFixed(2)}`;
}

/** The sets on which nothing that sees labels only is more accurate. */
function bestOn(present, columns, compared, id) {
  const rivals = compared.filter(({ needs }) => !needs);
  return present.filter((_, s) => {
    const highest = Math.max(...rivals.map((rival) => columns[s][rival.id].accuracy ?? 0));
    return (columns[s][id].accuracy ?? 0) >= highest - 1e-9;
  });
}
