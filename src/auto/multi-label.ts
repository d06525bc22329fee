/**
 * Auto for several labels per task. A hidden answer is predicted label by label, from the probabilities of labels without
 * it and the worker's rates on each label, which the method learnt or its probabilities give. If whole sets are asked
 * for, a candidate is judged by how often its set is that of the hidden answer instead.
 */
import type { MultiLabelKnown, MultiLabelResult } from "../aggregate/multi-label/labeller.ts";
import { setVote } from "../aggregate/multi-label/set-vote.ts";
import { labelNamed, sharedWorkers } from "../aggregate/multi-label/shared-workers.ts";
import { hashText, mix } from "../data/content-hash.ts";
import { type MultiLabelData, selectSets } from "../data/multi-label.ts";
import type { Steps } from "../method.ts";
import { hiddenParts, hideInTurn, taskUnits } from "./hidden-answers.ts";
import { type Choice, type JudgeSettings, pickerFor, pickOptions } from "./pick.ts";

/** Log-probability of each answer while it is hidden, or whether its set was met. */
export function* hiddenSets(
  method: Choice<MultiLabelData, MultiLabelResult>["method"],
  options: object,
  data: MultiLabelData,
  known: object,
  { folds, seed, target }: JudgeSettings,
): Steps<Float64Array> {
  const parts = hiddenParts(taskUnits(data, saidOf(data)), folds, seed);
  const score = target === "sets" ? setMet : setChance;
  return yield* hideInTurn(parts, function* (shown, hidden) {
    const result = yield* method.steps(selectSets(data, shown), options, known);
    return Float64Array.from(hidden, (i) => score(data, result, i));
  });
}

/** A hash of each chosen set. */
function saidOf({ classes, start, label }: MultiLabelData): Uint32Array {
  const ofLabel = Uint32Array.from(classes, hashText);
  return Uint32Array.from({ length: start.length - 1 }, (_, i) => {
    let said = 1;
    for (let at = start[i]; at < start[i + 1]; at++) said += mix(ofLabel[label[at]], 0);
    return said;
  });
}

/** Calls `see` for every label, with whether the answer names it. */
function eachLabel(
  { classes, start, label }: MultiLabelData,
  i: number,
  see: (l: number, said: boolean) => void,
): void {
  let next = start[i];
  for (let l = 0; l < classes.length; l++) {
    const said = next < start[i + 1] && label[next] === l;
    if (said) next++;
    see(l, said);
  }
}

function setChance(data: MultiLabelData, result: MultiLabelResult, i: number): number {
  const { posterior, labelSensitivity, labelSpecificity } = result;
  const L = data.classes.length;
  let sum = 0;
  eachLabel(data, i, (l, said) => {
    const q = posterior[data.task[i] * L + l];
    const w = data.worker[i] * L + l;
    const choose = q * labelSensitivity[w] + (1 - q) * (1 - labelSpecificity[w]);
    sum += Math.log(said ? choose : 1 - choose);
  });
  return sum;
}

function setMet(data: MultiLabelData, { chosen }: MultiLabelResult, i: number): number {
  const L = data.classes.length;
  let met = 1;
  eachLabel(data, i, (l, said) => {
    if ((chosen[data.task[i] * L + l] === 1) !== said) met = 0;
  });
  return met;
}

const own = {
  target: {
    default: "labels",
    choices: ["labels", "sets"],
    help: "What must be right: each label, or the whole set of a task.",
  },
  exclusive: sharedWorkers.options.exclusive,
} as const;

/** Auto for several labels per task: takes the method that predicts hidden answers best, or the vote. */
export const multiLabelAuto = pickerFor<MultiLabelData, MultiLabelKnown, MultiLabelResult>()(
  "multi-label",
  "six fits of three methods; two beyond 100,000 answers",
  { ...pickOptions, ...own },
  {
    choices: [
      { name: "vote per label", method: setVote },
      { name: "shared workers", method: sharedWorkers, takes: ["exclusive"] },
      {
        name: "shared workers, alike on all labels",
        method: sharedWorkers,
        options: { kappa: 1e9 },
        takes: ["exclusive"],
      },
    ],
    judge: hiddenSets,
    // biome-ignore lint/correctness/useYield: there is nothing to wait for
    *prepare({ classes }, _, { exclusive }) {
      labelNamed(classes, String(exclusive));
      return { options: {} };
    },
    cluster: ({ task }) => task,
    weight: ({ weight }) => weight,
    size: ({ task }) => task.length,
  },
);
