import { expect, it } from "vitest";
import { crowdOf, K } from "../../test/exact-copies-crowd.ts";
import { featuresOf } from "../../test/feature-crowd.ts";
import { type CategoricalData, selectLabels } from "../data/categorical.ts";
import { labelsPerTask, labelsPerWorker } from "../data/crowd-data.ts";
import { openRuntime } from "../node/runtime.ts";
import { modelDocument } from "../report/model-json.ts";
import { forecast } from "./forecast.ts";
import type { Learning } from "./learner.ts";
import { raykar } from "./raykar.ts";
import { readModel } from "./trained-model.ts";
import { twoStage } from "./two-stage.ts";

const executor = await openRuntime();
const data = crowdOf({ skills: [0.8, 0.8, 0.8, 0.8, 0.25], copied: [4, 7] });
const features = featuresOf(data, 4, 2, 1);
const quick = { aggregator: "dawid-skene", epochs: 20, hidden: "8" } as const;

const right = ({ consensus }: Learning) =>
  consensus.filter((k, t) => k === data.gold[t]).length / consensus.length;

it("learners take copies for one worker, and say so", async () => {
  const merged = await twoStage(data, features, quick, { executor });
  const kept = await twoStage(data, features, { ...quick, copies: "keep" }, { executor });
  expect(right(merged)).toBeGreaterThan(right(kept) + 0.2);
  expect([...(merged.copies ?? [])]).toEqual([0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4]);
  expect(kept.copies).toBeUndefined();
  const said = "8 of 12 workers are copies of one another in 1 group";
  expect(merged.notes.join(" ")).toContain(said);
  expect(kept.notes.join(" ")).not.toContain("copies");
});

it("what is said of a worker is said of the copies", async () => {
  const { confusion, evidence, skill, support, workload } = await raykar(
    data,
    features,
    { epochs: 20 },
    { executor },
  );
  const rowsOf = (table: Float64Array | undefined, w: number) => table?.slice(w * 16, w * 16 + 16);
  for (const w of [5, 8, 11]) {
    expect(rowsOf(confusion, w)).toEqual(rowsOf(confusion, 4));
    expect(rowsOf(evidence, w)).toEqual(rowsOf(evidence, 4));
    expect(skill[w]).toBe(skill[4]);
  }
  expect(rowsOf(confusion, 3)).not.toEqual(rowsOf(confusion, 4));
  // All labels are counted, those of the copies too.
  expect(support).toEqual(labelsPerTask(data));
  expect(workload).toEqual(labelsPerWorker(data));
});

it("of copies one counts when labels of new tasks join the predictions, and the model says so", async () => {
  const { predictor, ...learning } = await raykar(data, features, { epochs: 20 }, { executor });
  const { evidence = new Float64Array(), workers, classes, copies } = learning;
  const f = new Float64Array(data.tasks.length * K).fill(1 / K);
  const joined = (labels: CategoricalData) =>
    forecast({ workers, classes, evidence, copies }, f, labels).posterior;
  const one = selectLabels(data, (i) => data.worker[i] <= 4);
  expect(joined(data)).toEqual(joined(one));
  // The copied one may have said nothing.
  const other = selectLabels(data, (i) => data.worker[i] !== 4);
  expect(joined(other)).toEqual(joined(one));
  const each = forecast({ workers, classes, evidence }, f, data).posterior;
  expect(each).not.toEqual(joined(one));

  const onnx = predictor.toOnnx();
  const document = modelDocument(
    { learning, onnx, shape: features.shape, engine: "cpu" },
    { anonymous: false, labels: data.label.length, tasks: data.tasks.length },
  );
  const read = (text: string) =>
    readModel({ name: "m", onnx, document: { name: "model.json", text } });
  expect(read(JSON.stringify(document)).forecaster?.copies).toEqual(copies);
  const broken = { ...document, forecaster: { ...document.forecaster, copies: [12] } };
  expect(() => read(JSON.stringify(broken))).toThrow("does not fit its workers");
});
