/** Classes of new tasks from a trained model: from features alone, or with what a crowd said of them. */

import { CrowdError } from "../error.ts";
import { predictionsCsv, predictionsOf } from "../jobs/learn-answers.ts";
import { predictionRows, predictJob, predictRowsJob } from "../jobs/predict.ts";
import { openFeatures } from "../node/features.ts";
import { readData } from "../node/files.ts";
import { openEngine } from "../node/learn-job.ts";
import { openModel } from "../node/model-file.ts";
import { writeFile } from "../node/output.ts";
import { posteriorCsv, truthCsv } from "../report/csv-files.ts";
import type { Command, Given, World } from "./command.ts";
import { commonFlags, count } from "./data-flags.ts";
import { engineFlags, engineOf } from "./engine-flags.ts";
import { featureFlags, featureSource } from "./feature-flags.ts";
import { checkFile } from "./output.ts";
import { threadsOf } from "./threads.ts";

export const predict: Command = {
  id: "predict",
  usage: "MODEL --features FILE [options]",
  example: "consilience predict model/ --features new.npy --tasks new.csv --out predictions.csv",
  flags: () => ({
    out: { type: "text", value: "FILE", help: "Write the predictions into this file." },
    force: { type: "switch", help: "Replace the file of --out if it exists." },
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
    const [folder, ...rest] = given.files;
    if (folder === undefined || rest.length > 0) {
      throw new CrowdError("usage", "Name one model: a folder that learn wrote, or an .onnx file.");
    }
    const source = featureSource(given, "features");
    if (!source) throw new CrowdError("usage", "Name the features: --features FILE.");
    const out = given.text("out");
    if (out !== undefined) await checkFile(out, given);
    const model = await openModel(folder);
    for (const note of model.notes) say(`note: ${note}`);
    const threads = threadsOf(given, say);
    const executor = await openEngine({ ...engineOf(given), threads }, say, world);
    const { path, ...options } = source;
    const features = await openFeatures(path, {
      ...options,
      onUnderstood: say,
      signal: world.signal,
    });
    try {
      const file = given.text("labels");
      if (model.predicts) {
        if (file !== undefined) {
          throw new CrowdError(
            "usage",
            `--labels is for classifiers; ${folder} predicts ${model.predicts.outputs.join(", ")} from features alone.`,
          );
        }
        const found = await predictRowsJob({ model, features, executor, featuresName: path });
        await write(given, world, predictionsCsv(found.kind, found), rowsOf(found), say);
        return;
      }
      const classes = [...(model.forecaster?.classes ?? model.classes)];
      const labels = file === undefined ? undefined : await readData([file], { classes });
      const result = await predictJob(
        { model, features, executor, labels, featuresName: path },
        { note: (note) => say(`note: ${note}`) },
      );
      const pieces = given.on("probabilities") ? posteriorCsv(result) : truthCsv(result);
      await write(given, world, pieces, predictionRows(result), say);
    } finally {
      features.close?.();
    }
  },
};

/** Writes the predictions into the file, or prints them. */
async function write(
  given: Given,
  world: World,
  pieces: Iterable<string | Uint8Array>,
  rows: readonly object[],
  say: (text: string) => void,
): Promise<void> {
  const out = given.text("out");
  if (out !== undefined) {
    await writeFile(out, pieces, { signal: world.signal, onTemporary: world.temporary });
    say(`Wrote ${count(rows.length, "prediction")} into ${out}.`);
  }
  if (given.on("json")) await world.print(`${JSON.stringify(rows)}\n`);
  else if (out === undefined) {
    const decoder = new TextDecoder();
    for (const piece of pieces) {
      await world.print(
        typeof piece === "string" ? piece : decoder.decode(piece, { stream: true }),
      );
    }
  }
}

/** Predictions as plain rows. */
function rowsOf(found: Awaited<ReturnType<typeof predictRowsJob>>): object[] {
  const { header, rows } = predictionsOf(found.kind).table(found);
  return Array.from(rows, (row) => Object.fromEntries(header.map((name, i) => [name, row[i]])));
}
