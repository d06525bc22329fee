// Shows several methods on a crowd whose truth is known, with and without looking at that truth.
import { accuracy } from "consilience/evaluate";
import { dawidSkene, heldOutScore, ibcc, majorityVote, oneCoin, oracle } from "consilience/methods";
import { scenarios } from "consilience/simulate";

const simulate = scenarios["hammer-spammer"];
const { data, confusion, prior } = simulate({
  tasks: 500,
  workers: 30,
  hammers: 0.3,
  spammers: 0.6,
  seed: 3,
});
console.log(
  `${data.label.length} labels of ${data.tasks.length} tasks by ${data.workers.length} workers`,
);

for (const method of [majorityVote, oneCoin, dawidSkene, ibcc]) {
  const { value, low, high } = accuracy({ ...method(data), gold: data.gold }).chosen;
  // How well labels are predicted that were hidden from the method: needs no gold.
  const hidden = finish(heldOutScore(data, method, {}, {}));
  console.log(
    `${method.id.padEnd(13)}  hidden labels ${hidden.toFixed(3)}  ` +
      `accuracy ${value.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`,
  );
}

// Nobody who sees only labels can expect to beat this.
const best = accuracy({ ...oracle(data, {}, { confusion, prior }), gold: data.gold }).chosen.value;
console.log(`with the true confusions known: ${best.toFixed(3)}`);

/** Methods are generators: step them to the end. */
function finish(steps) {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
