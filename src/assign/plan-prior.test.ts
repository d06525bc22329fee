import { expect, it } from "vitest";
import { dawidSkene } from "../aggregate/categorical/em/dawid-skene.ts";
import { selectLabels } from "../data/categorical.ts";
import { createRandom } from "../math/random.ts";
import { online } from "../online/online.ts";
import { oneCoinCrowd } from "../simulate/one-coin.ts";
import { plan } from "./plan.ts";

/** A campaign from no labels to all tasks closed; `prior` holds P(class) of tasks, if a classifier gives them. */
function campaign(seed: number, sure: number | undefined) {
  const { data } = oneCoinCrowd({ tasks: 150, workers: 12, labelsPerTask: 0, classes: 3, seed });
  const label = new Map(
    Array.from(data.label, (k, i) => [`${data.task[i]} ${data.worker[i]}`, data.classes.at(k)]),
  );
  const none = selectLabels(data, () => false);
  const model = online(none, dawidSkene(none, { shrinkage: 4, prior: "uniform" }));
  const random = createRandom(seed).split("classifier");
  [...data.tasks].forEach((task, t) => {
    if (sure === undefined) return;
    // A calibrated classifier: as sure as it is often right.
    const said = random.next() < sure ? data.gold[t] : (data.gold[t] + 1 + (t % 2)) % 3;
    model.setTaskPrior(
      task,
      [0, 1, 2].map((k) => (k === said ? sure : (1 - sure) / 2)),
    );
  });
  const asking = plan(model, { seed, tasks: data.tasks, workers: data.workers });
  let asked = 0;
  for (let next = asking.next(); next; next = asking.next()) {
    const key = `${data.tasks.indexOf(next.task)} ${data.workers.indexOf(next.worker)}`;
    asking.apply({ task: next.task, worker: next.worker, label: label.get(key) ?? "" });
    if (++asked % 50 === 0) {
      model.refit();
      asking.refresh();
    }
  }
  const right = [...model.answers()].filter(
    ({ task, label }) => label === data.classes.at(data.gold[data.tasks.indexOf(task)]),
  );
  return { asked, accuracy: right.length / data.tasks.length };
}

it("with predictions of a classifier as priors of tasks, a campaign needs fewer labels", () => {
  const seeds = [1, 2, 3];
  const total = (sure: number | undefined) =>
    seeds
      .map((seed) => campaign(seed, sure))
      .reduce((sum, { asked, accuracy }) => [sum[0] + asked, sum[1] + accuracy / 3], [0, 0]);
  const [plain, informed] = [total(undefined), total(0.8)];
  expect(informed[0]).toBeLessThan(0.9 * plain[0]);
  expect(informed[1]).toBeGreaterThan(plain[1] - 0.02);
});

it("a task without labels is asked about by its prior: the least sure first", () => {
  const { data } = oneCoinCrowd({ tasks: 40, workers: 6, labelsPerTask: 5, seed: 2 });
  const model = online(data, dawidSkene(data, { shrinkage: 4, prior: "uniform" }));
  model.setTaskPrior("sure", [0.99, 0.01]);
  model.setTaskPrior("open", [0.5, 0.5]);
  const asking = plan(model, { policy: "entropy", confident: 1 });
  expect(asking.next()?.task).toBe("open");
});
