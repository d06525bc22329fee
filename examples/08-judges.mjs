// Ranks language models from comparisons by people and by LLM judges, and says how many independent judges there are.
import { aggregate, answers, workers } from "consilience";
import { effectiveJudges } from "consilience/diagnose";
import { preferences } from "consilience/methods";
import { scenarios } from "consilience/simulate";

// 12 people who look, 2 who guess, 2 who prefer the worse item, and 3 LLM judges that are one model under three names.
const { data, roles } = scenarios.judges({ items: 8, comparisons: 120, oneSided: 0, seed: 5 });
const kind = (w) => (roles[w] === "copy of a model" ? "LLM" : "person");
console.log(
  `${data.label.length} comparisons of ${data.items.length} models by ${data.workers.length} judges`,
);

const result = aggregate(data);
console.log(result.notes[0]);
for (const { rank, item, score } of answers(data, result)) {
  const truth = data.gold[data.items.indexOf(item)];
  console.log(`${rank}. ${item}  score ${score.toFixed(2)}, true score ${truth.toFixed(2)}`);
}

// Judges by how far their answers follow the scores; "worse" are those who would serve better turned round.
for (const standing of ["better", "guessing", "worse", "unknown"]) {
  const own = [...workers(data, result)].filter((judge) => judge.standing === standing);
  if (own.length > 0) console.log(`${standing}: ${own.map(({ worker }) => worker).join(", ")}`);
}

// Copies of one model agree in their errors: they are worth one judge, not three.
const { crowd, judges, correlations } = effectiveJudges(data);
console.log(`${judges} judges are worth ${crowd.toFixed(1)} independent ones`);
for (const { judges: pair, correlation, dependent } of correlations) {
  if (!dependent) continue;
  const names = pair.map((w) => `${data.workers.at(w)} (${kind(w)})`).join(" and ");
  console.log(`  ${names}: errors correlate ${correlation.toFixed(2)}`);
}

// Soft labels for training on preferences, in the form that DPO-style training takes.
const [first] = preferences(data, result.reliability);
console.log(`${first.chosen} over ${first.rejected} with probability ${first.p.toFixed(2)}`);
