// Shows the main job: rows of labels in, one answer per task with its confidence out.
import { aggregate, fromRows } from "consilience";

// Six workers on eight pictures; ann is careful, sam says dog whatever he sees.
const says = {
  ann: "ccddccdd",
  bob: "ccddcddd",
  cleo: "cdddccdd",
  dan: "ccdcccdd",
  eve: "ccddcdcd",
  sam: "dddddddd",
};
const rows = Object.entries(says).flatMap(([worker, labels]) =>
  [...labels].map((letter, i) => ({
    task: `picture ${i + 1}`,
    worker,
    label: letter === "c" ? "cat" : "dog",
  })),
);

const crowd = fromRows(rows);
const { tasks, classes, consensus, posterior, notes } = aggregate(crowd);
const K = classes.length;

for (const [t, task] of [...tasks].entries()) {
  const confidence = posterior[t * K + consensus[t]];
  console.log(`${task}: ${classes.at(consensus[t])} (${confidence.toFixed(2)})`);
}
// What it did, in a sentence.
console.log(notes[0]);
