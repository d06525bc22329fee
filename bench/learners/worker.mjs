// Trains learners in a process of its own: one trial per message, its scores as the answer.

import { createRandom } from "../../dist/index.js";
import { openRuntime } from "../../dist/node/index.js";
import { accuracy, calibration, logLoss } from "../../dist/public/evaluate.js";
import { learners } from "../../dist/public/learn.js";
import { crowd, onTest } from "./crowds.mjs";

const DRAWS = 20;

const executor = await openRuntime({ threads: 1 });

process.on("message", async ({ set, seed, search, learner, options }) => {
  try {
    const { data, features, test } = crowd(set, { seed, search });
    const start = process.cpuUsage();
    const result = await learners[learner](data, features, { ...options, seed }, { executor });
    const { user, system } = process.cpuUsage(start);
    const scored = await onTest(result.predictor, test, data.classes);
    const tasks = { ...scored, posterior: result.posterior, consensus: result.consensus };
    process.send({
      accuracy: accuracy(scored).chosen.value,
      logLoss: logLoss(scored),
      ece: calibration(scored).ece.value,
      floor: floor(scored, createRandom(seed).split("floor")),
      tasks: accuracy({ ...tasks, gold: data.gold }).chosen.value,
      temperature: result.predictor.temperature ?? 1,
      epochs: result.history.flat().length,
      cpu: (user + system) / 1e6,
    });
  } catch (error) {
    process.send({ error: String(error.message ?? error) });
  }
});
process.send({ ready: true });

/** The calibration error if the truth were drawn from the probabilities themselves, as a mean over draws. */
function floor({ posterior, consensus, ...scored }, random) {
  const K = scored.classes.length;
  let sum = 0;
  for (let draw = 0; draw < DRAWS; draw++) {
    const gold = Int32Array.from(consensus, (_, i) => {
      let u = random.next();
      for (let k = 0; k < K - 1; k++) {
        u -= posterior[i * K + k];
        if (u < 0) return k;
      }
      return K - 1;
    });
    sum += calibration({ ...scored, posterior, consensus, gold }).ece.value;
  }
  return sum / DRAWS;
}
