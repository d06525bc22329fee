/** What more labels would buy, in sentences. */
import type { Forecast, ForecastPoint } from "../assign/forecast.ts";
import { count, grouped, percent, signed } from "./text.ts";

/** Says what twice the labels would buy, how many the goal takes, and what that rests on. */
export function forecastSentences(found: Forecast): string[] {
  if (found.tooEarly !== undefined) return [`It is too early for a forecast. ${found.tooEarly}`];
  const [now] = found.points;
  const twice = found.points.find(({ labels }) => labels >= 2 * now.labels) ?? now;
  return [
    `${nowSentence(now)} With ${labelsOf(twice)} it would be about ${shareOf(twice)}${gainOf(found, twice)}.`,
    goalSentence(found),
    basisSentence(found),
  ];
}

/** If all tasks have gold, the accuracy is known. */
function nowSentence(now: ForecastPoint): string {
  return now.high - now.low < 1e-9
    ? `Now, with ${labelsOf(now)}, ${percent(now.accuracy)} of the answers are right by gold.`
    : `Now, with ${labelsOf(now)}, about ${shareOf(now)} of the answers are expected to be right.`;
}

/** Labels alone say too little of the accuracy now for a difference to it. */
function gainOf({ basis }: Forecast, { gain, gainLow, gainHigh }: ForecastPoint): string {
  if (basis === "labels") return "";
  return `, ${signed(100 * gain)} points (${signed(100 * gainLow)} to ${signed(100 * gainHigh)})`;
}

const labelsOf = ({ labels, labelsPerTask }: ForecastPoint) =>
  `${count(labels, "label")} (${labelsPerTask.toFixed(1)} per task)`;

const shareOf = ({ accuracy, low, high }: ForecastPoint) =>
  `${percent(accuracy)} (95 % interval ${percent(low)} to ${percent(high)})`;

/** Says how many labels the goal takes. */
function goalSentence({ goal, basis }: Forecast): string {
  if (!goal) return "";
  const { accuracy, state, more = 0, low = 0, high, ceiling = 0 } = goal;
  const wanted = percent(accuracy, 0);
  if (state === "out of reach") {
    const ten = `ten times the labels are expected to give ${percent(ceiling)}`;
    return basis === "gold"
      ? `${wanted} is out of reach with this crowd: even ${ten}.`
      : `${wanted} may be out of reach with this crowd: if workers share as many errors as in public crowds, ${ten}.`;
  }
  if (state === "reached") return `${wanted} is expected to be reached already.`;
  const range =
    high === undefined
      ? `at least ${grouped(low)}; it may never be reached`
      : `${grouped(low)} to ${grouped(high)}`;
  return `About ${count(more, "more label")} (${range}) would be needed for ${wanted}.`;
}

function basisSentence({ basis, goldTasks }: Forecast): string {
  const even =
    "New labels are assumed to come from the same workers, as busy as now, the same number for every task.";
  if (basis === "gold") {
    return `It is anchored on the ${grouped(goldTasks)} tasks with gold, taken as a random sample of all tasks. ${even}`;
  }
  return (
    "It rests on labels alone, which cannot show errors that all workers share: the true accuracy may be lower. " +
    `Gold for 100 random tasks would anchor it. ${even}`
  );
}
