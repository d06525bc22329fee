import { expect, it } from "vitest";
import { randomCrowd } from "../../../test/random-crowd.ts";
import { selectLabels } from "../../data/categorical.ts";
import { fromRows } from "../../data/from-rows.ts";
import { dawidSkene } from "./em/dawid-skene.ts";
import { predict } from "./predict.ts";
import { majorityVote } from "./votes/majority-vote.ts";

const data = randomCrowd(1, { tasks: 200 });

it("repeats the posterior of the labels it was fitted to", () => {
  const result = dawidSkene(data);
  const { posterior, consensus, newWorkers } = predict(data, result);
  posterior.forEach((p, at) => {
    expect(p).toBeCloseTo(result.posterior[at], 9);
  });
  expect(consensus).toEqual(result.consensus);
  expect(newWorkers).toEqual([]);
});

it("answers tasks it has not seen about as well as those it has", () => {
  const seen = dawidSkene(selectLabels(data, (i) => data.task[i] < 150));
  const unseen = selectLabels(data, (i) => data.task[i] >= 150);
  const { consensus } = predict(unseen, seen);
  let right = 0;
  for (let t = 150; t < 200; t++) if (consensus[t] === data.gold[t]) right++;
  expect(right / 50).toBeGreaterThan(0.7);
});

it("takes a worker it does not know to be like the crowd", () => {
  const rows = fromRows([{ task: "new", worker: "stranger", label: "c1" }], {
    classes: [...data.classes],
  });
  const { posterior, newWorkers } = predict(rows, dawidSkene(data));
  expect(newWorkers).toEqual(["stranger"]);
  expect(posterior[1]).toBeGreaterThan(0.4);
  expect(posterior[1]).toBeLessThan(0.95);
});

it("votes where the result only votes", () => {
  const { posterior } = predict(data, majorityVote(data));
  expect([...posterior]).toEqual(
    [...majorityVote(data).posterior].map((p) => expect.closeTo(p, 12)),
  );
});

it("refuses classes the result does not know", () => {
  const rows = fromRows([{ task: "new", worker: "w0", label: "blue" }]);
  expect(() => predict(rows, dawidSkene(data))).toThrow(/new labels also have blue/);
});
