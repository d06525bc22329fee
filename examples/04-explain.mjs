// Shows why a task was answered as it was, and which tasks are worth another look.
import { answers, explain } from "consilience";
import { dawidSkene } from "consilience/methods";
import { scenarios } from "consilience/simulate";

const simulate = scenarios["mixed"];
const { data } = simulate({ tasks: 200, workers: 25, seed: 5 });
const result = dawidSkene(data, { shrinkage: 4 });

// The least certain answers first.
const doubtful = [...answers(data, result)]
  .filter(({ confidence }) => confidence < 0.9)
  .sort((a, b) => a.confidence - b.confidence);
console.log(`${doubtful.length} of ${data.tasks.length} tasks are worth another look:`);
for (const { task } of doubtful.slice(0, 3)) {
  const { answer, runnerUp, margin, flip } = explain(data, result, task);
  const turn = flip ? `could be turned by ${flip.join(", ")}` : "nobody could turn it";
  console.log(`  ${task}: ${answer} or ${runnerUp}, margin ${margin.toFixed(2)}; ${turn}`);
}

// One of them in full: what each label adds to the log-odds of the answer.
const { task, answer, runnerUp, prior, evidence } = explain(data, result, doubtful[0].task);
console.log(`${task}: ${answer} against ${runnerUp}`);
console.log(`  before any label: ${prior.toFixed(2)}`);
for (const { worker, label, weight } of evidence) {
  console.log(`  ${worker} said ${label}: ${weight > 0 ? "+" : ""}${weight.toFixed(2)}`);
}
