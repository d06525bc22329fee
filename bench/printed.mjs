// Accuracies that others print without enough to repeat them exactly, beside ours; what can be repeated is
// claimed and checked by `npm run reproduce -- public-tables`.
import { methods } from "../dist/index.js";
import { accuracy } from "../dist/public/evaluate.js";
import { printedAccuracies } from "../dist/reproduce/printed-accuracies.js";
import { presentSets, publicSet } from "./public-sets.mjs";
import { say, table } from "./shared.mjs";

export function printedTable() {
  const present = presentSets();
  const shown = printedAccuracies.filter(({ within }) => within === undefined);
  const sets = present.filter((set) => shown.some(({ printed }) => set in printed));
  const data = Object.fromEntries(sets.map((set) => [set, publicSet(set)]));
  const cell = ({ id, options = {}, printed, firstOfTies }, set) => {
    if (!(set in printed)) return "";
    say(`printed: ${id} on ${set}`);
    const method = methods[id];
    const { posterior } = method(data[set], options);
    const { split, first } = accuracy({ ...data[set], posterior });
    return `${(100 * (firstOfTies ? first : split)).toFixed(1)} [${printed[set]}]`;
  };
  return [
    "## Beside what others print",
    "",
    "Accuracy in per cent, ours and in brackets theirs, where settings are not printed or the number is quoted from",
    "memory (survey: Zheng et al. 2017): for orientation, not as a claim. `npm run reproduce -- public-tables` holds",
    "ours against numbers that can be repeated.",
    "",
    table(
      ["method", "ours", ...sets],
      shown.map((line) => [line.name, line.id, ...sets.map((set) => cell(line, set))]),
    ),
  ].join("\n");
}
