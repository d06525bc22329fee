// Runs trials on all cores and keeps every one that is done, so that a stopped run goes on where it was. They are known by
// their options, not by the code: after a change of code that changes numbers, delete bench/.data/learners.jsonl.
import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { learners } from "../../dist/public/learn.js";
import { say } from "../shared.mjs";

const file = join(import.meta.dirname, "../.data/learners.jsonl");

/** What a trial depends on: of a learner that trains others, also the defaults of these. */
const keyOf = ({ set, seed, search, learner, options }) => {
  const sorted = Object.entries(options).sort();
  const others = learner in labelLearners ? [] : [digest];
  return JSON.stringify([set, seed, search, learner, sorted, ...others]);
};
const { "auto-learner": _, ...labelLearners } = learners;
const digest = createHash("sha256")
  .update(JSON.stringify(Object.values(labelLearners).map(({ options }) => options)))
  .digest("hex")
  .slice(0, 8);

/** Returns a lookup of the scores of trials, after those that are not known yet were run. */
export async function runTrials(trials) {
  const done = new Map();
  mkdirSync(dirname(file), { recursive: true });
  if (existsSync(file)) {
    for (const line of readFileSync(file, "utf8").split("\n")) {
      if (line.endsWith("}")) done.set(JSON.parse(line).key, JSON.parse(line));
    }
  }
  const wanted = new Map(trials.map((trial) => [keyOf(trial), trial]));
  const missing = [...wanted.values()].filter((trial) => !done.has(keyOf(trial)));
  const start = performance.now();
  let finished = 0;
  const work = () =>
    new Promise((resolve, reject) => {
      const child = fork(join(import.meta.dirname, "worker.mjs"));
      let trial;
      child.on("message", (scores) => {
        if (trial) {
          const record = { key: keyOf(trial), ...scores };
          done.set(record.key, record);
          appendFileSync(file, `${JSON.stringify(record)}\n`);
          finished++;
          const left = ((performance.now() - start) / 6e4 / finished) * (missing.length - finished);
          if (finished % 20 === 0)
            say(`${finished} of ${missing.length}, ${left.toFixed(0)} min left`);
          if (scores.error) say(`${record.key}: ${scores.error}`);
        }
        trial = missing[next++];
        if (trial) child.send(trial);
        else child.kill();
      });
      child.on("exit", (code) =>
        trial ? reject(new Error(`a trial ended with ${code}`)) : resolve(),
      );
    });
  let next = 0;
  if (missing.length > 0) await Promise.all(cpus().map(work));
  return (trial) => done.get(keyOf(trial));
}
