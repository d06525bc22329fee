/** Classes of new tasks from a trained model: from features alone, or with what a crowd said of them. */

import { decide } from "../belief/ties.ts";
import type { Features } from "../data/features.ts";
import type { Names } from "../data/names.ts";
import { CrowdError } from "../error.ts";
import { createClassifier } from "../learn/classifier.ts";
import { forecast, labelsOn } from "../learn/forecast.ts";
import { openFeatures } from "../node/features.ts";
import { readData } from "../node/files.ts";
import { openEngine } from "../node/learn-job.ts";
import { type ModelFile, openModel } from "../node/model-file.ts";
import { writeFile } from "../node/output.ts";
import { posteriorCsv, truthCsv } from "../report/csv-files.ts";
import type { Command } from "./command.ts";
import { commonFlags, count } from "./data-flags.ts";
import { engineFlags, engineOf, featureFlags, featureSource } from "./learn.ts";

export const predict: Command = {
  id: "predict",
  usage: "MODEL --features FILE [options]",
  example: "consilience predict model/ --features new.npy --tasks new.csv --out predictions.csv",
  flags: () => ({
    out: { type: "text", value: "FILE", help: "Write the predictions into this file." },
    probabilities: { type: "switch", help: "A column for each class, not the answer alone." },
    labels: {
      type: "text",
      value: "FILE",
      help: "Labels of the same tasks: features and labels together decide.",
    },
    ...engineFlags,
    json: commonFlags["json"],
    quiet: commonFlags["quiet"],
    help: commonFlags["help"],
    ...featureFlags,
  }),
  async run(given, world) {
    const say = given.on("quiet") || given.on("json") ? () => {} : world.say;
    const [path, ...rest] = given.files;
    if (path === undefined || rest.length > 0) {
      throw new CrowdError("usage", "Name one model: a folder that learn wrote, or an .onnx file.");
    }
    const source = featureSource(given, "features");
    if (!source) throw new CrowdError("usage", "Name the features: --features FILE.");
    const model = await openModel(path);
    const executor = await openEngine(engineOf(given), given.number("threads"));
    say(`engine: ${executor.name}`);
    const { path: file, ...options } = source;
    const features = await openFeatures(file, {
      ...options,
      onUnderstood: say,
      signal: world.signal,
    });
    try {
      checkShape(model, features, file);
      const f = await createClassifier(executor, model).predict(features);
      const labels = given.text("labels");
      const posterior = labels ? await withLabels(labels, model, features, f, say) : f;
      const result = answers(model, features.tasks, posterior);
      const pieces = given.on("probabilities") ? posteriorCsv(result) : truthCsv(result);
      const out = given.text("out");
      if (out !== undefined) {
        await writeFile(out, pieces, { signal: world.signal });
        say(`Wrote ${count(features.tasks.length, "prediction")} into ${out}.`);
      }
      if (given.on("json")) await world.print(`${JSON.stringify(document(result))}\n`);
      else if (out === undefined) {
        const decoder = new TextDecoder();
        for (const piece of pieces) {
          await world.print(
            typeof piece === "string" ? piece : decoder.decode(piece, { stream: true }),
          );
        }
      }
    } finally {
      features.close?.();
    }
  },
};

export function checkShape(model: ModelFile, features: Features, file: string): void {
  if (String(model.shape) === String(features.shape)) return;
  throw new CrowdError(
    "bad-data",
    `${file}: rows have the shape [${features.shape.join(", ")}], the model wants [${model.shape.join(", ")}].`,
  );
}

/** The labels of the tasks that have features, joined with what the classifier says. */
async function withLabels(
  path: string,
  { forecaster, path: file }: ModelFile,
  { tasks }: Features,
  f: Float64Array,
  say: (text: string) => void,
): Promise<Float64Array> {
  if (!forecaster) {
    throw new CrowdError(
      "usage",
      `${file}: its method does not say what a label is worth, or workers were anonymised; --labels cannot be used.`,
    );
  }
  const read = await readData([path], { classes: forecaster.classes });
  const data = labelsOn(tasks, read);
  const left = read.label.length - data.label.length;
  if (left > 0) {
    say(`note: ${count(left, "label")} of tasks without features, or abstentions, were left out.`);
  }
  const { posterior, unknown } = forecast(forecaster, f, data);
  if (unknown > 0)
    say(`note: ${count(unknown, "label")} of workers that the model does not know say nothing.`);
  return posterior;
}

function answers({ classes }: ModelFile, tasks: Names, posterior: Float64Array) {
  const K = classes.length;
  const prior = new Float64Array(K).fill(1 / K);
  const { consensus } = decide({ tasks, classes }, posterior, prior, { ties: "first", seed: 0 });
  return { tasks, classes, posterior, consensus };
}

function document({ tasks, classes, posterior, consensus }: ReturnType<typeof answers>) {
  const K = classes.length;
  return Array.from(tasks, (task, t) => ({
    task,
    label: classes.at(consensus[t]),
    probabilities: Object.fromEntries(
      Array.from(classes, (name, k) => [name, posterior[t * K + k]]),
    ),
  }));
}
